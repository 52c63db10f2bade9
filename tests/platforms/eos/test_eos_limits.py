"""What EOS cannot express is refused by the name of its limit, at its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from netcheck.model.device import Port
from netcheck.model.errors import RefusalError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import (
    Buffer,
    BufferPool,
    CongestionAction,
    DcbxMode,
    DeviceQos,
    Ecn,
    PfcMode,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.capabilities import capabilities
from netcheck.platforms.eos.quirks import polling_is_substituted
from netcheck.platforms.eos.render import refusals, render
from tests.platforms.eos.eos_switch import FABRIC, IDENTITY, LOSSLESS_QOS, leaf, port

MARK = CongestionAction.MARK
WATCHDOG = Watchdog(200, 400, WatchdogAction.DROP, frozenset({3}))
SIZED = FrozenMap({3: Buffer(size_bytes=1000, headroom_bytes=500, is_lossless=True)})


def limits(given: Port, facts: DeviceQos | None = None) -> set[str]:
    device = leaf(given)
    if facts is not None:
        device = replace(device, qos=FrozenMap({"": facts}))
    return {refusal.limit for refusal in refusals(device, FABRIC)}


@pytest.mark.parametrize(
    ("facts", "limit"),
    [
        ({"trust": Trust.BOTH}, "trust"),
        ({"trust": Trust.PORT}, "trust"),
        ({"dscp_to_priority": FrozenMap({26: 3})}, "map-whole"),
        ({"dscp_to_priority": ABSENT}, "map-whole"),
        ({"dscp_to_priority": FrozenMap(dict.fromkeys(range(64), 8))}, "switch-priority"),
        ({"pcp_to_priority": FrozenMap(dict.fromkeys(range(9), 0))}, "pcp"),
        ({"priority_to_queue": IDENTITY.with_items({7: 6})}, "control-class"),
        ({"priority_to_queue": IDENTITY.with_items({5: 7})}, "control-class"),
        ({"priority_to_queue": IDENTITY.with_items({5: 9})}, "queue"),
        ({"remark_dscp": FrozenMap(dict.fromkeys(range(8), 64))}, "dscp"),
        ({"pfc_rx": frozenset({3, 4})}, "pfc-asymmetric"),
        ({"pfc_rx": frozenset({8}), "pfc_tx": frozenset({8})}, "pfc-priority"),
        ({"pfc_mode": PfcMode.AUTO}, "pfc-mode"),
        ({"pfc_mode": PfcMode.OFF}, "pfc-mode"),
        ({"priority_to_priority_group": IDENTITY}, "groups-follow-pfc"),
        ({"pfc_priority_to_queue": IDENTITY.with_items({3: 4})}, "queues-follow-pfc"),
        (
            {"pfc_priority_to_priority_group": IDENTITY.with_items({3: 4})},
            "groups-follow-pfc",
        ),
        ({"ingress_buffer": SIZED}, "headroom-own"),
        ({"ingress_buffer": ABSENT}, "headroom-own"),
        ({"egress_buffer": SIZED}, "buffers-own"),
        ({"dcbx_mode": DcbxMode.FIRMWARE}, "dcbx"),
        ({"dcbx_willing": True}, "dcbx"),
        ({"mtu_by_priority": FrozenMap({3: 9000})}, "mtu-by-priority"),
        ({"scheduler": FrozenMap({3: Scheduler(SchedulerKind.VENDOR)})}, "scheduler-kind"),
        ({"scheduler": FrozenMap({3: Scheduler(SchedulerKind.WEIGHTED, 0)})}, "scheduler-weight"),
        ({"scheduler": FrozenMap({3: Scheduler(SchedulerKind.WEIGHTED)})}, "scheduler-weight"),
        ({"scheduler": FrozenMap({3: Scheduler(SchedulerKind.STRICT, 5)})}, "scheduler-weight"),
        (
            {"scheduler": FrozenMap({3: Scheduler(SchedulerKind.STRICT, UNKNOWN, 1500)})},
            "scheduler-shaper",
        ),
        ({"scheduler": FrozenMap({8: Scheduler(SchedulerKind.STRICT)})}, "queue"),
        ({"ecn": FrozenMap({3: Ecn(1, 2, 3)})}, "ecn-incomplete"),
        ({"ecn": FrozenMap({3: Ecn(0, 2, 3, MARK)})}, "ecn-threshold"),
        ({"ecn": FrozenMap({3: Ecn(3, 2, 3, MARK)})}, "ecn-threshold"),
        ({"ecn": FrozenMap({3: Ecn(1, 256_000_001, 3, MARK)})}, "ecn-threshold"),
        ({"ecn": FrozenMap({3: Ecn(1, 2, 0, MARK)})}, "ecn-probability"),
        ({"ecn": FrozenMap({3: Ecn(1, 2, 3, MARK, is_active=False)})}, "ecn-inactive"),
        ({"watchdog": replace(WATCHDOG, action=WatchdogAction.FORWARD)}, "watchdog-action"),
        ({"watchdog": replace(WATCHDOG, detection_ms=205)}, "watchdog-time"),
        ({"watchdog": replace(WATCHDOG, restoration_ms=UNKNOWN)}, "watchdog-time"),
        ({"watchdog": replace(WATCHDOG, restoration_ms=60_010)}, "watchdog-time"),
        ({"watchdog": replace(WATCHDOG, priorities=frozenset({4}))}, "watchdog-priorities"),
    ],
)
def test_a_policy_that_eos_cannot_express_is_refused(facts: dict[str, Any], limit: str) -> None:
    assert limit in limits(port("Ethernet1/1", replace(LOSSLESS_QOS, **facts)))


@pytest.mark.parametrize(
    ("facts", "limit"),
    [
        (DeviceQos(pools=FrozenMap({"p": BufferPool()})), "buffers-own"),
        (DeviceQos(counters_enabled=frozenset({"PORT"})), "buffers-own"),
        (DeviceQos(is_headroom_computed=False), "headroom-own"),
        (DeviceQos(oversubscription=2), "headroom-own"),
        (DeviceQos(dcbx_mode=DcbxMode.IEEE), "device-wide"),
        (DeviceQos(watchdog_poll_ms=200), "watchdog-poll"),
        (DeviceQos(watchdog_poll_ms=4), "watchdog-poll"),
    ],
)
def test_a_switch_that_eos_cannot_express_is_refused(facts: DeviceQos, limit: str) -> None:
    assert limit in limits(port("Ethernet1/1"), facts)


@pytest.mark.parametrize(
    ("facts", "limit"),
    [
        ({"cable_m": 5}, "cable-length"),
        ({"l2_mtu": 9229}, "ip-mtu"),
        ({"l2_mtu": 9000, "ip_mtu": 9000}, "mtu-frame"),
        ({"name": "swp1"}, "port-name"),
    ],
)
def test_a_port_that_eos_cannot_express_is_refused(facts: dict[str, Any], limit: str) -> None:
    assert limit in limits(replace(port("Ethernet1/1"), **facts))


def test_two_maps_on_one_switch_are_refused_at_the_second_port() -> None:
    other = replace(LOSSLESS_QOS, dscp_to_priority=FrozenMap(dict.fromkeys(range(64), 0)))
    [refusal] = refusals(leaf(port("Ethernet1/1"), port("Ethernet2/1", other)), FABRIC)
    assert refusal.limit == "map-device-wide"
    assert refusal.place == "leaf01 Ethernet2/1 dscp_to_priority"


def test_nothing_of_the_lossless_leaf_is_refused() -> None:
    assert refusals(leaf(), FABRIC) == []


def test_rendering_a_refused_policy_raises_with_the_limit() -> None:
    device = leaf(port("Ethernet1/1", replace(LOSSLESS_QOS, trust=Trust.BOTH)))
    with pytest.raises(RefusalError, match="leaf01 Ethernet1/1: a port trusts") as caught:
        render(device, FABRIC)
    assert caught.value.limit == "trust"


def test_every_limit_of_eos_has_a_source() -> None:
    rows = capabilities("eos").limits
    assert [name for name, limit in rows.items() if not (limit.source and limit.reason)] == []


@pytest.mark.parametrize(("poll", "is_substituted"), [(100, False), (101, True)])
def test_polling_more_seldom_than_twice_is_substituted(*, poll: int, is_substituted: bool) -> None:
    found = polling_is_substituted(poll_ms=poll, detection_ms=200, restoration_ms=400)
    assert found is is_substituted
