"""A configuration as a tree of lines; a line replaces the one that sets the same (its key)."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_DIGITS = re.compile(r"(\d+)")


@dataclass
class Entry:
    """A line that is held; ``section`` where it opens a block; ``rank`` is its place in a text."""

    text: str
    section: Section | None = None
    rank: int = 0


@dataclass
class Section:
    """Lines of one block (or of the whole), ``key -> entry``."""

    entries: dict[str, Entry] = field(default_factory=dict)

    def copy(self) -> Section:
        """A section of its own with the same content."""
        return copy.deepcopy(self)

    def set(self, key: str, text: str, rank: int = 0) -> None:
        """Hold a line in place of what its key held."""
        self.entries[key] = Entry(text, rank=rank)

    def drop(self, key: str) -> bool:
        """Forget what a key holds; tell whether it held something."""
        return self.entries.pop(key, None) is not None

    def block(self, key: str, text: str = "", rank: int = 0) -> Section:
        """Give the block of a key, made where there is none."""
        entry = self.entries.get(key)
        if entry is not None and entry.section is not None:
            return entry.section
        made = Section()
        self.entries[key] = Entry(text or key, made, rank)
        return made

    def held(self, key: str) -> Section:
        """Give the block of a key; an empty one where there is none. Not for changing."""
        entry = self.entries.get(key)
        return entry.section if entry is not None and entry.section is not None else Section()

    def line(self, key: str) -> str:
        """Give the line of a key; empty where there is none."""
        entry = self.entries.get(key)
        return entry.text if entry is not None else ""

    def value(self, key: str) -> str:
        """Give what follows the key on its line; empty where there is none."""
        return self.line(key).removeprefix(key).strip()

    def blocks(self, start: str) -> Iterator[tuple[str, Section]]:
        """Give ``(rest of the key, block)`` of blocks whose key begins with these words."""
        for key, entry in self.entries.items():
            if entry.section is not None and key.startswith(start + " "):
                yield key.removeprefix(start).strip(), entry.section

    def lines(self, start: str) -> Iterator[str]:
        """Give lines that begin with these words."""
        for entry in self.entries.values():
            if entry.text == start or entry.text.startswith(start + " "):
                yield entry.text

    def sorted(self) -> list[tuple[str, Entry]]:
        """Entries as they stand in a text: by rank, then by key, numbers by value."""
        return sorted(self.entries.items(), key=lambda item: (item[1].rank, natural(item[0])))


def natural(text: str) -> list[tuple[int, int | str]]:
    """Sort key by which ``Ethernet2`` comes before ``Ethernet10``."""
    parts = _DIGITS.split(text)
    return [(0, int(part)) if part.isdigit() else (1, part) for part in parts]


def write(section: Section, *, indent: int = 3, separator: str = "!") -> list[str]:
    """Give the lines of a text; a separator stands before each block and after the last one.

    Separators inside a block are indented with it; an empty ``separator`` gives none inside.
    """
    lines: list[str] = []
    was_block = False
    for _, entry in section.sorted():
        is_block = entry.section is not None
        if is_block or was_block:
            lines.append(separator)
        lines.append(entry.text)
        if entry.section is not None:
            inner = write(entry.section, indent=indent, separator=separator)
            lines += [" " * indent + line for line in inner if line]
        was_block = is_block
    return lines
