"""A small SONiC switch for tests: two lossless 400G ports and one port without RDMA."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from netcheck.model.device import Device, Port
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT
from netcheck.model.qos import (
    Buffer,
    CongestionAction,
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
from netcheck.platforms.sonic.render import config_text
from netcheck.platforms.sonic.rendered.names import port_order
from netcheck.platforms.switch import switch_of

GBPS = 1_000_000_000
FABRIC = Fabric("test")
DSCP = FrozenMap({dscp: {26: 3, 48: 6}.get(dscp, 0) for dscp in range(64)})
SAME = FrozenMap({number: number for number in range(8)})
TO_GROUP = FrozenMap({priority: 3 if priority == 3 else 0 for priority in range(8)})
LOSSLESS = Buffer(
    size_bytes=303104,
    headroom_bytes=283648,
    xon_bytes=19456,
    threshold=Dynamic(1.0),
    pool="ingress_lossless_pool",
    is_lossless=True,
)
COMPUTED = Buffer(is_lossless=True, is_computed=True)
HALF = Scheduler(SchedulerKind.WEIGHTED, weight_percent=50)
STRICT = Scheduler(SchedulerKind.STRICT)
MARKING = Ecn(150_000, 1_500_000, 100, CongestionAction.MARK, is_active=True)
WATCHDOG = Watchdog(200, 400, WatchdogAction.DROP, frozenset({3}))

LOSSLESS_QOS = PortQos(
    trust=Trust.DSCP,
    dscp_to_priority=DSCP,
    priority_to_queue=SAME,
    priority_to_priority_group=TO_GROUP,
    pfc_rx=frozenset({3}),
    pfc_tx=frozenset({3}),
    pfc_mode=PfcMode.ON,
    pfc_priority_to_queue=SAME,
    pfc_priority_to_priority_group=FrozenMap({3: 3}),
    dcbx_mode=DcbxMode.DISABLED,
    scheduler=FrozenMap({0: HALF, 3: HALF, 6: STRICT}),
    ecn=FrozenMap({3: MARKING}),
    ingress_buffer=FrozenMap({3: LOSSLESS}),
    watchdog=WATCHDOG,
)
PLAIN_QOS = PortQos(pfc_rx=frozenset(), pfc_tx=frozenset(), watchdog=ABSENT)
TRADITIONAL = DeviceQos(is_headroom_computed=False, watchdog_poll_ms=200, dscp_to_priority=DSCP)
DYNAMIC = DeviceQos(
    is_headroom_computed=True,
    lossless_mtu_bytes=1024,
    small_packet_percent=100,
    lossless_alpha_exponent=0,
    oversubscription=2,
    watchdog_poll_ms=200,
)


def port(name: str, qos: PortQos = LOSSLESS_QOS, **facts: Any) -> Port:  # Any: fields of Port
    """A 400G port with 5 m of cable under the policy ``backend``."""
    said = {"speed_bps": 400 * GBPS, "l2_mtu": 9216, "cable_m": 5, "policy": "backend", **facts}
    return Port(name, qos=qos, **said)


def switch(*ports: Port, qos: DeviceQos = TRADITIONAL) -> Device:
    """The switch ``leaf1`` with these ports."""
    return Device(
        "leaf1", ports=FrozenMap({one.name: one for one in ports}), qos=FrozenMap({"": qos})
    )


def leaf(**changed: Any) -> Device:  # Any: fields of PortQos
    """Two lossless ports, whose facts may be changed, and one without RDMA."""
    qos = replace(LOSSLESS_QOS, **changed)
    return switch(
        port("Ethernet0", qos), port("Ethernet8", qos), port("Ethernet16", PLAIN_QOS, policy=ABSENT)
    )


def tables(device: Device) -> dict[str, dict[str, dict[str, str]]]:
    """The rendered tables of a switch."""
    found: dict[str, dict[str, dict[str, str]]] = json.loads(
        config_text(switch_of(device, port_order))
    )
    return found
