"""Rings of lossless buffers over topology and forwarding."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.lossless.deadlock import (
    loops,
    rings,
    rings_after_failures,
    rings_of_routes,
)
from netcheck.lossless.odd_turns import Channel
from netcheck.lossless.topology import Failure, Topology

SECONDS = 10


def topology(links: Iterable[tuple[int, int]], tiers: dict[int, int], hosts: set[int]) -> Topology:
    count = max(tiers) + 1
    near: list[dict[int, int]] = [{} for _ in range(count)]
    for a, b in links:
        near[a][b] = near[b][a] = near[a].get(b, 0) + 1
    return Topology(
        tuple(tiers[number] for number in range(count)),
        tuple(near),
        tuple(int(number in hosts) for number in range(count)),
    )


def ring_of(count: int) -> Topology:
    """Switches of one tier in a ring, each with hosts."""
    links = [(number, (number + 1) % count) for number in range(count)]
    return topology(links, dict.fromkeys(range(count), 1), set(range(count)))


def clos(pods: int, leaves: int, spines: int, cores: int, *, missing: int = 0) -> Topology:
    """Three tiers; each spine has its own cores; ``missing`` links are left out at random."""
    per_pod, first_core = leaves + spines, pods * (leaves + spines)
    tiers: dict[int, int] = {}
    links: list[tuple[int, int]] = []
    for base in range(0, first_core, per_pod):
        tiers |= dict.fromkeys(range(base, base + leaves), 1)
        tiers |= dict.fromkeys(range(base + leaves, base + per_pod), 2)
        for spine in range(spines):
            above = range(first_core + spine * cores, first_core + (spine + 1) * cores)
            links += [(base + leaf, base + leaves + spine) for leaf in range(leaves)]
            links += [(base + leaves + spine, core) for core in above]
    tiers |= dict.fromkeys(range(first_core, first_core + spines * cores), 3)
    gone = set(random.Random(1).sample(links, missing))  # noqa: S311 -- which cable, no secret
    hosts = {number for number, tier in tiers.items() if tier == 1}
    return topology([each for each in links if each not in gone], tiers, hosts)


def is_ring(found: tuple[Channel, ...]) -> bool:
    """Each channel ends where the next begins, and none turns back on its link."""
    pairs = zip(found, (*found[1:], found[0]), strict=True)
    return all(a.there == b.here and a.here != b.there for a, b in pairs)


def test_a_clos_has_no_ring_and_gets_none_by_one_failure() -> None:
    fabric = clos(3, 4, 2, 2)
    assert rings(fabric) == []
    assert list(rings_after_failures(fabric)) == []


@pytest.mark.parametrize(("count", "expected"), [(3, 0), (4, 2), (5, 2), (8, 2)])
def test_a_ring_of_switches_waits_for_itself_in_both_directions(count: int, expected: int) -> None:
    found = rings(ring_of(count))
    assert len(found) == expected
    assert all(len(each) == count and is_ring(each) for each in found)


def test_a_line_of_switches_has_no_ring() -> None:
    line = topology([(0, 1), (1, 2), (2, 3)], dict.fromkeys(range(4), 1), set(range(4)))
    assert rings(line) == []


# leaves 0 to 3, spines 4 and 5; leaf 0 is at one spine only, leaf 3 at the other
BOUNCING = topology(
    [(0, 4), (1, 4), (1, 5), (2, 4), (2, 5), (3, 5)],
    {0: 1, 1: 1, 2: 1, 3: 1, 4: 2, 5: 2},
    {0, 1, 2, 3},
)


def test_paths_that_fall_and_rise_again_close_a_ring() -> None:
    found = rings(BOUNCING)
    assert found
    assert all(is_ring(each) for each in found)
    assert {channel for each in found for channel in each} <= {
        Channel(a, b) for x, y in [(1, 4), (1, 5), (2, 4), (2, 5)] for a, b in [(x, y), (y, x)]
    }


def test_a_single_bounce_closes_no_ring() -> None:
    one = topology([(0, 3), (1, 3), (1, 4), (2, 4)], {0: 1, 1: 1, 2: 1, 3: 2, 4: 2}, {0, 1, 2})
    assert rings(one) == []


def test_the_failure_that_closes_a_ring_is_named() -> None:
    nearly = topology(
        [(0, 4), (1, 4), (1, 5), (2, 4), (2, 5), (3, 5), (3, 4)],
        {0: 1, 1: 1, 2: 1, 3: 1, 4: 2, 5: 2},
        {0, 1, 2, 3},
    )
    assert rings(nearly) == []
    [(failure, ring)] = rings_after_failures(nearly)
    assert failure == Failure(1, 4)
    assert is_ring(ring)


def test_a_failed_spine_leaves_no_ring_where_hosts_are_cut_off() -> None:
    two = topology([(0, 2), (1, 2)], {0: 1, 1: 1, 2: 2}, {0, 1})
    assert list(rings_after_failures(two)) == []


def test_failures_are_one_of_each_class() -> None:
    # leaf to spine, spine to core; leaf, spine, core
    assert len(list(clos(3, 4, 2, 2).failures())) == 5


def test_a_missing_cable_makes_classes_of_its_own() -> None:
    whole, irregular = clos(3, 4, 2, 2), clos(3, 4, 2, 2, missing=1)
    assert len(list(irregular.failures())) > len(list(whole.failures()))


def test_one_of_two_parallel_links_may_fail() -> None:
    double = topology([(0, 1), (0, 1)], {0: 1, 1: 2}, {0})
    assert all(failure.is_switch for failure in double.failures())


def test_known_forwarding_is_believed() -> None:
    # hosts 10 to 13 at switches 0 to 3 of a ring; all packets go round to the right
    routes = {
        10 + home: {here: () if here == home else ((here + 1) % 4,) for here in range(4)}
        for home in range(4)
    }
    [found] = rings_of_routes(routes, range(4))
    assert is_ring(found)
    shortest = {
        10 + home: {here: () if here == home else (home,) for here in range(4)} for home in range(4)
    }
    assert rings_of_routes(shortest, range(4)) == []


def test_packets_that_run_in_a_circle_are_found() -> None:
    routes = {9: {0: (1,), 1: (2,), 2: (1,)}}
    assert loops(routes, [0]) == {9: (1, 2)}
    assert loops(routes, []) == {}
    assert loops({9: {0: (1,), 1: (2,), 2: ()}}, [0]) == {}


@given(st.integers(0, 10_000))
def test_every_ring_found_is_one(seed: int) -> None:
    random_of = random.Random(seed)  # noqa: S311 -- cases, no secrets
    tiers = {number: random_of.choice((1, 1, 2, 2, 3)) for number in range(9)}
    pairs = [(a, b) for a in range(9) for b in range(a + 1, 9)]
    links = random_of.sample(pairs, 14)
    found = rings(topology(links, tiers, {number for number in tiers if tiers[number] == 1}))
    assert all(is_ring(each) for each in found)


@pytest.mark.parametrize("missing", [0, 40])
def test_six_thousand_switches_with_failures_take_less_than_ten_seconds(missing: int) -> None:
    fabric = clos(62, 64, 32, 2, missing=missing)
    assert len(fabric.tiers) == 6016
    start = time.process_time()
    assert rings(fabric) == []
    assert list(rings_after_failures(fabric)) == []
    assert time.process_time() - start < SECONDS
