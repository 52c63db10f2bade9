"""What reading a device came to, small enough to travel between processes.

Evidence and counters are by far the most of a ``Reading``, and few of them are
ever looked at: they travel as plain tuples, and become objects when asked for.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final, TypeVar

from netcheck.collect.assemble import Counters, Reading
from netcheck.model.counters import Counter, CounterKey, Meaning
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, Missing

K = TypeVar("K")
V = TypeVar("V")
Rows = list[tuple[Any, ...]]  # Any: fields of one object each
_PROTOCOL: Final = pickle.HIGHEST_PROTOCOL


class _Packed(FrozenMap[K, V]):
    """A FrozenMap that is unpacked when it is first used."""

    __slots__ = ("_data", "_real", "_unpacked")

    def __init__(self, data: bytes, unpacked: Callable[[Rows], dict[K, V]]) -> None:
        self._data = data
        self._unpacked = unpacked
        self._real: dict[K, V] | None = None
        self._hash = None

    @property
    def _items(self) -> dict[K, V]:  # type: ignore[override]  # in the place of the slot
        if self._real is None:
            self._real = self._unpacked(pickle.loads(self._data))  # noqa: S301 -- packed below, by ourselves
        return self._real


class _PackedCounters(_Packed[CounterKey, Counter]):
    """Counters that are kept apart by meaning."""

    __slots__ = ("_parts",)

    def __init__(self, parts: dict[Meaning, bytes]) -> None:
        super().__init__(b"", _counter_map)
        self._parts = parts

    @property
    def _items(self) -> dict[CounterKey, Counter]:  # type: ignore[override]  # as above
        if self._real is None:
            self._real = {}
            for data in self._parts.values():
                self._real.update(_counter_map(pickle.loads(data)))  # noqa: S301 -- as above
        return self._real

    def with_meaning(self, meaning: Meaning) -> Iterator[tuple[CounterKey, Counter]]:
        """Yield those of one meaning; see ``netcheck.model.counters.with_meaning``."""
        data = self._parts.get(meaning)
        if data is not None:
            yield from _counter_map(pickle.loads(data)).items()  # noqa: S301 -- as above


def packed(reading: Reading) -> bytes:
    """Give a reading as bytes, without the counters of a first reading: what moved is told."""
    device = reading.device
    plain = replace(
        reading,
        device=replace(device, evidence=FrozenMap(), counters=UNKNOWN),
        before=None,
    )
    parts = (plain, _evidence_rows(device.evidence), _counter_rows(device.counters))
    return pickle.dumps(parts, _PROTOCOL)


def unpacked(data: bytes) -> Reading:
    """Give the reading that was packed."""
    plain, evidence, counters = pickle.loads(data)  # noqa: S301 -- packed above, by ourselves
    device = replace(
        plain.device,
        evidence=_Packed(evidence, _evidence),
        counters=_counters(counters),
    )
    reading: Reading = plain
    return replace(reading, device=device)


def _evidence_rows(evidence: FrozenMap[str, Evidence]) -> bytes:
    rows = [
        (place, found.file, found.line, found.column, found.command, found.counter)
        for place, found in evidence.items()
    ]
    return pickle.dumps(rows, _PROTOCOL)


def _evidence(rows: Rows) -> dict[str, Evidence]:
    return {place: Evidence(*fields) for place, *fields in rows}


def _counter_rows(counters: Known[Counters]) -> dict[Meaning, bytes] | Missing:
    if isinstance(counters, Missing):
        return counters
    rows: dict[Meaning, Rows] = {}
    for key, each in counters.items():
        row = (tuple(key), each.value, each.kind, each.unit, each.width_bits, each.limit)
        rows.setdefault(key.meaning, []).append(row)
    return {meaning: pickle.dumps(found, _PROTOCOL) for meaning, found in rows.items()}


def _counters(data: dict[Meaning, bytes] | Missing) -> Known[Counters]:
    return data if isinstance(data, Missing) else _PackedCounters(data)


def _counter_map(rows: Rows) -> dict[CounterKey, Counter]:
    shared: dict[tuple[Any, ...], Counter] = {}
    found: dict[CounterKey, Counter] = {}
    for key, *fields in rows:
        values = tuple(fields)
        counter = shared.get(values)
        if counter is None:
            counter = shared[values] = Counter(*values)
        found[CounterKey._make(key)] = counter
    return found
