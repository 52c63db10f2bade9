"""What reading a device came to, small enough to travel between processes.

Counters are by far the most of a ``Reading``, and few of them are ever looked
at: they travel in columns, and become objects when asked for. Where facts were
read does not travel at all: it is asked for the few devices with a finding,
and read again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from netcheck.collect.assemble import Counters, Reading
from netcheck.model.counters import Counter, CounterKey, Meaning
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap, LazyMap
from netcheck.model.known import UNKNOWN, Known, Missing

# fields of a Counter -> (port, number, name, value) of all counters that share them
Columns = dict[tuple[Any, ...], list[tuple[str, int, str, Known[int]]]]  # Any: as Counter has them
_PROTOCOL: Final = pickle.HIGHEST_PROTOCOL


class _PackedCounters(LazyMap[CounterKey, Counter]):
    """Counters that are kept apart by meaning."""

    __slots__ = ("_parts",)

    def __init__(self, parts: dict[Meaning, bytes]) -> None:
        super().__init__(self._all)
        self._parts = parts

    def _all(self) -> dict[CounterKey, Counter]:
        found: dict[CounterKey, Counter] = {}
        for meaning, data in self._parts.items():
            found.update(_counter_map(meaning, data))
        return found

    def with_meaning(self, meaning: Meaning) -> Iterator[tuple[CounterKey, Counter]]:
        """Yield those of one meaning; see ``netcheck.model.counters.with_meaning``."""
        data = self._parts.get(meaning)
        if data is not None:
            yield from _counter_map(meaning, data).items()


def packed(reading: Reading) -> bytes:
    """Give a reading as bytes, without the counters of a first reading: what moved is told."""
    device = reading.device
    plain = replace(
        reading,
        device=replace(device, evidence=FrozenMap(), counters=UNKNOWN),
        before=None,
    )
    return pickle.dumps((plain, _columns(device.counters)), _PROTOCOL)


def unpacked(data: bytes, evidence: Callable[[], Mapping[str, Evidence]]) -> Reading:
    """Give the reading that was packed; ``evidence`` tells where its facts were read."""
    plain, counters = pickle.loads(data)  # noqa: S301 -- packed above, by ourselves
    device = replace(plain.device, evidence=LazyMap(evidence), counters=_counters(counters))
    reading: Reading = plain
    return replace(reading, device=device)


def _columns(counters: Known[Counters]) -> dict[Meaning, bytes] | Missing:
    if isinstance(counters, Missing):
        return counters
    columns: dict[Meaning, Columns] = {}
    for (port, meaning, number, name), each in counters.items():
        rows = columns.setdefault(meaning, {})
        shared = (each.kind, each.unit, each.width_bits, each.limit)
        rows.setdefault(shared, []).append((port, number, name, each.value))
    return {meaning: pickle.dumps(found, _PROTOCOL) for meaning, found in columns.items()}


def _counters(data: dict[Meaning, bytes] | Missing) -> Known[Counters]:
    return data if isinstance(data, Missing) else _PackedCounters(data)


def _counter_map(meaning: Meaning, data: bytes) -> dict[CounterKey, Counter]:
    columns: Columns = pickle.loads(data)  # noqa: S301 -- packed above, by ourselves
    made: dict[tuple[Any, ...], Counter] = {}  # Any: as above
    found: dict[CounterKey, Counter] = {}
    for shared, rows in columns.items():
        for port, number, name, value in rows:
            at = (value, *shared)
            counter = made.get(at)
            if counter is None:
                counter = made[at] = Counter(*at)
            found[CounterKey(port, meaning, number, name)] = counter
    return found
