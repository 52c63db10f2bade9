"""Hypothesis strategies: every switch that EOS can express, in normal form.

Normal form: maps are the switch's and whole, and facts that follow from PFC
(groups, paused queues, accounts, what the watchdog guards) agree with it.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from netcheck.model.device import Device, Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.qos import (
    Buffer,
    CongestionAction,
    DcbxMode,
    DeviceQos,
    Ecn,
    PfcMode,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)
from tests.platforms.strategies import maps, maybe, said_or_absent

PORTS = ("Ethernet1/1", "Ethernet2/1", "Ethernet10/1")
PRIORITIES = st.integers(0, 7)
BYTES = st.integers(1, 256_000_000)
OWN = Buffer(is_lossless=True, is_computed=True)
IntMap = FrozenMap[int, int]


def whole(size: int, highest: int = 7) -> st.SearchStrategy[IntMap]:
    """A map with an entry for every key."""
    values = st.lists(st.integers(0, highest), min_size=size, max_size=size)
    return values.map(lambda found: FrozenMap(dict(enumerate(found))))


QUEUE_MAPS = whole(7, 6).map(lambda found: found.with_items({7: 7}))
SHAPERS = maybe(st.integers(1, 400_000_000).map(lambda kbps: kbps * 1000))


@st.composite
def schedulers(draw: st.DrawFn) -> Scheduler:
    """Service of a queue, shaped or not."""
    if draw(st.booleans()):
        return Scheduler(SchedulerKind.STRICT, UNKNOWN, draw(SHAPERS))
    return Scheduler(SchedulerKind.WEIGHTED, draw(st.integers(1, 100)), draw(SHAPERS))


@st.composite
def markings(draw: st.DrawFn) -> Ecn:
    """Marking or dropping between two thresholds."""
    kmin, kmax = sorted((draw(BYTES), draw(BYTES)))
    action = draw(st.sampled_from(CongestionAction))
    return Ecn(kmin, kmax, draw(st.integers(1, 100)), action, is_active=True)


@st.composite
def watchdogs(
    draw: st.DrawFn, pfc: frozenset[int], queues: Known[IntMap], poll_ms: Known[int]
) -> Watchdog:
    """A watchdog that is slow enough for its poll and guards whole queues."""
    least = -(-max(10, 2 * poll_ms if is_known(poll_ms) else 0) // 10)
    times = st.integers(least, 6000).map(lambda steps: steps * 10)
    held = queues if is_known(queues) else {}
    chosen = draw(st.frozensets(st.sampled_from(sorted(pfc)))) if pfc else frozenset()
    guarded_queues = {held.get(one, one) for one in chosen}
    guarded = frozenset(one for one in pfc if held.get(one, one) in guarded_queues)
    actions = (WatchdogAction.DROP, WatchdogAction.ALERT)
    return Watchdog(
        draw(times),
        draw(times),
        draw(maybe(st.sampled_from(actions))),
        draw(st.sampled_from((UNKNOWN, guarded))),
    )


@st.composite
def port_policies(draw: st.DrawFn, facts: DeviceQos, shared: PortQos) -> PortQos:
    """How one port of the switch treats traffic; ``shared`` holds the switch's maps."""
    pfc: Known[frozenset[int]] = draw(maybe(st.frozensets(PRIORITIES, max_size=4)))
    known = pfc if is_known(pfc) else frozenset()
    queues = shared.priority_to_queue  # what one port says of a map holds for all
    held = queues if is_known(queues) else {}
    groups: Known[IntMap] = FrozenMap({one: one for one in known}) or UNKNOWN
    paused = FrozenMap({one: held.get(one, one) if one in known else one for one in range(8)})
    accounts: Known[FrozenMap[int, Buffer]] = FrozenMap(dict.fromkeys(known, OWN)) or ABSENT
    dog = watchdogs(known, queues, facts.watchdog_poll_ms)
    return PortQos(
        trust=draw(maybe(st.sampled_from((Trust.DSCP, Trust.PCP, Trust.NONE)))),
        dscp_to_priority=draw(st.sampled_from((UNKNOWN, shared.dscp_to_priority))),
        pcp_to_priority=draw(st.sampled_from((UNKNOWN, shared.pcp_to_priority))),
        priority_to_queue=draw(st.sampled_from((UNKNOWN, queues))),
        priority_to_priority_group=draw(st.sampled_from((UNKNOWN, groups))),
        pfc_rx=pfc,
        pfc_tx=pfc,
        pfc_mode=_mode(draw, pfc),
        pfc_priority_to_queue=draw(st.sampled_from((UNKNOWN, paused))),
        pfc_priority_to_priority_group=draw(
            st.sampled_from((UNKNOWN, FrozenMap({one: one for one in range(8)})))
        ),
        dcbx_mode=draw(maybe(st.sampled_from((DcbxMode.DISABLED, DcbxMode.IEEE, DcbxMode.CEE)))),
        dcbx_willing=draw(st.sampled_from((UNKNOWN, False))),
        scheduler=draw(said_or_absent(maps(PRIORITIES, schedulers()))),
        ecn=draw(said_or_absent(maps(PRIORITIES, markings()))),
        ingress_buffer=draw(st.sampled_from((UNKNOWN, accounts))) if is_known(pfc) else UNKNOWN,
        watchdog=draw(said_or_absent(dog)),
        global_pause_rx=draw(maybe(st.booleans())),
        global_pause_tx=draw(maybe(st.booleans())),
        remark_dscp=draw(st.sampled_from((UNKNOWN, shared.remark_dscp))),
        remark_pcp=draw(st.sampled_from((UNKNOWN, shared.remark_pcp))),
    )


def _mode(draw: st.DrawFn, pfc: Known[frozenset[int]]) -> Known[PfcMode]:
    if not is_known(pfc):
        return UNKNOWN
    return draw(st.sampled_from((UNKNOWN, PfcMode.ON) if pfc else (UNKNOWN, *_OFF_OR_ON)))


_OFF_OR_ON = (PfcMode.OFF, PfcMode.ON)


@st.composite
def switches(draw: st.DrawFn) -> Device:
    """A switch of one to three ports."""
    facts = DeviceQos(
        is_headroom_computed=draw(st.sampled_from((UNKNOWN, True))),
        watchdog_poll_ms=draw(maybe(st.integers(5, 1000))),
    )
    shared = PortQos(
        dscp_to_priority=draw(whole(64)),
        pcp_to_priority=draw(whole(8)),
        priority_to_queue=draw(maybe(QUEUE_MAPS)),
        remark_dscp=draw(st.one_of(st.just(ABSENT), whole(8, 63))),
        remark_pcp=draw(st.one_of(st.just(ABSENT), whole(8))),
    )
    ports = {}
    for number, name in enumerate(PORTS[: draw(st.integers(1, 3))]):
        mtu: Known[int] = draw(maybe(st.integers(68, 9214)))
        qos = draw(port_policies(facts, shared))
        if number == 0:
            qos = replace(qos, priority_to_queue=shared.priority_to_queue)
        ports[name] = Port(
            name,
            speed_bps=draw(st.sampled_from((100_000_000_000, 400_000_000_000))),
            l2_mtu=mtu + 14 if is_known(mtu) else UNKNOWN,
            ip_mtu=draw(st.sampled_from((UNKNOWN, mtu))),
            policy=draw(st.sampled_from((UNKNOWN, "backend", "storage net"))),
            qos=qos,
        )
    model = draw(st.sampled_from(("DCS-7060X6-64PE", "DCS-7280R3-32D4")))
    return Device("leaf01", model=model, ports=FrozenMap(ports), qos=FrozenMap({"": facts}))
