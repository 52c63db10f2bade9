"""An InfiniBand subnet as its own tools show it: nodes, ports, routes, managers.

One dump tells of a whole subnet, so that it is one record of the device it was
taken at. GUIDs and LIDs are plain numbers; a route table is ``bytes`` indexed
by LID, with 255 where a LID has no way out (as the switch itself keeps it).
"""

from __future__ import annotations

import re
from dataclasses import field
from enum import StrEnum
from functools import lru_cache
from typing import Final

from netcheck.model.document import Evidence
from netcheck.model.finding import Place
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known

NO_ROUTE: Final = 255
# Bits per second of one lane, as the speed is called (the figure is nominal: HDR is "50G").
# Source: InfiniBand Trade Association, InfiniBand Roadmap; linux-rdma/rdma-core infiniband-diags.
LANE_BPS: Final = {
    "SDR": 2_500_000_000,
    "DDR": 5_000_000_000,
    "QDR": 10_000_000_000,
    "FDR10": 10_000_000_000,
    "FDR": 14_000_000_000,
    "EDR": 25_000_000_000,
    "HDR": 50_000_000_000,
    "NDR": 100_000_000_000,
    "XDR": 200_000_000_000,
}


class NodeKind(StrEnum):
    """What a node of a subnet is."""

    SWITCH = "switch"
    ADAPTER = "adapter"
    ROUTER = "router"


class PortState(StrEnum):
    """Logical state of a port; only ACTIVE carries data."""

    DOWN = "down"
    INIT = "init"
    ARMED = "armed"
    ACTIVE = "active"


class SmState(StrEnum):
    """State of a subnet manager."""

    NOT_ACTIVE = "not_active"
    DISCOVERING = "discovering"
    STANDBY = "standby"
    MASTER = "master"


@frozen
class IbEnd:
    """One end of a cable: key of a node, and the number of its port."""

    node: str
    port: int


@frozen
class IbPort:
    """One port of a node.

    Attributes:
        guid: Port GUID; ports of a switch share that of the switch.
        width, speed: What the link runs at, such as 4 and ``HDR``.
        peer: The far end; ABSENT where nothing is plugged in or the link is down.
        could_be: What both ends could do and the link does not, as ``iblinkinfo`` says.
        widths, speeds: What the port supports; ``*_enabled`` what it may negotiate.
        mtu, mtu_cap: Bytes in use towards the neighbour, and at most.
        vl_cap, oper_vls: Number of data lanes that the port has, and that are in use.
        hoq_life: Code of the head-of-queue lifetime (4.096 us times 2 to the code).
        pkeys: Partition keys by index, membership bit included; 0 is an empty slot.
        sl_to_vl: ``port a packet came in at -> lane of each of the 16 service levels``.
        vlarb_high, vlarb_low: ``(lane, weight)`` in order; weights in units of 64 bytes.
    """

    number: int
    guid: Known[int] = UNKNOWN
    lid: Known[int] = UNKNOWN
    lmc: Known[int] = UNKNOWN
    state: Known[PortState] = UNKNOWN
    physical_state: Known[str] = UNKNOWN
    width: Known[int] = UNKNOWN
    speed: Known[str] = UNKNOWN
    peer: Known[IbEnd] = UNKNOWN
    could_be: Known[str] = UNKNOWN
    widths: Known[frozenset[int]] = UNKNOWN
    widths_enabled: Known[frozenset[int]] = UNKNOWN
    speeds: Known[frozenset[str]] = UNKNOWN
    speeds_enabled: Known[frozenset[str]] = UNKNOWN
    mtu: Known[int] = UNKNOWN
    mtu_cap: Known[int] = UNKNOWN
    vl_cap: Known[int] = UNKNOWN
    oper_vls: Known[int] = UNKNOWN
    vl_high_limit: Known[int] = UNKNOWN
    hoq_life: Known[int] = UNKNOWN
    sm_lid: Known[int] = UNKNOWN
    subnet_prefix: Known[int] = UNKNOWN
    pkeys: Known[tuple[int, ...]] = UNKNOWN
    sl_to_vl: Known[FrozenMap[int, tuple[int, ...]]] = UNKNOWN
    vlarb_high: Known[tuple[tuple[int, int], ...]] = UNKNOWN
    vlarb_low: Known[tuple[tuple[int, int], ...]] = UNKNOWN
    evidence: Evidence = Evidence()

    @property
    def rate_bps(self) -> Known[int]:
        """Nominal rate of the link, as it runs."""
        if not is_known(self.width) or not is_known(self.speed):
            return UNKNOWN
        lane = LANE_BPS.get(self.speed)
        return UNKNOWN if lane is None else lane * self.width


@frozen
class IbNode:
    """A switch, an adapter (one HCA of a host) or a router.

    Attributes:
        key: What the node is called in the subnet's map: its GUID as text, or
            ``lid N`` where no output told the GUID.
        description: Node description as it stands.
        device, adapter: Names that the description holds: host and its RDMA device.
        routes: Port to each LID; 255 where there is no way. Switches only.
        firmware: Version, where an output tells it.
    """

    key: str
    kind: Known[NodeKind] = UNKNOWN
    guid: Known[int] = UNKNOWN
    system_guid: Known[int] = UNKNOWN
    description: Known[str] = UNKNOWN
    device: str = ""
    adapter: str = ""
    port_count: Known[int] = UNKNOWN
    lid: Known[int] = UNKNOWN
    lmc: Known[int] = UNKNOWN
    vendor_id: Known[int] = UNKNOWN
    device_id: Known[int] = UNKNOWN
    firmware: Known[str] = UNKNOWN
    ports: FrozenMap[int, IbPort] = field(default_factory=FrozenMap)
    routes: Known[bytes] = UNKNOWN
    multicast: Known[FrozenMap[int, tuple[int, ...]]] = UNKNOWN
    evidence: Evidence = Evidence()

    def place(self, port: int | None = None) -> Place:
        """Where a finding on the node, or on one of its ports, is.

        Example:
            >>> IbNode("0x1", device="gpu01", adapter="mlx5_0").place(1)
            Place(device='gpu01', port='mlx5_0', queue='')
        """
        name = self.device or self.key
        if not self.adapter:
            return Place(name, "" if port is None else str(port))
        return Place(name, self.adapter if port in {None, 1} else f"{self.adapter}/{port}")

    @property
    def is_host(self) -> bool:
        """An adapter that carries jobs: the aggregation node inside a switch does not."""
        return self.kind is NodeKind.ADAPTER and "Aggregation Node" not in str(self.description)


@frozen
class IbPath:
    """A path as the subnet administrator gives it, between two LIDs.

    Attributes:
        packet_life: Code, 4.096 us times 2 to the code.
    """

    source: int
    destination: int
    pkey: Known[int] = UNKNOWN
    sl: Known[int] = UNKNOWN
    mtu: Known[int] = UNKNOWN
    rate_bps: Known[int] = UNKNOWN
    evidence: Evidence = Evidence()
    packet_life: Known[int] = UNKNOWN


@frozen
class IbGroup:
    """A multicast group; ``members`` are the GIDs of its ports."""

    mgid: str
    mlid: Known[int] = UNKNOWN
    pkey: Known[int] = UNKNOWN
    mtu: Known[int] = UNKNOWN
    rate_bps: Known[int] = UNKNOWN
    sl: Known[int] = UNKNOWN
    members: Known[frozenset[str]] = UNKNOWN
    evidence: Evidence = Evidence()
    q_key: Known[int] = UNKNOWN
    traffic_class: Known[int] = UNKNOWN
    flow_label: Known[int] = UNKNOWN


@frozen
class IbManager:
    """A subnet manager: where it runs and what it is."""

    guid: Known[int] = UNKNOWN
    lid: Known[int] = UNKNOWN
    priority: Known[int] = UNKNOWN
    state: Known[SmState] = UNKNOWN
    activity: Known[int] = UNKNOWN
    evidence: Evidence = Evidence()


@frozen
class IbDuplicate:
    """One GUID that two nodes or ports have; ``names`` are those that carry it."""

    guid: int
    is_port: bool
    names: tuple[str, ...] = ()
    evidence: Evidence = Evidence()


@frozen
class IbEvent:
    """A line of a subnet manager's log: ``is_error`` as its level says."""

    message: str
    is_error: bool
    evidence: Evidence = Evidence()


@frozen
class SchedulerSwitch:
    """One switch as a scheduler's map has it: the hosts at it, or the switches below it."""

    name: str
    hosts: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    evidence: Evidence = Evidence()


@frozen
class IbSubnet:
    """One subnet as the given outputs show it.

    Attributes:
        nodes: By key; ``is_whole`` says that a discovery listed all of them.
        managers: ABSENT where a list was given and is empty; ``lists_managers`` says
            that it was a list of all (``saquery``) and not the master alone (``sminfo``).
        events: What the log of a manager tells since its last start.
        engine: Routing engine that set the tables, as the log says.
        is_up: Whether the manager's log ends with the subnet up.
        scheduler: Map that the job scheduler was given (Slurm's ``topology.conf``).
        hidden_errors: Counters below thresholds or suppressed: names that
            ``ibqueryerrors`` was told not to show.
    """

    nodes: FrozenMap[str, IbNode] = field(default_factory=FrozenMap)
    paths: tuple[IbPath, ...] = ()
    groups: Known[tuple[IbGroup, ...]] = UNKNOWN
    managers: Known[tuple[IbManager, ...]] = UNKNOWN
    lists_managers: bool = False
    duplicates: tuple[IbDuplicate, ...] = ()
    events: tuple[IbEvent, ...] = ()
    engine: Known[str] = UNKNOWN
    is_up: Known[bool] = UNKNOWN
    is_whole: bool = False
    hidden_errors: frozenset[str] = frozenset()
    scheduler: Known[tuple[SchedulerSwitch, ...]] = UNKNOWN


_SWITCH_NAME: Final = re.compile(r"MF\d*;(?P<name>[^:;]+):(?P<model>[^/]*)/\S+")


@lru_cache(maxsize=200_000)
def names_in(description: str, kind: NodeKind) -> tuple[str, str]:
    """Give host and RDMA device, or the switch's name, that a description holds.

    Source: linux-rdma/rdma-core rdma-ndd(8), default format "%h %d"; MLNX-OS
    describes a managed switch as ``MF0;NAME:MODEL/U1``.

    Example:
        >>> names_in("gpu01 mlx5_0", NodeKind.ADAPTER)
        ('gpu01', 'mlx5_0')
        >>> names_in("MF0;leaf01:MQM8700/U1", NodeKind.SWITCH)
        ('leaf01', '')
    """
    found = _SWITCH_NAME.fullmatch(description)
    if found:
        return found["name"], ""
    words = description.split()
    if kind is NodeKind.ADAPTER and len(words) == 2:  # noqa: PLR2004 -- host and device
        return words[0], words[1]
    return description.strip(), ""


def guid_key(guid: int) -> str:
    """Give a GUID as it is written: ``0x`` and 16 digits.

    Example:
        >>> guid_key(0x2C90300100001)
        '0x0002c90300100001'
    """
    return f"{guid:#018x}"
