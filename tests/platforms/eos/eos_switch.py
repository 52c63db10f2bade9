"""A small EOS leaf with the policy of the examples, and running-configs, made for the tests."""

from __future__ import annotations

from netcheck.model.device import Device, Port, Role
from netcheck.model.document import Document
from netcheck.model.fabric import Fabric
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
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.eos.parse import parse

IDENTITY = FrozenMap({number: number for number in range(8)})
LOSSLESS_QOS = PortQos(
    trust=Trust.DSCP,
    dscp_to_priority=FrozenMap({**dict.fromkeys(range(64), 0), 26: 3, 48: 6}),
    priority_to_queue=IDENTITY,
    priority_to_priority_group=FrozenMap({3: 3}),
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
    watchdog=Watchdog(200, 400, WatchdogAction.DROP, frozenset({3})),
    global_pause_rx=False,
    global_pause_tx=False,
)
BORDER_QOS = PortQos(pfc_rx=frozenset(), pfc_tx=frozenset(), watchdog=ABSENT)
FABRIC = Fabric("test")


def port(name: str, qos: PortQos = LOSSLESS_QOS, speed_bps: int = 400_000_000_000) -> Port:
    policy = "backend" if qos is not BORDER_QOS else ABSENT
    return Port(name, speed_bps=speed_bps, l2_mtu=9216, policy=policy, qos=qos)


def leaf(*ports: Port, model: str = "DCS-7060X6-64PE") -> Device:
    given = ports or (port("Ethernet1/1"), port("Ethernet2/1"))
    return Device(
        "leaf01",
        role=Role.LEAF,
        platform="eos",
        model=model,
        qos=FrozenMap({"": DeviceQos(is_headroom_computed=True)}),
        ports=FrozenMap({one.name: one for one in given}),
    )


def read(*texts: str, command: str = "") -> Device:
    """What the parser makes of texts of one device."""
    documents = [Document(f"text{n}", text, command=command) for n, text in enumerate(texts)]
    return parse(documents, name="leaf01")
