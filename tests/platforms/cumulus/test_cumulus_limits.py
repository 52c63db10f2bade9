"""What NVUE cannot express is refused by name, before anything is rendered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from netcheck.model.errors import RefusalError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
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
from netcheck.platforms.capabilities import capabilities
from netcheck.platforms.cumulus.render import refusals, render
from tests.platforms.cumulus.cumulus_switch import FABRIC, IDENTITY, LOSSLESS_QOS, leaf, port

WATCHDOG = Watchdog(400, 200, WatchdogAction.DROP, frozenset({3}))
MARK = Ecn(1, 2, 20, CongestionAction.MARK, is_active=True)
PORT_CASES = [
    ("trust", {"trust": Trust.PORT}),
    ("trust", {"dscp_to_priority": ABSENT}),
    ("trust-unsaid", {"trust": UNKNOWN}),
    ("map-partial", {"dscp_to_priority": FrozenMap({26: 3})}),
    ("map-partial", {"priority_to_queue": FrozenMap({3: 3})}),
    ("map-partial", {"priority_to_queue": ABSENT}),
    ("switch-priority", {"dscp_to_priority": FrozenMap(dict.fromkeys(range(64), 9))}),
    ("queue", {"priority_to_queue": FrozenMap(dict.fromkeys(range(8), 8))}),
    ("priority-group", {"priority_to_priority_group": FrozenMap({3: 1})}),
    ("priority-group", {"pfc_priority_to_priority_group": FrozenMap({3: 5})}),
    ("pfc-priority-is-switch-priority", {"pfc_priority_to_queue": FrozenMap({3: 4})}),
    ("pfc-asymmetric", {"pfc_rx": frozenset({3, 4})}),
    ("pfc-asymmetric", {"pfc_rx": UNKNOWN}),
    ("pfc-mode", {"pfc_mode": PfcMode.AUTO}),
    ("pfc-mode", {"pfc_mode": PfcMode.OFF}),
    ("dcbx", {"dcbx_mode": DcbxMode.CEE}),
    ("dcbx", {"dcbx_willing": True}),
    ("global-pause-with-pfc", {"global_pause_rx": True}),
    ("global-pause", {"global_pause_tx": True, "pfc_rx": frozenset(), "pfc_tx": frozenset()}),
    ("scheduler-none", {"scheduler": ABSENT}),
    ("scheduler-kind", {"scheduler": FrozenMap({0: Scheduler(SchedulerKind.VENDOR)})}),
    ("scheduler-weight", {"scheduler": FrozenMap({0: Scheduler(SchedulerKind.WEIGHTED)})}),
    ("scheduler-weight", {"scheduler": FrozenMap({0: Scheduler(SchedulerKind.WEIGHTED, 0)})}),
    ("scheduler-weight", {"scheduler": FrozenMap({0: Scheduler(SchedulerKind.STRICT, 5)})}),
    (
        "scheduler-weight-sum",
        {"scheduler": FrozenMap(dict.fromkeys(range(3), Scheduler(SchedulerKind.WEIGHTED, 34)))},
    ),
    (
        "scheduler-shaper",
        {"scheduler": FrozenMap({0: Scheduler(SchedulerKind.STRICT, shaper_bps=1)})},
    ),
    ("ecn-incomplete", {"ecn": FrozenMap({3: replace(MARK, kmin_bytes=UNKNOWN)})}),
    ("ecn-thresholds", {"ecn": FrozenMap({3: replace(MARK, kmin_bytes=3)})}),
    ("ecn-probability", {"ecn": FrozenMap({3: replace(MARK, pmax_percent=0)})}),
    ("ecn-inactive", {"ecn": FrozenMap({3: replace(MARK, is_active=False)})}),
    ("buffer-egress", {"egress_buffer": FrozenMap({3: Buffer()})}),
    ("buffer-lossy", {"ingress_buffer": FrozenMap({0: Buffer(is_lossless=False)})}),
    ("buffer-one-per-port", {"ingress_buffer": FrozenMap({4: Buffer(is_lossless=True)})}),
    ("buffer-one-per-port", {"ingress_buffer": ABSENT}),
    (
        "buffer-computed-or-whole",
        {"ingress_buffer": FrozenMap({3: Buffer(size_bytes=1, is_lossless=True)})},
    ),
    (
        "buffer-computed-or-whole",
        {"ingress_buffer": FrozenMap({3: Buffer(threshold=Static(1), is_lossless=True)})},
    ),
    (
        "buffer-computed-or-whole",
        {"ingress_buffer": FrozenMap({3: Buffer(threshold=Dynamic(2.0), is_lossless=True)})},
    ),
    ("watchdog-action", {"watchdog": replace(WATCHDOG, action=WatchdogAction.FORWARD)}),
    ("watchdog-detection", {"watchdog": replace(WATCHDOG, detection_ms=UNKNOWN)}),
    ("watchdog-detection", {"watchdog": replace(WATCHDOG, detection_ms=300)}),
    ("watchdog-restoration", {"watchdog": replace(WATCHDOG, restoration_ms=400)}),
    ("watchdog-needs-pfc", {"watchdog": replace(WATCHDOG, priorities=frozenset({4}))}),
    ("watchdog-needs-pfc", {"pfc_rx": frozenset()}),
    ("remark", {"remark_dscp": FrozenMap({})}),
    ("dscp", {"remark_dscp": FrozenMap({3: 64})}),
    ("pcp", {"remark_pcp": FrozenMap({3: 8})}),
    ("mtu-by-priority", {"mtu_by_priority": FrozenMap({3: 9000})}),
]
POOL = BufferPool(PoolKind.INGRESS, is_dynamic=True, size_percent=60)
DEVICE_CASES = [
    ("dscp-device-wide", DeviceQos(dscp_to_priority=IDENTITY)),
    ("dcbx", DeviceQos(dcbx_mode=DcbxMode.CEE)),
    ("global-pause", DeviceQos(global_pause_rx=True)),
    ("counters", DeviceQos(counters_enabled=frozenset({"QUEUE"}))),
    ("shared-headroom", DeviceQos(oversubscription=2)),
    ("shared-headroom", DeviceQos(small_packet_percent=50)),
    ("headroom-computed", DeviceQos(is_headroom_computed=False)),
    ("watchdog-poll", DeviceQos(watchdog_poll_ms=0)),
    ("watchdog-detection", DeviceQos(watchdog_poll_ms=300)),
    ("pools", DeviceQos(pools=FrozenMap({"egress_lossy_pool": POOL}))),
    ("pools", DeviceQos(pools=ABSENT)),
    (
        "pools",
        DeviceQos(pools=FrozenMap({"ingress_lossless_pool": POOL, "ingress_lossy_pool": POOL})),
    ),
    (
        "pools",
        DeviceQos(pools=FrozenMap({"ingress_lossy_pool": replace(POOL, size_bytes=5)})),
    ),
]


@pytest.mark.parametrize(("limit", "said"), PORT_CASES)
def test_what_a_port_of_nvue_cannot_do_is_refused(limit: str, said: dict[str, object]) -> None:
    qos: PortQos = replace(LOSSLESS_QOS, **said)  # type: ignore[arg-type] # facts of all types
    device = leaf(replace(port("swp1"), qos=qos))
    assert limit in {one.limit for one in refusals(device, FABRIC)}
    with pytest.raises(RefusalError):
        render(device, FABRIC)


@pytest.mark.parametrize(("limit", "said"), DEVICE_CASES)
def test_what_a_cumulus_switch_cannot_do_is_refused(limit: str, said: DeviceQos) -> None:
    device = replace(leaf(), qos=FrozenMap({"": said}))
    assert limit in {one.limit for one in refusals(device, FABRIC)}


def test_ports_that_differ_in_what_is_one_for_the_switch_are_refused() -> None:
    queues = FrozenMap({**IDENTITY, 5: 4})
    other = replace(LOSSLESS_QOS, priority_to_queue=queues)
    slow = replace(LOSSLESS_QOS, watchdog=replace(WATCHDOG, detection_ms=600))
    device = leaf(port("swp1"), replace(port("swp2"), qos=other), replace(port("swp3"), qos=slow))
    found = {one.limit for one in refusals(device, FABRIC)}
    assert {"queue-map-device-wide", "watchdog-detection"} <= found


def test_names_numbers_and_cables_have_their_limits() -> None:
    bond, long, tiny = port("bond1"), port("swp2", cable_m=100_001), port("swp3")
    device = leaf(bond, long, replace(tiny, l2_mtu=100))
    found = {one.limit for one in refusals(device, FABRIC)}
    assert {"watchdog-port", "cable-length", "port-mtu"} <= found


def test_a_switch_with_two_asics_is_refused() -> None:
    device = replace(leaf(), qos=FrozenMap({"0": DeviceQos(), "1": DeviceQos()}))
    assert "multi-asic" in {one.limit for one in refusals(device, FABRIC)}


def test_every_limit_of_cumulus_is_hit_by_a_test() -> None:
    tested = {limit for limit, _ in [*PORT_CASES, *DEVICE_CASES]}
    tested |= {"queue-map-device-wide", "watchdog-port", "cable-length", "port-mtu", "multi-asic"}
    assert set(capabilities("cumulus").limits) == tested
