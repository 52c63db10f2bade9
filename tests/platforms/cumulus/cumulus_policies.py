"""Hypothesis strategies: every switch that NVUE can express, in normal form.

Normal form: facts that follow from others on Cumulus Linux agree with them (groups and
queues of PFC priorities, accounts, what the watchdog guards), and maps are whole.
"""

from __future__ import annotations

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
    Ecn,
    PfcMode,
    PoolKind,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)
from tests.platforms.strategies import maps, maybe, said_or_absent

PORTS = ("swp1", "swp2", "swp3s0")
PRIORITIES = st.integers(0, 7)
BYTES = st.integers(0, 2**32)
OFF: st.SearchStrategy[Known[bool]] = st.sampled_from((UNKNOWN, False))


def whole(size: int) -> st.SearchStrategy[FrozenMap[int, int]]:
    """A map with an entry for every key."""
    values = st.lists(PRIORITIES, min_size=size, max_size=size)
    return values.map(lambda found: FrozenMap(dict(enumerate(found))))


@st.composite
def schedulers(draw: st.DrawFn) -> FrozenMap[int, Scheduler]:
    """Services of some queues, weights of together at most 100 percent."""
    left, found = 100, {}
    for queue in sorted(draw(st.frozensets(PRIORITIES, min_size=1))):
        weight = draw(st.integers(0, min(left, 30)))
        left -= weight
        found[queue] = (
            Scheduler(SchedulerKind.WEIGHTED, weight) if weight else Scheduler(SchedulerKind.STRICT)
        )
    return FrozenMap(found)


@st.composite
def markings(draw: st.DrawFn) -> Ecn:
    """Marking, dropping or neither, between two thresholds."""
    kmin, kmax = sorted((draw(BYTES), draw(BYTES)))
    action = draw(st.sampled_from(CongestionAction))
    is_active = action is CongestionAction.MARK or draw(st.booleans())
    return Ecn(kmin, kmax, draw(st.integers(1, 100)), action, is_active=is_active)


@st.composite
def accounts(draw: st.DrawFn) -> Buffer:
    """An account that the switch sizes, or one with numbers of its own."""
    if draw(st.booleans()):
        return Buffer(is_lossless=True, is_computed=True)
    xon, more, headroom = draw(BYTES), draw(BYTES), draw(BYTES)
    return Buffer(
        size_bytes=xon + more + headroom,
        headroom_bytes=headroom,
        xon_bytes=xon,
        is_lossless=True,
        is_computed=draw(st.sampled_from((UNKNOWN, False))),
    )


@st.composite
def port_policies(
    draw: st.DrawFn, queues: Known[FrozenMap[int, int]], account: Buffer, detection: int
) -> PortQos:
    """How one port treats traffic."""
    trust = draw(maybe(st.sampled_from((Trust.DSCP, Trust.PCP, Trust.BOTH))))
    has_dscp, has_pcp = trust in {Trust.DSCP, Trust.BOTH}, trust in {Trust.PCP, Trust.BOTH}
    listed = draw(st.frozensets(PRIORITIES, max_size=3))
    is_said = draw(st.booleans())
    rx = listed if draw(st.booleans()) else frozenset()
    tx = listed if draw(st.booleans()) else frozenset()
    paused = (rx | tx) if is_said else frozenset()
    groups = FrozenMap({one: one if one in paused else 0 for one in range(8)})
    has_watchdog = bool(rx) and is_said and draw(st.booleans())
    guarded = Watchdog(detection, draw(maybe(st.just(100))), WatchdogAction.DROP, rx)
    own_queues = {one: queues.get(one, one) for one in paused} if is_known(queues) else {}
    return PortQos(
        trust=trust,
        dscp_to_priority=draw(whole(64)) if has_dscp else UNKNOWN,
        pcp_to_priority=draw(whole(8)) if has_pcp else UNKNOWN,
        priority_to_queue=queues,
        priority_to_priority_group=draw(maybe(st.just(groups)))
        if paused and 0 not in paused
        else UNKNOWN,
        pfc_rx=rx if is_said else UNKNOWN,
        pfc_tx=tx if is_said else UNKNOWN,
        pfc_mode=PfcMode.ON
        if paused
        else draw(st.sampled_from((UNKNOWN, PfcMode.OFF)))
        if is_said
        else UNKNOWN,
        pfc_priority_to_queue=FrozenMap(own_queues) if own_queues else UNKNOWN,
        dcbx_mode=draw(maybe(st.sampled_from((DcbxMode.IEEE, DcbxMode.DISABLED)))),
        scheduler=draw(maybe(schedulers())),
        ecn=draw(maybe(maps(PRIORITIES, markings()))),
        ingress_buffer=FrozenMap(dict.fromkeys(sorted(paused), account)) if paused else UNKNOWN,
        watchdog=guarded if has_watchdog else draw(st.sampled_from((UNKNOWN, ABSENT))),
        global_pause_rx=draw(OFF),
        remark_dscp=draw(said_or_absent(maps(PRIORITIES, st.integers(0, 63)))),
        remark_pcp=draw(said_or_absent(maps(PRIORITIES, PRIORITIES))),
    )


@st.composite
def device_facts(draw: st.DrawFn) -> DeviceQos:
    """What holds for the whole switch."""
    share = draw(st.integers(1, 99))
    pools = FrozenMap(
        {
            "ingress_lossless_pool": BufferPool(
                PoolKind.INGRESS, is_dynamic=True, size_percent=share
            ),
            "ingress_lossy_pool": BufferPool(
                PoolKind.INGRESS, is_dynamic=True, size_percent=100 - share
            ),
        }
    )
    return DeviceQos(pools=draw(maybe(st.just(pools))), watchdog_poll_ms=100)


@st.composite
def switches(draw: st.DrawFn) -> Device:
    """A switch of one to three ports."""
    queues = draw(maybe(whole(8)))
    detection = 100 * draw(st.integers(1, 50))
    ports = {}
    for name in PORTS[: draw(st.integers(1, 3))]:
        account = draw(accounts())
        qos = draw(port_policies(queues, account, detection))
        paused = [one for one in (qos.pfc_rx, qos.pfc_tx) if is_known(one) and one]
        ports[name] = Port(
            name,
            speed_bps=400_000_000_000,
            cable_m=draw(st.sampled_from((5, 40))) if paused else UNKNOWN,
            l2_mtu=draw(maybe(st.integers(552, 9216))),
            policy=draw(st.sampled_from((UNKNOWN, "backend", "storage-2"))),
            qos=qos,
        )
    release: Known[str] = draw(maybe(st.sampled_from(("5.14.0", "5.17.0"))))
    facts = draw(device_facts())
    return Device("leaf01", os_version=release, ports=FrozenMap(ports), qos=FrozenMap({"": facts}))
