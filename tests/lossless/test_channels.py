"""Credit loops: against a checker of another kind, on networks made at random."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

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
    pairs = {(source, lid, 0) for source in range(3) for lid in (1, 2, 3) if lid - 1 != source}
    assert find_loops(network, pairs=pairs) != []
    assert find_loops(network, pairs=pairs - {(2, 2, 0)} | {(2, 2, 1)}) == []


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


# Packets walked one by one, each source, address and level by itself

HOSTS = (5, 6, 7)
DROPS = 15


def cabled(chooser: Random) -> Network:
    """Switches with cables both ways, some in parallel, any routes and lanes."""
    ends = [(n, port) for n in range(chooser.randint(2, 6)) for port in range(1, 5)]
    exits: list[dict[int, tuple[int, int]]] = [{} for _ in range(len(ends) // 4)]
    free = chooser.sample(ends, len(ends))
    for a, b in zip(free[::2], free[1::2], strict=True):
        if chooser.random() < 0.8:
            exits[a[0]][a[1]], exits[b[0]][b[1]] = b, a
    ports = [*range(1, 5), NO_ROUTE]
    routes = tuple(bytes([NO_ROUTE, *chooser.choices(ports, k=4)]) for _ in exits)
    lanes = tuple(
        {(i, o): chooser.choices((0, 1, DROPS), k=3) for i in range(1, 8) for o in range(1, 5)}
        for _ in exits
    )
    for own in lanes:  # the second of three hosts is like the first
        own.update({(HOSTS[1], o): own[HOSTS[0], o] for o in range(1, 5)})
    sources = tuple((n, port) for n in range(len(exits)) for port in HOSTS)
    return Network(tuple(exits), routes, sources, (1, 2, 3, 4), lanes)


def waits(network: Network, source: int, lid: int, level: int) -> Iterator[tuple[object, object]]:
    """Channels of one packet's way, each with the next one."""
    here, entry = network.sources[source]
    held: list[tuple[int, int, int]] = []
    while len(held) < 100:  # more than there are ports: it goes in a circle
        out = network.routes[here][lid]
        lane = network.lanes[here].get((entry, out), [DROPS] * 3)[level]
        if out not in network.exits[here] or lane == DROPS:
            break
        held.append((here, out, lane))
        here, entry = network.exits[here][out]
    yield from pairwise(held)


def can_lock(network: Network, paths: Iterable[tuple[int, int, int]]) -> bool:
    edges = [edge for path in paths for edge in waits(network, *path)]
    return not nx.is_directed_acyclic_graph(nx.DiGraph(edges))


@pytest.mark.parametrize("seed", range(300))
def test_loops_are_those_of_packets_that_are_walked_one_by_one(seed: int) -> None:
    chooser = Random(seed)  # noqa: S311 -- the same networks at every run
    network = cabled(chooser)
    every = [
        (n, lid, level)
        for n in range(len(network.sources))
        for lid in (1, 2, 3, 4)
        for level in range(3)
    ]
    assert bool(find_loops(network, (0, 1, 2))) is can_lock(network, every)
    some = chooser.sample(every, len(every) // 3)
    assert bool(find_loops(network, pairs=some)) is can_lock(network, some)


def test_a_route_that_ends_at_another_port_than_the_hosts_does_not_arrive() -> None:
    network = ring(3)
    table = bytes([NO_ROUTE, 7, *network.routes[0][2:]])
    homes = {n + 1: (n, 1) for n in range(3)}
    astray = replace(network, routes=(table, *network.routes[1:]), homes=homes)
    assert list(unreachable(replace(network, homes=homes))) == []
    assert list(unreachable(astray)) == [(1, 0)]


def test_hosts_at_one_switch_that_are_alike_are_followed_once() -> None:
    class Counted(dict[tuple[int, int], tuple[int, ...]]):
        asked = 0

        def get(self, key: tuple[int, int], default: object = None) -> Any:  # Any: as a dict's
            Counted.asked += 1
            return super().get(key, default)

    network = ring(4, lanes=True)
    hosts = range(10, 210)
    table = {(port, 2): tuple(range(16)) for port in (1, 3, *hosts)}
    many = replace(
        network,
        sources=tuple((number, port) for number in range(4) for port in hosts),
        lanes=tuple(Counted(table) for _ in range(4)),
    )
    assert dependencies(many) == dependencies(network)
    assert Counted.asked < 2 * len(many.sources)
