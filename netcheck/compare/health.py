"""Counters that move while nobody tests: loss and physical errors between two readings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning, counter_delta
from netcheck.model.document import Evidence
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.model.known import Known, is_known

LOSS = "loss-moving"
ERRORS = "physical-errors-moving"
PHYSICAL = frozenset({Meaning.PHYSICAL_ERROR, Meaning.LINK_DOWN, Meaning.ICRC_ERROR})

Counters = Mapping[CounterKey, Counter]


def health(before: Mapping[str, Known[Counters]], observed: Fabric) -> Iterator[Finding]:
    """Yield a finding for each must-be-zero counter that grew since the first reading.

    Args:
        before: ``device -> counters of the first reading``; the second is in
            ``observed``. Devices with one reading are left out.
    """
    for name, first in before.items():
        device = observed.devices.get(name)
        if device is None or not is_known(first) or not is_known(device.counters):
            continue
        for key, counter in device.counters.items():
            old = first.get(key)
            if old is None or counter.kind is not CounterClass.MUST_BE_ZERO:
                continue
            grown = counter_delta(old, counter)
            if is_known(grown) and grown > 0:
                yield _finding(name, key, grown)


def _finding(device: str, key: CounterKey, grown: int) -> Finding:
    is_physical = key.meaning in PHYSICAL
    index = str(key.number) if key.number >= 0 else ""
    return Finding(
        rule=ERRORS if is_physical else LOSS,
        severity=Severity.ERROR,
        verdict=Verdict.FAIL,
        where=(Place(device, key.port, index),),
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
