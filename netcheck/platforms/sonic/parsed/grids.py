"""Texts of ``show``: grids with a header over dashes, and blocks of names and values.

A row that does not fit its columns is damaged and says nothing: cut numbers
look like smaller numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

_DASHES: Final = re.compile(r"^ *-+(?: +-+)+ *$")
_RUN: Final = re.compile(r"-+")
_BLOCK: Final = re.compile(
    r"^(?P<kind>Profile|Pool): (?P<name>\S+)$|^(?P<pattern>Lossless traffic pattern):$"
)


class GridRow(NamedTuple):
    """Cells by column, and the line they stand in."""

    cells: Mapping[str, str]
    line: int


@dataclass(slots=True)
class Grid:
    """One table; ``title`` is the line above its header, if there is one."""

    columns: tuple[str, ...]
    title: str = ""
    rows: list[GridRow] = field(default_factory=list)


@dataclass(slots=True)
class Block:
    """One object with its fields; not ``is_whole`` where its end was not seen."""

    kind: str
    name: str
    line: int
    fields: dict[str, tuple[str, int]] = field(default_factory=dict)
    is_whole: bool = False


class Stray(NamedTuple):
    """A line that fits nowhere; ``is_row`` when it stood inside a grid or block."""

    text: str
    line: int
    is_row: bool


@dataclass(slots=True)
class ShowText:
    """What one text holds."""

    grids: list[Grid] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    strays: list[Stray] = field(default_factory=list)

    @property
    def is_damaged(self) -> bool:
        """Some line of a grid or block could not be read, or a block has no end."""
        return any(stray.is_row for stray in self.strays) or not all(
            b.is_whole for b in self.blocks
        )


class _Columns:
    """Where the columns of a grid are, by the dashes under its header."""

    def __init__(self, header: str, dashes: str) -> None:
        self.spans = [match.span() for match in _RUN.finditer(dashes)]
        self.names = tuple(header[start:end].strip() for start, end in self.spans)
        self.is_right = any(
            header[start:end].startswith(" ") and header[start:end].strip()
            for start, end in self.spans
        )

    def is_header(self, header: str) -> bool:
        """Tell whether the line over the dashes names every column."""
        return all(self.names) and self._outside(header) == ""

    def _outside(self, line: str) -> str:
        """Text of a line that stands in no column."""
        at, found = 0, ""
        for start, end in self.spans:
            found += line[at:start]
            at = end
        return (found + line[at:]).strip()

    def cells(self, line: str) -> dict[str, str] | None:
        """Give the cells of a row, or None when it does not fit."""
        if self._outside(line):
            return None
        texts = [line[start:end] for start, end in self.spans]
        if self.is_right and not all(
            self._ends(t, s) for t, s in zip(texts, self.spans, strict=True)
        ):
            return None
        if not texts[0].strip():
            return None
        return {name: text.strip() for name, text in zip(self.names, texts, strict=True)}

    @staticmethod
    def _ends(text: str, span: tuple[int, int]) -> bool:
        """A cell that is set to the right reaches the end of its column."""
        return len(text) == span[1] - span[0] and not text.endswith(" ")


def read_show(text: str) -> ShowText:
    """Split a text into grids and blocks; never raises on content."""
    return _Splitter(text.split("\n")).split()


class _Splitter:
    def __init__(self, lines: list[str]) -> None:
        self.lines = [line.rstrip() for line in lines]
        self.found = ShowText()

    def split(self) -> ShowText:
        at = 0
        while at < len(self.lines):
            at = self._step(at)
        return self.found

    def _step(self, at: int) -> int:
        line = self.lines[at]
        if not line.strip():
            return at + 1
        block = _BLOCK.match(line)
        if block is not None:
            return self._block(at, block)
        if at + 1 < len(self.lines) and _DASHES.match(self.lines[at + 1]):
            columns = _Columns(line, self.lines[at + 1])
            if columns.is_header(line):
                return self._grid(at, columns)
        is_row = _DASHES.match(line) is not None
        self.found.strays.append(Stray(line.strip(), at + 1, is_row))
        return at + 1

    def _grid(self, at: int, columns: _Columns) -> int:
        grid = Grid(columns.names, self._title(at))
        self.found.grids.append(grid)
        at += 2
        while at < len(self.lines):
            cells = columns.cells(self.lines[at])
            if not self.lines[at].strip():
                if not self._goes_on(at + 1, columns):
                    return at
                at += 1
                continue
            if cells is None and self._starts_anew(at):
                return at
            if cells is None:
                self.found.strays.append(Stray(self.lines[at].strip(), at + 1, is_row=True))
            else:
                grid.rows.append(GridRow(cells, at + 1))
            at += 1
        return at

    def _goes_on(self, at: int, columns: _Columns) -> bool:
        """Blank lines part the ports of some grids."""
        fits = at < len(self.lines) and columns.cells(self.lines[at]) is not None
        return fits and not self._starts_anew(at)

    def _starts_anew(self, at: int) -> bool:
        """A line that opens the next grid, or says something after this one."""
        following = self.lines[at + 1] if at + 1 < len(self.lines) else ""
        words = self.lines[at].strip().endswith(":") or self.lines[at].startswith("Total")
        return (
            words
            or _DASHES.match(following) is not None
            or _BLOCK.match(self.lines[at]) is not None
        )

    def _title(self, at: int) -> str:
        if self.found.strays and self.found.strays[-1].line == at and at > 0:
            return self.found.strays[-1].text
        return ""

    def _block(self, at: int, match: re.Match[str]) -> int:
        kind = match["kind"] or match["pattern"]
        block = Block(kind, match["name"] or "AZURE", at + 1)
        self.found.blocks.append(block)
        at += 1
        if at >= len(self.lines) or not _DASHES.match(self.lines[at]):
            return at
        at += 1
        while at < len(self.lines) and self.lines[at].strip():
            if _DASHES.match(self.lines[at]):
                block.is_whole = True
                return at + 1
            words = self.lines[at].split(maxsplit=1)
            if len(words) > 1:
                block.fields[words[0]] = (words[1].strip(), at + 1)
            else:
                self.found.strays.append(Stray(self.lines[at].strip(), at + 1, is_row=True))
            at += 1
        return at
