"""COUNTERS_DB: hashes by object id, and the maps that name the objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from netcheck.model.counters import Counter, CounterClass, CounterKey
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
from netcheck.platforms.sonic.parsed.schema import UINT64, number_in
from netcheck.platforms.sonic.parsed.tables import Database, Row, Tables
from netcheck.platforms.sonic.parsed.values import Seen

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
SURE_DIGITS: Final = 19  # fewer digits than 2**64 has


@dataclass(slots=True)
class Counts:
    """Counters found so far, with their evidence.

    Attributes:
        is_given: Some text was about counters and could be read.
    """

    counters: dict[CounterKey, Counter] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)
    is_given: bool = False

    def add(
        self,
        key: CounterKey,
        sense: Sense,
        value: Known[int],
        seen: Evidence,
    ) -> None:
        """Add a counter; one that is there already stays unless it has no value.

        Args:
            key: Which counter.
            sense: What it means.
            value: Its reading.
            seen: Where it stands.
        """
        self.is_given = True
        there = self.counters.get(key)
        if there is None or there.value is UNKNOWN:
            self.counters[key] = Counter(value, sense.kind, sense.unit)
            self.seen.setdefault(_fact(key.port), seen)


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
    hashes = _hashes(tables)
    for kind in _KINDS:
        names = tables.row(kind.names, "", Database.COUNTERS)
        if isinstance(names, Missing):
            continue
        counts.is_given = True
        adder = _Adder(counts, kind)
        for name, oid in names.texts.items():
            port, index = _split(name, has_index=kind.has_index)
            for rows, prefix in hashes:
                row = rows.get(oid)
                if row is None:
                    continue
                if kind.counters is POOL_COUNTERS:
                    adder.add(row, "", -1, f"{name} {prefix}")
                else:
                    adder.add(row, port, index, prefix)


def _fact(port: str) -> str:
    return f"port {port} counters" if port else "device counters"


def _hashes(tables: Tables) -> list[tuple[Mapping[str, Row], str]]:
    """Rows by object id, with what goes before the names of their fields."""
    found = ((tables.find(name, Database.COUNTERS), prefix) for name, prefix in _HASHES)
    return [(table.rows, prefix) for table, prefix in found if not isinstance(table, Missing)]


class _Adder:
    """Adds the counters of one kind of object; this runs more often than anything else."""

    def __init__(self, counts: Counts, kind: _Kind) -> None:
        self.counts = counts
        self.kind = kind
        self.named: dict[str, Named | None] = {}
        self.made: dict[tuple[str, CounterClass, str], Counter] = {}

    def add(self, row: Row, port: str, index: int, prefix: str) -> None:
        named, counters = self.named, self.counts.counters
        added = ""
        for field_name, text in row.texts.items():
            if field_name not in named:
                named[field_name] = sense_of(field_name, self.kind.counters)
            found = named[field_name]
            if found is None:
                continue
            (meaning, kind, unit), priority = found
            number = priority if priority >= 0 else index
            key = CounterKey(port, meaning, number, prefix + field_name)
            counter = self.made.get((text, kind, unit)) or self._counter(text, kind, unit)
            there = counters.setdefault(key, counter)
            if there is not counter and there.value is UNKNOWN:
                counters[key] = there = counter
            if not added and there is counter:
                added = field_name
        if added and _fact(port) not in self.counts.seen:
            self.counts.seen[_fact(port)] = row.cells[added]

    def _counter(self, text: str, kind: CounterClass, unit: str) -> Counter:
        made = self.made[text, kind, unit] = Counter(counted(text), kind, unit)
        return made


def _split(name: str, *, has_index: bool) -> tuple[str, int]:
    """Port and index of ``Ethernet0:3``; names of a chassis keep their last part."""
    if not has_index:
        return name.rsplit("|", 1)[-1], -1
    port, _, index = name.rpartition(":")
    return port.rsplit("|", 1)[-1], int(index) if index.isdigit() else -1
