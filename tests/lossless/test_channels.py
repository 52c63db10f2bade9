"""Credit loops: against a checker of another kind, on networks made at random."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.lossless.channels import NO_ROUTE, Network, dependencies, find_loops, unreachable


def ring(size: int, *, lanes: bool = False) -> Network:
    """Switches in a ring, a host at each, everything routed one way round."""
    table = {(port_in, 2): tuple(range(16)) for port_in in (1, 3)} if lanes else {}
    return Network(
        exits=tuple({2: ((number + 1) % size, 3)} for number in range(size)),
        routes=tuple(
            bytes([NO_ROUTE, *(1 if host == number else 2 for host in range(size))])
            for number in range(size)
        ),
        sources=tuple((number, 1) for number in range(size)),
        destinations=tuple(range(1, size + 1)),
        lanes=tuple(table for _ in range(size)) if lanes else (),
    )


@pytest.mark.parametrize("size", [3, 4, 7])
def test_a_ring_is_one_loop_over_all_of_it(size: int) -> None:
    [loop] = find_loops(ring(size))
    assert [(one.switch, one.port, one.lane) for one in loop] == [
        (number, 2, 0) for number in range(size)
    ]


def test_two_switches_that_face_each_other_wait_for_nobody() -> None:
    assert find_loops(ring(2)) == []


def test_each_lane_that_all_traffic_uses_is_a_loop_of_its_own() -> None:
    loops = find_loops(ring(4, lanes=True), levels=(0, 1))
    assert [{one.lane for one in loop} for loop in loops] == [{0}, {1}]


def test_a_lane_for_one_of_three_paths_breaks_the_ring() -> None:
    network = ring(3, lanes=True)
    pairs = {(source, lid): 0 for source in range(3) for lid in (1, 2, 3) if lid - 1 != source}
    assert find_loops(network, pairs=pairs) != []
    assert find_loops(network, pairs=pairs | {(2, 2): 1}) == []


def test_a_hole_is_told_with_the_switch_that_has_it() -> None:
    network = ring(3)
    holed = Network(
        network.exits,
        (network.routes[0], bytes([NO_ROUTE, NO_ROUTE, 1, 2]), network.routes[2]),
        network.sources,
        network.destinations,
    )
    assert list(unreachable(holed)) == [(1, 1)]


def test_routes_in_a_circle_never_arrive() -> None:
    network = ring(3)
    circling = Network(
        network.exits,
        (bytes([NO_ROUTE, 2, 2, 2]), network.routes[1], network.routes[2]),
        network.sources,
        network.destinations,
    )
    assert [lid for lid, _ in unreachable(circling)] == [1]


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Any switches, cabled at random, with any routes."""
    size = draw(st.integers(2, 5))
    ports = range(1, 5)
    exits = tuple(
        {
            port: (draw(st.integers(0, size - 1)), draw(st.integers(1, 4)))
            for port in ports
            if draw(st.booleans())
        }
        for _ in range(size)
    )
    routes = tuple(
        bytes([NO_ROUTE, *(draw(st.sampled_from([*ports, NO_ROUTE])) for _ in range(3))])
        for _ in range(size)
    )
    return Network(exits, routes, tuple((n, 9) for n in range(size)), (1, 2, 3))


@given(networks())
def test_a_loop_is_found_exactly_where_another_checker_finds_one(network: Network) -> None:
    graph = nx.DiGraph((a, b) for a, found in dependencies(network).items() for b in found)
    assert bool(find_loops(network)) == (not nx.is_directed_acyclic_graph(graph))


@given(networks())
def test_a_loop_is_a_way_through_its_network(network: Network) -> None:
    for loop in find_loops(network):
        for one, after in zip(loop, (*loop[1:], loop[0]), strict=True):
            assert network.exits[one.switch][one.port][0] == after.switch
