"""Hypothesis strategies: every switch that a running-config of NX-OS can express, in normal form.

Normal form: what follows from other facts on NX-OS (trust from the map, queues
and accounts from qos-groups) agrees with them; what is the switch's own (no-drop
classes, times of the watchdog, MTU by class) is the same on all ports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    Static,
    Trust,
    Watchdog,
    WatchdogAction,
)
from tests.platforms.strategies import maps, maybe

GROUPS = range(8)
NUMBERS = st.integers(0, 7)
BYTES = st.integers(0, 2**24)
IDENTITY = FrozenMap({number: number for number in GROUPS})
_ACTIONS = (WatchdogAction.DROP, WatchdogAction.ALERT)
SPEEDS = (100_000_000_000, 400_000_000_000)


@dataclass(frozen=True)
class Shared:
    """What all ports of one switch have in common.

    Attributes:
        pfc: PFC priority of each no-drop qos-group.
        times: Detection and restoration of the watchdog.
        accounts: Numbers of the accounts; None where the switch sizes them itself.
    """

    pfc: FrozenMap[int, int]
    poll: int
    times: tuple[int, int]
    mtus: Known[FrozenMap[int, int]]
    accounts: FrozenMap[int, Buffer] | None


@st.composite
def shared_facts(draw: st.DrawFn) -> Shared:
    """No-drop classes with PFC priorities of their own; times are multiples of the interval."""
    groups = sorted(draw(st.sets(NUMBERS, max_size=3)))
    priorities = draw(st.lists(NUMBERS, min_size=len(groups), max_size=len(groups), unique=True))
    poll = draw(st.integers(100, 1000))
    accounts = {group: draw(explicit_accounts()) for group in groups}
    return Shared(
        FrozenMap(dict(zip(groups, priorities, strict=True))),
        poll,
        (poll * draw(st.integers(1, 10)), poll * draw(st.integers(0, 100))),
        draw(maybe(maps(NUMBERS, st.integers(1500, 9216)))),
        FrozenMap(accounts) if draw(st.booleans()) else None,
    )


@st.composite
def explicit_accounts(draw: st.DrawFn) -> Buffer:
    """An account that pauses at a number of bytes and states its headroom."""
    pause, headroom = draw(BYTES), draw(BYTES)
    return Buffer(
        size_bytes=pause + headroom,
        headroom_bytes=headroom,
        xoff_bytes=draw(st.sampled_from((UNKNOWN, pause))),
        xon_bytes=draw(st.integers(0, pause)),
        threshold=draw(st.sampled_from((UNKNOWN, Static(pause)))),
        is_lossless=draw(st.sampled_from((UNKNOWN, True))),
        is_computed=draw(st.sampled_from((UNKNOWN, False))),
    )


@st.composite
def markings(draw: st.DrawFn) -> Ecn:
    """Marking or dropping between two thresholds."""
    kmin, kmax = sorted(draw(st.integers(1, 52_000_000)) for _ in range(2))
    return Ecn(
        kmin,
        kmax,
        draw(st.integers(1, 100)),
        draw(st.sampled_from(CongestionAction)),
        is_active=draw(st.sampled_from((UNKNOWN, True))),
    )


@st.composite
def schedulers(draw: st.DrawFn) -> FrozenMap[int, Scheduler]:
    """At most three strict queues at the top, and weights of at most 100 together."""
    lowest = draw(st.integers(5, 8))
    found = {queue: Scheduler(SchedulerKind.STRICT) for queue in GROUPS if queue >= lowest}
    if found:
        found = {
            queue: one for queue, one in found.items() if queue == lowest or draw(st.booleans())
        }
    left = 100
    for queue in draw(st.permutations(range(lowest))):
        if draw(st.booleans()) or not found:
            weight = draw(st.integers(0, left))
            found[queue] = Scheduler(SchedulerKind.WEIGHTED, weight)
            left -= weight
    return FrozenMap(found)


@st.composite
def classifications(draw: st.DrawFn) -> dict[str, Any]:
    """A map of all marks of one kind, and marks that are set anew for groups in use."""
    trust, marks = draw(st.sampled_from(((Trust.DSCP, range(64)), (Trust.PCP, GROUPS))))
    default = draw(NUMBERS)
    claimed = draw(st.dictionaries(st.sampled_from(marks), NUMBERS, max_size=12))
    found = FrozenMap({mark: claimed.get(mark, default) for mark in marks})
    used = st.sampled_from(sorted(set(found.values())))
    is_dscp = trust is Trust.DSCP
    return {
        "trust": draw(st.sampled_from((UNKNOWN, trust))),
        "dscp_to_priority": found if is_dscp else draw(st.sampled_from((UNKNOWN, ABSENT))),
        "pcp_to_priority": draw(st.sampled_from((UNKNOWN, ABSENT))) if is_dscp else found,
        "remark_dscp": draw(st.one_of(_NOT_SAID, maps(used, st.integers(0, 63)))),
        "remark_pcp": draw(st.one_of(_NOT_SAID, maps(used, NUMBERS))),
    }


_NOT_SAID: st.SearchStrategy[Any] = st.sampled_from((UNKNOWN, ABSENT))


@st.composite
def paused_facts(
    draw: st.DrawFn, shared: Shared, used: frozenset[int], *, is_on: bool
) -> dict[str, Any]:
    """PFC of a port: all no-drop classes or none, and what follows from it."""
    pfc = frozenset(shared.pfc.values()) if is_on else frozenset()
    owned = {group: to for group, to in shared.pfc.items() if is_on or group in used}
    spare = next(group for group in GROUPS if group not in owned)
    to_group = IDENTITY.with_items({to: group for group, to in owned.items()})
    dcbx = (UNKNOWN, DcbxMode.DISABLED, *((DcbxMode.IEEE,) if is_on else ()))
    pauses = st.sampled_from((UNKNOWN, False) if is_on else (UNKNOWN, False, True))
    found: dict[str, Any] = {
        "pfc_rx": pfc,
        "pfc_tx": pfc,
        "pfc_mode": draw(st.sampled_from((UNKNOWN, PfcMode.ON if pfc else PfcMode.OFF))),
        "dcbx_mode": draw(st.sampled_from(dcbx)),
        "dcbx_willing": draw(st.sampled_from((UNKNOWN, False))),
        "global_pause_rx": draw(pauses),
        "global_pause_tx": draw(pauses),
        "priority_to_priority_group": draw(
            maybe(st.just(FrozenMap({g: g if g in owned else spare for g in GROUPS})))
        ),
        "pfc_priority_to_queue": draw(st.just(to_group) if is_on else maybe(st.just(to_group))),
        "pfc_priority_to_priority_group": draw(maybe(st.just(to_group))),
        "watchdog": draw(st.sampled_from((UNKNOWN, ABSENT))),
    }
    if is_on and draw(st.booleans()):
        actions: tuple[Known[WatchdogAction], ...] = (UNKNOWN, *_ACTIONS)
        action = draw(st.sampled_from(actions))
        found["watchdog"] = Watchdog(*shared.times, action, draw(st.sampled_from((UNKNOWN, pfc))))
    if is_on:
        computed = FrozenMap(dict.fromkeys(shared.pfc, Buffer(is_lossless=True, is_computed=True)))
        found["ingress_buffer"] = computed if shared.accounts is None else shared.accounts
    return found


@st.composite
def port_policies(draw: st.DrawFn, shared: Shared, *, is_on: bool) -> PortQos:
    """How one port of the switch treats traffic."""
    said: dict[str, Any] = {"priority_to_queue": draw(maybe(st.just(IDENTITY)))}
    used: frozenset[int] = frozenset()
    if draw(st.booleans()):
        said |= draw(classifications())
        marks = (said["dscp_to_priority"], said["pcp_to_priority"])
        used = frozenset(group for each in marks if is_known(each) for group in each.values())
    said |= draw(paused_facts(shared, used, is_on=is_on))
    if draw(st.booleans()):
        said["scheduler"] = draw(schedulers())
        said["ecn"] = draw(st.one_of(_NOT_SAID, maps(NUMBERS, markings())))
    said["mtu_by_priority"] = shared.mtus
    return PortQos(**said)


@st.composite
def switches(draw: st.DrawFn) -> Device:
    """A switch of one to three ports."""
    shared = draw(shared_facts())
    ports = {}
    for number in range(1, draw(st.integers(1, 3)) + 1):
        name = f"Ethernet1/{number}"
        # a class is a no-drop class where some port pauses it
        is_on = bool(shared.pfc) and (number == 1 or draw(st.booleans()))
        ports[name] = Port(
            name,
            speed_bps=draw(st.sampled_from((UNKNOWN, *SPEEDS))),
            l2_mtu=draw(maybe(st.integers(1500, 9216))),
            policy=draw(st.sampled_from((UNKNOWN, "backend", "a storage policy of some length"))),
            qos=draw(port_policies(shared, is_on=is_on)),
        )
    has_watchdog = any(is_known(port.qos.watchdog) for port in ports.values())
    poll = st.just(shared.poll) if has_watchdog else maybe(st.just(shared.poll))
    accounts = [
        account
        for port in ports.values()
        if is_known(port.qos.ingress_buffer)
        for account in port.qos.ingress_buffer.values()
    ]
    is_computed = any(account.is_computed is True for account in accounts)
    qos = DeviceQos(
        watchdog_poll_ms=draw(poll),
        is_headroom_computed=draw(maybe(st.just(is_computed))) if accounts else UNKNOWN,
    )
    return Device("leaf1", ports=FrozenMap(ports), qos=FrozenMap({"": qos}))
