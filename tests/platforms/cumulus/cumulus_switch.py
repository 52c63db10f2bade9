"""A small Cumulus leaf with the policy of the examples, made for the tests."""

from __future__ import annotations

from netcheck.model.device import Device, Port, Role
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import (
    Buffer,
    CongestionAction,
    DcbxMode,
    DeviceQos,
    Ecn,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)

IDENTITY = FrozenMap({number: number for number in range(8)})
LOSSLESS_QOS = PortQos(
    trust=Trust.DSCP,
    dscp_to_priority=FrozenMap({**dict.fromkeys(range(64), 0), 26: 3, 48: 6}),
    priority_to_queue=IDENTITY,
    priority_to_priority_group=FrozenMap({**dict.fromkeys(range(8), 0), 3: 3}),
    pfc_rx=frozenset({3}),
    pfc_tx=frozenset({3}),
    pfc_priority_to_queue=IDENTITY,
    pfc_priority_to_priority_group=IDENTITY,
    dcbx_mode=DcbxMode.DISABLED,
    scheduler=FrozenMap(
        {
            0: Scheduler(SchedulerKind.WEIGHTED, 50),
            3: Scheduler(SchedulerKind.WEIGHTED, 50),
            6: Scheduler(SchedulerKind.STRICT),
        }
    ),
    ecn=FrozenMap({3: Ecn(1_600_000, 6_400_000, 20, CongestionAction.MARK, is_active=True)}),
    ingress_buffer=FrozenMap({3: Buffer(is_lossless=True, is_computed=True)}),
    watchdog=Watchdog(400, 200, WatchdogAction.DROP, frozenset({3})),
    global_pause_rx=False,
    global_pause_tx=False,
)
BORDER_QOS = PortQos(pfc_rx=frozenset(), pfc_tx=frozenset(), watchdog=ABSENT)
FABRIC = Fabric("test")


def port(name: str, cable_m: int = 5, qos: PortQos = LOSSLESS_QOS) -> Port:
    return Port(
        name,
        speed_bps=400_000_000_000,
        cable_m=cable_m if qos.pfc_tx else UNKNOWN,  # only PFC takes a cable length
        l2_mtu=9216,
        policy="backend" if qos is LOSSLESS_QOS else ABSENT,
        qos=qos,
    )


def leaf(*ports: Port, os_version: str = "5.17.0") -> Device:
    given = ports or (port("swp1"), port("swp2"))
    return Device(
        "leaf01",
        role=Role.LEAF,
        platform="cumulus",
        model="SN5600",
        asic="spectrum-4",
        os_version=os_version,
        qos=FrozenMap({"": DeviceQos(watchdog_poll_ms=200)}),
        ports=FrozenMap({one.name: one for one in given}),
    )
