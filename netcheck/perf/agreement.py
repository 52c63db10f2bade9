"""Do the counters of different devices tell one story?

What leaves one end of a cable arrives at the other, and what enters a switch
leaves it. A counter that stands still while its neighbours count is stuck, and
a zero of that device proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from netcheck.model.counters import Meaning
from netcheck.model.fabric import Fabric, PortRef, TrafficClass
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.perf.observe import Footprint, RoundResult, class_at, is_host

TOLERANCE_SHARE = 0.02
TOLERANCE_PACKETS = 2000


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two counts that should be equal: the place to look at, what was expected and found."""

    where: PortRef
    what: str
    expected: int
    found: Known[int]


def disagreements(
    result: RoundResult, fabric: Fabric, item: TrafficClass
) -> Iterator[Disagreement]:
    """Every pair of counts that differs by more than 2 % and 2000 packets."""
    touched = Footprint(fabric, result.round)
    for egress, ingress in touched.links:
        yield from _along_link(result, egress, ingress)
    for ref in touched.switch_egress:
        yield from _queues_against_port(result, ref)
    for end in touched.receivers:
        leaf = class_at(fabric, end.leaf, item)
        at = class_at(fabric, end.ref, item)
        sent = result.deltas[end.leaf.device].find(end.leaf.port, Meaning.QUEUE_PACKETS, leaf.queue)
        got = result.deltas[end.host].find(end.port, Meaning.PRIORITY_RX_PACKETS, at.priority)
        if is_known(sent) and is_known(got) and _differ(got, sent):
            yield Disagreement(end.leaf, f"packets of queue {leaf.queue}", got, sent)
    yield from _through_switches(result, touched)


def _differ(a: int, b: int) -> bool:
    return abs(a - b) > max(TOLERANCE_PACKETS, TOLERANCE_SHARE * max(a, b))


def _along_link(result: RoundResult, egress: PortRef, ingress: PortRef) -> Iterator[Disagreement]:
    sent = result.deltas[egress.device].find(egress.port, Meaning.PORT_TX_PACKETS)
    got = result.deltas[ingress.device].find(ingress.port, Meaning.PORT_RX_PACKETS)
    if is_known(sent) and not is_known(got):
        yield Disagreement(ingress, "packets received", sent, got)
    elif is_known(got) and not is_known(sent):
        yield Disagreement(egress, "packets sent", got, sent)
    elif is_known(sent) and is_known(got) and _differ(sent, got):
        low = ingress if got < sent else egress
        yield Disagreement(low, "packets on the cable", max(sent, got), min(sent, got))


def _queues_against_port(result: RoundResult, ref: PortRef) -> Iterator[Disagreement]:
    """All queues of a port together send what the port sends."""
    deltas = result.deltas[ref.device]
    queues = [row.by for row in deltas.each(ref.port, Meaning.QUEUE_PACKETS)]
    port = deltas.find(ref.port, Meaning.PORT_TX_PACKETS)
    known = [by for by in queues if is_known(by)]
    if not queues or len(known) < len(queues) or not is_known(port):
        return
    if _differ(sum(known), port):
        yield Disagreement(ref, "packets of all queues", port, sum(known))


def _through_switches(result: RoundResult, touched: Footprint) -> Iterator[Disagreement]:
    """What enters a switch by all touched ports leaves it by them, or is counted as dropped."""
    for device in sorted({ref.device for ref in touched.switch_ingress}):
        if is_host(touched.fabric, device):
            continue
        ports = {*touched.switch_ingress, *touched.switch_egress}
        here = sorted(ref for ref in ports if ref.device == device)
        entered = together(result, here, Meaning.PORT_RX_PACKETS)
        left = together(result, here, Meaning.PORT_TX_PACKETS)
        if not is_known(entered) or not is_known(left):
            continue
        passed = entered - _dropped(result, device)
        if _differ(passed, left):
            yield Disagreement(PortRef(device, ""), "packets through the switch", passed, left)


def _dropped(result: RoundResult, device: str) -> int:
    """Packets whose loss the switch itself counted."""
    grown = result.deltas[device].grown(Meaning.PRIORITY_GROUP_DROP, Meaning.QUEUE_DROP)
    return sum(row.by for row in grown if is_known(row.by))


def together(result: RoundResult, refs: Iterable[PortRef], meaning: Meaning) -> Known[int]:
    """Movement of a counter of ports together; UNKNOWN where one of them does not tell."""
    total = 0
    for ref in refs:
        by = result.deltas[ref.device].find(ref.port, meaning)
        if not is_known(by):
            return UNKNOWN
        total += by
    return total
