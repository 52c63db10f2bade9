"""Hypothesis strategies: every switch that SONiC's CONFIG_DB can express, in normal form.

Normal form: facts that follow from others on SONiC (trust from the maps, the
PFC mode from the priorities) agree with them, and a map that is said has entries.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from netcheck.model.device import Device, Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.qos import (
    Buffer,
    BufferPool,
    CongestionAction,
    DcbxMode,
    DeviceQos,
    Dynamic,
    Ecn,
    PfcMode,
    PoolKind,
    PortQos,
    Scheduler,
    SchedulerKind,
    Static,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.sonic.applied.merge import Tables, merge
from netcheck.platforms.sonic.applied.said import said_of
from tests.platforms.sonic.sonic_switch import tables
from tests.platforms.strategies import maps, maybe, said_or_absent

POOLS = (
    "ingress_lossless_pool",
    "ingress_lossy_pool",
    "egress_lossless_pool",
    "egress_lossy_pool",
)
PORTS = ("Ethernet0", "Ethernet8", "Ethernet16")
SPEEDS = (100_000_000_000, 400_000_000_000)
CABLES = (5, 40)
GROUPS = ("PFCWD", "PG_DROP", "PORT", "QUEUE", "WRED_ECN_QUEUE", "ACL")

BYTES = st.integers(0, 2**40)
PRIORITIES = st.integers(0, 7)
TRUST = {(True, False): Trust.DSCP, (False, True): Trust.PCP, (True, True): Trust.BOTH}


THRESHOLDS = st.one_of(st.integers(-8, 7).map(lambda n: Dynamic(2.0**n)), BYTES.map(Static))
SCHEDULERS = st.one_of(
    st.just(Scheduler(SchedulerKind.STRICT)),
    st.integers(1, 100).map(lambda weight: Scheduler(SchedulerKind.WEIGHTED, weight)),
)
SWITCH_PRIORITIES = st.integers(0, 15)
QUEUES = st.integers(0, 7)


@st.composite
def markings(draw: st.DrawFn) -> Ecn:
    """Marking or dropping between two thresholds."""
    kmin, kmax = sorted((draw(BYTES), draw(BYTES)))
    return Ecn(
        kmin,
        kmax,
        draw(st.integers(0, 100)),
        draw(st.sampled_from(CongestionAction)),
        is_active=draw(st.booleans()),
    )


@st.composite
def watchdogs(draw: st.DrawFn, poll_ms: Known[int]) -> Watchdog:
    """A watchdog no faster than its switch looks."""
    least = max(100, poll_ms if is_known(poll_ms) else 0)
    return Watchdog(
        draw(st.integers(least, 5000)),
        draw(maybe(st.integers(least, 60000))),
        draw(maybe(st.sampled_from(WatchdogAction))),
        draw(maybe(st.frozensets(PRIORITIES))),
    )


@st.composite
def lossless_accounts(draw: st.DrawFn) -> Buffer:
    """A lossless account that states its numbers."""
    return Buffer(
        size_bytes=draw(BYTES),
        headroom_bytes=draw(BYTES),
        xon_bytes=draw(BYTES),
        xon_offset_bytes=draw(said_or_absent(BYTES)),
        threshold=draw(THRESHOLDS),
        pool=draw(st.sampled_from(POOLS)),
        is_lossless=True,
        is_computed=draw(st.sampled_from((UNKNOWN, False))),
    )


@st.composite
def plain_accounts(draw: st.DrawFn, *, may_be_lossless: bool) -> Buffer:
    """An account without headroom: a lossy group, or any queue."""
    if draw(st.booleans()):
        return Buffer(profile=draw(st.sampled_from(("shipped_profile", "other_profile"))))
    kinds: tuple[Known[bool], ...] = (UNKNOWN, False, True) if may_be_lossless else (UNKNOWN, False)
    return Buffer(
        size_bytes=draw(BYTES),
        threshold=draw(THRESHOLDS),
        pool=draw(st.sampled_from(POOLS)),
        is_lossless=draw(st.sampled_from(kinds)),
    )


@st.composite
def ingress_accounts(
    draw: st.DrawFn, lossless: Buffer, pfc: frozenset[int]
) -> FrozenMap[int, Buffer]:
    """Accounts of a port: those that PFC pauses and a few more, at most 4 of them lossless."""
    numbers = sorted(pfc | draw(st.frozensets(PRIORITIES, min_size=1, max_size=3)))
    plain = plain_accounts(may_be_lossless=False)
    return FrozenMap(
        {
            number: lossless if place < 4 and draw(st.booleans()) else draw(plain)
            for place, number in enumerate(numbers)
        }
    )


@st.composite
def pools(draw: st.DrawFn, *, is_dynamic_model: bool) -> FrozenMap[str, BufferPool]:
    """Pools with a size, a share, or neither."""
    found = {}
    for name in draw(st.sets(st.sampled_from(POOLS))):
        size = draw(said_or_absent(BYTES))
        may_share = is_dynamic_model and not is_known(size)
        found[name] = BufferPool(
            PoolKind.EGRESS if name.startswith("egress") else PoolKind.INGRESS,
            is_dynamic=draw(st.booleans()),
            size_bytes=size,
            size_percent=draw(said_or_absent(st.integers(0, 100))) if may_share else UNKNOWN,
            shared_headroom_bytes=draw(said_or_absent(BYTES)),
        )
    return FrozenMap(found)


@st.composite
def device_facts(draw: st.DrawFn) -> DeviceQos:
    """What holds for the whole switch."""
    is_computed: Known[bool] = draw(maybe(st.booleans()))
    pattern = draw(st.one_of(st.just((UNKNOWN, UNKNOWN)), st.just((ABSENT, ABSENT)), _PATTERNS))
    default = draw(st.one_of(st.just((UNKNOWN, UNKNOWN)), st.just((ABSENT, ABSENT)), _DEFAULTS))
    oversubscription = default[1]
    if is_computed is False and is_known(oversubscription):
        oversubscription = ABSENT
    return DeviceQos(
        pools=draw(maybe(pools(is_dynamic_model=is_computed is True))),
        oversubscription=oversubscription,
        is_headroom_computed=is_computed,
        lossless_mtu_bytes=pattern[0],
        small_packet_percent=pattern[1],
        lossless_alpha_exponent=default[0],
        watchdog_poll_ms=draw(said_or_absent(st.integers(100, 1000))),
        dscp_to_priority=draw(said_or_absent(_DSCP_MAPS)),
        counters_enabled=draw(maybe(st.frozensets(st.sampled_from(GROUPS)))),
    )


_PATTERNS: st.SearchStrategy[tuple[Any, Any]] = st.tuples(st.integers(1, 9216), st.integers(0, 100))
_DEFAULTS: st.SearchStrategy[tuple[Any, Any]] = st.tuples(
    st.integers(-8, 7), said_or_absent(st.integers(0, 65535))
)
_DSCP_MAPS = maps(st.integers(0, 63), SWITCH_PRIORITIES, 64)


@st.composite
def port_policies(draw: st.DrawFn, switch: DeviceQos, lossless: Buffer) -> PortQos:
    """How one port of the switch treats traffic."""
    dscp = draw(
        said_or_absent(_DSCP_MAPS) if switch.dscp_to_priority is ABSENT else maybe(_DSCP_MAPS)
    )
    pcp = draw(said_or_absent(maps(PRIORITIES, SWITCH_PRIORITIES)))
    by_maps = TRUST.get((is_known(dscp), is_known(pcp)), ABSENT)
    is_settled = dscp is not UNKNOWN and pcp is not UNKNOWN
    tx: Known[frozenset[int]] = draw(maybe(st.frozensets(PRIORITIES, max_size=4)))
    rx = draw(st.sampled_from((tx, frozenset(range(8))))) if is_known(tx) else tx
    mode = PfcMode.ON if is_known(tx) and tx else PfcMode.OFF
    accounts = ingress_accounts(lossless, tx if is_known(tx) else frozenset())
    is_free = not (is_known(tx) and tx)
    return PortQos(
        trust=draw(st.sampled_from((UNKNOWN, by_maps))) if is_settled else UNKNOWN,
        dscp_to_priority=dscp,
        pcp_to_priority=pcp,
        priority_to_queue=draw(said_or_absent(maps(SWITCH_PRIORITIES, st.integers(0, 9), 16))),
        priority_to_priority_group=draw(said_or_absent(maps(SWITCH_PRIORITIES, PRIORITIES, 16))),
        pfc_rx=rx,
        pfc_tx=tx,
        pfc_mode=draw(st.sampled_from((UNKNOWN, mode))) if is_known(tx) else UNKNOWN,
        pfc_priority_to_queue=draw(said_or_absent(maps(PRIORITIES, QUEUES))),
        pfc_priority_to_priority_group=draw(said_or_absent(maps(PRIORITIES, PRIORITIES))),
        dcbx_mode=draw(st.sampled_from((UNKNOWN, DcbxMode.DISABLED))),
        dcbx_willing=draw(st.sampled_from((UNKNOWN, False))),
        scheduler=draw(said_or_absent(maps(QUEUES, SCHEDULERS))),
        ecn=draw(said_or_absent(maps(QUEUES, markings()))),
        ingress_buffer=draw(said_or_absent(accounts) if is_free else maybe(accounts)),
        egress_buffer=draw(said_or_absent(maps(QUEUES, plain_accounts(may_be_lossless=True)))),
        watchdog=draw(said_or_absent(watchdogs(switch.watchdog_poll_ms))),
        global_pause_rx=draw(st.sampled_from((UNKNOWN, False))),
        global_pause_tx=draw(st.sampled_from((UNKNOWN, False))),
        remark_dscp=draw(said_or_absent(maps(SWITCH_PRIORITIES, st.integers(0, 63), 16))),
    )


@st.composite
def switches(draw: st.DrawFn) -> Device:
    """A switch of one to three ports, with one set of lossless numbers a speed and cable."""
    facts = draw(device_facts())
    is_dynamic = facts.is_headroom_computed is True
    computed = Buffer(is_lossless=True, is_computed=True)
    lossless = {
        (speed, cable): draw(
            st.one_of(st.just(computed), lossless_accounts()) if is_dynamic else lossless_accounts()
        )
        for speed in SPEEDS
        for cable in CABLES
    }
    ports = {}
    for name in PORTS[: draw(st.integers(1, 3))]:
        speed, cable = draw(st.sampled_from(sorted(lossless)))
        ports[name] = Port(
            name,
            speed_bps=speed,
            cable_m=cable,
            l2_mtu=draw(maybe(st.integers(68, 9216))),
            policy=draw(st.sampled_from((UNKNOWN, "backend", "storage"))),
            qos=draw(port_policies(facts, lossless[speed, cable])),
        )
    return Device("leaf1", ports=FrozenMap(ports), qos=FrozenMap({"": facts}))


def on_a_switch(device: Device) -> Tables:
    """What is rendered, merged into a switch with ports, pools and profiles of its own."""
    names = [*PORTS, "Ethernet504"]
    base: Tables = {
        "DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "hwsku": "ACS-SN5600"}},
        "PORT": {name: {"lanes": str(n), "speed": "400000"} for n, name in enumerate(names)},
        "BUFFER_POOL": {
            name: {"type": name.partition("_")[0], "mode": "dynamic"} for name in POOLS
        },
        "BUFFER_PROFILE": {
            name: {"pool": POOLS[1], "size": "0", "dynamic_th": "3"}
            for name in ("shipped_profile", "other_profile")
        },
        "BUFFER_PG": {"Ethernet504|0": {"profile": "shipped_profile"}},
    }
    return merge(base, tables(device), said_of(device))


def can_follow(before: Device, after: Device) -> bool:
    """Whether nothing that ``after`` leaves unsaid contradicts what ``before`` left behind."""
    old, new = before.qos[""], after.qos[""]
    has_poll = new.watchdog_poll_ms is not UNKNOWN or not is_known(old.watchdog_poll_ms)
    poll = new.watchdog_poll_ms if is_known(new.watchdog_poll_ms) else 0
    watchdogs = [one.qos.watchdog for one in before.ports.values() if is_known(one.qos.watchdog)]
    times = [time for one in watchdogs for time in (one.detection_ms, one.restoration_ms)]
    is_slow_enough = all(time >= poll for time in times if is_known(time))
    keeps_pools = not (is_known(old.pools) and new.is_headroom_computed is False)
    return has_poll and is_slow_enough and keeps_pools
