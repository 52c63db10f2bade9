"""Devices, ports and RDMA devices as the intent states them."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from netcheck.intent.complaint import Complaints
from netcheck.intent.fields import Fields
from netcheck.intent.nodes import Node
from netcheck.intent.ranges import RangeError, parse_pattern
from netcheck.intent.units import LENGTH_M, PERCENT, SIZE_BYTES, SPEED_BPS
from netcheck.model.device import (
    AdminState,
    CongestionControl,
    Device,
    HostFacts,
    LinkLayer,
    Port,
    RdmaDevice,
    RdmaFunction,
    RdmaOwner,
    Role,
)
from netcheck.model.document import Evidence
from netcheck.model.fabric import Aggregate
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, first_known
from netcheck.model.qos import BufferPool, DeviceQos, PoolKind

NO_QOS = FrozenMap({"": DeviceQos()})
NO_HOST = HostFacts()
EXPANDED = ("ports", "rdma", "aggregates")


def count_devices(root: Node, complaints: Complaints) -> None:
    """Count what the device section stands for before any of it is written out.

    Raises:
        IntentError: It is more than any fabric has.
    """
    devices = root.mapping.get("devices")
    if devices is None:
        return
    for name, device in devices.mapping.items():
        parts = [device.mapping[key] for key in EXPANDED if key in device.mapping]
        inner = sum(_count(key) for part in parts for key in part.mapping)
        complaints.count_names(devices.key_at[name], _count(name) * (1 + inner))


def _count(name: str) -> int:
    try:
        return parse_pattern(name).count
    except RangeError:  # told where the name is read
        return 1


def device_fields(root: Fields) -> dict[str, Fields]:
    """Give the fields of every device by name, with those of its role beneath."""
    found = {}
    for name, fields in root.children("devices").items():
        role = fields.text("role")
        beneath = root.child("roles").child(str(role)).layers if isinstance(role, str) else ()
        found[name] = Fields((*beneath, *fields.layers), fields.complaints, fields.path)
    return found


def read_device(
    name: str,
    fields: Fields,
    ports: FrozenMap[str, Port],
    rdma: FrozenMap[str, RdmaDevice],
    evidence: FrozenMap[str, Evidence],
) -> Device:
    """Give one device with these ports and RDMA devices."""
    return Device(
        name=name,
        role=fields.member("role", Role),
        tier=fields.integer("tier"),
        pod=fields.text("pod"),
        plane=fields.text("plane"),
        rail=fields.integer("rail"),
        platform=fields.text("platform"),
        variant=fields.text("variant"),
        model=fields.text("model"),
        asic=fields.text("asic"),
        os_version=fields.text("os_version"),
        mgmt=fields.text("mgmt"),
        mgmt_port=fields.integer("mgmt_port"),
        credentials=fields.text("credentials"),
        qos=_device_qos(fields.child("buffers")),
        ports=ports,
        rdma=rdma,
        host=_host(fields.child("host")),
        evidence=evidence,
        node_guid=fields.integer("guid"),
    )


def build_aggregates(name: str, fields: Fields) -> list[Aggregate]:
    """Give the aggregates of one device."""
    found = []
    for aggregate, inner in fields.children("aggregates").items():
        members = inner.members("members")
        peer = inner.peer("mlag_peer")
        found.append(
            Aggregate(aggregate, name, members if isinstance(members, tuple) else (), peer)
        )
    return found


def read_port(name: str, fields: Fields, policy: Known[str]) -> Port:
    """Give one port; ``policy`` is that of its device."""
    cable = fields.exact("cable", LENGTH_M)
    return Port(
        name=name,
        alias=fields.text("alias"),
        speed_bps=fields.whole("speed", SPEED_BPS),
        lanes=fields.integer("lanes"),
        parent=fields.text("parent"),
        fec=fields.text("fec"),
        autoneg=fields.flag("autoneg"),
        media=fields.text("media"),
        l2_mtu=fields.whole("l2_mtu", SIZE_BYTES),
        ip_mtu=fields.whole("ip_mtu", SIZE_BYTES),
        cable_m=ceil(cable) if isinstance(cable, float) else UNKNOWN,
        admin_state=fields.member("admin_state", AdminState),
        link_layer=fields.member("link_layer", LinkLayer),
        address=fields.address("address"),
        policy=first_known(fields.name("policy"), policy),
    )


def with_rdma(known: Port, stated: Port, fields: Fields) -> Port:
    """Give a port that an RDMA device names too; what ``ports`` says of it comes first."""
    return replace(
        known,
        speed_bps=first_known(known.speed_bps, stated.speed_bps),
        l2_mtu=first_known(known.l2_mtu, stated.l2_mtu),
        ip_mtu=first_known(known.ip_mtu, stated.ip_mtu),
        link_layer=first_known(known.link_layer, stated.link_layer),
        address=first_known(known.address, stated.address),
        policy=first_known(fields.name("policy"), known.policy),
    )


def read_rdma(name: str, fields: Fields) -> RdmaDevice:
    """Give one RDMA device."""
    ports = fields.texts("port")
    return RdmaDevice(
        name=name,
        ports=ports if isinstance(ports, tuple) else (),
        driver=fields.text("driver"),
        function=fields.member("function", RdmaFunction),
        owner=fields.member("owner", RdmaOwner),
        firmware=fields.text("firmware"),
        link_layer=fields.member("link_layer", LinkLayer),
        traffic_class=fields.integer("traffic_class"),
        rdma_cm_tos=fields.integer("rdma_cm_tos"),
        congestion_control=CongestionControl(algorithm=fields.text("algorithm")),
        is_out_of_order_capable=fields.flag("out_of_order"),
        node_guid=fields.integer("node_guid"),
        port_guid=fields.integer("guid"),
        subnet=fields.text("subnet"),
    )


def _device_qos(fields: Fields) -> FrozenMap[str, DeviceQos]:
    if not fields.layers:
        return NO_QOS
    pools = {name: _pool(inner) for name, inner in fields.children("pools").items()}
    qos = DeviceQos(
        pools=FrozenMap(pools) if pools else UNKNOWN,
        oversubscription=fields.integer("oversubscription"),
    )
    return FrozenMap({"": qos})


def _pool(fields: Fields) -> BufferPool:
    modes: dict[Known[str], bool] = {"dynamic": True, "static": False}
    return BufferPool(
        kind=fields.member("kind", PoolKind),
        is_dynamic=modes.get(fields.text("mode"), UNKNOWN),
        size_bytes=fields.whole("size", SIZE_BYTES),
        size_percent=fields.whole("share", PERCENT),
        shared_headroom_bytes=fields.whole("shared_headroom", SIZE_BYTES),
    )


def _host(fields: Fields) -> HostFacts:
    if not fields.layers:
        return NO_HOST
    sysctl = {
        name: str(node.value)
        for layer in fields.child("sysctl").layers
        for name, node in layer.node.mapping.items()
    }
    return HostFacts(
        governor=fields.text("governor"),
        sysctl=FrozenMap(sysctl) if sysctl else UNKNOWN,
        memlock_unlimited=fields.flag("memlock_unlimited"),
        lldp_agent=fields.flag("lldp_agent"),
    )
