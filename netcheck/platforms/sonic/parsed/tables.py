"""Tables of redis databases, whatever text they were read from.

A missing row or field is known to be absent only where its table or row is
whole; else nothing is known of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from netcheck.model.device import Defect, DefectKind
from netcheck.model.document import Document, Evidence
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing


class Database(StrEnum):
    """The redis databases that are read."""

    CONFIG = "CONFIG_DB"
    APPL = "APPL_DB"
    STATE = "STATE_DB"
    COUNTERS = "COUNTERS_DB"


class Source:
    """A document that turns offsets into evidence."""

    def __init__(self, document: Document) -> None:
        self.document = document

    @cached_property
    def _line_starts(self) -> list[int]:
        lengths = [len(line) + 1 for line in self.document.text.split("\n")]
        return list(accumulate(lengths[:-1], initial=0))

    def evidence(self, offset: int = -1, *, counter: str = "") -> Evidence:
        """Give the place of an offset; of the whole document when it is negative."""
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
    offset: int = -1

    @property
    def evidence(self) -> Evidence:
        """Where the field stands."""
        return self.source.evidence(self.offset)


@dataclass(frozen=True, slots=True)
class Row:
    """One row; ``is_whole`` says that it has no other fields."""

    key: str
    cells: Mapping[str, Cell]
    source: Source
    offset: int = -1
    is_whole: bool = True

    @property
    def evidence(self) -> Evidence:
        """Where the row stands."""
        return self.source.evidence(self.offset)


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
    return replace(row, cells=cells, is_whole=row.is_whole or below.is_whole)


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
            for name in sorted(first.cells.keys() & second.cells.keys()):
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
    cell = row.cells.get(field_name)
    if cell is not None:
        return cell
    return ABSENT if row.is_whole else UNKNOWN
