"""Where the fabric is fine and a host is not: which hosts to ask, what they say, what it means.

A NIC that pauses its switch, or is slow with every peer while nothing is lost, is held back by
its own host. Such hosts are asked once, after the rounds, by reading alone.

Source: linux-rdma/perftest README (CPU governor, NUMA node).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from netcheck.model.counters import Meaning
from netcheck.model.fabric import Fabric, PortRef, TrafficClass
from netcheck.model.finding import Finding, Place
from netcheck.model.known import is_known
from netcheck.perf.bandwidth import slow_flows
from netcheck.perf.found import perf_finding
from netcheck.perf.host_answer import HostAnswer
from netcheck.perf.latency import outliers
from netcheck.perf.losses import loss_sights
from netcheck.perf.observe import RoundResult, class_at
from netcheck.perf.schedule import Endpoint, Pattern

MOST_ASKED = 8
QUIET = "performance"
SILENT = "it told neither PCIe nor governor nor NUMA node"
ALIKE = "out: compare memory, C-states and firmware with a peer"


def in_question(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> list[Endpoint]:
    """NICs that their own host may hold back, those that pause their switch first."""
    pausing: dict[Endpoint, int] = {}
    slow: dict[Endpoint, None] = {}
    for result in results:
        for end in {end for flow in result.round.every for end in flow}:
            frames = _pauses(result, fabric, end, item)
            if frames:
                pausing[end] = pausing.get(end, 0) + frames
        if result.round.pattern is Pattern.PAIRS:
            slow |= dict.fromkeys(_slow_everywhere(result, fabric))
            slow |= dict.fromkeys(end for flow in outliers(result) for end in flow)
    ordered = sorted(pausing, key=lambda end: (-pausing[end], end))
    return list(dict.fromkeys([*ordered, *sorted(slow)]))[:MOST_ASKED]


def _pauses(result: RoundResult, fabric: Fabric, end: Endpoint, item: TrafficClass) -> int:
    """Pause frames that a NIC sent, as it or its leaf counted them."""
    places = ((end.ref, Meaning.PFC_TX), (end.leaf, Meaning.PFC_RX))
    found = []
    for ref, meaning in places:
        deltas = result.deltas.get(ref.device)
        number = class_at(fabric, ref, item).pfc_priority
        by = deltas.find(ref.port, meaning, number) if deltas else 0
        found.append(by if is_known(by) else 0)
    return max(found)


def _slow_everywhere(result: RoundResult, fabric: Fabric) -> Iterator[Endpoint]:
    """NICs that were slow in every flow of a round that they took part in."""
    slow = set(slow_flows(result, fabric))
    for end in sorted({end for flow in result.round.flows for end in flow}):
        own = [flow for flow in result.round.flows if end in flow]
        if all(flow in slow for flow in own):
            yield end


def host_findings(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Finding]:
    """For each host that answered: the fabric is fine, and what of the host is not."""
    sights = [s for result in results for s in loss_sights(result, fabric, item)]
    if any(sight.is_growing for sight in sights):
        return  # the fabric is not fine
    is_fine = all(is_known(sight.by) for sight in sights) and not any(
        result.unreachable for result in results
    )
    fabric_is = "the fabric is fine" if is_fine else "no loss was counted"
    answers = {ref: answer for result in results for ref, answer in result.hosts.items()}
    for ref, answer in sorted(answers.items()):
        limits = [*_limits(answer, fabric, ref), *_stalls(results, ref)]
        said = "; ".join(limits) or _alike(answer)
        yield perf_finding(
            "look-at-the-host",
            Place(ref.device, ref.port),
            f"{fabric_is}, look at the host: {said}",
            found="; ".join(limits),
        )


def _alike(answer: HostAnswer) -> str:
    """What a host told of itself that is as it should be."""
    told = {
        "PCIe": answer.pcie_bps is not None,
        "governor": bool(answer.governor),
        "NUMA node": answer.numa_node is not None,
    }
    words = [word for word, is_told in told.items() if is_told]
    if not words:
        return SILENT
    first, last = ", ".join(words[:-1]), words[-1]
    return f"{first} and {last} do not stand {ALIKE}" if first else f"{last} does not stand {ALIKE}"


def _limits(answer: HostAnswer, fabric: Fabric, ref: PortRef) -> Iterator[str]:
    port = fabric.devices[ref.device].ports.get(ref.port)
    speed = port.speed_bps if port else None
    bus = answer.pcie_bps
    if bus is not None and is_known(speed) and speed is not None and bus < speed:
        yield (
            f"PCIe of {answer.lanes} lanes with {answer.gts:g} GT/s carries {bus / 1e9:.0f} of"
            f" {speed / 1e9:.0f} Gb/s"
        )
    if answer.lanes and answer.most_lanes and answer.lanes < answer.most_lanes:
        yield f"PCIe came up with {answer.lanes} of {answer.most_lanes} lanes"
    if answer.gts and answer.most_gts and answer.gts < answer.most_gts:
        yield f"PCIe came up with {answer.gts:g} of {answer.most_gts:g} GT/s"
    if answer.governor and answer.governor != QUIET:
        yield f"CPU governor is {answer.governor}, not {QUIET}"
    if answer.numa_node is not None and answer.nodes > 1 and not answer.is_pinned:
        where = f"on node {answer.numa_node}" if answer.numa_node >= 0 else "on no known node"
        yield f"NIC {where} of {answer.nodes} NUMA nodes: measure with --pin, too"
    if answer.redirecting:
        yield (
            f"PCIe bridges redirect traffic between GPU and NIC by way of the CPU (ACS is on, at"
            f" {answer.redirecting} places)"
        )


def _stalls(results: Sequence[RoundResult], ref: PortRef) -> Iterator[str]:
    stalls = 0
    for result in results:
        deltas = result.deltas.get(ref.device)
        rows = deltas.each(ref.port, Meaning.PCIE_STALL) if deltas else ()
        stalls += sum(row.by for row in rows if is_known(row.by) and "events" in row.key.name)
    if stalls:
        yield f"PCIe held the NIC up {stalls} times"
