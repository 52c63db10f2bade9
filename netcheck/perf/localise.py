"""Where a loss lies: from counted drops, else from which flows suffered and which did not.

Only the cable plan and the results are used. Which of several equal paths a
flow took is not known, so a cable is judged by all flows that may cross it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from netcheck.model.counters import Meaning
from netcheck.model.fabric import Fabric, PortRef, TrafficClass
from netcheck.model.known import is_known
from netcheck.model.paths import Hop, paths
from netcheck.perf.losses import loss_sights
from netcheck.perf.observe import FlowResult, RoundResult, is_host

HEALTHY_SHARE = 0.5
SHOWN = 4
COUNTED = {
    Meaning.PRIORITY_GROUP_DROP: "headroom of this port, or PFC on it or its peer",
    Meaning.PORT_INGRESS_DROP: "MTU of this port, or no buffer for the class",
    Meaning.QUEUE_DROP: "the class is in a lossy queue here, or its egress buffer is limited",
    Meaning.PORT_EGRESS_DROP: "MTU of this port, or its egress buffer",
    Meaning.WATCHDOG_DROP: "the watchdog took a long pause for a storm",
    Meaning.PRIORITY_INGRESS_DROP: "the host does not pause this priority",
}


@dataclass(frozen=True, slots=True)
class Suspect:
    """A place, what speaks for it, and what to look at."""

    where: PortRef
    evidence: str
    look_at: str


def suspects(results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass) -> list[Suspect]:
    """Places to look at first, the surest first; none where nothing was lost."""
    counted = list(dict.fromkeys(_counted(results, fabric, item)))
    return (counted or _by_paths(results, fabric))[:SHOWN]


def _counted(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Suspect]:
    drops: dict[tuple[PortRef, Meaning], int] = {}
    for result in results:
        for sight in loss_sights(result, fabric, item):
            if sight.meaning in COUNTED and is_known(sight.by) and sight.by > 0:
                place = (PortRef(sight.device, sight.port), sight.meaning)
                drops[place] = drops.get(place, 0) + sight.by
    for (where, meaning), lost in sorted(drops.items(), key=lambda row: -row[1]):
        word = meaning.value.replace("_", " ")
        yield Suspect(where, f"{lost} packets: {word}", COUNTED[meaning])


def _by_paths(results: Sequence[RoundResult], fabric: Fabric) -> list[Suspect]:
    """Rank cables by the share of suffering flows among all that may cross them."""
    suffered: dict[Hop, int] = {}
    crossed: dict[Hop, int] = {}
    for result in results:
        for flow in result.flows:
            hops = _hops(fabric, flow)
            bad = _suffers(flow, result)
            for hop in hops:
                crossed[hop] = crossed.get(hop, 0) + 1
                suffered[hop] = suffered.get(hop, 0) + bad
    ranked = sorted(
        (hop for hop in crossed if suffered[hop]),
        key=lambda hop: (-suffered[hop] / crossed[hop], -suffered[hop], hop),
    )
    best = suffered[ranked[0]] / crossed[ranked[0]] if ranked else 0.0
    return [
        Suspect(
            _switch_end(fabric, hop),
            f"{suffered[hop]} of {crossed[hop]} flows that may cross it suffered",
            "MTU, PFC, maps and errors at both ends of this cable",
        )
        for hop in ranked
        if suffered[hop] / crossed[hop] == best
    ]


def _hops(fabric: Fabric, flow: FlowResult) -> set[Hop]:
    return {hop for path in paths(fabric, flow.sender.ref, flow.receiver.ref) for hop in path}


def _switch_end(fabric: Fabric, hop: Hop) -> PortRef:
    return hop.ingress if is_host(fabric, hop.egress.device) else hop.egress


def _suffers(flow: FlowResult, result: RoundResult) -> bool:
    """A flow failed, or reached less than half of the median of its round."""
    if flow.result.error:
        return True
    rates = sorted(
        other.result.bandwidth_bps for other in result.flows if is_known(other.result.bandwidth_bps)
    )
    rate = flow.result.bandwidth_bps
    return bool(rates) and is_known(rate) and rate < HEALTHY_SHARE * rates[len(rates) // 2]
