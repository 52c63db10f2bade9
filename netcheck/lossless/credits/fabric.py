"""What an InfiniBand subnet holds, as its ports tell: the input of the credit data plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from netcheck.lossless.efficiency import BTH, ICRC, LRH, VCRC

End = tuple[str, int]
"""A port: node and number."""

MANAGEMENT_LANE = 15
NO_ROUTE = 255
ADAPTER_INGRESS = 0  # packets of an adapter come in at no port
FULL_MEMBER = 0x8000
KEY_BITS = 0x7FFF
HEADERS_BYTES = LRH + BTH + ICRC + VCRC

Entries = tuple[tuple[int, int], ...]
"""Arbitration entries: lane and weight in units of 64 bytes."""


@dataclass(frozen=True, slots=True)
class Port:
    """One port of a node, as it runs.

    Attributes:
        rate_bps: Rate of its link; ``peer`` is the far end, None where there is none.
        is_active: Data may pass.
        lanes: Shape: ``port a packet came in at -> lane of each service level``.
        high, low: Arbitration tables; ``high_limit`` in units of 4 KiB, 255 without end.
        keys: P_Keys of its table, 0 in empty slots.
        hoq_life_s: A packet that waits longer at the head of a queue is discarded; None for ever.
        tick_bytes: Bytes that it could send in one tick of PortXmitWait.
        mtu_bytes: Largest payload.
    """

    rate_bps: float
    peer: End | None = None
    is_active: bool = True
    lanes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    high: Entries = ()
    low: Entries = ()
    high_limit: int = 0
    keys: tuple[int, ...] = ()
    hoq_life_s: float | None = None
    tick_bytes: int = 8
    mtu_bytes: int = 4096

    def lane(self, ingress: int, sl: int) -> int:
        """Lane of a service level for packets that came in at a port; lane 0 without a table."""
        table = self.lanes.get(ingress) or next(iter(self.lanes.values()), ())
        return table[sl] if sl < len(table) else 0


@dataclass(frozen=True, slots=True)
class Node:
    """A switch or an adapter.

    Attributes:
        routes: Port to each LID, 255 where there is none; empty at an adapter.
    """

    name: str
    ports: Mapping[int, Port]
    routes: bytes = b""
    is_switch: bool = False


@dataclass(frozen=True, slots=True)
class Wear:
    """What happens to packets that come in at a port whose link is worn.

    Attributes:
        symbols_per_s: Symbols that are not understood.
        loss_share: Share of packets that are lost by them.
        recoveries_per_s: Times that the link trains again.
    """

    symbols_per_s: float = 0.0
    loss_share: float = 0.0
    recoveries_per_s: float = 0.0


@dataclass(frozen=True)
class Fabric:
    """A subnet.

    Attributes:
        stalled: Ports whose far end gives no credits any more.
        worn: Shape: ``port that receives -> what its link does``.
    """

    nodes: Mapping[str, Node]
    stalled: frozenset[End] = frozenset()
    worn: Mapping[End, Wear] = field(default_factory=dict)

    def port(self, end: End) -> Port:
        """The port at an end."""
        return self.nodes[end[0]].ports[end[1]]


@dataclass(frozen=True, slots=True)
class Flow:
    """Messages of one reliable connection, or of several on the same way.

    Attributes:
        lid: Address it goes to.
        sl: Service level.
        key: P_Key that its packets carry; ``peer_key`` that of the receiving queue pair.
        weight: Number of queue pairs.
        window_packets: Packets under way before the first answer has to come.
        demand_bps: What it would send at most, headers included; None as much as it can.
    """

    name: str
    source: End
    target: End
    lid: int
    sl: int = 0
    key: int = 0xFFFF
    peer_key: int = 0xFFFF
    weight: int = 1
    mtu_bytes: int = 4096
    window_packets: int = 2048
    demand_bps: float | None = None

    @property
    def packet_bytes(self) -> int:
        """Size of its largest packets on the wire."""
        return self.mtu_bytes + HEADERS_BYTES


def keys_match(one: int, other: int) -> bool:
    """Whether two P_Keys let their owners talk: equal, and not both limited members.

    Source: InfiniBand Architecture Specification volume 1, 10.9.3.

    Example:
        >>> keys_match(0x8A01, 0x0A01), keys_match(0x0A01, 0x0A01), keys_match(0, 0)
        (True, False, False)
    """
    is_same = one & KEY_BITS == other & KEY_BITS and bool(one & KEY_BITS)
    return is_same and bool((one | other) & FULL_MEMBER)
