"""What an intent says of an InfiniBand subnet, in the model's own units."""

from __future__ import annotations

from dataclasses import field

from netcheck.model.document import Evidence
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, known_or


@frozen
class Partition:
    """InfiniBand partition: ``members`` maps a name to full, limited or both.

    A name is a device, ``device:rdma device``, a role, a port GUID (``0x...``), or one of
    all, all_cas, all_switches, all_routers and sm.

    Attributes:
        pkey: Low 15 bits count.
        is_ipoib: Whether IP over InfiniBand runs in it.
        mtu, rate: MTU in bytes and rate (``200G``) of its multicast group.
        sl: Service level of its multicast group.
        q_key, traffic_class, flow_label, scope: Of its multicast group.
        default_membership: Of members that say none.
        is_first: Its key goes to index 0 of the members' tables.
    """

    name: str
    pkey: int
    members: FrozenMap[str, str] = field(default_factory=FrozenMap)
    is_ipoib: Known[bool] = UNKNOWN
    mtu: Known[int] = UNKNOWN
    rate: Known[str] = UNKNOWN
    sl: Known[int] = UNKNOWN
    q_key: Known[int] = UNKNOWN
    traffic_class: Known[int] = UNKNOWN
    flow_label: Known[int] = UNKNOWN
    scope: Known[int] = UNKNOWN
    default_membership: Known[str] = UNKNOWN
    is_first: Known[bool] = UNKNOWN
    evidence: Evidence = Evidence()


@frozen
class IbMatch:
    """Which path requests a service takes; everything that is said has to hold.

    Attributes:
        ulp: Upper-layer protocol: any, ipoib, sdp, rds, iser or srp.
        port_numbers: TCP-like port numbers of sdp, rds and iser, such as ``900`` or ``1-20``.
        service_ids: Service ids, such as ``0x1234`` or ``0x1000-0x1fff``.
        partition: Name of a partition.
        source, destination: Members, as those of partitions.
        qos_classes: QoS class values that the request carries, such as ``7-9``.
    """

    ulp: Known[str] = UNKNOWN
    port_numbers: Known[tuple[str, ...]] = UNKNOWN
    service_ids: Known[tuple[str, ...]] = UNKNOWN
    partition: Known[str] = UNKNOWN
    source: Known[tuple[str, ...]] = UNKNOWN
    destination: Known[tuple[str, ...]] = UNKNOWN
    qos_classes: Known[tuple[str, ...]] = UNKNOWN


@frozen
class IbQosLevel:
    """InfiniBand service: SL, the VL it maps to, weight, limits, and who gets it.

    Attributes:
        weight: In VL arbitration, in units of 64 bytes.
        is_high: Served from the high-priority table.
        mtu_limit: Largest path MTU in bytes; ``rate_limit`` as ``100G``.
        packet_life: Code, 4.096 us times 2^code.
        matches: In order; the first that fits wins.
    """

    name: str
    sl: int
    vl: Known[int] = UNKNOWN
    weight: Known[int] = UNKNOWN
    is_high: Known[bool] = UNKNOWN
    mtu_limit: Known[int] = UNKNOWN
    rate_limit: Known[str] = UNKNOWN
    packet_life: Known[int] = UNKNOWN
    matches: tuple[IbMatch, ...] = ()
    evidence: Evidence = Evidence()


@frozen
class IbExpectations:
    """What the links and devices of a subnet have to be.

    Attributes:
        width: Lanes of a link, such as 4.
        speed: Speed of a lane by its name, such as ``HDR``.
        firmware: ``role or model -> version``.
        are_cables_stated: The intent's links of this subnet are all there are.
    """

    width: Known[int] = UNKNOWN
    speed: Known[str] = UNKNOWN
    firmware: FrozenMap[str, str] = field(default_factory=FrozenMap)
    are_cables_stated: Known[bool] = UNKNOWN


@frozen
class Subnet:
    """One InfiniBand subnet and its subnet managers.

    Attributes:
        routing: Engines in the order they are tried.
        subnet_managers: Devices, the preferred one first.
        opensm_build: upstream, nvidia or onyx; inbox is a distribution's upstream.
        priorities: SM priority by device; by the order of the managers where none is said.
        poll_ms, poll_retries: A standby takes over after that many polls without an answer.
        m_key, sm_key, sa_key: References to secrets (``env:NAME``), never values.
        m_key_lease_s: 0 never ends.
        m_key_protection: 0 to 3.
        roots, io_nodes, compute_nodes: Members, as those of partitions.
        sl_to_vl: 16 VLs; 15 drops.
        vl_high, vl_low: Weights in units of 64 bytes, by VL.
        high_limit: How much the high table sends before the low one has its turn, in 4 KB.
        data_vls: VLs that carry data: 1, 2, 4, 8 or 15.
        port_guids: ``device -> its port GUIDs``, as a discovery of the fabric gives them.
        node_guids: ``device -> its node GUID``, likewise.
    """

    name: str
    subnet_prefix: Known[int] = UNKNOWN
    routing: Known[tuple[str, ...]] = UNKNOWN
    subnet_managers: Known[tuple[str, ...]] = UNKNOWN
    opensm_build: Known[str] = UNKNOWN
    opensm_version: Known[str] = UNKNOWN
    lmc: Known[int] = UNKNOWN
    partitions: FrozenMap[str, Partition] = field(default_factory=FrozenMap)
    qos_levels: FrozenMap[str, IbQosLevel] = field(default_factory=FrozenMap)
    options: FrozenMap[str, str] = field(default_factory=FrozenMap)
    priorities: FrozenMap[str, int] = field(default_factory=FrozenMap)
    poll_ms: Known[int] = UNKNOWN
    poll_retries: Known[int] = UNKNOWN
    m_key: Known[str] = UNKNOWN
    m_key_lease_s: Known[int] = UNKNOWN
    m_key_protection: Known[int] = UNKNOWN
    sm_key: Known[str] = UNKNOWN
    sa_key: Known[str] = UNKNOWN
    roots: Known[tuple[str, ...]] = UNKNOWN
    io_nodes: Known[tuple[str, ...]] = UNKNOWN
    compute_nodes: Known[tuple[str, ...]] = UNKNOWN
    adaptive_routing: Known[bool] = UNKNOWN
    sl_to_vl: Known[tuple[int, ...]] = UNKNOWN
    vl_high: Known[FrozenMap[int, int]] = UNKNOWN
    vl_low: Known[FrozenMap[int, int]] = UNKNOWN
    high_limit: Known[int] = UNKNOWN
    data_vls: Known[int] = UNKNOWN
    expect: IbExpectations = IbExpectations()
    port_guids: FrozenMap[str, tuple[int, ...]] = field(default_factory=FrozenMap)
    node_guids: FrozenMap[str, int] = field(default_factory=FrozenMap)
    evidence: Evidence = Evidence()

    @property
    def by_preference(self) -> tuple[str, ...]:
        """Its managers, the one that is to be master first: by priority, then as they are named."""
        names = known_or(self.subnet_managers, ())
        return tuple(sorted(names, key=lambda name: -self.priorities.get(name, -1)))
