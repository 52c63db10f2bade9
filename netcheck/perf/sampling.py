"""Pauses and marks while a test runs: read at intervals, not before and after alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from netcheck.model.counters import Meaning
from netcheck.model.device import Device
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.perf.deltas import ANY, Deltas, Moved, deltas

SWITCHES = 8  # read during a test; the two readings around it are of every hop
ONLY_GROW = frozenset({Meaning.PFC_TX, Meaning.PFC_RX, Meaning.ECN_MARKED, Meaning.QUEUE_PACKETS})

# Devices count in groups, each at its own interval: SONiC ports every second, queues every 10 s.
COUNTED_WITH = {
    Meaning.PFC_TX: (Meaning.PORT_TX_PACKETS, Meaning.PORT_RX_PACKETS),
    Meaning.ECN_MARKED: (Meaning.QUEUE_PACKETS,),
}


class Ended(Protocol):
    """An event, as far as it is needed here."""

    def wait(self, timeout: float) -> bool:
        """Wait until it is set, or so many seconds; whether it is set."""


Read = Callable[[Sequence[str]], Mapping[str, Device | None]]


@dataclass(frozen=True, slots=True)
class Sample:
    """How far counters moved since the sample before.

    Attributes:
        at_s: Seconds since the test's clients were started.
        moved: By switch; one that did not answer in time is missing.
        went_back: Switches with a counter that went backwards: it was cleared in between.
    """

    at_s: float
    moved: Mapping[str, Deltas]
    went_back: tuple[str, ...] = ()

    def grew(self, meaning: Meaning, numbers: Collection[int]) -> Known[int]:
        """Movement of counters of some queues or priorities, all ports of all switches together.

        Of a port that counts none of them, that of the whole port. UNKNOWN where nothing
        is known to have moved and some counter does not tell, or there is none; so is what
        a switch shows that has not counted anew since the sample before.
        """
        found = [
            by if by != 0 or _counts_anew(one, meaning) else UNKNOWN
            for one in self.moved.values()
            for (_, kind), rows in one.moved.items()
            if kind is meaning
            for by in _of_port(rows, numbers)
        ]
        known = [by for by in found if is_known(by)]
        is_told = bool(found) and len(known) == len(found)
        return sum(known) if is_told or any(known) else UNKNOWN


def _counts_anew(one: Deltas, meaning: Meaning) -> bool:
    """Whether packets that a device counts together with something moved, or it shows none."""
    counted = [
        row.by
        for (_, kind), rows in one.moved.items()
        if kind in COUNTED_WITH.get(meaning, ())
        for row in rows
    ]
    return not counted or any(is_known(by) and by > 0 for by in counted)


def _of_port(rows: Sequence[Moved], numbers: Collection[int]) -> Iterator[Known[int]]:
    """For each number, of several counters of the same thing that which moved most."""
    shown = {row.key.number for row in rows}
    for number in shown & set(numbers) or shown & {ANY}:
        known = [row.by for row in rows if row.key.number == number and is_known(row.by)]
        yield max(known, default=UNKNOWN)


def sampled_while(
    read: Read,
    devices: Iterable[str],
    before: Mapping[str, Device | None],
    *,
    began_s: float,
    every_s: float,
    until_s: float,
    ended: Ended,
) -> tuple[Sample, ...]:
    """Read some switches again and again until a test ends, or is about to.

    Args:
        before: What was read before the test.
        began_s: When the test's clients were started, by ``time.monotonic``.
        every_s: Time from one sample to the next; more where reading takes longer.
        until_s: The last sample begins no later than so long after that.
        ended: Is set when the test has ended before that.
    """
    names = sorted(devices)[:SWITCHES]
    last, found = dict(before), list[Sample]()
    has_ended = not names
    while not has_ended:
        wait = began_s + every_s * (len(found) + 1) - time.monotonic()
        if time.monotonic() + max(0.0, wait) - began_s > until_s:
            break
        has_ended = ended.wait(max(0.0, wait))  # the last sample is what moved until then
        now = read(names)
        found.append(_sample(time.monotonic() - began_s, last, now))
        last |= {name: device for name, device in now.items() if device is not None}
    return tuple(found)


def _sample(
    at_s: float, last: Mapping[str, Device | None], now: Mapping[str, Device | None]
) -> Sample:
    moved: dict[str, Deltas] = {}
    went_back = []
    for name, device in now.items():
        old = last.get(name)
        if device is None or old is None:
            continue
        moved[name] = deltas(old, device)
        if _went_back(old, device):
            went_back.append(name)
    return Sample(round(at_s, 3), moved, tuple(went_back))


def _went_back(old: Device, new: Device) -> bool:
    """A counter of 64 bits that only grows is smaller than it was."""
    before = old.counters if is_known(old.counters) else {}
    after = new.counters if is_known(new.counters) else {}
    for key, counter in after.items():
        was = before.get(key) if key.meaning in ONLY_GROW else None
        if was is None or not is_known(was.value) or not is_known(counter.value):
            continue
        if counter.value < was.value and counter.width_bits == 64:  # noqa: PLR2004 -- narrower wrap
            return True
    return False
