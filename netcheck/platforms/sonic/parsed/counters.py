"""COUNTERS_DB: hashes by object id, and the maps that name the objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from netcheck.model.counters import Counter, CounterKey
from netcheck.model.document import Evidence
from netcheck.model.known import UNKNOWN, Known, Missing
from netcheck.platforms.sonic.parsed.counter_names import (
    GROUP_COUNTERS,
    POOL_COUNTERS,
    PORT_COUNTERS,
    QUEUE_COUNTERS,
    Named,
    Sense,
    sense_of,
)
from netcheck.platforms.sonic.parsed.redis_dump import DumpedCells
from netcheck.platforms.sonic.parsed.schema import UINT64, number_in
from netcheck.platforms.sonic.parsed.tables import Database, Row, Tables

# Watermarks that are not reset with the user's come under a name of their own.
_HASHES: Final = (
    ("COUNTERS", ""),
    ("USER_WATERMARKS", "USER_WATERMARKS "),
    ("PERSISTENT_WATERMARKS", "PERSISTENT_WATERMARKS "),
)


class _Kind(NamedTuple):
    """A map from names to object ids, and the counters of such objects."""

    names: str
    counters: dict[str, Sense]
    has_index: bool


_KINDS: Final = (
    _Kind("COUNTERS_PORT_NAME_MAP", PORT_COUNTERS, has_index=False),
    _Kind("COUNTERS_QUEUE_NAME_MAP", QUEUE_COUNTERS, has_index=True),
    _Kind("COUNTERS_PG_NAME_MAP", GROUP_COUNTERS, has_index=True),
    _Kind("COUNTERS_BUFFER_POOL_NAME_MAP", POOL_COUNTERS, has_index=False),
)
_BY_NAMES: Final = {kind.names: kind for kind in _KINDS}
SURE_DIGITS: Final = 19  # fewer digits than 2**64 has


@dataclass(slots=True)
class Counts:
    """Counters found so far, with their evidence.

    Attributes:
        is_given: Some text was about counters and could be read.
    """

    counters: dict[CounterKey, Counter] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    is_given: bool = False

    def add(
        self,
        key: CounterKey,
        sense: Sense,
        value: Known[int],
        seen: Evidence | Row,
        field_name: str = "",
    ) -> None:
        """Add a counter; one that is there already stays unless it has no value.

        Args:
            key: Which counter.
            sense: What it means.
            value: Its reading.
            seen: Where it stands, or the row in whose field ``field_name`` it does.
            field_name: Field of the row.
        """
        self.is_given = True
        there = self.counters.get(key)
        if there is None or there.value is UNKNOWN:
            self.counters[key] = Counter(value, sense.kind, sense.unit)
            place = f"port {key.port} counters" if key.port else "device counters"
            if place not in self.evidence:
                self.evidence[place] = _place(seen, field_name)


def counted(text: str) -> Known[int]:
    """Give a reading; UNKNOWN for N/A and anything else that is no number.

    Example:
        >>> counted("1,200"), counted("N/A")
        (1200, UNKNOWN)
    """
    if text.isascii() and text.isdigit() and len(text) < SURE_DIGITS:
        return int(text)
    plain = text.strip().replace(",", "")
    return int(plain) if number_in(plain, 0, UINT64) else UNKNOWN


def read_counters(tables: Tables, counts: Counts) -> None:
    """Add what COUNTERS_DB holds; a field that is missing gives no counter."""
    for kind in _KINDS:
        names = tables.row(kind.names, "", Database.COUNTERS)
        if isinstance(names, Missing):
            continue
        counts.is_given = True
        for name, oid in _texts(names).items():
            port, index = _split(name, has_index=kind.has_index)
            for row, prefix in _hashes(tables, oid):
                _add(counts, kind, row, (port, index, prefix, name))


def _hashes(tables: Tables, oid: str) -> Iterator[tuple[Row, str]]:
    for table, prefix in _HASHES:
        row = tables.row(table, oid, Database.COUNTERS)
        if not isinstance(row, Missing):
            yield row, prefix


def _add(counts: Counts, kind: _Kind, row: Row, owner: tuple[str, int, str, str]) -> None:
    port, index, prefix, name = owner
    is_pool = kind.counters is POOL_COUNTERS
    for field_name, text in _texts(row).items():
        named = _named(field_name, kind.names)
        if named is None:
            continue
        number = named.priority if named.priority >= 0 else index
        label = f"{name} {prefix}{field_name}" if is_pool else f"{prefix}{field_name}"
        key = CounterKey("" if is_pool else port, named.sense.meaning, number, label)
        counts.add(key, named.sense, counted(text), row, field_name)


def _place(seen: Evidence | Row, field_name: str) -> Evidence:
    return seen.cells[field_name].evidence if isinstance(seen, Row) else seen


def _texts(row: Row) -> dict[str, str]:
    cells = row.cells
    if isinstance(cells, DumpedCells):
        return cells.texts
    return {name: cell.text for name, cell in cells.items()}


@lru_cache(maxsize=4096)
def _named(field_name: str, names: str) -> Named | None:
    """What a field of the objects of one map means; the same few come up without end."""
    return sense_of(field_name, _BY_NAMES[names].counters)


def _split(name: str, *, has_index: bool) -> tuple[str, int]:
    """Port and index of ``Ethernet0:3``; names of a chassis keep their last part."""
    if not has_index:
        return name.rsplit("|", 1)[-1], -1
    port, _, index = name.rpartition(":")
    return port.rsplit("|", 1)[-1], int(index) if index.isdigit() else -1
