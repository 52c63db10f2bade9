"""Counters that move while nobody tests: loss and physical errors between two readings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from netcheck.model.counters import (
    Counter,
    CounterClass,
    CounterKey,
    Meaning,
    counter_delta,
    reading_of,
)
from netcheck.model.document import Evidence
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.model.known import UNKNOWN, Known, is_known

LOSS = "loss-moving"
ERRORS = "physical-errors-moving"
PHYSICAL = frozenset(
    {
        Meaning.PHYSICAL_ERROR,
        Meaning.LINK_DOWN,
        Meaning.LINK_RECOVERY,
        Meaning.RECEIVE_ERROR,
        Meaning.ICRC_ERROR,
    }
)

Counters = Mapping[CounterKey, Counter]


def moved_between(name: str, first: Known[Counters], last: Known[Counters]) -> Iterator[Finding]:
    """Yield a finding for each must-be-zero counter of a device that grew between two readings.

    One that either reading lacks, or that was reset between them, is unverified.
    """
    if not is_known(first) or not is_known(last):
        yield _unread(name)
    else:
        yield from _moved(name, first, last)


def _moved(name: str, first: Counters, last: Counters) -> Iterator[Finding]:
    for key in sorted(_in_question(first, last)):
        old, new = _both(first, last, key)
        grown = counter_delta(old, new) if old and new else UNKNOWN
        if grown is UNKNOWN:
            yield _unproven(name, key)
        elif is_known(grown) and grown > 0:
            yield _finding(name, key, grown)


def _in_question(first: Counters, last: Counters) -> Iterator[CounterKey]:
    """Counters that must be zero in either reading, and do not plainly stand still."""
    zero = CounterClass.MUST_BE_ZERO
    for key, new in last.items():
        old = first.get(key) or reading_of(first, key, new)
        if new.kind is not zero and (old is None or old.kind is not zero):
            continue
        # A counter at zero has neither moved nor reached its width.
        if old is None or not (old.value == new.value == 0):
            yield key
    for key, old in first.items():
        if key not in last and old.kind is zero:
            new_or_none = reading_of(last, key, old)
            if new_or_none is None or not (old.value == new_or_none.value == 0):
                yield key


def _both(
    first: Counters, last: Counters, key: CounterKey
) -> tuple[Counter | None, Counter | None]:
    """One counter in both readings."""
    old, new = first.get(key), last.get(key)
    return reading_of(first, key, new), reading_of(last, key, old)


def _place(device: str, key: CounterKey) -> Place:
    """Where a counter is; those of a subnet's nodes name the node before the port."""
    node, _, port = key.port.rpartition(" ")
    return Place(node, port, _index(key)) if node else Place(device, key.port, _index(key))


def _unread(device: str) -> Finding:
    return Finding(
        rule=LOSS,
        severity=Severity.ERROR,
        verdict=Verdict.UNVERIFIED,
        where=(Place(device),),
        message="counters were not shown in two readings of one boot",
        expected="two readings",
        found="no evidence",
        why="Without them nothing is known of packets that are lost right now.",
        fix="Collect again, both readings without a reboot between them.",
        reference="derived: what moves shows only in two readings",
        stage=Stage.VERIFY,
        facts=frozenset({"counters"}),
    )


def _unproven(device: str, key: CounterKey) -> Finding:
    finding = _unread(device)
    is_physical = key.meaning in PHYSICAL
    return replace(
        finding,
        rule=ERRORS if is_physical else LOSS,
        where=(_place(device, key),),
        message=f"{key.name} was not shown in both readings, or was reset between them",
        evidence=(Evidence(counter=key.name),),
    )


def _index(key: CounterKey) -> str:
    return str(key.number) if key.number >= 0 else ""


def _finding(device: str, key: CounterKey, grown: int) -> Finding:
    is_physical = key.meaning in PHYSICAL
    return Finding(
        rule=ERRORS if is_physical else LOSS,
        severity=Severity.ERROR,
        verdict=Verdict.FAIL,
        where=(_place(device, key),),
        message=f"{key.name} expected no change between two readings, found +{grown}",
        expected="+0",
        found=f"+{grown}",
        evidence=(Evidence(counter=key.name),),
        why=(
            "A cable or transceiver corrupts packets; the loss is not congestion."
            if is_physical
            else "Packets are lost right now, under whatever load the fabric carries."
        ),
        fix=(
            "Clean or replace the transceiver or cable; compare FEC on both ends."
            if is_physical
            else "Look at PFC, headroom and maps of this port first, then run netcheck perf."
        ),
        reference="derived: class of each counter as in the platform's anchors",
        stage=Stage.VERIFY,
        facts=frozenset({"counters"}),
    )
