"""Devices, ports and RDMA devices."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from netcheck.model.counters import Counter, CounterKey
from netcheck.model.document import Evidence
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known
from netcheck.model.qos import DeviceQos, PortQos

if TYPE_CHECKING:  # a RoCE fabric needs neither
    from netcheck.model.infiniband import IbSubnet
    from netcheck.model.subnet_manager import SmConfig


class Role(StrEnum):
    """What a device is for."""

    LEAF = "leaf"
    SPINE = "spine"
    SUPERSPINE = "superspine"
    BORDER = "border"
    HOST = "host"
    ROUTER = "router"
    GATEWAY = "gateway"


class LinkLayer(StrEnum):
    """What runs on a port."""

    ETHERNET = "ethernet"
    INFINIBAND = "infiniband"


class AdminState(StrEnum):
    """Whether a port (or its link) is meant to be, or is, up."""

    UP = "up"
    DOWN = "down"


class GidType(StrEnum):
    """Kind of an entry in an RDMA device's address table."""

    IB = "ib"
    ROCE_V1 = "roce_v1"
    ROCE_V2 = "roce_v2"


class RdmaFunction(StrEnum):
    """Kind of PCIe function behind an RDMA device."""

    PF = "pf"
    VF = "vf"
    SF = "sf"


class RdmaOwner(StrEnum):
    """Who uses an RDMA device."""

    HOST = "host"
    DPU = "dpu"
    POD = "pod"


class DefectKind(StrEnum):
    """What is wrong with a text in itself, whatever was intended."""

    DANGLING_REFERENCE = "dangling_reference"
    MALFORMED_REFERENCE = "malformed_reference"
    MALFORMED_VALUE = "malformed_value"
    DUPLICATE_KEY = "duplicate_key"
    UNKNOWN_LINE = "unknown_line"
    REJECTED_BY_DEVICE = "rejected_by_device"


@frozen
class Defect:
    """One thing in a text that no reader can take as it stands.

    Attributes:
        kind: What is wrong.
        place: Object in the device's own words, such as ``BUFFER_PG|Ethernet0|3``.
        message: What was found, in one line.
        ports: Ports it concerns, when it does.
        indices: Priorities, queues or priority groups it concerns.
        expected, found: Values, where there are two.
        evidence: Where it stands.
        touches_qos: It may change how RDMA traffic is treated.
    """

    kind: DefectKind
    place: str
    message: str
    ports: tuple[str, ...] = ()
    indices: tuple[int, ...] = ()
    expected: str = ""
    found: str = ""
    evidence: Evidence = field(default_factory=Evidence)
    touches_qos: bool = True


@frozen
class Neighbour:
    """Who is at the other end of a link, as LLDP tells."""

    device: str
    port: str


@frozen
class Port:
    """One port of a device.

    Attributes:
        speed_bps: Configured speed; ``operational_speed_bps`` is the live one.
        lanes: Number of serdes lanes; 8 changes headroom on some ASICs.
        parent: Port that this one was broken out of.
        l2_mtu: Largest Ethernet frame in bytes without FCS (as platforms count it).
        ip_mtu: Largest IP packet in bytes.
        cable_m: Cable length the device assumes for headroom.
        max_headroom_bytes: Most headroom that the device grants to all of the port's accounts.
        address: IP address with prefix length.
        policy: Name of the policy in effect; ABSENT ends RDMA at this port.
        aggregate: Aggregate it is a member of.
    """

    name: str
    alias: Known[str] = UNKNOWN
    speed_bps: Known[int] = UNKNOWN
    operational_speed_bps: Known[int] = UNKNOWN
    lanes: Known[int] = UNKNOWN
    parent: Known[str] = UNKNOWN
    fec: Known[str] = UNKNOWN
    autoneg: Known[bool] = UNKNOWN
    media: Known[str] = UNKNOWN
    l2_mtu: Known[int] = UNKNOWN
    ip_mtu: Known[int] = UNKNOWN
    cable_m: Known[int] = UNKNOWN
    max_headroom_bytes: Known[int] = UNKNOWN
    admin_state: Known[AdminState] = UNKNOWN
    link_state: Known[AdminState] = UNKNOWN
    link_layer: Known[LinkLayer] = UNKNOWN
    address: Known[str] = UNKNOWN
    neighbour: Known[Neighbour] = UNKNOWN
    policy: Known[str] = UNKNOWN
    aggregate: Known[str] = UNKNOWN
    qos: PortQos = PortQos()


@frozen
class Gid:
    """One entry of an address table."""

    index: int
    address: str
    kind: Known[GidType] = UNKNOWN
    netdev: Known[str] = UNKNOWN


@frozen
class CongestionControl:
    """DCQCN (or another algorithm) of one RDMA device.

    Attributes:
        algorithm: Such as ``dcqcn``.
        notification_point: Priorities on which it answers marks with CNPs.
        reaction_point: Priorities on which it slows down for CNPs.
        cnp_dscp, cnp_pcp: Marks of the CNPs it sends.
    """

    algorithm: Known[str] = UNKNOWN
    notification_point: Known[frozenset[int]] = UNKNOWN
    reaction_point: Known[frozenset[int]] = UNKNOWN
    cnp_dscp: Known[int] = UNKNOWN
    cnp_pcp: Known[int] = UNKNOWN


@frozen
class RdmaDevice:
    """What verbs see.

    Attributes:
        ports: Names of the device's ports it uses.
        traffic_class: ToS byte forced for all its traffic; ABSENT is not forced.
        rdma_cm_tos: ToS byte of connections made by rdma_cm.
        rdma_cm_roce_v2: rdma_cm uses RoCE v2.
        active_mtu: RDMA MTU in use, in bytes; ``max_mtu`` what the port could do.
        is_out_of_order_capable: It accepts packets out of order.
        node_guid, port_guid: InfiniBand GUIDs of the adapter and of its (first) port.
        lid, sm_lid: Address of its port in the subnet, and that of the subnet manager.
        physical_state: Of its InfiniBand port, such as ``LINK_UP``, ``POLLING`` or ``DISABLED``.
        subnet: InfiniBand subnet it is in; the fabric's only one where none is said.
        pkeys: Partition keys of its port by index, membership bit included; 0 is an empty slot.
    """

    name: str
    ports: tuple[str, ...] = ()
    driver: Known[str] = UNKNOWN
    function: Known[RdmaFunction] = UNKNOWN
    owner: Known[RdmaOwner] = UNKNOWN
    firmware: Known[str] = UNKNOWN
    link_layer: Known[LinkLayer] = UNKNOWN
    link_state: Known[AdminState] = UNKNOWN
    gids: Known[tuple[Gid, ...]] = UNKNOWN
    traffic_class: Known[int] = UNKNOWN
    rdma_cm_tos: Known[int] = UNKNOWN
    rdma_cm_roce_v2: Known[bool] = UNKNOWN
    active_mtu: Known[int] = UNKNOWN
    max_mtu: Known[int] = UNKNOWN
    congestion_control: CongestionControl = CongestionControl()
    is_out_of_order_capable: Known[bool] = UNKNOWN
    node_guid: Known[int] = UNKNOWN
    port_guid: Known[int] = UNKNOWN
    subnet: Known[str] = UNKNOWN
    lid: Known[int] = UNKNOWN
    sm_lid: Known[int] = UNKNOWN
    physical_state: Known[str] = UNKNOWN
    pkeys: Known[tuple[int, ...]] = UNKNOWN


@frozen
class HostFacts:
    """What a host is besides its NICs.

    Attributes:
        environment: Job environment ``variable -> value`` (NCCL, UCX, MPI), as
            found in files, profiles or job command lines.
        persistent_unit: Whether the settings survive a reboot.
        lldp_agent: A second owner of the DCB settings runs (lldpad).
        boot_id: Changes at every boot; tells a counter reset.
    """

    environment: Known[FrozenMap[str, str]] = UNKNOWN
    pcie_bps: Known[FrozenMap[str, int]] = UNKNOWN
    governor: Known[str] = UNKNOWN
    sysctl: Known[FrozenMap[str, str]] = UNKNOWN
    memlock_unlimited: Known[bool] = UNKNOWN
    persistent_unit: Known[bool] = UNKNOWN
    lldp_agent: Known[bool] = UNKNOWN
    boot_id: Known[str] = UNKNOWN


@frozen
class Device:
    """One switch, host or subnet manager.

    Attributes:
        asic: Name in ``lossless/data`` (``spectrum-4``); several for chassis.
        qos: What holds for all ports, by ASIC name; one entry named ``""``
            where there is only one.
        evidence: ``fact -> where it was read``; keys are ``port NAME FACT``,
            ``rdma NAME FACT`` or ``device FACT``; a missing key falls back to
            ``port NAME`` and then to ``device``.
        defects: What is wrong with the texts in themselves.
        unread: Lines that no reader understood and that cannot touch QoS.
        is_whole: Built from a whole configuration.
        scripted: Ports all of whose settings are in a set-up script that was given.
        hidden: Facts that its platform sets by itself and need not show; nobody
            can be asked for them.
        node_guid: GUID of an InfiniBand switch.
        seen_subnet: InfiniBand subnet as outputs taken at this device show it.
        subnet_manager: What the files of its subnet manager say.
    """

    name: str
    role: Known[Role] = UNKNOWN
    tier: Known[int] = UNKNOWN
    pod: Known[str] = UNKNOWN
    plane: Known[str] = UNKNOWN
    rail: Known[int] = UNKNOWN
    platform: Known[str] = UNKNOWN
    variant: Known[str] = UNKNOWN
    model: Known[str] = UNKNOWN
    asic: Known[str] = UNKNOWN
    os_version: Known[str] = UNKNOWN
    mgmt: Known[str] = UNKNOWN
    mgmt_port: Known[int] = UNKNOWN
    credentials: Known[str] = UNKNOWN
    boot_id: Known[str] = UNKNOWN
    qos: FrozenMap[str, DeviceQos] = field(default_factory=lambda: FrozenMap({"": DeviceQos()}))
    ports: FrozenMap[str, Port] = field(default_factory=FrozenMap)
    rdma: FrozenMap[str, RdmaDevice] = field(default_factory=FrozenMap)
    host: HostFacts = HostFacts()
    counters: Known[FrozenMap[CounterKey, Counter]] = UNKNOWN
    evidence: FrozenMap[str, Evidence] = field(default_factory=FrozenMap)
    defects: tuple[Defect, ...] = ()
    unread: tuple[Evidence, ...] = ()
    is_whole: bool = False
    scripted: Known[frozenset[str]] = UNKNOWN
    hidden: frozenset[str] = frozenset()
    node_guid: Known[int] = UNKNOWN
    seen_subnet: Known[IbSubnet] = UNKNOWN
    subnet_manager: Known[SmConfig] = UNKNOWN

    def find_evidence(self, *path: str) -> Evidence:
        """Where the fact at ``path`` was read; the nearest wider place if it is not known.

        Example:
            >>> Device("leaf1").find_evidence("port Ethernet0", "pfc_rx")
            Evidence(file='', line=0, column=0, command='', counter='')
        """
        for end in range(len(path), 0, -1):
            found = self.evidence.get(" ".join(path[:end]))
            if found is not None:
                return found
        return self.evidence.get("device", Evidence())
