"""Every cable between switches is crossed, whatever the switches' hashes are."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netcheck.model.device import Device, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf.coverage import passed_through, peers_of, round_for
from netcheck.perf.schedule import Depth, Endpoint, Pattern, rounds
from tests.perf.hidden_clos import (
    HOSTS,
    MOST_ROUNDS,
    RAILS,
    HiddenClos,
    across_of,
    clos,
    rounds_until_all_are_crossed,
)

SEEDS = 100
LARGE_NICS = 16_384
LONGEST_S = 10.0
CONGESTING = {Pattern.INCAST, Pattern.MIXED}


@pytest.mark.slow
def test_a_large_fabric_is_crossed_within_forty_rounds_whatever_the_hashes() -> None:
    ends = clos(HOSTS)
    across = across_of(ends)
    taken = [rounds_until_all_are_crossed(ends, across, seed) for seed in range(SEEDS)]
    assert sum(count <= MOST_ROUNDS for count in taken) >= 0.95 * SEEDS


def test_a_small_fabric_is_crossed_within_forty_rounds_whatever_the_hashes() -> None:
    ends = clos(64)
    across = across_of(ends)
    taken = [rounds_until_all_are_crossed(ends, across, seed) for seed in range(10)]
    assert max(taken) <= MOST_ROUNDS


def test_a_cable_that_hashing_never_picks_stays_missed_and_ends_the_search() -> None:
    ends = clos(64)
    fabric = HiddenClos(ends, 0)
    dead = fabric.spines.pop()
    for turn in range(MOST_ROUNDS):
        missed = fabric.missed
        fabric.run(round_for(frozenset(missed), ends, missed, turn=turn).flows)
    assert {spine for _, spine in fabric.up} | {spine for spine, _ in fabric.down} == {dead}


@given(
    hosts=st.integers(2, 24),
    rails=st.integers(1, 3),
    down=st.integers(1, 8),
    turn=st.integers(0, 5),
    depth=st.sampled_from(Depth),
)
@settings(deadline=None)
def test_no_nic_sends_or_receives_twice_but_in_an_incast(
    hosts: int, rails: int, down: int, turn: int, depth: Depth
) -> None:
    ends = clos(hosts, rails, down)
    more = round_for(frozenset(), ends, {}, turn=turn)
    for one in [*rounds(ends, depth=depth), more]:
        sending = Counter(sender for sender, _ in one.flows)
        receiving = Counter(receiver for _, receiver in one.flows)
        assert not sending or max(sending.values()) == 1
        assert all(sender.host != receiver.host for sender, receiver in one.flows)
        if one.pattern not in CONGESTING:
            assert not receiving or max(receiving.values()) == 1


@given(rails=st.integers(1, 3), turn=st.integers(0, 5))
def test_only_leaves_at_a_missed_cable_take_part(rails: int, turn: int) -> None:
    ends = clos(24, rails, 4)
    missed = frozenset({PortRef("leaf001-0", "spine00"), PortRef("spine01", "leaf002-0")})
    peers = {
        PortRef("leaf001-0", "spine00"): "spine00",
        PortRef("spine01", "leaf002-0"): "leaf002-0",
    }
    found = round_for(missed, ends, peers, turn=turn)
    assert found.flows
    for sender, receiver in found.flows:
        assert sender.leaf.device == "leaf001-0" or receiver.leaf.device == "leaf002-0"
        assert sender.leaf.device != receiver.leaf.device


def test_a_nic_at_a_spine_does_not_hide_who_goes_through_it() -> None:
    hosts = [
        Endpoint(f"gpu{n}{k}", "rail0", "mlx5_0", PortRef(f"leaf{n}", f"d{k}"))
        for n in range(2)
        for k in range(2)
    ]
    store = Endpoint("store", "rail0", "mlx5_0", PortRef("spine0", "d2"))
    devices = [
        *(Device(one.host, role=Role.HOST) for one in (*hosts, store)),
        *(Device(f"leaf{n}", role=Role.LEAF) for n in range(2)),
        *(Device(f"spine{n}", role=Role.SPINE) for n in range(2)),
        Device("core", role=Role.SUPERSPINE),
    ]
    links = [
        *(Link(one.ref, one.leaf) for one in (*hosts, store)),
        *(Link(PortRef(f"leaf{n}", "up"), PortRef(f"spine{n}", "d0")) for n in range(2)),
        *(Link(PortRef(f"spine{n}", "up"), PortRef("core", f"d{n}")) for n in range(2)),
    ]
    whole = Fabric("pods", devices=FrozenMap({d.name: d for d in devices}), links=tuple(links))
    passed = passed_through(whole)
    assert passed == {"spine0", "spine1", "core"}
    missed, peers = frozenset([PortRef("spine0", "up")]), peers_of(whole)
    drawn = round_for(missed, [*hosts, store], peers, turn=0, passed=passed)
    assert any(a in hosts[:2] and b in hosts[2:] for a, b in drawn.flows)


def test_exhaustive_takes_every_pair_of_leaves_and_every_size_of_incast() -> None:
    ends = clos(34, 1, 17)
    three = [*ends, *(end for end in clos(51, 1, 17) if end not in ends)]
    found = rounds(three, depth=Depth.EXHAUSTIVE)
    pairs = {
        (a.leaf.device, b.leaf.device)
        for one in found
        if one.pattern is Pattern.ACROSS
        for a, b in one.flows
    }
    leaves = {end.leaf.device for end in three}
    assert pairs == {(a, b) for a in leaves for b in leaves if a != b}
    sizes = {
        count
        for one in found
        if one.pattern is Pattern.INCAST and "senders" in one.name
        for count in Counter(receiver for _, receiver in one.flows).values()
    }
    assert sizes == {2, 4, 8, 16}


def test_nothing_is_sent_between_islands() -> None:
    ends = clos(16, 2, 4)
    islands = {end.leaf.device: end.rdma for end in ends}
    for one in [
        *rounds(ends, islands, Depth.EXHAUSTIVE),
        round_for(frozenset(), ends, {}, turn=0, islands=islands),
    ]:
        assert all(a.rdma == b.rdma for a, b in one.flows)


def test_a_standard_schedule_of_sixteen_thousand_nics_uses_each_of_them_in_seconds() -> None:
    ends = clos(LARGE_NICS // RAILS)
    start = time.process_time()
    found = rounds(ends)
    assert time.process_time() - start < LONGEST_S
    assert len(ends) == LARGE_NICS
    assert {sender for one in found for sender, _ in one.flows} == set(ends)
    assert {sender for sender, _ in round_for(frozenset(), ends, {}, turn=0).flows} <= set(ends)
