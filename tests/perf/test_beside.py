"""A class beside traffic that may be dropped: its share of every port, and who loses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from netcheck.model.counters import CounterKey, Meaning
from netcheck.model.fabric import PortRef
from netcheck.model.finding import Basis, RunResult
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known
from netcheck.model.qos import Ecn, Scheduler, SchedulerKind
from netcheck.perf.observe import RoundResult
from netcheck.perf.perftest import PerftestResult, Tool
from netcheck.perf.schedule import Depth, Endpoint, Pattern, rounds, with_background
from netcheck.perf.schedule import mixed as mixed_round
from netcheck.perf.verdict import judge_perf
from tests.perf.rig import OPTIONS, World, world
from tests.perf.test_verdict import fabric, incast, key

SMALL = Path(__file__).parents[2] / "examples" / "lab-small.yaml"


def ends(hosts: int, rails: int = 1) -> list[Endpoint]:
    return [
        Endpoint(f"gpu{h:02}", f"rail{r}", f"mlx5_{r}", PortRef("leaf01", f"{h} {r}"))
        for h in range(hosts)
        for r in range(rails)
    ]


def shares(every: list[Endpoint]) -> list[tuple[Pattern, list[list[tuple[Endpoint, Endpoint]]]]]:
    found = rounds(every, depth=Depth.EXHAUSTIVE)
    return [
        (one.pattern, [list(one.flows), list(one.background)])
        for one in found
        if one.name.startswith("shares")
    ]


@pytest.mark.parametrize(("hosts", "rails", "count"), [(3, 1, 3), (32, 1, 4), (8, 2, 4), (2, 2, 4)])
def test_every_nic_receives_once_from_two_others(hosts: int, rails: int, count: int) -> None:
    every = ends(hosts, rails)
    found = shares(every)
    assert len(found) <= count
    received = [receiver for _, (own, _) in found for _, receiver in own]
    assert sorted(received) == sorted(every)
    for _, (own, beside) in found:
        busy = [end for pair in own for end in pair] + [sender for sender, _ in beside]
        assert len(busy) == len(set(busy))
        assert [receiver for _, receiver in own] == [receiver for _, receiver in beside]
        assert all(a.host != b.host for a, b in (*own, *beside))


def test_two_nics_have_no_port_to_share() -> None:
    assert shares(ends(2)) == []


def mixed(
    drops: int = 0, more: Mapping[CounterKey, Known[int]] = MappingProxyType({})
) -> RoundResult:
    """An incast beside as much traffic that may be dropped."""
    place = key("Ethernet2", Meaning.PRIORITY_GROUP_DROP, 0)
    result = incast(lambda readings: readings["leaf01"].update({place: drops, **more}))
    one = replace(result.round, pattern=Pattern.MIXED, background=result.round.flows)
    return replace(result, round=one, background=result.flows)


def rules(result: RoundResult, ecn_queue: int | None = None, weight: int = 0) -> set[str]:
    """What is found, where the receiver's port marks a queue, or queue 3 has so much of 100."""
    whole = fabric()
    if ecn_queue is not None or weight:
        leaf = whole.devices["leaf01"]
        port = leaf.ports["Ethernet0"]
        shares = {
            queue: Scheduler(SchedulerKind.WEIGHTED, of)
            for queue, of in ((3, weight), (0, 100 - weight))
        }
        ecn = {} if ecn_queue is None else {ecn_queue: Ecn(1, 2, 3)}
        qos = replace(
            port.qos, ecn=FrozenMap(ecn), scheduler=FrozenMap(shares) if weight else UNKNOWN
        )
        ports = leaf.ports.with_items({"Ethernet0": replace(port, qos=qos)})
        devices = whole.devices.with_items({"leaf01": replace(leaf, ports=ports)})
        whole = replace(whole, devices=devices)
    return {finding.rule for finding in judge_perf([result], whole, Basis.SIMULATED).findings}


def test_traffic_that_may_be_dropped_has_to_lose_beside_a_paused_class() -> None:
    assert "droppable-without-loss" in rules(mixed())
    assert "droppable-without-loss" not in rules(mixed(drops=7))


def test_a_pause_of_another_priority_is_none_of_the_class() -> None:
    other = {
        key(name, Meaning.PFC_TX, number): frames
        for name in ("Ethernet2", "Ethernet3")
        for number, frames in ((3, 0), (4, 50))
    }
    assert "droppable-without-loss" not in rules(mixed(more=other))


def test_drops_that_are_not_told_are_not_none() -> None:
    unread = {key("Ethernet2", Meaning.QUEUE_DROP, 0): UNKNOWN}
    assert "droppable-without-loss" not in rules(mixed(more=unread))


def test_traffic_that_did_not_run_has_nothing_to_lose() -> None:
    result = mixed()
    failed = replace(result.background[0], result=PerftestResult(error="cannot connect"))
    found = rules(replace(result, background=(failed,)))
    assert "droppable-without-loss" not in found
    assert "droppable-not-run" in found
    assert "droppable-not-run" not in rules(result)


def test_what_hosts_keep_from_running_beside_a_class_is_noted() -> None:
    result = mixed()
    said = "class rdma: no traffic that may be dropped ran beside an incast"
    notes = judge_perf([result], fabric(), Basis.SIMULATED).notes
    assert not any(one.startswith(said) for one in notes)
    alone = replace(result, round=replace(result.round, background=()), background=())
    notes = judge_perf([alone], fabric(), Basis.SIMULATED).notes
    assert any(one.startswith(said) for one in notes)


def test_a_round_is_not_named_for_what_did_not_run_in_it() -> None:
    one = mixed_round({"leaf01": ends(4)})
    assert with_background(one, one.background) == one
    alone = with_background(one, ())
    assert (alone.name, alone.background) == ("incast within each leaf beside a victim", ())


def test_a_victim_that_did_not_run_proves_nothing() -> None:
    result = mixed()
    victim = replace(result.flows[0], result=PerftestResult(error="cannot connect"))
    assert "rdma-test-failed" in rules(replace(result, victims=(victim,)))
    assert "rdma-test-failed" not in rules(result)


def test_traffic_that_is_marked_may_slow_down_in_time() -> None:
    assert "droppable-without-loss" not in rules(mixed(), ecn_queue=0)
    assert "droppable-without-loss" in rules(mixed(), ecn_queue=3)


@pytest.mark.parametrize(("share", "is_off"), [(75, []), (70, []), (69, ["queue-share-off"])])
def test_a_share_is_off_by_more_than_five_points(share: int, is_off: list[str]) -> None:
    octets = {key("Ethernet0", Meaning.QUEUE_BYTES, 3): share * 1000}
    octets[key("Ethernet0", Meaning.QUEUE_BYTES, 0)] = (100 - share) * 1000
    result = mixed(more=octets)
    assert [one for one in rules(result, weight=75) if one == "queue-share-off"] == is_off
    failed = replace(result.background[0], result=PerftestResult(error="cannot connect"))
    others = replace(result, background=(failed, *result.background[1:]))
    assert "queue-share-off" not in rules(others, weight=75)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("beside")
    # hosts that force no mark on all traffic
    text = SMALL.read_text("utf-8").replace("driver: mlx5,", "driver: mlx5, traffic_class: none,")
    intent = folder / "intent.yaml"
    intent.write_text(text, "utf-8")
    with world(folder, intent) as found:
        yield found


@pytest.fixture(scope="module")
def measured(lab: World) -> list[RoundResult]:
    """Everything that the longest schedule has, with a wrong weight on one host port."""
    options = replace(OPTIONS, depth=Depth.EXHAUSTIVE, more_rounds=0)
    with lab.faults(("ets-weight-1", "leaf01", "Ethernet24")):
        return lab.results(options)


@pytest.mark.slow
def test_a_wrong_weight_of_any_host_port_is_found(lab: World, measured: list[RoundResult]) -> None:
    found = judge_perf(measured, lab.fabric, Basis.SIMULATED)
    off = {str(f.where[0]) for f in found.findings if f.rule == "queue-share-off"}
    assert off == {"leaf01 Ethernet24 queue 3"}  # and of no other port
    assert found.verdict.run is RunResult.LOSSLESS


@pytest.mark.slow
def test_data_that_is_read_flows_as_written_data_does(measured: list[RoundResult]) -> None:
    (read,) = [result for result in measured if result.tool == Tool.READ_BW]
    written = next(result for result in measured if result.tool == Tool.WRITE_BW)
    assert read.round == written.round
    for flow, other in zip(read.flows, written.flows, strict=True):
        assert flow.result.bandwidth_bps == other.result.bandwidth_bps
        for ref, meaning in (
            (flow.sender.ref, Meaning.PRIORITY_TX_PACKETS),
            (flow.receiver.ref, Meaning.PRIORITY_RX_PACKETS),
        ):
            assert read.deltas[ref.device].find(ref.port, meaning, 3) == written.deltas[
                ref.device
            ].find(ref.port, meaning, 3)


@pytest.mark.slow
def test_each_round_says_how_many_queue_pairs_a_flow_has(measured: list[RoundResult]) -> None:
    found = {(Tool(result.tool).is_latency, result.queue_pairs) for result in measured}
    assert found == {(True, 1), (False, OPTIONS.queue_pairs)}


@pytest.mark.parametrize(
    ("tool", "run"), [("ib_read_bw", RunResult.NOT_LOSSLESS), ("ib_write_bw", RunResult.LOSSLESS)]
)
def test_who_reads_data_tells_of_its_loss(tool: str, run: RunResult) -> None:
    """A response that did not come is missed by the end that receives."""
    place = key("rail0", Meaning.IMPLIED_NAK)
    result = incast(lambda readings: readings["gpu01"].update({place: 3}))
    found = judge_perf([replace(result, tool=tool)], fabric(), Basis.SIMULATED)
    assert found.verdict.run is run
