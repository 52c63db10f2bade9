"""Harm that takes a network of its own to show: rings of buffers, and devices outside."""

from __future__ import annotations

from dataclasses import replace

import pytest

from netcheck.lossless.dataplane.engine import Engine
from netcheck.lossless.dataplane.network import Cable, Flow, Hop, Network, Node
from tests.lossless.dataplane.small_networks import (
    LOSSLESS,
    RDMA_DSCP,
    host_port,
    incast,
    switch_port,
)

G100 = 100_000_000_000
STEP_S = 500e-9
POOL_BYTES = 1_000_000
ROOM_BYTES = 150_000


def _ring(switches: int) -> tuple[Network, list[Flow]]:
    """Switches in a ring; each host sends to the host two switches on, all the same way round."""
    port = switch_port(G100, headroom_bytes=ROOM_BYTES)
    nodes, cables, flows = {}, [], []
    for place in range(switches):
        name = f"s{place}"
        pools = {"lossless": POOL_BYTES, "lossy": POOL_BYTES}
        nodes[name] = Node(name, {"host": port, "on": port, "back": port}, pools)
        nodes[f"h{place}"] = Node(f"h{place}", {"n": host_port(G100)}, forwarding_s=0)
        cables.append(Cable((name, "host"), (f"h{place}", "n"), 5))
        cables.append(Cable((name, "on"), (f"s{(place + 1) % switches}", "back"), 5))
    for place in range(switches):
        first, second, third = (f"s{(place + hop) % switches}" for hop in range(3))
        source, target = f"h{place}", f"h{(place + 2) % switches}"
        way = (
            Hop(source, "", "n"),
            Hop(first, "host", "on"),
            Hop(second, "back", "on"),
            Hop(third, "back", "host"),
            Hop(target, "n", ""),
        )
        back = tuple(Hop(hop.node, hop.egress, hop.ingress) for hop in reversed(way))
        flows.append(Flow(source, way, back, dscp=RDMA_DSCP))
    return Network(nodes, tuple(cables)), flows


def _arrived(engine: Engine) -> int:
    return sum(flow.arrived for flow in engine.flows)


def _goes_on(engine: Engine) -> bool:
    """Packets still arrive after a millisecond."""
    engine.run_until(1e-3)
    before = _arrived(engine)
    engine.run_until(1.2e-3)
    return _arrived(engine) > before


def test_flows_round_a_ring_stand_still() -> None:
    network, flows = _ring(3)
    assert not _goes_on(Engine(network, flows, step_s=STEP_S))


def test_where_one_of_the_flows_is_missing_the_ring_is_open_and_flows() -> None:
    network, flows = _ring(3)
    assert _goes_on(Engine(network, flows[:-1], step_s=STEP_S))


@pytest.mark.parametrize("is_obeyed", [True, False])
def test_a_slow_device_outside_stops_those_inside_where_its_pauses_are_obeyed(
    *, is_obeyed: bool
) -> None:
    port = switch_port(G100, headroom_bytes=ROOM_BYTES)
    network, flows = incast(2, port, pool_bytes=POOL_BYTES, queue_pairs=1, reacts=False)
    outward, leaf = flows[0], network.nodes["leaf"]
    inward = replace(
        outward,
        name="inside",
        path=(outward.path[0], Hop("leaf", "p1", "p2"), Hop("h2", "n", "")),
        back=(Hop("h2", "", "n"), Hop("leaf", "p2", "p1"), outward.back[-1]),
    )
    edge = replace(port, pauses_honoured=LOSSLESS if is_obeyed else frozenset())
    outside = replace(network.nodes["h0"].ports["n"], storms=LOSSLESS)
    nodes = {
        **network.nodes,
        "leaf": replace(leaf, ports={**leaf.ports, "p0": edge}),
        "h0": replace(network.nodes["h0"], ports={"n": outside}),
    }
    engine = Engine(replace(network, nodes=nodes), [outward, inward], step_s=STEP_S)
    engine.storm(1e-3)
    engine.run_until(1e-3)
    before = engine.flows[1].arrived
    engine.run_until(1.2e-3)
    assert (engine.flows[1].arrived == before) is is_obeyed
