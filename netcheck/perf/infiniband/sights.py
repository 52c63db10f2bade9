"""What ports and adapters counted in a round of an InfiniBand service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from netcheck.lossless.link_quality import bit_error_rate, wait_share
from netcheck.model.counters import CounterLimit, Meaning
from netcheck.model.device import Device
from netcheck.model.fabric import Fabric, PortRef
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.perf.coverage import ACK_BYTES, NOISE_PACKETS, Coverage, seen_by
from netcheck.perf.deltas import ANY, Deltas, Moved
from netcheck.perf.infiniband.places import Place
from netcheck.perf.losses import Sight, host_sights
from netcheck.perf.observe import Footprint, RoundResult
from netcheck.perf.schedule import Round

EGRESS = (Meaning.PORT_EGRESS_DROP, Meaning.VL15_DROP)
INGRESS = (Meaning.RECEIVE_ERROR, Meaning.VL15_DROP)
# Packets that partition enforcement refuses: not every device counts them.
REFUSED = (Meaning.CONSTRAINT_ERROR,)
DAMAGE = (Meaning.PHYSICAL_ERROR, Meaning.LINK_RECOVERY)
# Others of that meaning tell of a part of them, or of errors further up.
ERRORS = frozenset({"PortRcvErrors", "port_rcv_errors"})
WORD_BYTES = 4  # what PortXmitData counts, see platforms.infiniband.quirks
FULL = " (at its largest value)"


@lru_cache(maxsize=16)
def footprint(fabric: Fabric, one: Round) -> Footprint:
    """Ports that a round may touch, worked out once: that takes longer than the rest."""
    return Footprint(fabric, one)


def lost_at(result: RoundResult, fabric: Fabric, *, is_sprayed: bool = False) -> Iterator[Sight]:
    """Every counter that must not move while a service is lossless.

    Args:
        is_sprayed: The subnet routes adaptively: packets of a flow take several paths.
    """
    touched = footprint(fabric, result.round)
    for egress, ingress in touched.links:
        for ref, meanings in ((egress, EGRESS), (ingress, INGRESS)):
            for meaning in meanings:
                yield Sight(ref.device, ref.port, meaning, ANY, _moved(result, ref, meaning))
            yield from _if_shown(result, ref, REFUSED)
    yield from host_sights(result, touched, is_sprayed=is_sprayed)


def _moved(result: RoundResult, ref: PortRef, meaning: Meaning) -> Known[int]:
    """How far counters of a meaning moved; UNKNOWN without the one that a port must have."""
    rows = result.deltas[ref.device].each(ref.port, meaning)
    is_told = meaning is not Meaning.RECEIVE_ERROR or any(row.key.name in ERRORS for row in rows)
    return result.deltas[ref.device].find(ref.port, meaning) if is_told else UNKNOWN


def waits(result: RoundResult, fabric: Fabric) -> Iterator[Sight]:
    """How long ports had packets and could not send, at every port that packets leave by."""
    for egress, _ in footprint(fabric, result.round).links:
        by = result.deltas[egress.device].find(egress.port, Meaning.TRANSMIT_WAIT)
        yield Sight(egress.device, egress.port, Meaning.TRANSMIT_WAIT, ANY, by)


def damage_at(result: RoundResult, fabric: Fabric) -> Iterator[Sight]:
    """Bit errors and new trainings of links, where they are shown."""
    for _, ingress in footprint(fabric, result.round).links:
        yield from _if_shown(result, ingress, DAMAGE)


def crossed(results: Sequence[RoundResult], fabric: Fabric) -> Coverage:
    """Which cables between switches data was counted on, lanes and services together."""
    return seen_by(results, fabric, _has_data)


def _has_data(result: RoundResult, egress: PortRef) -> bool | None:
    own = result.deltas[egress.device]
    packets = own.find(egress.port, Meaning.PORT_TX_PACKETS)
    if not is_known(packets):
        return None
    rows = own.each(egress.port, Meaning.OTHER)
    words = next((row.by for row in rows if row.key.name == "PortXmitData"), UNKNOWN)
    is_answers = is_known(words) and WORD_BYTES * words < ACK_BYTES * packets
    return packets >= NOISE_PACKETS and not is_answers


def received(result: RoundResult, fabric: Fabric) -> Iterator[Sight]:
    """Packets that came in at the adapters that receive."""
    for end in footprint(fabric, result.round).receivers:
        by = result.deltas[end.host].find(end.port, Meaning.PORT_RX_PACKETS)
        yield Sight(end.host, end.port, Meaning.PORT_RX_PACKETS, ANY, by)


def _if_shown(result: RoundResult, ref: PortRef, meanings: tuple[Meaning, ...]) -> Iterator[Sight]:
    shown = result.deltas[ref.device].index
    for meaning in meanings:
        if (ref.port, meaning, ANY) in shown:
            by = result.deltas[ref.device].find(ref.port, meaning)
            yield Sight(ref.device, ref.port, meaning, ANY, by)


@dataclass(frozen=True, slots=True)
class Waiting:
    """How much of a round a port waited for credits; percent of the time its flows ran."""

    traffic_class: str
    round: str
    device: str
    port: str
    percent: float

    def __str__(self) -> str:
        where = f"{self.device} {self.port}"
        return (
            f"class {self.traffic_class}, {self.round}: waited longest at {where},"
            f" {self.percent:.0f} % of the time"
        )


def waiting_of(
    result: RoundResult, fabric: Fabric, at: Mapping[PortRef, Place], seconds: float
) -> Iterator[Waiting]:
    """Shares of time, for ports whose device says how long a tick is."""
    for sight in waits(result, fabric):
        ref = PortRef(sight.device, sight.port)
        place, rows = at.get(ref), result.deltas[ref.device].each(ref.port, Meaning.TRANSMIT_WAIT)
        is_exact = all(FULL not in row.key.name for row in rows)
        if place is None or not is_known(sight.by) or not is_exact:
            continue
        rate, width, kind = place.port.rate_bps, place.port.width, place.node.device_id
        if not (is_known(rate) and is_known(width) and is_known(kind)) or seconds <= 0:
            continue
        share = wait_share(
            sight.by,
            seconds=seconds,
            rate_bps=rate,
            device_id=kind,
            width=width,
            tick=place.tick,
        )
        if share is not None:
            yield Waiting(
                result.traffic_class, result.round.name, ref.device, ref.port, 100 * share
            )


def error_rate(sight: Sight, at: Mapping[PortRef, Place], seconds: float) -> float | None:
    """Bit errors for each bit of a link in the time; None where its rate is not known."""
    place = at.get(PortRef(sight.device, sight.port))
    rate = place.port.rate_bps if place is not None else None
    if rate is None or not is_known(rate) or not is_known(sight.by) or seconds <= 0:
        return None
    return bit_error_rate(sight.by, seconds=seconds, rate_bps=rate)


def with_full_waits(
    moved: Mapping[str, Deltas],
    before: Mapping[str, Device | None],
    after: Mapping[str, Device | None],
) -> dict[str, Deltas]:
    """Movements in which a wait that ran to its largest value meanwhile counts as one.

    It is not known how far it moved, but that it did: it is no evidence of anything else.
    """
    return {name: _full(one, before[name], after[name]) for name, one in moved.items()}


def _full(one: Deltas, before: Device | None, after: Device | None) -> Deltas:
    first = before.counters if before is not None and is_known(before.counters) else {}
    last = after.counters if after is not None and is_known(after.counters) else {}
    changed = {}
    for key, new in last.items():
        old = first.get(key)
        if key.meaning is not Meaning.TRANSMIT_WAIT or old is None or key.number != ANY:
            continue
        top = (1 << new.width_bits) - 1
        is_full = new.limit is CounterLimit.SATURATES and new.value == top
        if is_full and is_known(old.value) and is_known(new.value) and old.value < new.value:
            changed[key] = Moved(key._replace(name=key.name + FULL), new.value - old.value)
    if one.was_reset or not changed:
        return one
    index = {(key.port, key.meaning, key.number): row for key, row in changed.items()}
    rows = {(key.port, key.meaning): (row,) for key, row in changed.items()}
    return replace(one, moved={**one.moved, **rows}, index={**one.index, **index})
