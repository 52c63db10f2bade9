"""Pairs by other ways, in a fabric whose forwarding tables nobody is told.

Tables are drawn at random; what is asked is the same for every one of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.device import Device, Port, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf.deltas import Deltas, deltas
from netcheck.perf.infiniband.crossing import Ways
from netcheck.perf.infiniband.sights import crossed
from netcheck.perf.observe import FlowResult, RoundResult
from netcheck.perf.perftest import PerftestResult
from netcheck.perf.schedule import Endpoint, Pattern, Round

LEAVES, SPINES, HOSTS = 3, 3, 4
SEEDS = range(40)


def fabric() -> Fabric:
    """Leaves with hosts, each cabled to each spine."""
    up = [f"up{spine}" for spine in range(SPINES)]
    down = [f"down{leaf}" for leaf in range(LEAVES)]
    hosts = [f"h{n}" for n in range(HOSTS)]
    devices = [
        *(switch(f"leaf{n}", Role.LEAF, *up, *hosts) for n in range(LEAVES)),
        *(switch(f"spine{n}", Role.SPINE, *down) for n in range(SPINES)),
        *(switch(one.host, Role.HOST, one.port) for one in ends()),
    ]
    links = [
        *(Link(one.ref, one.leaf) for one in ends()),
        *(
            Link(PortRef(f"leaf{a}", f"up{b}"), PortRef(f"spine{b}", f"down{a}"))
            for a in range(LEAVES)
            for b in range(SPINES)
        ),
    ]
    return Fabric(
        "hidden", devices=FrozenMap({one.name: one for one in devices}), links=tuple(links)
    )


def switch(name: str, role: Role, *ports: str) -> Device:
    return Device(name, role=role, ports=FrozenMap({port: Port(port) for port in ports}))


def ends() -> list[Endpoint]:
    return [
        Endpoint(f"gpu{leaf}{n}", "ib0", "mlx5_0", PortRef(f"leaf{leaf}", f"h{n}"))
        for leaf in range(LEAVES)
        for n in range(HOSTS)
    ]


class Tables:
    """To which spine each leaf sends each adapter; some spines have no one."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)  # noqa: S311 -- tables, no secret
        self.spine = {
            (f"leaf{leaf}", end): draw.randrange(draw.randint(1, SPINES))
            for leaf in range(LEAVES)
            for end in ends()
        }

    def crosses(self, sender: Endpoint, receiver: Endpoint) -> Iterator[PortRef]:
        """Ports between switches that packets leave by."""
        a, b = sender.leaf.device, receiver.leaf.device
        if a != b:
            spine = self.spine[a, receiver]
            yield PortRef(a, f"up{spine}")
            yield PortRef(f"spine{spine}", f"down{b.removeprefix('leaf')}")

    def run(self, one: Round) -> RoundResult:
        """What the counters of the ports would tell of a round."""
        gone = {ref for flow in one.flows for ref in self.crosses(*flow)}
        moved = {
            name: read(device, gone)
            for name, device in fabric().devices.items()
            if device.role is not Role.HOST
        }
        hosts = {end.host: Deltas(end.host, {}) for end in ends()}
        return RoundResult(one, "ib_write_bw", "jobs", (), {**moved, **hosts})


def read(device: Device, gone: set[PortRef]) -> Deltas:
    def reading(packets: int) -> Device:
        counters = {}
        for port in device.ports:
            sent = packets if PortRef(device.name, port) in gone else 0
            counters[key(port, Meaning.PORT_TX_PACKETS, "PortXmitPkts")] = count(sent)
            counters[key(port, Meaning.OTHER, "PortXmitData")] = count(sent * 1024)
        return Device(device.name, counters=FrozenMap(counters))

    return deltas(reading(0), reading(50_000))


def key(port: str, meaning: Meaning, name: str) -> CounterKey:
    return CounterKey(port, meaning, -1, name)


def count(value: int) -> Counter:
    return Counter(value, CounterClass.INFORMATION)


def first() -> Round:
    """One adapter of each leaf to the next leaf's."""
    own = ends()[::HOSTS]
    return Round("first", Pattern.ACROSS, tuple(zip(own, [*own[1:], own[0]], strict=True)))


def until_done(ways: Ways, tables: Tables) -> list[RoundResult]:
    results = [tables.run(first())]
    for turn in range(LEAVES * HOSTS * LEAVES):
        missed = crossed(results, ways.fabric).missed
        more = ways.round_over(missed, results, turn)
        if not missed or not more.flows:
            break
        assert_once(more)
        results.append(tables.run(more))
    return results


def assert_once(one: Round) -> None:
    assert len({a for a, _ in one.flows}) == len(one.flows) == len({b for _, b in one.flows})


def used(tables: Tables, may_talk: Ways) -> set[PortRef]:
    """Ports that some allowed pair leaves by."""
    return {
        ref
        for a in ends()
        for b in ends()
        if a != b and may_talk.may_talk(a, b)
        for ref in tables.crosses(a, b)
    }


def full(a: Endpoint, b: Endpoint) -> bool:
    return "gpu00" in {a.host, b.host}


def anybody(_a: Endpoint, _b: Endpoint) -> bool:
    return True


@pytest.mark.parametrize("may_talk", [anybody, full])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_cable_that_tables_use_is_crossed_and_the_others_are_told_apart(
    seed: int, may_talk: object
) -> None:
    tables = Tables(seed)
    ways = Ways(fabric(), ends(), full if may_talk is full else anybody)
    results = until_done(ways, tables)
    missed = crossed(results, ways.fabric).missed
    assert not missed & used(tables, ways)
    assert ways.unrouted(missed, results) == missed


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cable_that_a_way_not_taken_may_cross_is_never_called_unrouted(seed: int) -> None:
    tables, ways = Tables(seed), Ways(fabric(), ends(), anybody)
    results: Sequence[RoundResult] = [tables.run(first())]
    missed = crossed(results, ways.fabric).missed
    assert missed
    assert not ways.unrouted(missed, results)


def test_with_adaptive_routing_nothing_is_ever_unrouted() -> None:
    tables, ways = Tables(1), Ways(fabric(), ends(), anybody, is_adaptive=True)
    every = [(a, b) for a in ends() for b in ends() if a.leaf.device != b.leaf.device]
    results = [tables.run(Round("all", Pattern.ACROSS, tuple(every)))]
    missed = crossed(results, ways.fabric).missed
    assert missed
    assert not ways.unrouted(missed, results)
    assert ways.round_over(missed, results, 0).flows


def test_a_way_whose_test_failed_is_not_known_to_miss_a_cable() -> None:
    ways = Ways(fabric(), ends(), anybody)
    every = [(a, b) for a in ends() for b in ends() if a.leaf.device != b.leaf.device]
    result = Tables(1).run(Round("all", Pattern.ACROSS, tuple(every)))
    missed = crossed([result], ways.fabric).missed
    assert missed
    assert ways.unrouted(missed, [result]) == missed
    failed = tuple(FlowResult(a, b, PerftestResult(error="no RDMA device")) for a, b in every)
    assert not ways.unrouted(missed, [replace(result, flows=failed)])


def test_an_adapter_at_a_spine_does_not_hide_who_goes_through_it() -> None:
    """Two pods of a leaf and a spine below two cores; the first spine has a manager's adapter."""
    hosts = [Endpoint(f"g{n}", "ib0", "mlx5_0", PortRef(f"leaf{n}", "h")) for n in range(2)]
    manager = Endpoint("sm", "ib0", "mlx5_0", PortRef("spine0", "h"))
    devices = [
        *(switch(one.host, Role.HOST, one.port) for one in (*hosts, manager)),
        *(switch(f"leaf{n}", Role.LEAF, "up", "h") for n in range(2)),
        *(switch(f"spine{n}", Role.SPINE, "down", "c0", "c1", "h") for n in range(2)),
        *(switch(f"core{n}", Role.SUPERSPINE, "d0", "d1") for n in range(2)),
    ]
    links = [
        *(Link(one.ref, one.leaf) for one in (*hosts, manager)),
        *(Link(PortRef(f"leaf{n}", "up"), PortRef(f"spine{n}", "down")) for n in range(2)),
        *(
            Link(PortRef(f"spine{pod}", f"c{core}"), PortRef(f"core{core}", f"d{pod}"))
            for pod in range(2)
            for core in range(2)
        ),
    ]
    whole = Fabric("pods", devices=FrozenMap({d.name: d for d in devices}), links=tuple(links))
    ways = Ways(whole, [*hosts, manager], anybody)
    one = Round("manager", Pattern.ACROSS, tuple((manager, host) for host in hosts))
    results = [RoundResult(one, "ib_write_bw", "jobs", (), {})]
    missed = frozenset([PortRef("spine0", "c1")])
    assert not ways.unrouted(missed, results)
    assert (hosts[0], hosts[1]) in ways.round_over(missed, results, 0).flows


def test_pairs_that_may_not_talk_are_not_drawn() -> None:
    tables, ways = Tables(0), Ways(fabric(), ends(), full)
    found = ways.round_over(crossed([tables.run(first())], ways.fabric).missed, [], 0)
    assert found.flows
    assert all(full(*flow) for flow in found.flows)


def test_answers_alone_are_no_data() -> None:
    port = fabric().devices["leaf0"]

    def reading(packets: int) -> Device:
        rows = {
            key("up0", Meaning.PORT_TX_PACKETS, "PortXmitPkts"): count(packets),
            key("up0", Meaning.OTHER, "PortXmitData"): count(packets * 7),
        }
        return Device(port.name, counters=FrozenMap(rows))

    result = Tables(0).run(first())
    told = {**result.deltas, "leaf0": deltas(reading(0), reading(50_000))}
    found = crossed([RoundResult(first(), "ib_write_bw", "jobs", (), told)], fabric())
    assert PortRef("leaf0", "up0") in found.missed
    assert PortRef("leaf0", "up1") in found.unseen
