"""Which cable explains what flows suffered, on two leaves with four spines between them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.device import Device, Port, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf.clues import Rank
from netcheck.perf.deltas import Deltas, deltas
from netcheck.perf.observe import FlowResult, RoundResult
from netcheck.perf.perftest import PerftestResult, Tool
from netcheck.perf.schedule import Endpoint, Pattern, Round
from netcheck.perf.tomography import by_flows

HOSTS, SPINES = 8, 4


def end(leaf: int, number: int) -> Endpoint:
    return Endpoint(
        f"gpu{leaf}{number}", "rail0", "mlx5_0", PortRef(f"leaf{leaf}", f"down{number}")
    )


def clos() -> Fabric:
    links = [
        *(Link(end(a, n).ref, end(a, n).leaf) for a in (1, 2) for n in range(HOSTS)),
        *(
            Link(PortRef(f"leaf{a}", f"up{m}"), PortRef(f"spine{m}", f"d{a}"))
            for a in (1, 2)
            for m in range(SPINES)
        ),
    ]
    roles = {"g": Role.HOST, "l": Role.LEAF, "s": Role.SPINE}
    devices: dict[str, Device] = {}
    for link in links:
        for place in (link.a, link.b):
            old = devices.get(place.device, Device(place.device, role=roles[place.device[0]]))
            ports = FrozenMap({**old.ports, place.port: Port(place.port)})
            devices[place.device] = Device(old.name, role=old.role, ports=ports)
    return Fabric("clos", devices=FrozenMap(devices), links=tuple(links))


def across(
    suffered: int, queue_pairs: int, told: Mapping[str, Deltas] | None = None, tool: str = "x"
) -> RoundResult:
    """Each host of the first leaf sends to one of the second; the first so many tests fail."""
    flows = tuple(
        FlowResult(end(1, n), end(2, n), PerftestResult(error="x" if n < suffered else ""))
        for n in range(HOSTS)
    )
    one = Round("across", Pattern.ACROSS, tuple((f.sender, f.receiver) for f in flows))
    return RoundResult(one, tool, "rdma", flows, told or {}, queue_pairs=queue_pairs)


@pytest.mark.parametrize(("queue_pairs", "device"), [(1, "leaf1"), (64, "gpu10")])
def test_flows_of_many_queue_pairs_cross_every_cable(queue_pairs: int, device: str) -> None:
    """Where two of eight suffered: a cable between switches, if each flow may have missed it."""
    first = next(by_flows([across(2, queue_pairs)], clos()))
    assert first.rank is Rank.FLOWS
    assert device in {place.device for place in first.where}


@pytest.mark.parametrize(("tool", "teller"), [(Tool.WRITE_BW, "gpu13"), (Tool.READ_BW, "gpu23")])
def test_who_has_to_ask_again_tells_which_flow_suffered(tool: Tool, teller: str) -> None:
    key = CounterKey("rail0", Meaning.ACK_TIMEOUT, -1, "timeouts")
    before, after = (
        Device(teller, counters=FrozenMap({key: Counter(value, CounterClass.MUST_BE_ZERO)}))
        for value in (0, 9)
    )
    result = across(0, 64, {teller: deltas(before, after)}, tool)
    places = {place.device for clue in by_flows([result], clos()) for place in clue.where}
    assert places == {"gpu13", "leaf1", "gpu23", "leaf2"}  # the two cables of that flow alone


def test_nothing_is_suspected_where_nothing_suffered() -> None:
    assert list(by_flows([across(0, 1)], clos())) == []


def rated(pattern: Pattern, shares: Mapping[int, float]) -> RoundResult:
    """Each host of the first leaf sends to one of the second; some at a share of the rate."""
    flows = tuple(
        FlowResult(end(1, n), end(2, n), PerftestResult(bandwidth_bps=50e9 * shares.get(n, 1.0)))
        for n in range(HOSTS)
    )
    one = Round("rated", pattern, tuple((f.sender, f.receiver) for f in flows))
    return RoundResult(one, Tool.WRITE_BW, "rdma", flows, {}, queue_pairs=1)


def test_one_slow_flow_among_those_that_share_cables_points_at_nothing() -> None:
    """Hashing put several on one of its cables, as it does on every sound fabric."""
    for pattern in (Pattern.ACROSS, Pattern.INCAST):
        results = [rated(pattern, {3: 0.4}), rated(pattern, {})]
        assert list(by_flows(results, clos(), is_loss=False)) == []


def test_sound_flows_speak_for_no_cable_however_many_they_are() -> None:
    """A flow among 200 that may cross a cable is slow, as hashing makes one now and then."""
    results = [rated(Pattern.ACROSS, {3: 0.4}), *[rated(Pattern.ACROSS, {})] * 25]
    assert list(by_flows(results, clos(), is_loss=False)) == []


def test_a_host_that_is_slow_with_nobody_beside_it_is_suspected() -> None:
    found = list(by_flows([rated(Pattern.PAIRS, {3: 0.4})], clos(), is_loss=False))
    assert {place.device for clue in found for place in clue.where} == {
        "gpu13",
        "leaf1",
        "gpu23",
        "leaf2",
    }


def test_a_host_that_is_slow_every_time_is_suspected_among_those_that_share_too() -> None:
    results = [rated(Pattern.ACROSS, {3: 0.4})] * 4
    found = list(by_flows(results, clos(), is_loss=False))
    assert found
    assert "gpu13" in {place.device for place in found[0].where}
