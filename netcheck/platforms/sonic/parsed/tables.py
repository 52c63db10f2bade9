"""Tables of redis databases, whatever text they were read from.

A missing row or field is known to be absent only where its table or row is
whole; else nothing is known of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from netcheck.model.device import Defect, DefectKind
from netcheck.model.document import Document, Evidence
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing
from netcheck.platforms.sonic.parsed.plain_json import Path

Where = int | Path


class Database(StrEnum):
    """The redis databases that are read."""

    CONFIG = "CONFIG_DB"
    APPL = "APPL_DB"
    STATE = "STATE_DB"
    COUNTERS = "COUNTERS_DB"


class Source:
    """A document that turns places in it into evidence.

    A place is an offset, or the keys that lead to a member; where those stand
    is worked out by ``locate`` when somebody asks.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.locate: Callable[[], Mapping[Path, int]] = dict

    @cached_property
    def _line_starts(self) -> list[int]:
        lengths = [len(line) + 1 for line in self.document.text.split("\n")]
        return list(accumulate(lengths[:-1], initial=0))

    @cached_property
    def _places(self) -> Mapping[Path, int]:
        return self.locate()

    def evidence(self, place: Where = -1, *, counter: str = "") -> Evidence:
        """Give the evidence of a place; of the whole document when it is a negative offset."""
        offset = place if isinstance(place, int) else self._places[place]
        if offset < 0:
            return Evidence(self.document.name, 0, 0, self.document.command, counter)
        line = bisect_right(self._line_starts, offset)
        column = offset - self._line_starts[line - 1] + 1
        return self.at_line(line, column, counter=counter)

    def offset(self, line: int) -> int:
        """Give the offset at which a line of the document starts, counted from 1."""
        return self._line_starts[line - 1] if line <= len(self._line_starts) else -1

    def at_line(self, line: int, column: int = 1, *, counter: str = "") -> Evidence:
        """Give the place of a line of the document, counted from 1."""
        number = line + self.document.first_line - 1
        return Evidence(self.document.name, number, column, self.document.command, counter)


class Cell(NamedTuple):
    """One field of a row: its text and where it stands."""

    text: str
    source: Source
    place: Where = -1

    @property
    def evidence(self) -> Evidence:
        """Where the field stands."""
        return self.source.evidence(self.place)


class Row:
    """One row.

    Attributes:
        texts: Its fields, ``field -> text``; equal rows may share them.
        cells: The same with their places.
        place: Where the row stands.
        is_whole: It has no other fields.
    """

    __slots__ = ("cells", "is_whole", "key", "place", "source", "texts")

    def __init__(
        self,
        key: str,
        cells: Mapping[str, Cell],
        source: Source,
        place: Where = -1,
        *,
        is_whole: bool = True,
    ) -> None:
        self.key = key
        self.cells = cells
        self.source = source
        self.place = place
        self.is_whole = is_whole
        self.texts: Mapping[str, str] = (
            cells.texts
            if isinstance(cells, PlainCells)
            else {name: cell.text for name, cell in cells.items()}
        )

    @property
    def evidence(self) -> Evidence:
        """Where the row stands."""
        return self.source.evidence(self.place)


class PlainCells(Mapping[str, Cell]):
    """Fields of one row of a plain text; the place of a field is the keys that lead to it.

    Attributes:
        texts: ``field -> text``, where the place does not matter.
    """

    __slots__ = ("path", "source", "texts")

    def __init__(self, texts: Mapping[str, str], source: Source, path: Path) -> None:
        self.texts = texts
        self.source = source
        self.path = path

    def __getitem__(self, name: str) -> Cell:
        return Cell(self.texts[name], self.source, (*self.path, name))

    def __contains__(self, name: object) -> bool:
        return name in self.texts

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows by key; ``is_whole`` says that there are no others.

    Attributes:
        is_applied: The rows are what the device applied, not what was configured.
    """

    name: str
    rows: Mapping[str, Row]
    is_whole: bool = True
    is_applied: bool = False

    def merged(self, other: Table) -> Table:
        """Give the union of both; rows of this table win, field by field."""
        rows = dict(other.rows)
        for key, row in self.rows.items():
            below = rows.get(key)
            rows[key] = row if below is None else _row_over(row, below)
        return replace(self, rows=rows, is_whole=self.is_whole or other.is_whole)


def _row_over(row: Row, below: Row) -> Row:
    cells = {**below.cells, **row.cells}
    is_whole = row.is_whole or below.is_whole
    return Row(row.key, cells, row.source, row.place, is_whole=is_whole)


@dataclass(slots=True)
class Tables:
    """All tables of one device's documents.

    Attributes:
        is_whole: A whole configuration was read: a table it lacks is absent.
        is_damaged: A document that may hold tables could not be read.
        defects: What was wrong with the texts in themselves.
    """

    tables: dict[tuple[Database, str], Table] = field(default_factory=dict)
    is_whole: bool = False
    is_damaged: bool = False
    defects: list[Defect] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)

    def add(self, database: Database, table: Table, *, tell: bool = True) -> None:
        """Add a table; one that is there already wins row by row.

        Args:
            tell: Tell where both say different things of one field.
        """
        there = self.tables.get((database, table.name))
        if there is None:
            self.tables[database, table.name] = table
            return
        if tell:
            self._tell_differences(there, table)
        self.tables[database, table.name] = there.merged(table)

    def _tell_differences(self, there: Table, table: Table) -> None:
        for key in there.rows.keys() & table.rows.keys():
            first, second = there.rows[key], table.rows[key]
            for name in sorted(first.texts.keys() & second.texts.keys()):
                one, two = first.cells[name], second.cells[name]
                if one.text != two.text:
                    place = f"{table.name}|{key} {name}"
                    self.defects.append(
                        Defect(
                            DefectKind.DUPLICATE_KEY,
                            place,
                            f"{place} is said twice: {one.text} and {two.text}",
                            expected=one.text,
                            found=two.text,
                            evidence=two.evidence,
                        )
                    )

    def find(self, name: str, database: Database = Database.CONFIG) -> Known[Table]:
        """Give a table; ABSENT when a whole configuration lacks it."""
        table = self.tables.get((database, name))
        if table is not None:
            return table
        is_absent = database is Database.CONFIG and self.is_whole and not self.is_damaged
        return ABSENT if is_absent else UNKNOWN

    def rows(self, name: str, database: Database = Database.CONFIG) -> Iterator[Row]:
        """Give the rows of a table, none where it is missing."""
        table = self.find(name, database)
        if not isinstance(table, Missing):
            yield from table.rows.values()

    def row(self, name: str, key: str, database: Database = Database.CONFIG) -> Known[Row]:
        """Give a row; ABSENT where its table is whole and lacks it."""
        table = self.find(name, database)
        if isinstance(table, Missing):
            return table
        row = table.rows.get(key)
        if row is not None:
            return row
        return ABSENT if table.is_whole else UNKNOWN

    def cell(
        self, name: str, key: str, field_name: str, database: Database = Database.CONFIG
    ) -> Known[Cell]:
        """Give a field; ABSENT where its row is whole and lacks it."""
        row = self.row(name, key, database)
        return row if isinstance(row, Missing) else cell_of(row, field_name)


def cell_of(row: Row, field_name: str) -> Known[Cell]:
    """Give a field of a row; ABSENT where the row is whole and lacks it."""
    if field_name in row.texts:
        return row.cells[field_name]
    return ABSENT if row.is_whole else UNKNOWN


def text_of(row: Row, field_name: str) -> Known[str]:
    """Give the text of a field of a row; ABSENT where the row is whole and lacks it."""
    found = row.texts.get(field_name)
    if found is not None:
        return found
    return ABSENT if row.is_whole else UNKNOWN
