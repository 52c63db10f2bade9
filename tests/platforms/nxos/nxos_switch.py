"""A small NX-OS switch for tests: two lossless 400G ports and one port without RDMA."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from netcheck.model.device import Device, Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT
from netcheck.model.qos import (
    Buffer,
    CongestionAction,
    DcbxMode,
    DeviceQos,
    Ecn,
    PortQos,
    Scheduler,
    SchedulerKind,
    Static,
    Trust,
    Watchdog,
    WatchdogAction,
)

DSCP = FrozenMap({dscp: {26: 3, 48: 6}.get(dscp, 0) for dscp in range(64)})
SAME = FrozenMap({number: number for number in range(8)})
ACCOUNT = Buffer(
    size_bytes=2_066_090,
    headroom_bytes=466_090,
    xon_bytes=1_581_458,
    threshold=Static(1_600_000),
    is_lossless=True,
)
LOSSLESS_QOS = PortQos(
    trust=Trust.DSCP,
    dscp_to_priority=DSCP,
    priority_to_queue=SAME,
    priority_to_priority_group=FrozenMap({n: 3 if n == 3 else 0 for n in range(8)}),
    pfc_rx=frozenset({3}),
    pfc_tx=frozenset({3}),
    pfc_priority_to_queue=SAME,
    pfc_priority_to_priority_group=SAME,
    dcbx_mode=DcbxMode.DISABLED,
    scheduler=FrozenMap(
        {
            0: Scheduler(SchedulerKind.WEIGHTED, 50),
            3: Scheduler(SchedulerKind.WEIGHTED, 50),
            6: Scheduler(SchedulerKind.STRICT),
        }
    ),
    ecn=FrozenMap({3: Ecn(1_600_000, 6_400_000, 20, CongestionAction.MARK, is_active=True)}),
    ingress_buffer=FrozenMap({3: ACCOUNT}),
    watchdog=Watchdog(200, 400, WatchdogAction.DROP, frozenset({3})),
    global_pause_rx=False,
    global_pause_tx=False,
)
PLAIN_QOS = PortQos(pfc_rx=frozenset(), pfc_tx=frozenset(), watchdog=ABSENT)


def port(name: str, qos: PortQos = LOSSLESS_QOS, **facts: Any) -> Port:  # Any: fields of Port
    """A 400G port under the policy ``backend``."""
    said = {"speed_bps": 400_000_000_000, "l2_mtu": 9216, "policy": "backend", **facts}
    return Port(name, qos=qos, **said)


def switch(*ports: Port) -> Device:
    """The switch ``leaf1`` with these ports and a watchdog that looks every 200 ms."""
    return Device(
        "leaf1",
        ports=FrozenMap({one.name: one for one in ports}),
        qos=FrozenMap({"": DeviceQos(watchdog_poll_ms=200)}),
    )


def leaf(**changed: Any) -> Device:  # Any: fields of PortQos
    """Two lossless ports, whose facts may be changed, and one without RDMA."""
    qos = replace(LOSSLESS_QOS, **changed)
    return switch(
        port("Ethernet1/1", qos),
        port("Ethernet1/2", qos),
        port("Ethernet1/3", PLAIN_QOS, policy=ABSENT),
    )
