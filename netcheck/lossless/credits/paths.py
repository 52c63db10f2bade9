"""The way of a flow through a subnet, hop by hop, and what ends it before its target."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from netcheck.lossless.credits.fabric import (
    ADAPTER_INGRESS,
    MANAGEMENT_LANE,
    NO_ROUTE,
    End,
    Fabric,
    Flow,
    Node,
    Port,
    keys_match,
)

MOST_HOPS = 64


class Fate(StrEnum):
    """What becomes of a flow's packets."""

    DELIVERED = "delivered"
    NO_LANE = "no lane"
    NO_WEIGHT = "no weight"
    NO_ROUTE = "no route"
    LINK_DOWN = "link down"
    NO_KEY = "no key"
    STALLED = "stalled"


@dataclass(frozen=True, slots=True)
class Hop:
    """A port that a flow leaves by, the port of that node it came in at, and its lane."""

    egress: End
    ingress: int
    lane: int


@dataclass(frozen=True, slots=True)
class Way:
    """Hops as far as packets come, what becomes of them, and the port where they end."""

    hops: tuple[Hop, ...]
    fate: Fate = Fate.DELIVERED
    at: End | None = None


def way_of(fabric: Fabric, flow: Flow) -> Way:
    """Give the way of a flow.

    A lane is chosen at each port that a packet leaves by; lane 15 drops it. A lane
    without weight in both arbitration tables never sends. A switch without a route
    drops what came in.

    Source: InfiniBand Architecture Specification volume 1, 7.6.6 (SL to VL mapping),
        7.6.9 (arbitration), 18.2.4.3 (switch relay).
    """
    hops: list[Hop] = []
    here, ingress = flow.source, ADAPTER_INGRESS
    for _ in range(MOST_HOPS):
        port = fabric.port(here)
        lane = port.lane(ingress, flow.sl)
        if (fate := _stop(fabric, here, port, lane)) is not Fate.DELIVERED:
            is_sent = fate is Fate.STALLED or (fate is Fate.NO_WEIGHT and bool(hops))
            hop = Hop(here, ingress, lane)
            return Way((*hops, hop) if is_sent else tuple(hops), fate, here)
        hops.append(Hop(here, ingress, lane))
        assert port.peer is not None  # noqa: S101 -- _stop has seen to that
        node, ingress = fabric.nodes[port.peer[0]], port.peer[1]
        if not node.is_switch:
            return _arrived(flow, tuple(hops), port.peer)
        out = node.routes[flow.lid] if flow.lid < len(node.routes) else NO_ROUTE
        if out in (NO_ROUTE, ingress) or out not in node.ports:
            return Way(tuple(hops), Fate.NO_ROUTE, port.peer)
        here = (node.name, out)
        if _is_kept_out(node, out, flow):
            return Way(tuple(hops), Fate.NO_KEY, here)
    return Way(tuple(hops), Fate.NO_ROUTE, here)


def _stop(fabric: Fabric, here: End, port: Port, lane: int) -> Fate:
    """What keeps a packet from leaving by a port."""
    if not port.is_active or port.peer is None:
        return Fate.LINK_DOWN
    if lane == MANAGEMENT_LANE:
        return Fate.NO_LANE
    if not any(weight for one, weight in (*port.high, *port.low) if one == lane):
        return Fate.NO_WEIGHT
    return Fate.STALLED if here in fabric.stalled else Fate.DELIVERED


def _is_kept_out(node: Node, out: int, flow: Flow) -> bool:
    """The switch checks P_Keys on the way out to an adapter, where it has been told of any.

    Source: InfiniBand Architecture Specification volume 1, 14.2.5.6 (PartitionEnforcement).
    """
    keys = [key for key in node.ports[out].keys if key]
    peer = node.ports[out].peer
    is_to_adapter = peer is not None and peer == flow.target
    return is_to_adapter and bool(keys) and not any(keys_match(flow.key, key) for key in keys)


def _arrived(flow: Flow, hops: tuple[Hop, ...], at: End) -> Way:
    is_right = at == flow.target
    if is_right and keys_match(flow.key, flow.peer_key):
        return Way(hops)
    return Way(hops, Fate.NO_KEY if is_right else Fate.NO_ROUTE, at)
