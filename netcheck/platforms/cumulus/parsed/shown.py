"""``nv show`` in text: a list of properties, and titled tables, as nested mappings.

Columns are those of the dashes below the names; a cell reaches to the next column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_DASHES: Final = re.compile(r"^ *[-…]{2,}(?: +[-…]+)* *$|^ *-(?: +-+)+ *$")
_RULE: Final = re.compile(r"^=+ *$")


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of one cell, and its line in the document (from 0)."""

    text: str
    line: int


Row = dict[str, Cell]


@dataclass(slots=True)
class Shown:
    """One output.

    Attributes:
        properties: ``path -> operational, else applied`` of the list on top.
        tables: ``title -> rows``; ``row -> column -> cell``.
        rest: Lines that belong to neither, with their numbers.
    """

    properties: dict[tuple[str, ...], Cell] = field(default_factory=dict)
    tables: dict[str, list[Row]] = field(default_factory=dict)
    rest: list[tuple[int, str]] = field(default_factory=list)


def read_shown(text: str) -> Shown:
    """Read one output; a last line without its end may be cut, and is left out."""
    lines = text.split("\n")
    if lines and lines[-1].strip():
        lines[-1] = ""
    shown, title, at = Shown(), "", 0
    while at < len(lines):
        line = lines[at]
        if at + 1 < len(lines) and _RULE.match(lines[at + 1]) and line.strip():
            title, at = line.strip(), at + 2
            shown.tables.setdefault(title, [])
        elif at and _DASHES.match(line):
            at = _read_block(lines, at, title, shown)
        else:
            if line.strip() and not _is_head(lines, at) and line.strip() != "No Data":
                shown.rest.append((at, line))
            at += 1
    return shown


def _is_head(lines: list[str], at: int) -> bool:
    return any(_DASHES.match(lines[one]) for one in range(at + 1, min(at + 3, len(lines))))


def _read_block(lines: list[str], at: int, title: str, shown: Shown) -> int:
    """Read the rows below a line of dashes; give the line after them."""
    spans = [(found.start(), found.end()) for found in re.finditer(r"[-…]+", lines[at])]
    starts = [start for start, _ in spans]
    names = _names(lines[at - 1], starts)
    is_list = "operational" in names or ("applied" in names and not title)
    path: list[tuple[int, str]] = []
    at += 1
    while at < len(lines) and not _ends(lines, at):
        line = lines[at].rstrip()
        if line and is_list:
            _add_property(line, at, (starts, names, path), shown)
        elif line:
            cells = (Cell(text, at) for text in _cells(line, starts))
            shown.tables.setdefault(title, []).append(dict(zip(names, cells, strict=False)))
        at += 1
    return at


def _names(line: str, starts: list[int]) -> list[str]:
    """Names of columns; their positions where names are cut over two lines and not unique."""
    names = [one.lower() for one in _cells(line, starts)]
    is_unique = len(set(names)) == len(names)
    return names if is_unique else [str(place) for place in range(len(names))]


def _ends(lines: list[str], at: int) -> bool:
    """Tell whether a line is the title or the head of the next table."""
    below = lines[at + 1] if at + 1 < len(lines) else ""
    is_above = _RULE.match(below) is not None or _DASHES.match(below) is not None
    return bool(is_above and lines[at].strip())


def _cells(line: str, starts: list[int]) -> list[str]:
    ends = [*starts[1:], len(line) + 1]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _add_property(
    line: str,
    at: int,
    columns: tuple[list[int], list[str], list[tuple[int, str]]],
    shown: Shown,
) -> None:
    starts, names, path = columns
    cells = _cells(line, [0, *starts[1:]])
    name = cells[0]
    indent = len(line) - len(line.lstrip())
    while path and path[-1][0] >= indent:
        path.pop()
    path.append((indent, name))
    by_name = dict(zip(names[1:], cells[1:], strict=False))
    value = by_name.get("operational") or by_name.get("applied") or ""
    if value:
        shown.properties[tuple(one for _, one in path)] = Cell(value, at)


def rows_of(shown: Shown, title: str) -> Iterator[Row]:
    """Yield the rows of the table whose title starts so, in any case of letters."""
    for name, rows in shown.tables.items():
        if name.lower().startswith(title.lower()):
            yield from rows
