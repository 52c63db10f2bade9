"""What is rendered reads back as what was said: no fact lost, changed or made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings

from netcheck.model.device import Device, Port
from netcheck.model.document import Document
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, is_known
from netcheck.model.qos import (
    Buffer,
    DcbxMode,
    DeviceQos,
    Dynamic,
    Ecn,
    PfcMode,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.capabilities import capabilities
from netcheck.platforms.nxos.parse import parse
from netcheck.platforms.nxos.render import FILE, refusals, render
from tests.platforms.comparison import disagreements
from tests.platforms.nxos.nxos_policies import IDENTITY, switches
from tests.platforms.nxos.nxos_switch import LOSSLESS_QOS, leaf, port, switch
from tests.platforms.strategies import RELAXED

FABRIC: Final = Fabric("test")
# Facts that NX-OS derives from others, so that a reader knows them though nobody said them.
DERIVED: Final = frozenset(
    {
        "trust",  # from the map
        "pfc_mode",  # from the priorities
        "dcbx_mode",  # forced PFC takes nothing from the peer
        "dcbx_willing",
        "priority_to_queue",  # the queue of a qos-group has its number
        "priority_to_priority_group",
        "pfc_priority_to_queue",
        "pfc_priority_to_priority_group",
        "mtu_by_priority",  # classes get the MTU of the ports
        "xoff_bytes",  # from size and headroom
        "threshold",
        "is_lossless",
        "is_computed",
        "is_active",
        "action",  # the watchdog drops unless it is told not to
        "priorities",
        "is_headroom_computed",
        "ingress_buffer",  # the switch sizes accounts that nobody states
    }
)


def read_back(device: Device) -> Device:
    """What the parser makes of what was rendered."""
    return parse([Document(FILE, render(device, FABRIC)[FILE])], name=device.name)


def differences(device: Device) -> list[str]:
    """Everything that did not come back as it was said."""
    found = read_back(device)
    places = list(_compare(device.qos[""], found.qos.get("", DeviceQos()), "device"))
    for name, said in device.ports.items():
        other = found.ports.get(name, Port(name))
        places += _compare(said.qos, _as_far_as_said(said.qos, other.qos), name)
        places += _compare(said.l2_mtu, other.l2_mtu, f"{name} l2_mtu")
    return places


def _compare(said: Any, found: Any, place: str) -> list[str]:  # Any: every kind of fact
    return list(disagreements(said, found, place, derived=DERIVED))


def _as_far_as_said(said: PortQos, found: PortQos) -> PortQos:
    """Leave out queues that nobody schedules: an output policy serves all eight."""
    if not (is_known(said.scheduler) and is_known(found.scheduler)):
        return found
    kept = {queue: one for queue, one in found.scheduler.items() if queue in said.scheduler}
    rest = {queue: one for queue, one in found.scheduler.items() if queue not in said.scheduler}
    unused = (Scheduler(SchedulerKind.STRICT), Scheduler(SchedulerKind.WEIGHTED, 0))
    assert all(one in unused for one in rest.values())
    return replace(found, scheduler=FrozenMap(kept))


def _holds(device: Device) -> None:
    assert refusals(device, FABRIC) == []
    assert differences(device) == []


@settings(RELAXED, max_examples=60)
@given(switches())
def test_every_policy_that_can_be_expressed_reads_back_as_it_was_said(device: Device) -> None:
    _holds(device)


@pytest.mark.slow
@settings(RELAXED, max_examples=800, derandomize=False)
@given(switches())
def test_many_more_policies_read_back_as_they_were_said(device: Device) -> None:
    _holds(device)


def test_the_lossless_leaf_reads_back_as_it_was_said() -> None:
    _holds(leaf())


def test_nothing_in_a_rendered_configuration_is_a_defect() -> None:
    assert read_back(leaf()).defects == ()


ACCOUNT: Final = Buffer(size_bytes=9, headroom_bytes=4, xon_bytes=3, is_lossless=True)
REFUSED: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("trust", {"trust": Trust.BOTH}),
    ("trust", {"pcp_to_priority": IDENTITY}),
    ("map-whole", {"dscp_to_priority": FrozenMap({26: 3})}),
    ("map-absent", {"dscp_to_priority": ABSENT, "trust": UNKNOWN}),
    ("remark-unused", {"remark_dscp": FrozenMap({5: 40})}),
    ("qos-group", {"dscp_to_priority": FrozenMap(dict.fromkeys(range(64), 9))}),
    ("queue", {"priority_to_queue": FrozenMap({6: 7})}),
    ("priority-group", {"priority_to_priority_group": IDENTITY}),
    ("pfc-asymmetric", {"pfc_rx": frozenset(range(8))}),
    ("pfc-mode", {"pfc_mode": PfcMode.AUTO}),
    ("dcbx", {"dcbx_mode": DcbxMode.CEE}),
    ("dcbx", {"dcbx_willing": True}),
    ("global-pause", {"global_pause_rx": True}),
    ("scheduler-kind", {"scheduler": FrozenMap({3: Scheduler(SchedulerKind.VENDOR)})}),
    (
        "scheduler-sum",
        {"scheduler": FrozenMap({q: Scheduler(SchedulerKind.WEIGHTED, 60) for q in (0, 3)})},
    ),
    (
        "scheduler-shaper",
        {"scheduler": FrozenMap({3: Scheduler(SchedulerKind.WEIGHTED, 5, 10**9)})},
    ),
    ("scheduler-weight", {"scheduler": FrozenMap({3: Scheduler(SchedulerKind.WEIGHTED, 101)})}),
    ("strict-highest", {"scheduler": FrozenMap({2: Scheduler(SchedulerKind.STRICT)})}),
    ("ecn-without-scheduler", {"scheduler": UNKNOWN}),
    ("ecn-incomplete", {"ecn": FrozenMap({3: Ecn(1000, 2000)})}),
    ("egress-buffer", {"egress_buffer": FrozenMap({3: Buffer(size_bytes=0)})}),
    ("account-absent", {"ingress_buffer": ABSENT}),
    ("account-lossless", {"ingress_buffer": FrozenMap({3: ACCOUNT, 5: ACCOUNT})}),
    (
        "account-threshold",
        {"ingress_buffer": FrozenMap({3: replace(ACCOUNT, threshold=Dynamic(1.0))})},
    ),
    ("account-pool", {"ingress_buffer": FrozenMap({3: replace(ACCOUNT, pool="p")})}),
    ("account-incomplete", {"ingress_buffer": FrozenMap({3: replace(ACCOUNT, xon_bytes=UNKNOWN)})}),
    ("account-sum", {"ingress_buffer": FrozenMap({3: replace(ACCOUNT, xon_bytes=8)})}),
    ("watchdog-action", {"watchdog": Watchdog(200, 400, WatchdogAction.FORWARD)}),
    ("watchdog-multiple", {"watchdog": Watchdog(250, 400)}),
    ("watchdog-detection", {"watchdog": Watchdog(4000, 400)}),
    ("watchdog-priorities", {"watchdog": Watchdog(200, 400, priorities=frozenset({4}))}),
    ("watchdog-incomplete", {"watchdog": Watchdog(200)}),
)


@pytest.mark.parametrize(("limit", "changed"), REFUSED)
def test_what_cannot_be_expressed_is_refused_by_name(limit: str, changed: dict[str, Any]) -> None:
    assert limit in {refusal.limit for refusal in refusals(leaf(**changed), FABRIC)}


def test_ports_that_pause_different_priorities_are_refused() -> None:
    other = replace(LOSSLESS_QOS, pfc_rx=frozenset({4}), pfc_tx=frozenset({4}))
    found = refusals(switch(port("Ethernet1/1"), port("Ethernet1/2", other)), FABRIC)
    assert "pfc-device-wide" in {refusal.limit for refusal in found}


def test_a_cable_length_of_a_port_is_refused_with_the_way_out() -> None:
    found = refusals(switch(port("Ethernet1/1", cable_m=40)), FABRIC)
    assert [refusal.limit for refusal in found] == ["cable-length"]
    assert "state the length on the link" in found[0].reason


def test_every_limit_that_refuses_is_declared() -> None:
    declared = set(capabilities("nxos").limits)
    assert {limit for limit, _ in REFUSED} <= declared
