"""What is wrong with tables in themselves: values, names, references, keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from netcheck.model.device import Defect, DefectKind
from netcheck.model.document import Evidence
from netcheck.model.known import UNKNOWN, Missing
from netcheck.platforms.sonic.parsed.json_tables import may_touch_qos
from netcheck.platforms.sonic.parsed.keys import PortIndices, read_port_index, read_ports
from netcheck.platforms.sonic.parsed.schema import SCHEMAS, KeyForm, Kind, Reference, TableSchema
from netcheck.platforms.sonic.parsed.tables import Cell, Database, Row, Table, Tables
from netcheck.platforms.sonic.quirks import takes_bracket_references

_BRACKETS: Final = re.compile(r"\[([A-Z][A-Z0-9_]*)[|:]([^\]|]+)\]")
# Tables about QoS that decide nothing about RDMA traffic between ports.
_ASIDE: Final = frozenset(
    {
        "DSCP_TO_FC_MAP",
        "EXP_TO_FC_MAP",
        "MPLS_TC_TO_TC_MAP",
        "TC_TO_DOT1P_MAP",
        "PORT_STORM_CONTROL",
        "QUEUE_COUNTER",
        "VERSIONS",
    }
)


def bare_name(text: str) -> str:
    """Give the name out of a reference, with or without brackets.

    Example:
        >>> bare_name("[BUFFER_PROFILE|egress_lossy_profile]")
        'egress_lossy_profile'
    """
    match = _BRACKETS.fullmatch(text.strip())
    return match[2] if match else text.strip()


def names_in(text: str, reference: Reference) -> tuple[str, ...]:
    """Give the bare names that a reference holds."""
    parts = text.split(",") if reference.is_list else [text]
    return tuple(bare_name(part) for part in parts)


def check_tables(tables: Tables) -> Iterator[Defect]:
    """Give every defect of the tables of CONFIG_DB, row by row."""
    has_bare = _has_bare_references(tables)
    for (database, name), table in tables.tables.items():
        if database is not Database.CONFIG:
            continue
        schema = SCHEMAS.get(name)
        if schema is None:
            yield from _check_unread(name, table, tables)
            continue
        checker = _Checker(tables, table, schema, has_bare=has_bare)
        for row in table.rows.values():
            yield from checker.check(row)
        if schema.key is KeyForm.PORT_INDEX:
            yield from _check_overlaps(table, schema)


def _check_unread(name: str, table: Table, tables: Tables) -> Iterator[Defect]:
    row = next(iter(table.rows.values()), None)
    evidence = row.evidence if row else Evidence()
    if may_touch_qos(name) and name not in _ASIDE:
        message = f"table {name} is not read and may change how traffic is treated"
        yield Defect(DefectKind.UNKNOWN_LINE, name, message, evidence=evidence)
    elif row is not None:
        tables.unread.append(evidence)


def _has_bare_references(tables: Tables) -> bool:
    """Some reference is a bare name: brackets beside it are wrong in any version."""
    return any(
        isinstance(kind, Reference) and text not in {"", "NULL"} and "[" not in text
        for (database, name), table in tables.tables.items()
        if database is Database.CONFIG and (schema := SCHEMAS.get(name)) is not None
        for row in table.rows.values()
        for field, text in row.texts.items()
        if (kind := schema.fields.get(field)) is not None
    )


class _Checker:
    def __init__(
        self, tables: Tables, table: Table, schema: TableSchema, *, has_bare: bool
    ) -> None:
        self.tables = tables
        self.has_bare = has_bare
        self.table = table
        self.schema = schema
        ports = tables.find("PORT")
        self.ports = None if isinstance(ports, Missing) or not ports.is_whole else ports.rows
        self.takes_brackets = takes_bracket_references(tables)
        self.sound: set[tuple[int, bool, bool]] = set()

    def check(self, row: Row) -> Iterator[Defect]:
        place = f"{self.table.name}|{row.key}"
        where = self._where(row)
        if where is None:
            message = f"{place}: key names no port and index from 0 to {self.schema.index_high}"
            yield Defect(
                DefectKind.MALFORMED_VALUE,
                place,
                message,
                ports=read_ports(row.key.split("|")[0]),
                found=row.key,
                evidence=row.evidence,
            )
            return
        yield from self._check_ports(place, row, where)
        # what is wrong with fields is the same for all rows that share their texts
        alike = (id(row.texts), row.is_whole, row.key in self.schema.words)
        if alike in self.sound:
            return
        found = [*self._check_required(place, row, where), *self._check_cells(place, row, where)]
        if not found:
            self.sound.add(alike)
        yield from found

    def _where(self, row: Row) -> PortIndices | None:
        if self.schema.key is KeyForm.PORT_INDEX:
            if row.key.split("|")[0] in self.schema.words:
                return PortIndices((), ())
            return read_port_index(row.key, self.schema.index_high)
        if self.schema.key is KeyForm.PORT and row.key not in self.schema.words:
            return PortIndices(read_ports(row.key), ())
        return PortIndices((), ())

    def _check_ports(self, place: str, row: Row, where: PortIndices) -> Iterator[Defect]:
        if self.ports is None or self.table.name == "PORT" or where.is_remote:
            return
        for port in where.ports:
            if port not in self.ports:
                yield _dangling(place, "PORT", port, row.evidence, where)

    def _check_required(self, place: str, row: Row, where: PortIndices) -> Iterator[Defect]:
        needs = row.is_whole and row.key not in self.schema.words
        # a part to be merged into PORT leaves the rest of each row to the switch
        needs = needs and (self.table.name != "PORT" or self.tables.is_whole)
        for name in self.schema.required if needs else ():
            if name not in row.texts and not _is_set_elsewhere(name, row):
                yield Defect(
                    DefectKind.MALFORMED_VALUE,
                    f"{place} {name}",
                    f"{place}: {name} is missing",
                    where.ports,
                    where.indices,
                    expected=str(self.schema.fields[name]),
                    evidence=row.evidence,
                    touches_qos=self.schema.touches_qos,
                )

    def _check_cells(self, place: str, row: Row, where: PortIndices) -> Iterator[Defect]:
        schema = self.schema
        for name, text in row.texts.items():
            kind = schema.fields.get(name)
            if schema.map_values is not None:
                yield from self._check_map(place, name, row.cells[name])
            elif kind is None:
                yield from self._check_unknown(place, name, row)
            elif isinstance(kind, Reference):
                yield from self._check_reference(f"{place} {name}", row.cells[name], kind, where)
            elif not kind.accepts(text):
                yield self._malformed(f"{place} {name}", row.cells[name], kind, where)

    def _check_map(self, place: str, name: str, cell: Cell) -> Iterator[Defect]:
        schema = self.schema
        where = PortIndices((), ())
        if schema.map_keys is None:
            where = PortIndices((name,), ())
            if self.ports is not None and name not in self.ports:
                yield _dangling(place, "PORT", name, cell.evidence, where)
        elif not schema.map_keys.accepts(name):
            yield Defect(
                DefectKind.MALFORMED_VALUE,
                f"{place} {name}",
                f"{place}: key {name} is not {schema.map_keys}",
                expected=str(schema.map_keys),
                found=name,
                evidence=cell.evidence,
            )
        if schema.map_values is not None and not schema.map_values.accepts(cell.text):
            yield self._malformed(f"{place} {name}", cell, schema.map_values, where)

    def _check_unknown(self, place: str, name: str, row: Row) -> Iterator[Defect]:
        schema = self.schema
        if name in schema.ignored or (not schema.touches_qos and not may_touch_qos(name)):
            return
        if name in _KNOWN_ASIDE:
            return
        yield Defect(
            DefectKind.UNKNOWN_LINE,
            f"{place} {name}",
            f"{place}: field {name} is not known",
            found=row.texts[name],
            evidence=row.cells[name].evidence,
        )

    def _check_reference(
        self, place: str, cell: Cell, kind: Reference, where: PortIndices
    ) -> Iterator[Defect]:
        takes_brackets = self.takes_brackets
        if "[" in cell.text and not takes_brackets:
            bare = ",".join(names_in(cell.text, kind))
            yield Defect(
                DefectKind.MALFORMED_REFERENCE,
                place,
                f"{place}: reference {cell.text} is in the old form; "
                f"this schema takes the bare name {bare}",
                where.ports,
                where.indices,
                expected=bare,
                found=cell.text,
                evidence=cell.evidence,
                # right in its time, where nothing says how old the text is
                touches_qos=takes_brackets is False or self.has_bare,
            )
        target = self.tables.find(kind.table)
        if not cell.text.strip():
            yield self._malformed(place, cell, kind, where)
            return
        if self.table.is_applied and not self.table.is_whole:
            return  # single keys as a program sets them: what they name may be set elsewhere
        if target is UNKNOWN or not (isinstance(target, Missing) or target.is_whole):
            return
        rows = {} if isinstance(target, Missing) else target.rows
        for name in names_in(cell.text, kind):
            if name not in kind.words and name not in rows:
                yield _dangling(place, kind.table, name, cell.evidence, where)

    def _malformed(self, place: str, cell: Cell, kind: Kind, where: PortIndices) -> Defect:
        found = cell.text or "an empty text"
        return Defect(
            DefectKind.MALFORMED_VALUE,
            place,
            f"{place} expected {kind}, found {found}",
            where.ports,
            where.indices,
            expected=str(kind),
            found=cell.text,
            evidence=cell.evidence,
            touches_qos=self.schema.touches_qos or place.endswith((" mtu", " speed", " pfc_asym")),
        )


# Fields of DEVICE_METADATA and FLEX_COUNTER_TABLE whose names sound like QoS.
_KNOWN_ASIDE: Final = frozenset(
    {"default_pfcwd_status", "create_only_config_db_buffers", "num_voq"}
)


def _is_set_elsewhere(name: str, row: Row) -> bool:
    """A profile whose headroom is computed has no size of its own."""
    return name == "size" and row.texts.get("headroom_type") == "dynamic"


def _dangling(place: str, table: str, name: str, evidence: Evidence, where: PortIndices) -> Defect:
    return Defect(
        DefectKind.DANGLING_REFERENCE,
        place,
        f"{place} names {table}|{name}, which does not exist",
        where.ports,
        where.indices,
        expected=f"a row {table}|{name}",
        found=name,
        evidence=evidence,
    )


def _check_overlaps(table: Table, schema: TableSchema) -> Iterator[Defect]:
    """Rows of one port whose ranges share an index, and say different things of it."""
    seen: dict[tuple[str, int], list[Row]] = {}
    for row in table.rows.values():
        found = read_port_index(row.key, schema.index_high)
        if found is None or found.is_remote:
            continue
        for port in found.ports:
            yield from _overlaps_of(port, found.indices, row, table.name, seen)
            for index in found.indices:
                seen.setdefault((port, index), []).append(row)


def _overlaps_of(
    port: str,
    indices: tuple[int, ...],
    row: Row,
    table: str,
    seen: dict[tuple[str, int], list[Row]],
) -> Iterator[Defect]:
    clashes = {
        index: other
        for index in indices
        for other in seen.get((port, index), [])
        if _clashes(row, other, table)
    }
    if clashes:
        first = next(iter(clashes.values()))
        place = f"{table}|{row.key}"
        yield Defect(
            DefectKind.DUPLICATE_KEY,
            place,
            f"{place} overlaps {table}|{first.key} of {port}",
            (port,),
            tuple(clashes),
            evidence=row.evidence,
        )


def _clashes(row: Row, other: Row, table: str) -> bool:
    """Buffer rows may not share an index at all; other rows may not set one field twice."""
    if table.startswith("BUFFER_"):
        return True
    shared = row.texts.keys() & other.texts.keys()
    return any(row.texts[name] != other.texts[name] for name in shared)
