"""Whether congestion was met as the intent says: marks, CNPs, shares of queues, packet sizes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from netcheck.model.counters import Meaning
from netcheck.model.fabric import Carries, Fabric, PortRef, TrafficClass
from netcheck.model.finding import Finding, Place
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.model.qos import Scheduler
from netcheck.perf.clues import damage, narrow, total
from netcheck.perf.found import perf_finding
from netcheck.perf.observe import (
    Footprint,
    RoundResult,
    class_at,
    is_incast,
    policy_at,
)
from netcheck.perf.schedule import Endpoint, Pattern

FEWEST_CNPS = 50
HEARD_SHARE = 0.5
SHARE_POINTS = 5.0
LARGEST_RDMA_MTU = 4096
HEADERS_BYTES = 104  # what an Ethernet port's MTU needs above the payload, rounded up


def congestion_findings(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Finding]:
    """Everything that is not a loss and still not as intended."""
    yield from _damaged(results, fabric)
    yield from _unmarked(results, fabric, item)
    yield from _cnps_of_adapters(results, fabric, item)
    yield from _cnps_in_switches(results, fabric, item)
    yield from _shares(results, fabric, item)
    yield from _nothing_dropped(results, fabric, item)
    yield from _small_packets(results, fabric)
    yield from _narrow(results, fabric, item)


def _damaged(results: Sequence[RoundResult], fabric: Fabric) -> Iterator[Finding]:
    found: Counter[PortRef] = Counter()
    for result in results:
        for _, ingress in Footprint(fabric, result.round).links:
            found[ingress] += damage(result, ingress)
    yield from _none_expected("packets-damaged", "damaged packets", found)


def _none_expected(rule: str, what: str, found: Counter[PortRef]) -> Iterator[Finding]:
    for ref, count in sorted(found.items()):
        if count:
            yield perf_finding(
                rule,
                Place(ref.device, ref.port),
                f"{what} expected 0, found {count}",
                expected="0",
                found=str(count),
            )


def _unmarked(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Finding]:
    """Queues of the class in front of receivers of an incast that paused senders, not marking."""
    for result in results:
        if not is_incast(result) or result.unreachable:
            continue
        for receiver in sorted({receiver for _, receiver in result.round.flows}):
            leaf = receiver.leaf
            port = fabric.devices[leaf.device].ports.get(leaf.port)
            queue = class_at(fabric, leaf, item).queue
            is_meant = port is not None and is_known(port.qos.ecn) and queue in port.qos.ecn
            if not is_meant or not _pauses(result, fabric, receiver, item):
                continue
            marks = result.deltas[leaf.device].find(leaf.port, Meaning.ECN_MARKED, queue)
            if marks == 0:
                yield perf_finding(
                    "congestion-unmarked",
                    Place(leaf.device, leaf.port, f"queue {queue}"),
                    f"marked packets of class {item.name} expected while its senders were paused,"
                    " found 0",
                    expected="marks",
                    found="0",
                )


def _pauses(result: RoundResult, fabric: Fabric, receiver: Endpoint, item: TrafficClass) -> bool:
    """The receiver's leaf paused senders of its own: it is there that they were too many."""
    leaves = [sender.leaf for sender, other in result.round.flows if other == receiver]
    if any(leaf.device != receiver.leaf.device for leaf in leaves):
        return False
    frames = (
        result.deltas[leaf.device].find(
            leaf.port, Meaning.PFC_TX, class_at(fabric, leaf, item).pfc_priority
        )
        for leaf in leaves
    )
    return any(is_known(by) and by > 0 for by in frames)


def _cnp_class(fabric: Fabric, ref: PortRef) -> TrafficClass | None:
    policy = policy_at(fabric, ref)
    classes = policy.classes.values() if policy else ()
    return next((c for c in classes if c.carries is Carries.CNP and is_known(c.priority)), None)


def _cnps_of_adapters(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Finding]:
    """CNPs that an adapter sends outside their class, or does not heed."""
    ignored: Counter[PortRef] = Counter()
    sent: Counter[PortRef] = Counter()
    in_class: Counter[PortRef] = Counter()
    for result in results:
        for end in {end for flow in result.round.every for end in flow}:
            ignored[end.ref] += total(result, end.ref, Meaning.CNP_IGNORED)
        for end in Footprint(fabric, result.round).receivers:
            cnp = _cnp_class(fabric, end.ref)
            if cnp is None or end in {sender for sender, _ in result.round.every}:
                continue  # what it sends beside CNPs would be counted with them
            at = class_at(fabric, end.ref, cnp).priority
            by = result.deltas[end.host].find(end.port, Meaning.PRIORITY_TX_PACKETS, at)
            if is_known(by):
                sent[end.ref] += total(result, end.ref, Meaning.CNP_SENT)
                in_class[end.ref] += by
    yield from _none_expected("cnp-ignored", f"ignored CNPs of class {item.name}", ignored)
    for ref, count in sorted(sent.items()):
        if count >= FEWEST_CNPS and in_class[ref] < HEARD_SHARE * count:
            yield perf_finding(
                "cnp-outside-class",
                Place(ref.device, ref.port),
                f"CNPs in their class expected {count}, found {in_class[ref]}",
                expected=str(count),
                found=str(in_class[ref]),
            )


def _cnps_in_switches(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Finding]:
    """Switches that CNPs enter and do not leave, as far as all their ports were read."""
    del item
    unread: set[str] = set()
    entered: defaultdict[str, int] = defaultdict(int)
    left: defaultdict[str, int] = defaultdict(int)
    for result in results:
        if result.unreachable:
            continue
        for link in fabric.links:
            for egress, ingress in ((link.a, link.b), (link.b, link.a)):
                by = _cnps_sent(result, fabric, egress)
                if not is_known(by):
                    unread.add(egress.device)
                    continue
                left[egress.device] += by
                entered[ingress.device] += by
    for device, count in sorted(entered.items()):
        is_end = any(
            device in (end.host for flow in r.round.every for end in flow) for r in results
        )
        is_told = not is_end and device not in unread
        if is_told and count >= FEWEST_CNPS and left[device] < HEARD_SHARE * count:
            yield perf_finding(
                "cnp-lost",
                Place(device),
                f"CNPs through the switch expected {count}, found {left[device]}",
                expected=str(count),
                found=str(left[device]),
            )


def _cnps_sent(result: RoundResult, fabric: Fabric, ref: PortRef) -> Known[int]:
    """CNPs that left a port; UNKNOWN where no counter tells."""
    cnp = _cnp_class(fabric, ref)
    if cnp is None:
        return 0
    deltas = result.deltas.get(ref.device)
    if deltas is None:
        return UNKNOWN
    at = class_at(fabric, ref, cnp)
    found = deltas.find(ref.port, Meaning.QUEUE_PACKETS, at.queue)
    if not is_known(found):
        found = deltas.find(ref.port, Meaning.PRIORITY_TX_PACKETS, at.priority)
    return found


def _shares(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Finding]:
    """The class's share of a port that it fills together with traffic that may be dropped.

    A test that failed left its share to the others.
    """
    for result in results:
        has_failed = any(flow.result.error for flow in (*result.flows, *result.background))
        if not result.background or result.unreachable or has_failed:
            continue
        for receiver in sorted({receiver for _, receiver in result.round.background}):
            leaf = receiver.leaf
            queue = class_at(fabric, leaf, item).queue
            rows = result.deltas[leaf.device].each(leaf.port, Meaning.QUEUE_BYTES)
            octets = {row.key.number: row.by for row in rows if is_known(row.by) and row.by}
            weights = _weights(fabric, leaf, set(octets))
            if queue not in weights or len(weights) < 2:  # noqa: PLR2004 -- two share a port
                continue
            sharing = sum(octets[number] for number in weights)
            found = 100 * octets[queue] / sharing
            wanted = 100 * weights[queue] / sum(weights.values())
            if abs(found - wanted) > SHARE_POINTS:
                yield perf_finding(
                    "queue-share-off",
                    Place(leaf.device, leaf.port, f"queue {queue}"),
                    f"share of class {item.name} beside traffic that may be dropped: expected"
                    f" {wanted:.0f} %, found {found:.0f} %",
                    expected=f"{wanted:.0f} %",
                    found=f"{found:.0f} %",
                )


def beside_notes(results: Sequence[RoundResult]) -> Iterator[str]:
    """Classes beside which no traffic ran that may be dropped, though a round was meant for it."""
    read = (result for result in results if not result.unreachable)
    mixed = [result for result in read if result.round.pattern is Pattern.MIXED]
    with_others = {result.traffic_class for result in mixed if result.round.background}
    for name in dict.fromkeys(result.traffic_class for result in mixed):
        if name not in with_others:
            yield (
                f"class {name}: no traffic that may be dropped ran beside an incast, for hosts"
                " force one mark on all that they send; what it would have lost is not known"
            )


DROPS = (
    Meaning.QUEUE_DROP,
    Meaning.PRIORITY_GROUP_DROP,
    Meaning.PORT_INGRESS_DROP,
    Meaning.PORT_EGRESS_DROP,
    Meaning.WRED_DROP,
)


def _nothing_dropped(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Finding]:
    """Traffic that may be dropped, beside a class that was paused, and still lost nothing.

    Nothing is said where it did not run, or where what is dropped cannot be told.
    """
    for result in results:
        if result.unreachable or any(flow.result.error for flow in result.background):
            continue
        for receiver in sorted({receiver for _, receiver in result.round.background}):
            own = [pair for pair in result.round.background if pair[1] == receiver]
            places = {end.leaf for pair in own for end in pair}
            is_paused = _pauses(result, fabric, receiver, item)
            if not is_paused or _marks_others(fabric, receiver.leaf, item):
                continue
            if all(_lost_none(result, ref) for ref in places):
                yield perf_finding(
                    "droppable-without-loss",
                    Place(receiver.leaf.device, receiver.leaf.port),
                    f"{len(own)} senders of traffic that may be dropped, beside class {item.name}"
                    " that was paused: drops expected, found 0",
                    expected="drops",
                    found="0",
                )


def _lost_none(result: RoundResult, ref: PortRef) -> bool:
    """Every counter of drops at a port stood still, and there is one."""
    deltas = result.deltas[ref.device]
    moved = [row.by for meaning in DROPS for row in deltas.each(ref.port, meaning)]
    return bool(moved) and all(by == 0 for by in moved)


def _marks_others(fabric: Fabric, ref: PortRef, item: TrafficClass) -> bool:
    """Some other queue than the class's is to mark: its senders may slow down in time."""
    port = fabric.devices[ref.device].ports.get(ref.port)
    if port is None or not is_known(port.qos.ecn):
        return False
    return bool(set(port.qos.ecn) - {class_at(fabric, ref, item).queue})


def _weights(fabric: Fabric, ref: PortRef, queues: set[int]) -> dict[int, float]:
    """Weights of those queues that share by weight, as the intent has them."""
    port = fabric.devices[ref.device].ports.get(ref.port)
    if port is None or not is_known(port.qos.scheduler):
        return {}
    schedulers = port.qos.scheduler
    found: dict[int, float] = {}
    for queue in queues & set(schedulers):
        one: Scheduler = schedulers[queue]
        if is_known(one.weight_percent):
            found[queue] = float(one.weight_percent)
    return found


def _narrow(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Finding]:
    """Cables that were full at much less than their speed."""
    seen: set[tuple[PortRef, ...]] = set()
    for clue in narrow(results, fabric, item):
        if clue.where not in seen:
            seen.add(clue.where)
            ref = clue.where[0]
            yield perf_finding(
                "cable-below-speed", Place(ref.device, ref.port), clue.evidence, found=clue.evidence
            )


def _small_packets(results: Sequence[RoundResult], fabric: Fabric) -> Iterator[Finding]:
    """Adapters whose tests all ran with smaller packets than the cables are meant to take."""
    sizes: defaultdict[PortRef, set[int]] = defaultdict(set)
    for result in results:
        for flow in result.flows:
            for end in (flow.sender, flow.receiver):
                if is_known(flow.result.rdma_mtu):
                    sizes[end.ref].add(flow.result.rdma_mtu)
    largest = max((size for found in sizes.values() for size in found), default=0)
    for ref, found in sorted(sizes.items()):
        wanted = _intended_rdma_mtu(fabric, ref) or largest
        if max(found) < wanted:
            yield perf_finding(
                "rdma-mtu-small",
                Place(ref.device, ref.port),
                f"RDMA MTU expected {wanted} bytes, found {max(found)} bytes",
                expected=f"{wanted} bytes",
                found=f"{max(found)} bytes",
            )


def _intended_rdma_mtu(fabric: Fabric, ref: PortRef) -> int:
    """The RDMA MTU that fits the intended MTU of a port; 0 where none is said."""
    device = fabric.devices.get(ref.device)
    port = device.ports.get(ref.port) if device else None
    if port is None or not is_known(port.l2_mtu):
        return 0
    sizes = (LARGEST_RDMA_MTU >> step for step in range(5))
    return next((size for size in sizes if size + HEADERS_BYTES <= port.l2_mtu), 0)
