"""Budgets of a buffer: headroom of all ports, pools, and what one port may take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from netcheck.lossless.asics import Asic, asic_names, find_asic
from netcheck.lossless.budget import (
    LEAST_SHARED,
    lossless_priorities_possible,
    port_headroom_bytes,
    ports_that_may_pause,
    shared_headroom_limit_bytes,
)
from netcheck.lossless.required import required_headroom
from netcheck.model.device import AdminState, Port
from netcheck.model.errors import InputError
from netcheck.model.fact import NotGivenError, is_readable
from netcheck.model.finding import Severity
from netcheck.model.known import is_known, known_or
from netcheck.model.qos import Buffer, PoolKind
from netcheck.model.records import PoolView
from netcheck.model.view import DeviceView, PortView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.roce.headroom import lossless_accounts
from netcheck.rules.rule import Fault, Profile, Scope, rule

CHECK = "sonic-net/sonic-swss cfgmgr/buffer_check_headroom_mellanox.lua"
POOL = "sonic-net/sonic-swss cfgmgr/buffer_pool_mellanox.lua"
SIGCOMM = "RDMA over Commodity Ethernet at Scale, SIGCOMM 2016"
POOL_TOLERANCE = 1.1  # buffers in the data are those of the largest pool that is shipped
LEAST_SHARE_OF_PORTS = 0.5


def accounts_of(device: DeviceView) -> list[Buffer]:
    """Lossless ingress accounts of ports that are not down, as far as they are known.

    Raises:
        NotGivenError: The device is a host, or no account is known.
    """
    if device.is_host:
        raise NotGivenError("switch")
    ports = device.record.ports.values()
    counts = Counter(id(port.qos) for port in ports if port.admin_state is not AdminState.DOWN)
    distinct = {id(port.qos): port for port in ports}  # most ports hold the same record
    found = [
        account
        for number, count in counts.items()
        for account in _lossless(distinct[number])
        for _ in range(count)
    ]
    if not found:
        raise NotGivenError("lossless accounts")
    return found


def _lossless(port: Port) -> tuple[Buffer, ...]:
    held = port.qos.ingress_buffer
    return tuple(one for one in held.values() if one.is_lossless is True) if is_known(held) else ()


def asic_of(device: DeviceView) -> Asic:
    """Facts of the device's ASIC.

    Raises:
        UnknownFactError: Nothing says which it is.
        NotGivenError: There are no facts about it.
    """
    if device.asic not in asic_names():
        raise NotGivenError("facts of the ASIC")
    return find_asic(device.asic)


def buffer_bytes(device: DeviceView) -> int:
    """Packet buffer of the device: as it says, else as its ASIC has.

    Raises:
        NotGivenError: Neither is known.
    """
    whole = device.record.qos.get("")
    if whole is not None and is_known(whole.mmu_bytes):
        return whole.mmu_bytes
    found = asic_of(device).mmu_bytes
    if not found:
        raise NotGivenError("buffer of the ASIC")
    return found


def _ingress_pools(device: DeviceView) -> list[PoolView]:
    pools = device.whole_qos.pools.values()
    return [pool for pool in pools if is_readable(pool, "kind") and pool.kind is PoolKind.INGRESS]


def _shared_headroom(device: DeviceView) -> int:
    return sum(
        pool.shared_headroom_bytes
        for pool in _ingress_pools(device)
        if is_readable(pool, "shared_headroom_bytes")
    )


@rule(
    "hdrm-total-over-pool",
    severity=Severity.ERROR,
    scope=Scope.DEVICE,
    source=f"{POOL}: what all ports reserve is taken off the buffer before any pool",
    aliases=("pfc-headroom-budget-vs-count",),
    is_proof=False,
)
def hdrm_total_over_pool(device: DeviceView) -> Iterator[Fault]:
    """The lossless accounts of all ports reserve the whole buffer.

    Why: nothing is left to share; the device refuses the profiles, or pools come out empty and
        every packet pauses or drops.
    Bad: 64 ports that reserve 2600000 bytes each, buffer of 158229504 bytes.
    Good: 64 ports that reserve 117760 bytes each.
    Fix: share headroom between ports, take a lossless priority away, or shorten cables.
    """
    accounts = accounts_of(device)
    buffer = buffer_bytes(device)
    total = sum(known_or(one.size_bytes, 0) for one in accounts)
    if is_readable(device, "qos") and is_readable(device.whole_qos, "pools"):
        total += _shared_headroom(device)
    if total >= buffer:
        note = f"reserved by {len(accounts)} lossless accounts"
        yield Fault(device, ("ingress_buffer", "pools"), f"< {buffer}", total, note)


@rule(
    "pfc-lossless-count-vs-asic",
    severity=Severity.ERROR,
    scope=Scope.DEVICE,
    source=f"{SIGCOMM}: buffers of 9 and 12 MB hold the headroom of two lossless classes",
    is_proof=False,
)
def pfc_lossless_count_vs_asic(device: DeviceView) -> Iterator[Fault]:
    """There are more lossless priorities than the buffer has headroom for.

    Why: headroom of all ports for all of them leaves no pool to share (a fifth of the buffer at
        least); it is refused, or short where it is needed. Not asked where ports share headroom.
    Bad: Spectrum-1, 32 ports of 100G with 300 m, four lossless priorities.
    Good: two lossless priorities there.
    Fix: make a class lossy, share headroom, or shorten cables.
    """
    if device.is_host:
        raise NotGivenError("switch")
    count = len({each.priority for each in device.policy.lossless()})
    if not count or _shares(device):
        raise NotGivenError("lossless priorities with headroom of their own")
    ports = device.record.ports.values()
    kinds = [(id(port.qos), port.speed_bps, port.cable_m, port.lanes) for port in ports]
    by_kind = dict(zip(kinds, ports, strict=True))
    room_of = {kind: _room(device.asic, port) for kind, port in by_kind.items()}
    rooms = [room for kind in kinds if (room := room_of[kind])]
    possible = lossless_priorities_possible(buffer_bytes=buffer_bytes(device), headroom_bytes=rooms)
    if count > possible:
        note = f"{len(rooms)} ports need {sum(rooms)} bytes for each"
        yield Fault(device, ("pfc_tx", "ingress_buffer"), f"<= {possible}", count, note)


def _shares(device: DeviceView) -> bool:
    whole = device.whole_qos
    if is_readable(whole, "oversubscription") and whole.oversubscription:
        return True
    return is_readable(whole, "pools") and bool(_shared_headroom(device))


def _room(asic: str, port: Port) -> int:
    """Least headroom of one priority of a port; 0 where it pauses nothing or is not known."""
    if not known_or(port.qos.pfc_tx, frozenset()) or not is_known(port.speed_bps):
        return 0
    if not is_known(port.cable_m):
        return 0
    return _least(asic, port.speed_bps, port.cable_m, known_or(port.lanes, 1))


@lru_cache(maxsize=4096)
def _least(asic: str, speed_bps: int, cable_m: int, lanes: int) -> int:
    try:
        return required_headroom(
            asic, speed_bps=speed_bps, cable_m=cable_m, lanes=lanes
        ).headroom_bytes
    except InputError:
        return 0


@rule(
    "hdrm-shp-oversubscribed",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source=f"{POOL}: shared headroom is the sum of all, divided by the ratio",
    is_proof=False,
)
def hdrm_shp_oversubscribed(device: DeviceView) -> Iterator[Fault]:
    """Shared headroom is enough for fewer than half of the accounts at once.

    Why: an incast over many ports pauses them together; what has no room then is dropped.
    Bad: 64 accounts of 98304 bytes, shared headroom of 2000000 bytes: 20 may pause at once.
    Good: 64 accounts of 98304 bytes, shared headroom of 3145728 bytes: 32 may pause at once.
    Fix: raise the shared headroom, or lower the ratio of over-subscription.
    """
    shared = _shared_headroom(device)
    if not shared:
        raise NotGivenError("shared headroom")
    rooms = [one.headroom_bytes for one in accounts_of(device) if is_known(one.headroom_bytes)]
    if not rooms:
        raise NotGivenError("headroom of the accounts")
    most = ports_that_may_pause(shared_bytes=shared, headroom_bytes=rooms)
    if most < LEAST_SHARE_OF_PORTS * len(rooms):
        pool = next(one for one in _ingress_pools(device) if one.shared_headroom_bytes)
        needed = -(-sum(rooms) // 2)
        note = f"{most} of {len(rooms)} accounts may pause at once"
        yield Fault(pool, ("pools",), f">= {needed}", shared, note)


@rule(
    "hdrm-shp-max-per-port",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=CHECK,
    is_proof=False,
)
def hdrm_shp_max_per_port(port: PortView) -> Iterator[Fault]:
    """One port wants more of the shared headroom than the ASIC gives to a port.

    Why: the device refuses the profile, and the port keeps what it had before.
    Bad: Spectrum-4, one account with headroom 1600000, XON 19456 and size 19456 bytes.
    Good: at most 1576704 bytes beyond the sizes of the port's accounts.
    Fix: shorten the cable, or take a lossless priority away.
    """
    only_switch(port)
    limit = shared_headroom_limit_bytes(asic_of(port.device), lanes=_lanes(port))
    if not limit:
        raise NotGivenError("limit of shared headroom for a port")
    wanted = sum(
        account.xon_bytes + account.headroom_bytes - account.size_bytes
        for account in lossless_accounts(port)
    )
    if wanted > limit:
        facts = ("headroom_bytes", "ingress_buffer")
        yield Fault(port, facts, f"<= {limit}", wanted, note="shared headroom of the port")


@rule(
    "hdrm-port-over-max",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=CHECK,
    is_proof=False,
)
def hdrm_port_over_max(port: PortView) -> Iterator[Fault]:
    """The accounts of a port reserve more than the device grants to a port.

    Why: the device refuses the profile, and the port keeps what it had before.
    Bad: two accounts of 300000 bytes, at most 600000 bytes granted.
    Good: what the accounts reserve, and 44032 bytes of the ASIC's own, are below what is granted.
    Fix: take a lossless priority away, shorten the cable, or share headroom.
    """
    only_switch(port)
    limit = port.record.max_headroom_bytes
    if not is_known(limit):
        raise NotGivenError("headroom that the device grants")
    sizes = [account.size_bytes for account in lossless_accounts(port)]
    found = port_headroom_bytes(asic_of(port.device), lanes=_lanes(port), sizes=sizes)
    if sizes and found > limit:
        facts = ("ingress_buffer", "headroom_bytes")
        yield Fault(port, facts, f"<= {limit}", found, note="with what the ASIC keeps")


def _lanes(port: PortView) -> int:
    return port.lanes if is_readable(port, "lanes") else 1


@rule(
    "buf-pool-vs-asic",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source="sonic-net/sonic-buildimage buffers_defaults of each platform: sizes of its pools",
    is_proof=False,
)
def buf_pool_vs_asic(device: DeviceView) -> Iterator[Fault]:
    """A pool is larger than the buffer of the ASIC.

    Why: the size was copied from another ASIC; the device refuses it, or pauses too late.
    Bad: Spectrum-1, with 13945824 bytes, and a pool of 34287552.
    Good: pools of the ASIC's own size.
    Fix: take the pool sizes of the platform.
    """
    buffer = buffer_bytes(device)
    for pool in device.whole_qos.pools.values():
        with device.attempt():
            if pool.size_bytes > POOL_TOLERANCE * buffer:
                yield Fault(pool, ("pools",), f"<= {buffer}", pool.size_bytes, note="size")


@rule(
    "buf-shared-pool-too-small",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source="derived: PFC of one hot queue begins at alpha * B / (1 + alpha) of its pool B",
    profile=Profile.STRICT,
    is_proof=False,
)
def buf_shared_pool_too_small(device: DeviceView) -> Iterator[Fault]:
    """The pool that lossless accounts share is less than a fifth of the buffer.

    Why: bursts of a few microseconds already pause, before ECN can slow anybody down.
    Bad: buffer of 158229504 bytes, pool of 20000000 bytes.
    Good: pool of 125752320 bytes.
    Fix: lower headroom and reserves, or the sizes of other pools.
    """
    pools = device.whole_qos.pools
    names = {one.pool for one in accounts_of(device) if is_known(one.pool)}
    least = int(LEAST_SHARED * buffer_bytes(device))
    for name, pool in pools.items():
        with device.attempt():
            if name in names and pool.is_dynamic and 0 < pool.size_bytes < least:
                yield Fault(pool, ("pools",), f">= {least}", pool.size_bytes, note="size")
