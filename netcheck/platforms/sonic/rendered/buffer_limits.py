"""What pools, accounts and the dynamic model cannot express."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.device import Port
from netcheck.model.known import ABSENT, UNKNOWN, is_known
from netcheck.model.qos import Buffer, BufferPool, DeviceQos, Dynamic, Static
from netcheck.platforms.platform import Refusal
from netcheck.platforms.sonic.rendered.buffers import (
    COMPUTED,
    LOSSLESS_POOL,
    Side,
    alpha_exponent,
    bound_profiles,
    has_headroom,
    is_reference,
    lossless_name,
    numbers,
)
from netcheck.platforms.sonic.rendered.refuse import outside, refuse
from netcheck.platforms.switch import Switch


def pool_refusals(place: str, qos: DeviceQos) -> Iterator[Refusal]:
    """Refuse what BUFFER_POOL and the tables of the dynamic model cannot hold."""
    if is_known(qos.headroom_table) and qos.headroom_table:
        yield refuse("headroom-table", place, f"{len(qos.headroom_table)} rows")
    for name, pool in sorted(qos.pools.items()) if is_known(qos.pools) else ():
        yield from _pool_refusals(f"{place} pool {name}", pool, qos)
    yield from _pattern_refusals(place, qos)
    yield from _default_refusals(place, qos)


def _pool_refusals(place: str, pool: BufferPool, qos: DeviceQos) -> Iterator[Refusal]:
    if not (is_known(pool.kind) and is_known(pool.is_dynamic)):
        yield refuse("pool-incomplete", place, f"kind {pool.kind}, dynamic {pool.is_dynamic}")
    yield from outside("pool-percentage", place, [pool.size_percent])
    if not is_known(pool.size_percent):
        return
    if is_known(pool.size_bytes):
        yield refuse("pool-percentage", place, f"size {pool.size_bytes} as well")
    if qos.is_headroom_computed is not True:
        yield refuse("pool-percentage", place, "the traditional model")


def _pattern_refusals(place: str, qos: DeviceQos) -> Iterator[Refusal]:
    mtu, small = qos.lossless_mtu_bytes, qos.small_packet_percent
    if is_known(mtu) != is_known(small):
        yield refuse("lossless-pattern", place, f"MTU {mtu}, small packets {small}")
    yield from outside("lossless-pattern-mtu", place, [mtu])
    yield from outside("lossless-pattern-small-packets", place, [small])


def _default_refusals(place: str, qos: DeviceQos) -> Iterator[Refusal]:
    yield from outside("lossless-default-threshold", place, [qos.lossless_alpha_exponent])
    yield from outside("oversubscription", place, [qos.oversubscription])
    if not is_known(qos.oversubscription):
        return
    if not is_known(qos.lossless_alpha_exponent):
        yield refuse("lossless-default-threshold", place, "an over-subscription without it")
    if qos.oversubscription and qos.is_headroom_computed is False:
        yield refuse("oversubscription", place, "the traditional model")


def account_refusals(place: str, port: Port, qos: DeviceQos) -> Iterator[Refusal]:
    """Refuse what BUFFER_PROFILE, BUFFER_PG and BUFFER_QUEUE cannot hold of a port's accounts."""
    for side in Side:
        for number, account in sorted(side.of(port).items()):
            word = "priority group" if side is Side.INGRESS else "queue"
            here = f"{place} {word} {number}"
            limit = "priority-group" if side is Side.INGRESS else "queue"
            yield from outside(limit, here, [number])
            yield from _account_refusals(here, port, side, account, qos)


def group_refusals(place: str, port: Port, qos: DeviceQos) -> Iterator[Refusal]:
    """Refuse what a port's lossless accounts cannot be together."""
    accounts = Side.INGRESS.of(port)
    lossless = [one for one in accounts.values() if one.is_lossless is True]
    yield from outside("lossless-priority-groups", place, [len(lossless)])
    is_said = Side.INGRESS.said(port) is not UNKNOWN
    if not is_said or qos.is_headroom_computed is True or port.cable_m in {ABSENT, 0}:
        return
    paused = port.qos.pfc_tx if is_known(port.qos.pfc_tx) else frozenset()
    added = sorted(paused - accounts.keys())
    if added:
        yield refuse("lossless-accounts-follow-pfc", place, f"no account for {added}")


def _account_refusals(
    place: str, port: Port, side: Side, account: Buffer, qos: DeviceQos
) -> Iterator[Refusal]:
    if is_known(account.xoff_bytes):
        yield refuse("buffer-xoff-level", place, f"{account.xoff_bytes} bytes")
    if side is Side.EGRESS:
        yield from _egress_refusals(place, account)
    elif account.is_lossless is True and account.is_computed is not True:
        yield from _missing_refusals(place, account, ("headroom_bytes", "xon_bytes"))
    if account.is_computed is True:
        yield from _computed_refusals(place, account, qos)
    elif not is_reference(account):
        yield from _number_refusals(place, account)
        yield from _lossless_refusals(place, port, account, qos)


def _egress_refusals(place: str, account: Buffer) -> Iterator[Refusal]:
    for fact in ("headroom_bytes", "xon_bytes", "xon_offset_bytes"):
        if is_known(getattr(account, fact)):
            yield refuse("buffer-egress-headroom", place, f"{fact} {getattr(account, fact)}")
    if account.is_computed is True:
        yield refuse("buffer-egress-headroom", place, "is_computed")


def _computed_refusals(place: str, account: Buffer, qos: DeviceQos) -> Iterator[Refusal]:
    if qos.is_headroom_computed is not True:
        yield refuse("static-headroom-only", place, "a computed account")
    if account.is_lossless is False:
        yield refuse("computed-headroom-numbers", place, "a lossy account")
    if is_known(account.pool) and account.pool != LOSSLESS_POOL:
        yield refuse("computed-headroom-numbers", place, f"pool {account.pool}")
    stated = [
        fact
        for fact in ("size_bytes", "headroom_bytes", "xon_bytes", "xon_offset_bytes", "threshold")
        if is_known(getattr(account, fact))
    ]
    if stated:
        yield refuse("computed-headroom-numbers", place, ", ".join(stated))


def _number_refusals(place: str, account: Buffer) -> Iterator[Refusal]:
    yield from _missing_refusals(place, account, ("pool", "size_bytes", "threshold"))
    threshold = account.threshold
    if isinstance(threshold, Static):
        yield from outside("threshold-static", place, [threshold.limit_bytes])
    if isinstance(threshold, Dynamic):
        exponent = alpha_exponent(threshold.alpha)
        if exponent is None:
            yield refuse("threshold-alpha", place, threshold.alpha)
        yield from outside("threshold-alpha", place, [] if exponent is None else [exponent])


def _missing_refusals(place: str, account: Buffer, needed: tuple[str, ...]) -> Iterator[Refusal]:
    if is_reference(account):
        return
    missing = [fact for fact in needed if not is_known(getattr(account, fact))]
    if missing:
        yield refuse("buffer-incomplete", place, f"no {', '.join(missing)}")


def _lossless_refusals(
    place: str, port: Port, account: Buffer, qos: DeviceQos
) -> Iterator[Refusal]:
    headroom = account.headroom_bytes
    if account.is_lossless is False and is_known(headroom):
        yield refuse("buffer-lossy-headroom", place, f"headroom of {headroom} bytes")
    if not has_headroom(account):
        return
    yield from outside("cable-length", place, [port.cable_m])
    if qos.is_headroom_computed is True:
        return
    if lossless_name(port) is None:
        yield refuse(
            "lossless-profile-name", place, f"speed {port.speed_bps}, cable {port.cable_m}"
        )
    elif is_known(account.profile) and account.profile != lossless_name(port):
        yield refuse("lossless-profile-name", place, f"the name {account.profile}")


def name_refusals(switch: Switch) -> Iterator[Refusal]:
    """Refuse a second set of numbers under one profile name."""
    held: dict[str, Buffer] = {}
    for side in Side:
        for port, names in switch.for_each_port(bound_profiles(switch, side)):
            for number, account in sorted(side.of(port).items()):
                name = names[number]
                if name == COMPUTED or is_reference(account):
                    continue
                own = numbers(account)
                if held.setdefault(name, own) != own:
                    place = f"{switch.name} {port.name} {side.value}{number}"
                    yield refuse("lossless-profile-name", place, f"a second {name}")
