"""How far each counter moved during a test, looked up by what it means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from netcheck.model.counters import Counter, CounterKey, Meaning, counter_delta, with_meaning
from netcheck.model.device import Device
from netcheck.model.known import UNKNOWN, Known, is_known

ANY = -1
TRAFFIC = frozenset({Meaning.PORT_TX_PACKETS, Meaning.PORT_RX_PACKETS})


@dataclass(frozen=True, slots=True)
class Moved:
    """One counter and how far it moved; UNKNOWN where that cannot be told."""

    key: CounterKey
    by: Known[int]


@dataclass(frozen=True)
class Deltas:
    """Movements of every counter of one device.

    Attributes:
        was_reset: The device rebooted or cleared its counters meanwhile.
    """

    device: str
    moved: Mapping[tuple[str, Meaning], tuple[Moved, ...]]
    was_reset: bool = False
    index: Mapping[tuple[str, Meaning, int], Moved] = field(default_factory=dict)

    def find(self, port: str, meaning: Meaning, number: int = ANY) -> Known[int]:
        """Movement of one counter; UNKNOWN where it was never shown."""
        found = self.index.get((port, meaning, number))
        return UNKNOWN if found is None else found.by

    def each(self, port: str, meaning: Meaning) -> tuple[Moved, ...]:
        """All counters of that meaning on a port (one for each queue or priority)."""
        return self.moved.get((port, meaning), ())

    def grown(self, *meanings: Meaning) -> Iterator[Moved]:
        """Counters of those meanings that moved, on any port."""
        for (_, meaning), rows in self.moved.items():
            if meaning in meanings:
                yield from (row for row in rows if is_known(row.by) and row.by > 0)


def deltas(before: Device, after: Device) -> Deltas:
    """Compare two readings of one device.

    A counter that only one reading shows has moved by UNKNOWN. A changed boot
    id makes every movement UNKNOWN, and so does one that only one reading shows. Where
    packets of a port went backwards its counters were cleared, a zero that stays one too.
    """
    first = before.counters if is_known(before.counters) else {}
    last = after.counters if is_known(after.counters) else {}
    boots = ((before.boot_id, after.boot_id), (before.host.boot_id, after.host.boot_id))
    rebooted = any(is_known(old) and is_known(new) and old != new for old, new in boots)
    is_open = rebooted or any(is_known(old) != is_known(new) for old, new in boots)
    cleared = _cleared(first, last)
    rows = [
        Moved(
            key,
            UNKNOWN if is_open or key.port in cleared else _movement(first.get(key), last.get(key)),
        )
        for key in sorted({*first, *last})
    ]
    grouped: dict[tuple[str, Meaning], list[Moved]] = {}
    for row in rows:
        grouped.setdefault((row.key.port, row.key.meaning), []).append(row)
    return Deltas(
        device=after.name,
        moved={key: tuple(found) for key, found in grouped.items()},
        was_reset=rebooted,
        index=_summed(rows),
    )


def _cleared(
    first: Mapping[CounterKey, Counter], last: Mapping[CounterKey, Counter]
) -> frozenset[str]:
    """Ports of which somebody cleared the counters between the readings."""
    return frozenset(
        key.port
        for meaning in TRAFFIC
        for key, after in with_meaning(last, meaning)
        if (before := first.get(key)) is not None
        and is_known(before.value)
        and is_known(after.value)
        and after.value < before.value
        and counter_delta(before, after) is UNKNOWN
    )


def _movement(before: Counter | None, after: Counter | None) -> Known[int]:
    if before is None or after is None:
        return UNKNOWN
    return counter_delta(before, after)


def _summed(rows: list[Moved]) -> dict[tuple[str, Meaning, int], Moved]:
    """Add up counters of one meaning and number; one that is UNKNOWN makes the sum so."""
    found: dict[tuple[str, Meaning, int], Moved] = {}
    for row in rows:
        place = (row.key.port, row.key.meaning, row.key.number)
        other = found.get(place)
        by = row.by
        if other is not None:
            by = by + other.by if is_known(by) and is_known(other.by) else UNKNOWN
        found[place] = Moved(row.key, by)
    return found
