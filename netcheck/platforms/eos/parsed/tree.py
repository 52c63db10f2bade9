"""Lines of a running-config as a tree, by their indentation."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from netcheck.model.document import Document, Evidence


@dataclass(slots=True)
class Block:
    """One line and what is indented below it; ``line`` counts from 1 in the document."""

    text: str
    line: int
    children: list[Block] = field(default_factory=list)


class Source:
    """A document that turns its lines and offsets into evidence."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._starts: list[int] = []
        self._known: dict[tuple[int, str], Evidence] = {}

    def at(self, line: int, *, counter: str = "") -> Evidence:
        """Give the place of a line, counted from 1; of the whole document when it is 0."""
        known = self._known.get((line, counter))
        if known is None:
            known = self._known[line, counter] = self._made(line, counter)
        return known

    def _made(self, line: int, counter: str) -> Evidence:
        number = line + self.document.first_line - 1 if line else 0
        return Evidence(
            self.document.name, number, 1 if line else 0, self.document.command, counter
        )

    def line_of(self, offset: int) -> int:
        """Give the line at which an offset stands."""
        if not self._starts:
            text, at = self.document.text, 0
            self._starts = [0]
            while (at := text.find("\n", at) + 1) > 0:
                self._starts.append(at)
        return bisect_right(self._starts, offset)


def read_tree(text: str) -> list[Block]:
    r"""Give the top-level lines with what is indented below them; comments are left out.

    Example:
        >>> [profile] = read_tree("qos profile A\n   qos trust dscp\n!\n")
        >>> [child.text for child in profile.children]
        ['qos trust dscp']
    """
    top: list[Block] = []
    open_blocks: list[tuple[int, Block]] = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if not content or content[0] == "!":
            continue
        depth = len(line) - len(line.lstrip())
        while open_blocks and open_blocks[-1][0] >= depth:
            open_blocks.pop()
        block = Block(" ".join(content.split()), number)
        (open_blocks[-1][1].children if open_blocks else top).append(block)
        open_blocks.append((depth, block))
    return top


def walk(blocks: list[Block]) -> Iterator[Block]:
    """Yield every line of a tree, in order."""
    for block in blocks:
        yield block
        yield from walk(block.children)
