"""Typed values out of tables; what is malformed is UNKNOWN (``check`` tells why)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing
from netcheck.platforms.sonic.parsed.check import bare_name
from netcheck.platforms.sonic.parsed.keys import read_port_index, read_ports
from netcheck.platforms.sonic.parsed.schema import SCHEMAS, KeyForm, kind_of
from netcheck.platforms.sonic.parsed.tables import Cell, Row, Tables, text_of

Seen = Cell | Row | Evidence


class Book:
    """Where each fact was read, by the model's own keys; worked out when somebody asks.

    Attributes:
        maps: Rows each of whose fields is a fact, under ``place field``, of one owner.
    """

    def __init__(self) -> None:
        self.places: dict[str, Seen] = {}
        self.maps: list[tuple[str, Row]] = []

    def note(self, place: str, at: Known[Seen]) -> None:
        """Keep the place of a fact; the first one stays."""
        if not isinstance(at, Missing):
            self.places.setdefault(place, at)

    def note_field(self, place: str, row: Known[Row], field_name: str) -> None:
        """Keep the place of a field; that of its row where it lacks the field."""
        if not isinstance(row, Missing) and place not in self.places:
            self.places[place] = row.cells[field_name] if field_name in row.texts else row

    def seen(self, *places: str) -> Evidence:
        """Where the first of these facts that is known was read."""
        found = next((self.places[each] for each in places if each in self.places), Evidence())
        return found if isinstance(found, Evidence) else found.evidence

    def evidence(self) -> dict[str, Evidence]:
        """Give all of it."""
        found = {
            place: at if isinstance(at, Evidence) else at.evidence
            for place, at in self.places.items()
        }
        entries: dict[int, list[tuple[str, Evidence]]] = {}
        for place, row in self.maps:
            if id(row) not in entries:
                entries[id(row)] = [(name, cell.evidence) for name, cell in row.cells.items()]
            found.update({f"{place} {name}": evidence for name, evidence in entries[id(row)]})
        return found


@lru_cache(maxsize=1 << 16)
def accepted(table: str, field_name: str, found: Known[str]) -> Known[str]:
    """Give a field's text where it is of the kind that the table takes, else UNKNOWN."""
    if isinstance(found, Missing):
        return found
    kind = kind_of(table, field_name)
    return found if kind is None or kind.accepts(found) else UNKNOWN


def text(row: Known[Row], table: str, field_name: str) -> Known[str]:
    """Give a field of a row as text."""
    return (
        row if isinstance(row, Missing) else accepted(table, field_name, text_of(row, field_name))
    )


def number(row: Known[Row], table: str, field_name: str) -> Known[int]:
    """Give a field of a row as a number."""
    found = text(row, table, field_name)
    return found if isinstance(found, Missing) else int(found)


def reference(row: Known[Row], table: str, field_name: str) -> Known[str]:
    """Give the bare name that a field of a row holds."""
    found = text(row, table, field_name)
    return found if isinstance(found, Missing) else bare_name(found)


def priorities(row: Known[Row], field_name: str) -> Known[frozenset[int]]:
    """Give a list of priorities; the empty text is the empty set."""
    found = text(row, "PORT_QOS_MAP", field_name)
    if isinstance(found, Missing):
        return found
    return frozenset(int(part) for part in found.split(",") if part)


def only_row(tables: Tables, table: str) -> Known[Row]:
    """Give the row of a table that has one, whatever its name."""
    found = tables.find(table)
    if isinstance(found, Missing):
        return found
    rows = list(found.rows.values())
    if rows:
        return rows[0]
    return ABSENT if found.is_whole else UNKNOWN


class Maps:
    """Named maps from number to number; equal names give the same object."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._maps: dict[tuple[str, str], Known[FrozenMap[int, int]]] = {}

    def find(self, table: str, name: Known[str]) -> Known[FrozenMap[int, int]]:
        """Give a map; UNKNOWN where its row is not there or holds a bad entry."""
        if isinstance(name, Missing):
            return name
        at = (table, name)
        if at not in self._maps:
            self._maps[at] = self._read(table, name)
        return self._maps[at]

    def _read(self, table: str, name: str) -> Known[FrozenMap[int, int]]:
        row = self.tables.row(table, name)
        if isinstance(row, Missing) or not row.is_whole:
            return UNKNOWN  # a name without its row: the device has no map to apply
        schema = SCHEMAS[table]
        keys, values = schema.map_keys, schema.map_values
        pairs: dict[int, int] = {}
        for key, value in row.texts.items():
            if not (keys and keys.accepts(key) and values and values.accepts(value)):
                return UNKNOWN
            pairs[int(key)] = int(value)
        return FrozenMap(dict(sorted(pairs.items())))


class RowsOfPorts:
    """Rows of a table by port, and by port and index.

    Attributes:
        spoiled: Ports with a key that cannot be read: their rows are not all known.
        remote: Ports that keys of a whole chassis name, whichever line card is meant.
    """

    def __init__(self, tables: Tables, name: str) -> None:
        self.table = tables.find(name)
        self.by_port: dict[str, Row] = {}
        self.by_index: dict[str, dict[int, list[Row]]] = {}
        self.spoiled: set[str] = set()
        self.remote: set[str] = set()
        schema = SCHEMAS[name]
        for row in tables.rows(name):
            if schema.key is KeyForm.PORT:
                self.by_port.update({p: row for p in read_ports(row.key) if p not in schema.words})
            else:
                self._add_indices(row, schema.index_high)

    def _add_indices(self, row: Row, high: int) -> None:
        found = read_port_index(row.key, high)
        if found is None:
            self.spoiled.update(read_ports(row.key.split("|")[0]))
            return
        if found.is_remote:
            self.remote.update(found.ports)
        for port in () if found.is_remote else found.ports:
            of_port = self.by_index.setdefault(port, {})
            for index in found.indices:
                of_port.setdefault(index, []).append(row)

    def signature(self, port: str) -> object:
        """Something equal for ports whose rows say the same by index."""
        rows = self.indices(port)
        if isinstance(rows, Missing):
            return rows
        return tuple(
            [
                (index, *[(id(row.texts), row.is_whole) for row in of_index])
                for index, of_index in rows.items()
            ]
        )

    @property
    def ports(self) -> Iterable[str]:
        """Ports that the table names."""
        return self.by_port.keys() | self.by_index.keys()

    def row(self, port: str) -> Known[Row]:
        """Give the row of a port."""
        return self.by_port.get(port) or self._missing()

    def indices(self, port: str) -> Known[Mapping[int, list[Row]]]:
        """Give the rows of a port by index; ABSENT where it has none at all."""
        if port in self.spoiled:
            return UNKNOWN
        found = self.by_index.get(port)
        if found is None and port in self.remote:
            return UNKNOWN
        return found if found is not None else self._missing()

    def _missing(self) -> Literal[Missing.ABSENT, Missing.UNKNOWN]:
        if isinstance(self.table, Missing):
            return self.table
        return ABSENT if self.table.is_whole else UNKNOWN


def shared_text(rows: Sequence[Row], field_name: str) -> Known[str]:
    """Give a field that several overlapping rows set; UNKNOWN where they differ."""
    if len(rows) == 1:
        return text_of(rows[0], field_name)
    texts = [text_of(row, field_name) for row in rows]
    found = [each for each in texts if not isinstance(each, Missing)]
    if len(set(map(bare_name, found))) > 1:
        return UNKNOWN
    if found:
        return found[0]
    return UNKNOWN if UNKNOWN in texts else ABSENT


def first_setting(rows: Sequence[Row], field_name: str) -> Row:
    """Give the first of overlapping rows that has a field, or the first at all."""
    return next((row for row in rows if field_name in row.texts), rows[0])
