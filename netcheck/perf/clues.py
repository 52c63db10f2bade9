"""What speaks for a place being at fault, from counters: each kind of clue on its own.

A clue has a rank: what is nearer to a cause explains what is farther from it.
Packets that carry the wrong mark are lost where they are not protected, and
not where they were marked; so marks rank before drops.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from netcheck.model.counters import Meaning
from netcheck.model.fabric import Carries, Fabric, PortRef, TrafficClass
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.perf.agreement import disagreements, together
from netcheck.perf.coverage import NOISE_PACKETS, OTHER_CABLES, coverage
from netcheck.perf.losses import loss_sights
from netcheck.perf.observe import (
    Footprint,
    RoundResult,
    class_at,
    is_host,
    lossless_pfc_priorities,
    policy_at,
)

IN_CLASS_SHARE = 0.9
MISSING_SHARE, MISSING_PACKETS = 1e-4, 50  # less is traffic of others between two readings
NARROW_SHARE = 0.5
NOT_READ = "the host did not answer when it was read"
ADDRESSES = "address and GID table of this port"
HOST_ITSELF = "the host itself: its login, its RDMA device, and the programs on it"


class Rank(IntEnum):
    """How near to a cause a clue is, the nearest first."""

    MARKS = 0
    NO_ADDRESS = 1
    DAMAGE = 2
    STORM = 3
    NO_PAUSE = 4
    DROPS = 5
    VANISHED = 6
    FLOWS = 7
    STUCK = 8
    OTHER_PAUSE = 9
    NARROW = 10
    UNUSED = 11
    FINDING = 12
    SLOW = 13


@dataclass(frozen=True, slots=True)
class Clue:
    """Places that one observation points at (the ends of a cable are two), and how much."""

    rank: Rank
    where: tuple[PortRef, ...]
    weight: float
    evidence: str
    look_at: str


COUNTED = {
    Meaning.PRIORITY_GROUP_DROP: "headroom of this port, or PFC on it or its peer",
    Meaning.PORT_INGRESS_DROP: "MTU of this port, or no buffer for the class",
    Meaning.QUEUE_DROP: "the class is in a lossy queue here, or its egress buffer is limited",
    Meaning.PORT_EGRESS_DROP: "MTU of this port, or its egress buffer",
    Meaning.WATCHDOG_DROP: "the watchdog took a long pause for a storm",
    Meaning.PRIORITY_INGRESS_DROP: "the host does not pause this priority",
}


def peers(fabric: Fabric) -> dict[PortRef, PortRef]:
    """Give ``port -> port at the other end of its cable``."""
    ends = {link.a: link.b for link in fabric.links}
    return ends | {link.b: link.a for link in fabric.links}


def total(result: RoundResult, ref: PortRef, *meanings: Meaning) -> int:
    """Known movements of those meanings at a port, all numbers together."""
    deltas = result.deltas.get(ref.device)
    rows = [row.by for m in meanings for row in (deltas.each(ref.port, m) if deltas else ())]
    return sum(by for by in rows if is_known(by))


def answers_at(fabric: Fabric, ref: PortRef, *, is_queue: bool) -> frozenset[int]:
    """Queues or priorities of CNPs and ACKs at a port: what receivers send is no stray data."""
    policy = policy_at(fabric, ref)
    classes = policy.classes.values() if policy else ()
    at = [class_at(fabric, ref, c) for c in classes if c.carries in (Carries.CNP, Carries.ACK)]
    return frozenset(one.queue if is_queue else one.priority for one in at)


def astray(results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass) -> Iterator[Clue]:
    """Where the packets of the test are not in the class: at senders, else switches, else ends."""
    own = [result for result in results if not result.background and result.collective is None]
    for meaning in (
        Meaning.PRIORITY_TX_PACKETS,
        Meaning.QUEUE_PACKETS,
        Meaning.PRIORITY_RX_PACKETS,
    ):
        found: defaultdict[PortRef, int] = defaultdict(int)
        for result in own:
            for ref in _carriers(result, fabric, meaning):
                stray = _stray(result, fabric, ref, item, meaning)
                if stray:
                    found[ref] += stray
        if found:
            yield from _astray_at(found, fabric, item)
            return


def _carriers(result: RoundResult, fabric: Fabric, meaning: Meaning) -> Iterator[PortRef]:
    touched = Footprint(fabric, result.round)
    if meaning is Meaning.PRIORITY_TX_PACKETS:
        yield from (end.ref for end in touched.senders)
    elif meaning is Meaning.PRIORITY_RX_PACKETS:
        yield from (end.ref for end in touched.receivers)
    else:
        yield from touched.switch_egress


def _stray(
    result: RoundResult, fabric: Fabric, ref: PortRef, item: TrafficClass, meaning: Meaning
) -> int:
    is_queue = meaning is Meaning.QUEUE_PACKETS
    at = class_at(fabric, ref, item)
    mine, answers = (
        at.queue if is_queue else at.priority,
        answers_at(fabric, ref, is_queue=is_queue),
    )
    deltas = result.deltas.get(ref.device)
    rows = {
        row.key.number: row.by
        for row in (deltas.each(ref.port, meaning) if deltas else ())
        if is_known(row.by) and row.key.number not in answers
    }
    stray = sum(by for number, by in rows.items() if number != mine)
    is_astray = stray >= NOISE_PACKETS and rows.get(mine, 0) < IN_CLASS_SHARE * sum(rows.values())
    return stray if is_astray else 0


def _astray_at(found: dict[PortRef, int], fabric: Fabric, item: TrafficClass) -> Iterator[Clue]:
    """One clue a host port; one a switch where several of its ports are concerned."""
    by_switch: defaultdict[str, list[PortRef]] = defaultdict(list)
    for ref in found:
        if not is_host(fabric, ref.device):
            by_switch[ref.device].append(ref)
    for ref, packets in found.items():
        if ref.device in by_switch and len(by_switch[ref.device]) > 1:
            continue
        what = f"{packets} packets of class {item.name} were not in it here"
        look_at = "trust, DSCP map and forced traffic class of this port"
        yield Clue(Rank.MARKS, (ref,), packets, what, look_at)
    for switch, refs in by_switch.items():
        if len(refs) > 1:
            packets = sum(found[ref] for ref in refs)
            what = f"{packets} packets of class {item.name} were not in it at {len(refs)} ports"
            yield Clue(Rank.MARKS, (PortRef(switch, ""),), packets, what, "DSCP map of this switch")


def damaged(results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass) -> Iterator[Clue]:
    """Packets that came damaged over a cable: more errors than the port dropped as too long."""
    del item
    far = peers(fabric)
    found: defaultdict[PortRef, int] = defaultdict(int)
    for result in results:
        for _, ingress in Footprint(fabric, result.round).links:
            found[ingress] += damage(result, ingress)
    for ref, errors in found.items():
        if errors:
            where = (ref, far[ref]) if ref in far else (ref,)
            what = f"{errors} damaged packets came in here"
            yield Clue(Rank.DAMAGE, where, errors, what, "cable, modules and FEC of both ends")


def damage(result: RoundResult, ref: PortRef) -> int:
    """Packets that came in damaged: errors that are no drops for length or for want of buffer.

    0 also where a port does not tell how many it drops for length: its errors may be these.
    """
    # several counters see the same packets (FCS, FEC, symbols)
    errors = _most(result, ref, Meaning.PHYSICAL_ERROR)
    dropped = _most(result, ref, Meaning.PORT_INGRESS_DROP)
    if not is_known(errors) or not is_known(dropped):
        return 0
    for_length = max(0, dropped - total(result, ref, Meaning.PRIORITY_GROUP_DROP))
    return max(0, errors - for_length)


def _most(result: RoundResult, ref: PortRef, meaning: Meaning) -> Known[int]:
    """How far that of several counters of one meaning moved that moved most; 0 where none is."""
    deltas = result.deltas.get(ref.device)
    moved = [row.by for row in deltas.each(ref.port, meaning)] if deltas else []
    known = [by for by in moved if is_known(by)]
    return UNKNOWN if moved and not known else max(known, default=0)


def pausing_hosts(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Clue]:
    """NICs that pause their switch: they take packets too slowly, or are stuck."""
    found: defaultdict[PortRef, int] = defaultdict(int)
    storms: set[PortRef] = set()
    for result in results:
        for end in {end for flow in result.round.every for end in flow}:
            at, far = class_at(fabric, end.ref, item), class_at(fabric, end.leaf, item)
            sent = result.deltas[end.host].find(end.port, Meaning.PFC_TX, at.pfc_priority)
            got = result.deltas[end.leaf.device].find(
                end.leaf.port, Meaning.PFC_RX, far.pfc_priority
            )
            found[end.ref] += max(sent if is_known(sent) else 0, got if is_known(got) else 0)
            if total(result, end.ref, Meaning.PAUSE_STORM) or total(
                result, end.leaf, Meaning.WATCHDOG_STORM
            ):
                storms.add(end.ref)
    for ref, frames in found.items():
        if not frames:
            continue
        what = f"{frames} pause frames sent by this adapter"
        if ref in storms:
            yield Clue(Rank.STORM, (ref,), frames, f"{what}, a storm", "the adapter: it is stuck")
        else:
            look_at = "the host, not the fabric: PCIe width, memory, NUMA node, CPU governor"
            yield Clue(Rank.STORM, (ref,), frames, what, look_at)


def counted_drops(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Clue]:
    """Counted drops, and whether a pause was sent and heard where they happened."""
    far = peers(fabric)
    drops: defaultdict[tuple[PortRef, Meaning], int] = defaultdict(int)
    sent: defaultdict[PortRef, int] = defaultdict(int)
    heard: dict[PortRef, list[Known[int]]] = defaultdict(list)
    for result in results:
        for sight in loss_sights(result, fabric, item):
            if sight.meaning in COUNTED and is_known(sight.by) and sight.by > 0:
                ref = PortRef(sight.device, sight.port)
                drops[ref, sight.meaning] += sight.by
                at = class_at(fabric, ref, item)
                sent[ref] += _moved(result, ref, Meaning.PFC_TX, at.pfc_priority)
                if ref in far:
                    heard[ref].append(_heard(result, far[ref], at.pfc_priority))
    is_shown = _adapters_show_pauses(results, fabric, item)
    for (ref, meaning), lost in drops.items():
        what = f"{lost} packets: {meaning.value.replace('_', ' ')}"
        is_deaf = is_shown and sent[ref] and all(by == 0 for by in heard[ref])
        if meaning is Meaning.PRIORITY_GROUP_DROP and is_deaf:
            peer = far.get(ref)
            if peer is not None and is_host(fabric, peer.device):
                text = f"{ref} lost {what}; of its {sent[ref]} pause frames this end counted none"
                yield Clue(Rank.NO_PAUSE, (peer,), lost, text, "PFC of the adapter")
        yield Clue(Rank.DROPS, (ref,), lost, what, COUNTED[meaning])


def _heard(result: RoundResult, ref: PortRef, priority: int) -> Known[int]:
    """Pause frames that came in; 0 where the priority is not shown.

    Adapters show those that pause alone: Linux drivers/net/ethernet/mellanox/mlx5/core/en_stats.c
    (mlx5e_query_pfc_combined).
    """
    deltas = result.deltas.get(ref.device)
    if deltas is None:
        return UNKNOWN
    place = (ref.port, Meaning.PFC_RX, priority)
    return deltas.index[place].by if place in deltas.index else 0


def _adapters_show_pauses(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> bool:
    """Some adapter counted a pause frame of the class, so that none counted says something."""
    return any(
        _moved(result, end.ref, Meaning.PFC_RX, class_at(fabric, end.ref, item).pfc_priority)
        for result in results
        for end in Footprint(fabric, result.round).senders
    )


def _moved(result: RoundResult, ref: PortRef, meaning: Meaning, number: int) -> int:
    """Known movement of one counter."""
    deltas = result.deltas.get(ref.device)
    by = deltas.find(ref.port, meaning, number) if deltas else 0
    return by if is_known(by) else 0


def vanished(results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass) -> Iterator[Clue]:
    """Packets that entered a cable or a switch and neither left it nor were counted as dropped."""
    cables: defaultdict[tuple[PortRef, ...], int] = defaultdict(int)
    switches: defaultdict[str, int] = defaultdict(int)
    for result in results:
        if result.unreachable or not _is_lossy(result, fabric, item):
            continue
        touched = Footprint(fabric, result.round)
        for egress, ingress in touched.links:
            sent = together(result, [egress], Meaning.PORT_TX_PACKETS)
            got = together(result, [ingress], Meaning.PORT_RX_PACKETS)
            cables[egress, ingress] += _missing(sent, got, damage(result, ingress))
        for device in {ref.device for ref in touched.switch_ingress}:
            switches[device] += _gone_inside(result, touched, device)
    for where, missing in cables.items():
        if missing:
            what = f"{missing} packets sent into this cable did not arrive"
            yield Clue(Rank.VANISHED, where, missing, what, "cable, modules, and counters")
    for device, missing in switches.items():
        if missing:
            what = f"{missing} packets went in, did not come out and were not counted as dropped"
            yield Clue(Rank.VANISHED, (PortRef(device, ""),), missing, what, "the chip itself")


def _is_lossy(result: RoundResult, fabric: Fabric, item: TrafficClass) -> bool:
    return any(s.is_growing for s in loss_sights(result, fabric, item)) or any(
        flow.result.error for flow in result.flows
    )


def _missing(sent: Known[int], got: Known[int], dropped: int) -> int:
    """Packets that are missing and were not counted as dropped.

    0 where so few are that readings explain it, or where a side is stuck or does not tell.
    """
    if not is_known(sent) or not is_known(got) or not got + dropped:
        return 0
    few = MISSING_PACKETS + MISSING_SHARE * sent
    missing = sent - got - dropped
    return missing if missing > few else 0


def _gone_inside(result: RoundResult, touched: Footprint, device: str) -> int:
    ports = {*touched.switch_ingress, *touched.switch_egress}
    here = [ref for ref in ports if ref.device == device]
    entered = together(result, here, Meaning.PORT_RX_PACKETS)
    left = together(result, here, Meaning.PORT_TX_PACKETS)
    groups, queues = Meaning.PRIORITY_GROUP_DROP, Meaning.QUEUE_DROP
    ingress, egress = Meaning.PORT_INGRESS_DROP, Meaning.PORT_EGRESS_DROP
    dropped = sum(
        max(total(result, ref, groups), total(result, ref, ingress))
        + max(total(result, ref, queues), total(result, ref, egress))
        for ref in here
    )
    return _missing(entered, left, dropped)


def stuck(results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass) -> Iterator[Clue]:
    """Counters that stand still while their neighbours count."""
    found: defaultdict[PortRef, int] = defaultdict(int)
    for result in results:
        for other in disagreements(result, fabric, item):
            if other.found == 0 and other.where.port:
                found[other.where] += other.expected
    for ref, expected in found.items():
        what = f"its counters stand still, where its neighbours counted {expected} packets"
        yield Clue(Rank.STUCK, (ref,), expected, what, "counter polling of this device")


def narrow(results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass) -> Iterator[Clue]:
    """Ports that were full while they carried much less than other full ports of their speed."""
    far = peers(fabric)
    for result in results:
        carried: dict[PortRef, int] = {}
        for ref in Footprint(fabric, result.round).switch_egress:
            marks = _moved(result, ref, Meaning.ECN_MARKED, class_at(fabric, ref, item).queue)
            octets = total(result, ref, Meaning.QUEUE_BYTES)  # none: a counter that stands still
            heard = result.deltas[ref.device].each(ref.port, Meaning.PFC_RX)
            if marks and octets and all(row.by == 0 for row in heard):
                carried[ref] = octets
        for ref, octets in carried.items():
            same = [
                n for other, n in carried.items() if _speed(fabric, other) == _speed(fabric, ref)
            ]
            if octets < NARROW_SHARE * max(same):
                share = 100 * octets // max(same)
                what = f"full, and carried {share} % of what other full ports of its speed did"
                where = (ref, far[ref]) if ref in far else (ref,)
                yield Clue(Rank.NARROW, where, max(same) - octets, what, "lanes and speed")


def _speed(fabric: Fabric, ref: PortRef) -> object:
    port = fabric.devices[ref.device].ports.get(ref.port)
    return port.speed_bps if port else None


def unused(results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass) -> Iterator[Clue]:
    """Cables that carried nothing in either direction; switches that leave several exits unused.

    None where no round was run to reach the rest: then it was for want of rounds.
    """
    if not any(result.round.name.startswith(OTHER_CABLES) for result in results):
        return
    far = peers(fabric)
    if any(result.unreachable for result in results):
        return  # what went through there is not known
    missed = coverage(results, fabric, item).missed
    pairs = {frozenset((ref, far[ref])) for ref in missed if far.get(ref) in missed}
    for pair in sorted(pairs, key=sorted):
        what = "no data in either direction, though flows could have taken this cable"
        yield Clue(Rank.UNUSED, tuple(sorted(pair)), 2.0, what, "whether it is up, and routing")
    rest: defaultdict[str, list[PortRef]] = defaultdict(list)
    for ref in missed:
        if frozenset((ref, far.get(ref, ref))) not in pairs:
            rest[ref.device].append(ref)
    for device, refs in rest.items():
        if len(refs) > 1:
            what = f"sent no data by {len(refs)} ports that flows could have left by"
            where = (PortRef(device, ""),)
            yield Clue(Rank.UNUSED, where, len(refs), what, "how it hashes flows (ECMP)")


def other_pauses(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Clue]:
    """Ports that pause a priority which is not declared lossless."""
    del item
    found: defaultdict[PortRef, int] = defaultdict(int)
    for result in results:
        for device, deltas in result.deltas.items():
            for row in deltas.grown(Meaning.PFC_TX):
                ref = PortRef(device, row.key.port)
                if row.key.number not in lossless_pfc_priorities(fabric, ref) and is_known(row.by):
                    found[ref] += row.by
    for ref, frames in found.items():
        what = f"{frames} pause frames sent on a priority that is not declared lossless"
        yield Clue(Rank.OTHER_PAUSE, (ref,), frames, what, "which priorities PFC is on for")


def by_address(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> Iterator[Clue]:
    """NICs that no test could be started on, as its error says."""
    del fabric, item
    found: defaultdict[PortRef, list[str]] = defaultdict(list)
    for result in results:
        for flow in (*result.flows, *result.victims):
            for end in (flow.sender, flow.receiver):
                if flow.result.error.startswith(f"{end.host} {end.rdma}: "):
                    found[end.ref].append(flow.result.error)
    for ref, errors in found.items():
        what = f"{len(errors)} tests: {errors[0]}"
        look_at = ADDRESSES if "GID" in errors[0] else HOST_ITSELF
        yield Clue(Rank.NO_ADDRESS, (ref,), len(errors), what, look_at)


KINDS = (
    astray,
    by_address,
    damaged,
    pausing_hosts,
    counted_drops,
    vanished,
    stuck,
    other_pauses,
    narrow,
    unused,
)
