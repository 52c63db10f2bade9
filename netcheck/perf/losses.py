"""Condition (a): nothing was dropped, retransmitted or out of sequence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from netcheck.model.counters import Meaning
from netcheck.model.fabric import Fabric, LoadBalancing, PortRef, TrafficClass
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.perf.accounting import lost_packets
from netcheck.perf.deltas import ANY, Deltas
from netcheck.perf.observe import Footprint, RoundResult, class_at, is_incast, is_pulled
from netcheck.perf.schedule import Endpoint


@dataclass(frozen=True, slots=True)
class Sight:
    """One counter that a condition needs: where, what, and how far it moved.

    ``index`` is the queue, priority or priority group; ``is_owned`` tells that
    the counter belongs to the class and not to a port as a whole.
    """

    device: str
    port: str
    meaning: Meaning
    index: int
    by: Known[int]
    is_owned: bool = True

    @property
    def is_growing(self) -> bool:
        """It is known to have moved."""
        return is_known(self.by) and self.by > 0


SENDER_LOSS = (Meaning.SEQUENCE_NAK, Meaning.ACK_TIMEOUT)
# Packets that are sprayed over several paths arrive out of order without any loss.
SENDER_LOSS_IF_SPRAYED = (Meaning.ACK_TIMEOUT,)
SENDER_LOSS_IF_SHOWN = (
    Meaning.IMPLIED_NAK,
    Meaning.RETRANSMISSION,
    Meaning.RETRY_EXCEEDED,
)
RECEIVER_LOSS = (Meaning.OUT_OF_SEQUENCE,)
# Who reads data asks again for what does not come.
READER_LOSS = (Meaning.ACK_TIMEOUT, *SENDER_LOSS_IF_SHOWN)
RECEIVER_LOSS_IF_SHOWN = (Meaning.DUPLICATE_REQUEST, Meaning.ICRC_ERROR)
# What a busy host does without any loss, where every packet is known to have arrived.
BUSY_HOST = frozenset({Meaning.ACK_TIMEOUT, Meaning.DUPLICATE_REQUEST, Meaning.RETRANSMISSION})
PORT_LOSS = (Meaning.PORT_INGRESS_DROP, Meaning.PORT_EGRESS_DROP)


def loss_sights(result: RoundResult, fabric: Fabric, item: TrafficClass) -> Iterator[Sight]:
    """Every counter that must not move while the class is lossless."""
    touched = Footprint(fabric, result.round)
    for ref in touched.switch_ingress:
        at = class_at(fabric, ref, item)
        yield _group_sight(result, ref, at.priority_group)
        yield _unowned(result, ref, Meaning.PORT_INGRESS_DROP, Meaning.PRIORITY_GROUP_DROP)
    for ref in touched.switch_egress:
        at = class_at(fabric, ref, item)
        yield _sight(result, ref, Meaning.QUEUE_DROP, at.queue)
        yield from _if_shown(result, ref, (Meaning.WATCHDOG_DROP,), at.queue)
        yield _unowned(result, ref, Meaning.PORT_EGRESS_DROP, Meaning.QUEUE_DROP)
    for end in touched.receivers:
        at = class_at(fabric, end.ref, item)
        yield from _if_shown(result, end.ref, (Meaning.PRIORITY_INGRESS_DROP,), at.priority)
    if result.background:
        return  # what NICs had to send again was of that, or of the class: they do not say
    ends = (*touched.senders, *touched.receivers)
    lost = lost_packets(result, {class_at(fabric, end.ref, item).priority for end in ends})
    repeats = BUSY_HOST if lost == 0 else frozenset()
    if lost is not None and touched.receivers:
        end = touched.receivers[0]
        yield Sight(end.host, end.port, Meaning.RDMA_PACKETS_LOST, ANY, max(0, lost))
    yield from host_sights(
        result, touched, is_sprayed=item.load_balancing is LoadBalancing.PACKET, repeats=repeats
    )


def host_sights(
    result: RoundResult,
    touched: Footprint,
    *,
    is_sprayed: bool = False,
    repeats: frozenset[Meaning] = frozenset(),
) -> Iterator[Sight]:
    """What NICs count of packets that were lost: of RoCE and of InfiniBand alike.

    Args:
        is_sprayed: Packets of a flow take several paths, and come out of order.
        repeats: Counters that say nothing in this round.
    """
    for end in touched.senders:
        nak = SENDER_LOSS_IF_SPRAYED if is_sprayed else SENDER_LOSS
        yield from _without(repeats, _at_host(result, end, nak, SENDER_LOSS_IF_SHOWN))
    for end in touched.receivers:
        gap = () if is_sprayed else RECEIVER_LOSS
        yield from _without(repeats, _at_host(result, end, gap, RECEIVER_LOSS_IF_SHOWN))
        if is_pulled(result):
            yield from _without(repeats, _any_index(result, end, READER_LOSS))


def _without(meanings: frozenset[Meaning], sights: Iterator[Sight]) -> Iterator[Sight]:
    return (sight for sight in sights if sight.meaning not in meanings)


def traffic_sights(result: RoundResult, fabric: Fabric, item: TrafficClass) -> Iterator[Sight]:
    """Packets of the class at the NICs and in the class's queue at the last switch."""
    touched = Footprint(fabric, result.round)
    for end in touched.senders:
        at = class_at(fabric, end.ref, item)
        yield _sight(result, end.ref, Meaning.PRIORITY_TX_PACKETS, at.priority)
    for end in touched.receivers:
        at = class_at(fabric, end.ref, item)
        yield _sight(result, end.ref, Meaning.PRIORITY_RX_PACKETS, at.priority)
        leaf = class_at(fabric, end.leaf, item)
        yield _sight(result, end.leaf, Meaning.QUEUE_PACKETS, leaf.queue)


def pause_sights(result: RoundResult, fabric: Fabric, item: TrafficClass) -> Iterator[Sight]:
    """Pause frames of the class sent by switches and received by the sending NICs."""
    touched = Footprint(fabric, result.round)
    for ref in touched.switch_ingress:
        at = class_at(fabric, ref, item)
        yield _sight(result, ref, Meaning.PFC_TX, at.pfc_priority)
    for end in touched.senders:
        at = class_at(fabric, end.ref, item)
        yield from _if_shown(result, end.ref, (Meaning.PFC_RX,), at.pfc_priority)


def pausing_ports(
    results: Iterable[RoundResult], fabric: Fabric, item: TrafficClass
) -> dict[PortRef, bool]:
    """Switch ports that incasts could come in by, and whether each was seen to pause its peer."""
    found: dict[PortRef, bool] = {}
    for result in results:
        if is_incast(result) and not result.unreachable:
            for sight in pause_sights(result, fabric, item):
                if sight.meaning is Meaning.PFC_TX:
                    ref = PortRef(sight.device, sight.port)
                    found[ref] = found.get(ref, False) or sight.is_growing
    return found


def mark_sights(result: RoundResult, fabric: Fabric, item: TrafficClass) -> Iterator[Sight]:
    """Marks made by switches and congestion notifications sent by receivers, where shown."""
    touched = Footprint(fabric, result.round)
    for ref in touched.switch_egress:
        at = class_at(fabric, ref, item)
        yield from _if_shown(result, ref, (Meaning.ECN_MARKED,), at.queue)
    for end in touched.receivers:
        yield from _any_index(result, end, (Meaning.CE_RECEIVED, Meaning.CNP_SENT))


def _sight(result: RoundResult, ref: PortRef, meaning: Meaning, index: int) -> Sight:
    by = result.deltas[ref.device].find(ref.port, meaning, index)
    return Sight(ref.device, ref.port, meaning, index, by)


def _group_sight(result: RoundResult, ref: PortRef, group: int) -> Sight:
    """Drops of a priority group; of all groups of the port where a switch counts only these.

    What all groups lost together may not have been the class's, so the class does not own it.
    """
    meaning, shown = Meaning.PRIORITY_GROUP_DROP, result.deltas[ref.device].index
    together = shown.get((ref.port, meaning, ANY))
    if together is None or (ref.port, meaning, group) in shown:
        return _sight(result, ref, meaning, group)
    return Sight(ref.device, ref.port, meaning, ANY, together.by, is_owned=False)


def _unowned(result: RoundResult, ref: PortRef, whole: Meaning, part: Meaning) -> Sight:
    """Drops of a port that none of its queues or priority groups owns."""
    deltas = result.deltas[ref.device]
    by = _largest(deltas, ref.port, whole)
    owned = sum(row.by for row in deltas.each(ref.port, part) if is_known(row.by))
    left = max(0, by - owned) if is_known(by) else by
    return Sight(ref.device, ref.port, whole, ANY, left, is_owned=False)


def _largest(deltas: Deltas, port: str, meaning: Meaning) -> Known[int]:
    """The counter that moved most, for one of several may hold what the others do."""
    rows = deltas.each(port, meaning)
    known = [row.by for row in rows if is_known(row.by)]
    return max(known) if known and len(known) == len(rows) else UNKNOWN


def _if_shown(
    result: RoundResult, ref: PortRef, meanings: tuple[Meaning, ...], index: int
) -> Iterator[Sight]:
    """Counters that not every device has: counted where they are shown."""
    for meaning in meanings:
        shown = result.deltas[ref.device].index
        if (ref.port, meaning, index) in shown:
            yield _sight(result, ref, meaning, index)


def _at_host(
    result: RoundResult,
    end: Endpoint,
    needed: tuple[Meaning, ...],
    if_shown: tuple[Meaning, ...],
) -> Iterator[Sight]:
    for meaning in needed:
        rows = result.deltas[end.host].each(end.port, meaning)
        if not rows:
            yield _sight(result, end.ref, meaning, ANY)
        for row in rows:
            yield Sight(end.host, end.port, meaning, row.key.number, row.by)
    yield from _any_index(result, end, if_shown)


def _any_index(
    result: RoundResult, end: Endpoint, meanings: tuple[Meaning, ...]
) -> Iterator[Sight]:
    for meaning in meanings:
        for row in result.deltas[end.host].each(end.port, meaning):
            yield Sight(end.host, end.port, meaning, row.key.number, row.by)
