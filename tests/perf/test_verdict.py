"""What a measurement proves, on counters of one leaf and two hosts with two NICs each."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from netcheck.chain import perf_notes
from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.device import Device, Port, RdmaDevice, Role
from netcheck.model.fabric import (
    Carries,
    Delivery,
    Fabric,
    Link,
    LoadBalancing,
    Policy,
    PortRef,
    TrafficClass,
)
from netcheck.model.finding import Basis, NotProven, Performance, RunResult, Severity
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known
from netcheck.model.qos import PortQos
from netcheck.perf.collectives import CollectiveResult
from netcheck.perf.deltas import deltas
from netcheck.perf.observe import FlowResult, RoundResult
from netcheck.perf.perftest import PerftestResult
from netcheck.perf.schedule import Pattern, endpoints, rounds
from netcheck.perf.verdict import PerfVerdict, judge_perf

SPEED = 400_000_000_000
PACKETS = 1_000_000
Readings = dict[CounterKey, Known[int]]
Change = Callable[[dict[str, Readings]], None]
RDMA = TrafficClass(
    "rdma", dscp=frozenset({26}), priority=3, delivery=Delivery.LOSSLESS, carries=Carries.DATA
)
QOS = PortQos(
    priority_to_queue=FrozenMap({3: 3, 0: 0}), priority_to_priority_group=FrozenMap({3: 3, 0: 0})
)


def port(name: str) -> Port:
    return Port(name, speed_bps=SPEED, policy="backend", qos=QOS)


def host(name: str) -> Device:
    return Device(
        name,
        role=Role.HOST,
        ports=FrozenMap({rail: port(rail) for rail in ("rail0", "rail1")}),
        rdma=FrozenMap({f"mlx5_{n}": RdmaDevice(f"mlx5_{n}", (f"rail{n}",)) for n in (0, 1)}),
    )


def fabric(item: TrafficClass = RDMA) -> Fabric:
    leaf_ports = {f"Ethernet{n}": port(f"Ethernet{n}") for n in range(4)}
    leaf = Device("leaf01", role=Role.LEAF, ports=FrozenMap(leaf_ports))
    ends = [("gpu01", "rail0"), ("gpu01", "rail1"), ("gpu02", "rail0"), ("gpu02", "rail1")]
    links = [Link(PortRef(*end), PortRef("leaf01", f"Ethernet{n}")) for n, end in enumerate(ends)]
    return Fabric(
        "small",
        devices=FrozenMap({d.name: d for d in (leaf, host("gpu01"), host("gpu02"))}),
        links=tuple(links),
        policies=FrozenMap({"backend": Policy("backend", classes=FrozenMap({item.name: item}))}),
        policy="backend",
    )


def key(port_name: str, meaning: Meaning, number: int = -1) -> CounterKey:
    return CounterKey(port_name, meaning, number, f"{meaning}{number}")


def switch_port(name: str, *, received: int, sent: int, pauses: int) -> Readings:
    drops = (Meaning.PRIORITY_GROUP_DROP, Meaning.QUEUE_DROP)
    return {
        **{key(name, meaning, 3): 0 for meaning in drops},
        key(name, Meaning.PORT_INGRESS_DROP): 0,
        key(name, Meaning.PORT_EGRESS_DROP): 0,
        key(name, Meaning.PFC_TX, 3): pauses,
        key(name, Meaning.PFC_TX, 4): 0,
        key(name, Meaning.QUEUE_PACKETS, 3): sent,
        key(name, Meaning.QUEUE_PACKETS, 0): 0,
        key(name, Meaning.PORT_RX_PACKETS): received,
        key(name, Meaning.PORT_TX_PACKETS): sent,
    }


def nic(name: str, *, sent: int, received: int) -> Readings:
    zeros = (Meaning.SEQUENCE_NAK, Meaning.ACK_TIMEOUT, Meaning.OUT_OF_SEQUENCE)
    return {
        **{key(name, meaning): 0 for meaning in zeros},
        key(name, Meaning.PRIORITY_TX_PACKETS, 3): sent,
        key(name, Meaning.PRIORITY_TX_PACKETS, 0): 10,
        key(name, Meaning.PRIORITY_RX_PACKETS, 3): received,
        key(name, Meaning.PRIORITY_RX_PACKETS, 0): 10,
        key(name, Meaning.PORT_TX_PACKETS): sent + 10,
        key(name, Meaning.PORT_RX_PACKETS): received + 10,
    }


def good_readings() -> dict[str, Readings]:
    """Readings after the incast of gpu02's NICs onto gpu01 rail0."""
    leaf = {
        **switch_port("Ethernet0", received=0, sent=2 * PACKETS, pauses=0),
        **switch_port("Ethernet2", received=PACKETS, sent=0, pauses=50),
        **switch_port("Ethernet3", received=PACKETS, sent=0, pauses=50),
    }
    return {
        "leaf01": leaf,
        "gpu01": nic("rail0", sent=0, received=2 * PACKETS),
        "gpu02": {
            **nic("rail0", sent=PACKETS, received=0),
            **nic("rail1", sent=PACKETS, received=0),
        },
    }


def counters(readings: Mapping[CounterKey, Known[int]]) -> FrozenMap[CounterKey, Counter]:
    return FrozenMap({k: Counter(value, CounterClass.INFORMATION) for k, value in readings.items()})


def incast(change: Change = lambda _: None, *, rate: float = 196e9, error: str = "") -> RoundResult:
    readings = good_readings()
    change(readings)
    one = next(r for r in rounds(endpoints(fabric())) if r.pattern is Pattern.INCAST)
    result = PerftestResult(error=error) if error else PerftestResult(bandwidth_bps=rate)
    moved = {}
    for name, after in readings.items():
        zeros = dict.fromkeys(after, 0)
        before_device = Device(name, counters=counters(zeros))
        moved[name] = deltas(before_device, Device(name, counters=counters(after)))
    flows = tuple(FlowResult(sender, receiver, result) for sender, receiver in one.flows)
    return RoundResult(one, "ib_write_bw", "rdma", flows, moved)


def judge(result: RoundResult, item: TrafficClass = RDMA) -> PerfVerdict:
    return judge_perf([result], fabric(item), Basis.SIMULATED)


def test_a_congested_test_without_any_loss_is_lossless() -> None:
    found = judge(incast())
    assert str(found.verdict) == "lossless (simulated)"
    assert found.findings == ()
    assert found.classes[0].packets == 2 * PACKETS
    assert found.classes[0].loss_bound == pytest.approx(1.5e-6)


@pytest.mark.parametrize(
    ("device", "place"),
    [
        ("leaf01", key("Ethernet2", Meaning.PRIORITY_GROUP_DROP, 3)),
        ("leaf01", key("Ethernet0", Meaning.QUEUE_DROP, 3)),
        ("gpu02", key("rail0", Meaning.ACK_TIMEOUT)),
        ("gpu02", key("rail1", Meaning.SEQUENCE_NAK)),
        ("gpu01", key("rail0", Meaning.OUT_OF_SEQUENCE)),
    ],
)
def test_one_counted_loss_is_not_lossless_and_is_named(device: str, place: CounterKey) -> None:
    def lose(readings: dict[str, Readings]) -> None:
        readings[device][place] = 1

    found = judge(incast(lose))
    assert found.verdict.run is RunResult.NOT_LOSSLESS
    errors = [f for f in found.findings if f.severity is Severity.ERROR]
    assert [(f.rule, f.where[0].device, f.where[0].port) for f in errors] == [
        ("loss-counted", device, place.port)
    ]


def test_the_port_that_counted_a_drop_is_the_place_to_look_at() -> None:
    def lose(readings: dict[str, Readings]) -> None:
        readings["leaf01"][key("Ethernet2", Meaning.PRIORITY_GROUP_DROP, 3)] = 7

    found = judge(incast(lose))
    located = [f for f in found.findings if f.rule == "loss-located"]
    assert [str(f.where[0]) for f in located] == ["leaf01 Ethernet2"]
    assert "headroom" in located[0].message
    assert (
        "look first at leaf01 Ethernet2: 7 packets: priority group drop;"
        " headroom of this port, or PFC on it or its peer"
    ) in perf_notes(found)


NEEDED = [
    ("leaf01", key("Ethernet2", Meaning.PRIORITY_GROUP_DROP, 3)),
    ("leaf01", key("Ethernet2", Meaning.PORT_INGRESS_DROP)),
    ("leaf01", key("Ethernet2", Meaning.PFC_TX, 3)),
    ("leaf01", key("Ethernet0", Meaning.QUEUE_DROP, 3)),
    ("leaf01", key("Ethernet0", Meaning.PORT_EGRESS_DROP)),
    ("leaf01", key("Ethernet0", Meaning.QUEUE_PACKETS, 3)),
    ("gpu01", key("rail0", Meaning.OUT_OF_SEQUENCE)),
    ("gpu01", key("rail0", Meaning.PRIORITY_RX_PACKETS, 3)),
    ("gpu02", key("rail0", Meaning.ACK_TIMEOUT)),
    ("gpu02", key("rail1", Meaning.SEQUENCE_NAK)),
    ("gpu02", key("rail1", Meaning.PRIORITY_TX_PACKETS, 3)),
]


@pytest.mark.parametrize(("device", "place"), NEEDED)
@pytest.mark.parametrize("how", ["gone", "unreadable"])
def test_a_missing_counter_is_never_a_pass(device: str, place: CounterKey, how: str) -> None:
    def damage(readings: dict[str, Readings]) -> None:
        if how == "gone":
            del readings[device][place]
        else:
            readings[device][place] = UNKNOWN

    found = judge(incast(damage))
    assert found.verdict.run is RunResult.NOT_PROVEN
    assert found.verdict.reason is NotProven.COUNTER_MISSING


def test_no_pause_frame_means_that_nothing_was_exercised() -> None:
    def calm(readings: dict[str, Readings]) -> None:
        for place in readings["leaf01"]:
            if place.meaning is Meaning.PFC_TX:
                readings["leaf01"][place] = 0

    found = judge(incast(calm))
    assert str(found.verdict) == "not proven: not exercised (simulated)"


@pytest.mark.parametrize(
    ("marks", "verdict"),
    [
        ({key("Ethernet0", Meaning.ECN_MARKED, 3): 9}, "lossless (simulated)"),
        (
            {key("Ethernet0", Meaning.ECN_MARKED, 3): 0},
            "not proven: not exercised (simulated): class rdma: no packet was marked",
        ),
        ({}, "not proven: not exercised (simulated): class rdma: no packet was marked"),
    ],
)
def test_an_ecn_class_needs_marks_and_no_pause_frame(marks: Readings, verdict: str) -> None:
    def calm(readings: dict[str, Readings]) -> None:
        for place in readings["leaf01"]:
            if place.meaning is Meaning.PFC_TX:
                readings["leaf01"][place] = 0
        readings["leaf01"] |= marks

    item = replace(RDMA, delivery=Delivery.ECN)
    found = judge(incast(calm), item).verdict
    assert f"{found}: {found.detail}".removesuffix(": ") == verdict


@pytest.mark.parametrize("delivery", [Delivery.LOSSLESS, Delivery.ECN])
def test_a_class_that_no_round_was_run_of_is_not_proven(delivery: Delivery) -> None:
    found = judge_perf([], fabric(replace(RDMA, delivery=delivery)), Basis.SIMULATED).verdict
    assert (found.run, found.reason) == (RunResult.NOT_PROVEN, NotProven.NOT_EXERCISED)
    assert found.detail == "class rdma: no round was run"


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ((50, 50), ["2 of 2", "exercised there"]),
        ((50, 0), ["1 of 2", "exercised there, not at leaf01 Ethernet3"]),
        ((0, 0), []),
    ],
)
def test_where_headroom_was_exercised_is_noted(frames: tuple[int, int], said: list[str]) -> None:
    def pause(readings: dict[str, Readings]) -> None:
        for name, count in zip(("Ethernet2", "Ethernet3"), frames, strict=True):
            readings["leaf01"][key(name, Meaning.PFC_TX, 3)] = count

    notes = judge(incast(pause)).notes
    assert len(notes) == bool(said)
    for note in notes:
        assert note.startswith(f"class rdma: pause frames were sent by {said[0]} switch ports")
        assert note.endswith(said[1])


@pytest.mark.parametrize(
    ("result", "performance"),
    [
        (incast(), Performance.OK),
        (incast(rate=50e9), Performance.SLOW),
        (incast(error="cannot connect"), None),
    ],
)
def test_rates_that_were_not_reached_are_not_called_fine(
    result: RoundResult, performance: Performance | None
) -> None:
    assert judge(result).verdict.performance is performance


@pytest.mark.parametrize(
    ("marks", "said"),
    [({26}, []), ({30, 26, 27}, ["class rdma: tested with DSCP 26 alone, not with 27, 30"])],
)
def test_marks_that_were_not_tested_are_noted(marks: set[int], said: list[str]) -> None:
    notes = judge(incast(), replace(RDMA, dscp=frozenset(marks))).notes
    assert [note for note in notes if "DSCP" in note] == said


def test_pairs_alone_say_that_no_incast_was_run() -> None:
    result = incast()
    pairs = replace(result, round=replace(result.round, pattern=Pattern.ACROSS))
    assert judge(pairs).verdict.detail == "class rdma: no incast was run"


def test_pause_on_a_lossy_priority_is_found() -> None:
    def storm(readings: dict[str, Readings]) -> None:
        readings["leaf01"][key("Ethernet2", Meaning.PFC_TX, 4)] = 9

    found = judge(incast(storm))
    assert found.verdict.run is RunResult.NOT_PROVEN
    assert found.findings[0].rule == "pause-on-other-priority"


@pytest.mark.parametrize("meaning", [Meaning.GLOBAL_PAUSE_RX, Meaning.GLOBAL_PAUSE_TX])
def test_pauses_of_a_whole_port_are_found(meaning: Meaning) -> None:
    def storm(readings: dict[str, Readings]) -> None:
        readings["gpu02"][key("rail0", meaning)] = 9
        readings["gpu02"][key("eth0", meaning)] = 9  # no part of the test

    found = judge(incast(storm))
    assert (found.verdict.run, found.verdict.reason) == (
        RunResult.NOT_PROVEN,
        NotProven.NOT_EXERCISED,
    )
    (pause,) = [f for f in found.findings if f.rule == "pause-on-other-priority"]
    assert (str(pause.where[0]), pause.found) == ("gpu02 rail0", "9")


def test_traffic_in_another_priority_is_found_at_the_nic() -> None:
    def mistag(readings: dict[str, Readings]) -> None:
        for name in ("rail0", "rail1"):
            readings["gpu02"][key(name, Meaning.PRIORITY_TX_PACKETS, 3)] = 0
            readings["gpu02"][key(name, Meaning.PRIORITY_TX_PACKETS, 0)] = PACKETS

    found = judge(incast(mistag))
    assert found.verdict.run is RunResult.NOT_PROVEN
    assert {(f.rule, f.where[0].device) for f in found.findings} >= {
        ("traffic-outside-class", "gpu02")
    }


def test_a_collective_test_outside_the_class_is_named_and_no_port_is_suspected_for_it() -> None:
    def mistag(readings: dict[str, Readings]) -> None:
        for name in ("rail0", "rail1"):
            readings["gpu02"][key(name, Meaning.PRIORITY_TX_PACKETS, 3)] = 0
            readings["gpu02"][key(name, Meaning.PRIORITY_TX_PACKETS, 0)] = PACKETS

    ran = replace(incast(mistag), tool="all_reduce_perf", flows=(), collective=CollectiveResult())
    found = judge_perf([incast(), ran], fabric(), Basis.SIMULATED)
    assert found.verdict.run is RunResult.NOT_PROVEN
    outside = [f for f in found.findings if f.rule == "traffic-outside-class"]
    assert outside
    assert all(f.message.endswith("of the collective test all_reduce_perf") for f in outside)
    assert all("NCCL_IB_TC" in f.fix for f in outside)
    assert not any("forced traffic class" in one.look_at for one in found.suspects)


def test_notifications_of_a_receiver_are_no_stray_data() -> None:
    def notify(readings: dict[str, Readings]) -> None:
        more = {
            ("gpu02", key("rail0", Meaning.PRIORITY_TX_PACKETS, 6)): PACKETS,
            ("gpu02", key("rail0", Meaning.PORT_TX_PACKETS)): 2 * PACKETS,
            ("leaf01", key("Ethernet2", Meaning.PORT_RX_PACKETS)): 2 * PACKETS,
            ("leaf01", key("Ethernet0", Meaning.PORT_TX_PACKETS)): 3 * PACKETS,
            ("leaf01", key("Ethernet0", Meaning.QUEUE_PACKETS, 6)): PACKETS,
            ("gpu01", key("rail0", Meaning.PORT_RX_PACKETS)): 3 * PACKETS,
        }
        for (device, place), value in more.items():
            readings[device][place] = value

    found = judge_perf([incast(notify)], with_cnp(), Basis.SIMULATED)
    assert found.verdict.run is RunResult.LOSSLESS


def with_cnp() -> Fabric:
    whole = fabric()
    cnp = TrafficClass("cnp", dscp=frozenset({48}), priority=6, carries=Carries.CNP)
    classes = whole.policies["backend"].classes.with_items({"cnp": cnp})
    policy = replace(whole.policies["backend"], classes=classes)
    return replace(whole, policies=FrozenMap({"backend": policy}))


@pytest.mark.parametrize(
    ("unread", "rules"), [((), ["cnp-lost"]), (("Ethernet1",), [])], ids=["all-read", "one-not"]
)
def test_notifications_are_lost_in_a_switch_only_where_all_its_ports_were_read(
    unread: tuple[str, ...], rules: list[str]
) -> None:
    def lose(readings: dict[str, Readings]) -> None:
        readings["gpu01"][key("rail0", Meaning.PRIORITY_TX_PACKETS, 6)] = PACKETS
        for name in {f"Ethernet{n}" for n in range(4)} - set(unread):
            readings["leaf01"][key(name, Meaning.QUEUE_PACKETS, 6)] = 0
        for rail in ("rail0", "rail1"):
            readings["gpu02"][key(rail, Meaning.PRIORITY_TX_PACKETS, 6)] = 0

    found = judge_perf([incast(lose)], with_cnp(), Basis.SIMULATED)
    assert [one.rule for one in found.findings if one.rule.startswith("cnp-")] == rules


def test_traffic_in_another_queue_names_the_switch() -> None:
    def misqueue(readings: dict[str, Readings]) -> None:
        readings["leaf01"][key("Ethernet0", Meaning.QUEUE_PACKETS, 3)] = 0
        readings["leaf01"][key("Ethernet0", Meaning.QUEUE_PACKETS, 0)] = 2 * PACKETS

    found = judge(incast(misqueue))
    assert found.verdict.run is RunResult.NOT_PROVEN
    assert "traffic-outside-class" in {f.rule for f in found.findings}
    assert {f.where[0].device for f in found.findings if f.where[0].port} == {"leaf01"}


@pytest.mark.parametrize("meaning", [Meaning.PORT_RX_PACKETS, Meaning.QUEUE_PACKETS])
def test_a_counter_that_stands_still_proves_nothing(meaning: Meaning) -> None:
    def stick(readings: dict[str, Readings]) -> None:
        for place in readings["leaf01"]:
            if place.meaning is meaning:
                readings["leaf01"][place] = 0

    found = judge(incast(stick))
    assert found.verdict.run is RunResult.NOT_PROVEN
    assert {f.rule for f in found.findings} == {"counters-disagree", "fault-located"}


def test_packets_that_a_switch_counts_as_dropped_are_not_missing() -> None:
    def lose(readings: dict[str, Readings]) -> None:
        lost = PACKETS // 2
        readings["leaf01"][key("Ethernet2", Meaning.PRIORITY_GROUP_DROP, 3)] = lost
        readings["leaf01"][key("Ethernet0", Meaning.QUEUE_PACKETS, 3)] = 2 * PACKETS - lost
        readings["leaf01"][key("Ethernet0", Meaning.PORT_TX_PACKETS)] = 2 * PACKETS - lost
        readings["gpu01"][key("rail0", Meaning.PRIORITY_RX_PACKETS, 3)] = 2 * PACKETS - lost
        readings["gpu01"][key("rail0", Meaning.PORT_RX_PACKETS)] = 2 * PACKETS - lost

    rules = {f.rule for f in judge(incast(lose)).findings}
    assert rules == {"loss-counted", "loss-located"}


def test_a_failed_test_is_not_proven_and_named() -> None:
    found = judge(incast(error="no acknowledgement"))
    assert found.verdict.run is RunResult.NOT_PROVEN
    assert {f.rule for f in found.findings} == {"rdma-test-failed", "loss-located"}


def test_a_slow_incast_is_lossless_but_slow() -> None:
    found = judge(incast(rate=100e9))
    assert str(found.verdict) == "lossless, slow (simulated)"
    assert found.verdict.performance is Performance.SLOW


def test_sprayed_packets_may_arrive_out_of_order() -> None:
    def reorder(readings: dict[str, Readings]) -> None:
        readings["gpu01"][key("rail0", Meaning.OUT_OF_SEQUENCE)] = 500

    item = replace(RDMA, load_balancing=LoadBalancing.PACKET)
    assert judge(incast(reorder), item).verdict.run is RunResult.LOSSLESS
    assert judge(incast(reorder)).verdict.run is RunResult.NOT_LOSSLESS


def test_without_a_class_nothing_is_proven() -> None:
    item = replace(RDMA, delivery=Delivery.LOSSY)
    assert judge(incast(), item).verdict.run is RunResult.NOT_PROVEN
