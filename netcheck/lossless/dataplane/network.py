"""What the data plane is given: nodes with their ports, cables, flows. Plain values only.

A node is a switch or a host; a host's ports are its NICs. Nothing here says
where a value came from, and nothing is a default for a value that a device
holds: whoever fills these types reads a device (or a fabric) himself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

PRIORITIES = 8
CODE_POINTS = 64

# 64-byte quanta a peer may take to stop, by speed.
# Source: sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua (peer response time).
QUANTUM_BYTES = 64
RESPONSE_QUANTA = {
    10_000_000_000: 67,
    25_000_000_000: 80,
    40_000_000_000: 118,
    50_000_000_000: 147,
    100_000_000_000: 394,
    200_000_000_000: 453,
    400_000_000_000: 905,
    800_000_000_000: 905,
}


@dataclass(frozen=True, slots=True)
class EcnCurve:
    """Marking between two fills of a queue; ``marks`` False drops instead (RED)."""

    kmin_bytes: int
    kmax_bytes: int
    pmax_percent: float
    marks: bool = True


@dataclass(frozen=True, slots=True)
class Account:
    """Buffer account of a priority group (ingress) or a queue (egress).

    Attributes:
        reserved_bytes: The account's own, before it draws on the pool.
        headroom_bytes: Room above the threshold, for what arrives after XOFF.
        headroom_pool: Pool that this room is taken from, where accounts share it.
        alpha: Dynamic threshold, a multiple of the pool's free bytes.
        static_bytes: Fixed threshold; used when ``alpha`` is None. Both None: no limit.
        xon_bytes: XON is sent below this fill, or
        xon_offset_bytes: this far below the threshold, whichever is more.
    """

    pool: str
    reserved_bytes: int = 0
    headroom_bytes: int = 0
    alpha: float | None = None
    static_bytes: int | None = None
    xon_bytes: int = 0
    xon_offset_bytes: int = 0
    headroom_pool: str = ""


@dataclass(frozen=True, slots=True)
class Queue:
    """One egress queue: strict, or a weight among the weighted; marking; account."""

    is_strict: bool = False
    weight: float = 1.0
    ecn: EcnCurve | None = None
    account: Account | None = None
    limit_bps: int | None = None


@dataclass(frozen=True, slots=True)
class Watchdog:
    """Breaks a pause that lasts: ``action`` is drop, forward or alert."""

    priorities: frozenset[int]
    detection_s: float
    restoration_s: float
    action: str = "drop"


@dataclass(frozen=True, slots=True)
class Wear:
    """What a worn cable, module or chip does to packets that pass it in one direction.

    Attributes:
        loss_share: Share of the packets that it loses, of the flows it hits.
        one_flow_in: It hits one flow in so many, by a hash of its own; 1 is all.
        dscps: It hits these marks only; any where empty.
        is_counted: The receiving end counts what is lost as damaged (FCS, FEC).
    """

    loss_share: float
    one_flow_in: int = 1
    dscps: frozenset[int] = frozenset()
    is_counted: bool = False

    def hits(self, place: str, flow: str, dscp: int) -> bool:
        """Whether it hits a flow."""
        if self.dscps and dscp not in self.dscps:
            return False
        # not a CRC: those of names that differ in one digit share their lowest bits
        digest = hashlib.blake2b(f"{place} {flow}".encode(), digest_size=4).digest()
        return not int.from_bytes(digest, "big") % self.one_flow_in


@dataclass(frozen=True, slots=True)
class Port:
    """One port as its hardware holds it.

    Attributes:
        mtu_bytes: Largest frame without FCS that is sent or taken.
        mtu_of: The same by switch priority, where that is less.
        trust: ``dscp`` or ``pcp``: the mark that decides the priority; what
            carries no such mark gets ``default_priority``.
        queue_of, group_of: By switch priority.
        pauses_sent: PFC priorities this port pauses its peer on, ``honoured`` obeys.
        pfc_of_group: ``priority group -> PFC priorities`` named in its pause frames.
        queue_of_pfc: Queue that a received pause on a PFC priority stops.
        response_quanta: 64-byte quanta from a received pause to standstill.
        wear: What the chip does to packets that came in here, and counts nowhere.
        storms: PFC priorities on which this port pauses its peer without end.
    """

    speed_bps: int
    mtu_bytes: int
    is_up: bool = True
    trust: str = "dscp"
    priority_of_dscp: tuple[int, ...] = (0,) * CODE_POINTS
    priority_of_pcp: tuple[int, ...] = tuple(range(PRIORITIES))
    default_priority: int = 0
    queue_of: tuple[int, ...] = tuple(range(PRIORITIES))
    group_of: tuple[int, ...] = tuple(range(PRIORITIES))
    pauses_sent: frozenset[int] = frozenset()
    pauses_honoured: frozenset[int] = frozenset()
    pfc_of_group: Mapping[int, frozenset[int]] = field(default_factory=dict)
    queue_of_pfc: tuple[int, ...] = tuple(range(PRIORITIES))
    groups: Mapping[int, Account] = field(default_factory=dict)
    queues: Mapping[int, Queue] = field(default_factory=dict)
    watchdog: Watchdog | None = None
    response_quanta: int | None = None
    mtu_of: Mapping[int, int] = field(default_factory=dict)
    wear: Wear | None = None
    storms: frozenset[int] = frozenset()

    def frame_limit(self, priority: int) -> int:
        """Largest frame without FCS of a switch priority."""
        return min(self.mtu_bytes, self.mtu_of.get(priority, self.mtu_bytes))


@dataclass(frozen=True, slots=True)
class Nic:
    """RDMA side of a host port: congestion control and receive speed.

    Attributes:
        reaction_priorities: Slows down for CNPs on these; also marks them ECN-capable.
        notification_priorities: Answers marked packets on these with CNPs.
        cnp_gap_s: Shortest time between two CNPs of one flow.
        receive_bps: Speed at which the host takes packets out of the port's
            priority groups; None is line rate.
    """

    reaction_priorities: frozenset[int] = frozenset()
    notification_priorities: frozenset[int] = frozenset()
    cnp_dscp: int = 0
    cnp_pcp: int = 0
    cnp_gap_s: float = 50e-6
    receive_bps: int | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A switch or a host. ``pools`` maps pool names to bytes; hosts have ``nics`` by port."""

    name: str
    ports: Mapping[str, Port]
    pools: Mapping[str, int] = field(default_factory=dict)
    cell_bytes: int = 1
    nics: Mapping[str, Nic] = field(default_factory=dict)
    forwarding_s: float = 600e-9


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable between two ports, each ``(node, port)``.

    Attributes:
        limit_bps: What both ends run at where not all lanes work.
        worn: What happens to packets on their way to ``b``.
    """

    a: tuple[str, str]
    b: tuple[str, str]
    length_m: float
    extra_delay_s: float = 0.0
    limit_bps: int | None = None
    worn: Wear | None = None


@dataclass(frozen=True, slots=True)
class Hop:
    """One node on a path: in at a port (empty at the sender), out at a port (empty at the end)."""

    node: str
    ingress: str
    egress: str


@dataclass(frozen=True, slots=True)
class Flow:
    """One connection (queue pair) that sends messages for a time.

    Attributes:
        path: From the sender to the receiver; ``back`` is the way of its CNPs.
        dscp, pcp: Marks; ``pcp`` None is an untagged frame.
        is_ecn_capable: The application asked for ECN-capable packets.
        payload_bytes: RDMA bytes in a full packet (the path MTU).
        message_bytes: Bytes in one message; the last packet of it may be short.
        depth: Messages that may be outstanding.
        message_limit: Messages to send in all; None sends as long as the run lasts.
    """

    name: str
    path: tuple[Hop, ...]
    back: tuple[Hop, ...]
    dscp: int = 0
    pcp: int | None = None
    is_ecn_capable: bool = False
    payload_bytes: int = 4096
    message_bytes: int = 65536
    depth: int = 128
    message_limit: int | None = None


@dataclass(frozen=True, slots=True)
class Network:
    """Everything that stands still during a run."""

    nodes: Mapping[str, Node]
    cables: tuple[Cable, ...]


def response_s(port: Port) -> float:
    """Seconds from a received pause frame to standstill.

    Source: sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua.
    """
    quanta = port.response_quanta
    if quanta is None:
        quanta = RESPONSE_QUANTA.get(port.speed_bps, 905)
    return quanta * QUANTUM_BYTES * 8 / port.speed_bps
