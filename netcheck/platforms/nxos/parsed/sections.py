"""A running-config as a tree of lines, by indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.document import Document, Evidence

_BANNER: Final = re.compile(r"banner \S+ (\S)(.*)")


@dataclass(slots=True)
class Line:
    """One line with the lines of its mode; ``words`` are the text with single blanks."""

    words: str
    number: int
    document: Document
    children: list[Line] = field(default_factory=list)

    @property
    def evidence(self) -> Evidence:
        """Where the line stands."""
        document = self.document
        number = self.number + document.first_line - 1
        return Evidence(document.name, number, 1, document.command)


def read_lines(document: Document) -> list[Line]:
    r"""Give the lines of the top level, each with those of its mode.

    Comments, blank lines and the texts of banners are left out. Depth is told
    by indentation alone, whatever its width.

    Example:
        >>> [top] = read_lines(Document("r", "interface Ethernet1/1\n  mtu 9216\n"))
        >>> [below.words for below in top.children]
        ['mtu 9216']
    """
    top: list[Line] = []
    open_lines: list[tuple[int, Line]] = []
    for number, text in _plain(document.text):
        indent = len(text) - len(text.lstrip())
        line = Line(" ".join(text.split()), number, document)
        while open_lines and open_lines[-1][0] >= indent:
            open_lines.pop()
        (open_lines[-1][1].children if open_lines else top).append(line)
        open_lines.append((indent, line))
    return top


def _plain(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that configure something, with their numbers."""
    until = ""
    for number, line in enumerate(text.split("\n"), 1):
        if until:
            until = "" if until in line else until
            continue
        banner = _BANNER.match(line) if line.startswith("banner") else None
        if banner is not None:
            until = "" if banner[1] in banner[2] else banner[1]
        elif (bare := line.lstrip()) and bare[0] != "!":
            yield number, line.expandtabs(8)
