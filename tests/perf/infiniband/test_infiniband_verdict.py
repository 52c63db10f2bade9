"""What a measurement of an InfiniBand service proves, and where it says to look."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from netcheck.model.fabric import PortRef
from netcheck.model.finding import Basis, NotProven, Place, RunResult, Severity
from netcheck.perf.infiniband.verdict import Judged, judge_services
from tests.perf.infiniband.subnet import HOSTS, OPTIONS, Port, Subnet, judged, measured

LEAF_TO_SPINE = (21, 3)
SPINE_FROM_LEAF = (31, 1)


def grows(port: Port, name: str, by: int = 5, *, sender: str = "") -> Subnet:
    """A subnet in which a counter grows with every test, or with those of one sender."""

    def after(net: Subnet, first: str, _second: str) -> None:
        if sender in {"", first}:
            net.at(port)[name] += by

    return Subnet(after=after)


def run_of(found: Judged) -> tuple[RunResult, NotProven | None]:
    (one,) = found.classes
    return one.verdict.run, one.verdict.reason


def rules(found: Judged) -> set[str]:
    return {finding.rule for finding in found.findings}


def test_a_healthy_service_is_lossless_by_the_packets_that_came_in() -> None:
    found = judged(Subnet())
    (one,) = found.classes
    assert (one.name, one.verdict.run, one.waited) == ("train/jobs sl 2", RunResult.LOSSLESS, True)
    assert one.packets == 12_000_000
    assert found.findings == ()
    assert not found.is_slow


def test_rounds_that_had_no_time_are_a_warning() -> None:
    found = judge_services(
        measured(Subnet(), options=replace(OPTIONS, budget_s=0.0)), Basis.SIMULATED
    )
    (left_out,) = [f for f in found.findings if f.rule == "round-not-run"]
    assert left_out.severity is Severity.WARNING
    assert "incast from leaf to leaf" in left_out.message


def test_senders_of_an_incast_wait_and_the_share_of_the_time_is_told() -> None:
    (waiting, *_) = judged(Subnet()).waiting
    assert (waiting.device, waiting.port) in {("gpu01", "ib0"), ("gpu02", "ib0")}
    assert waiting.percent == pytest.approx(50.0)


def test_discarded_packets_are_a_loss_and_their_port_is_the_first_suspect() -> None:
    found = judged(grows(LEAF_TO_SPINE, "PortXmitDiscards"))
    assert run_of(found) == (RunResult.NOT_LOSSLESS, None)
    assert {f.where[0] for f in found.findings if f.rule == "loss-counted"} == {
        Place("ibleaf01", "IB1/3")
    }
    assert found.suspects[0].where == PortRef("ibleaf01", "IB1/3")


@pytest.mark.parametrize(
    ("port", "name"),
    [
        (HOSTS["gpu01"], "packet_seq_err"),
        (HOSTS["gpu01"], "local_ack_timeout_err"),
        (HOSTS["gpu02"], "out_of_sequence"),
        (LEAF_TO_SPINE, "VL15Dropped"),
        (HOSTS["gpu02"], "PortRcvErrors"),
    ],
)
def test_what_was_sent_again_or_dropped_anywhere_is_a_loss(port: Port, name: str) -> None:
    assert run_of(judged(grows(port, name))) == (RunResult.NOT_LOSSLESS, None)


def test_packets_with_errors_are_told_apart_from_congestion() -> None:
    found = judged(grows(SPINE_FROM_LEAF, "PortRcvErrors"))
    (one,) = found.classes
    assert one.verdict.detail == "loss was counted, of damaged packets"
    assert "packets-damaged" in rules(found)
    assert set(found.suspects[0].places) == {
        PortRef("ibspine01", "IB1/1"),
        PortRef("ibleaf01", "IB1/3"),
    }


def test_bit_errors_without_a_lost_packet_are_a_bad_cable_and_no_loss() -> None:
    found = judged(grows(SPINE_FROM_LEAF, "SymbolErrorCounter", by=100))
    assert run_of(found) == (RunResult.LOSSLESS, None)
    (finding,) = (f for f in found.findings if f.rule == "cable-damages")
    assert finding.severity is Severity.WARNING
    assert "bit error rate 2.0e-09" in finding.message
    assert set(found.suspects[0].places) == {
        PortRef("ibspine01", "IB1/1"),
        PortRef("ibleaf01", "IB1/3"),
    }


def test_a_link_that_trains_again_is_a_bad_cable() -> None:
    found = judged(grows(HOSTS["gpu03"], "LinkErrorRecoveryCounter", by=1))
    assert {f.where[0] for f in found.findings if f.rule == "cable-damages"} == {
        Place("gpu03", "ib0")
    }


def test_an_incast_in_which_no_port_waited_exercises_nothing() -> None:
    found = judged(Subnet(waits_are_counted=False))
    assert run_of(found) == (RunResult.NOT_PROVEN, NotProven.NOT_EXERCISED)


@pytest.mark.parametrize(
    "name", ["PortXmitDiscards", "PortRcvErrors", "VL15Dropped", "packet_seq_err", "PortXmitWait"]
)
def test_a_counter_that_is_not_shown_proves_nothing(name: str) -> None:
    found = judged(Subnet(hidden={name}))
    assert run_of(found) == (RunResult.NOT_PROVEN, NotProven.COUNTER_MISSING)
    assert "counter-missing" in rules(found)


def test_a_counter_at_its_largest_value_is_not_zero() -> None:
    full = Subnet(counts={LEAF_TO_SPINE: Counter(PortXmitDiscards=2**16 - 1)})
    assert run_of(judged(full)) == (RunResult.NOT_PROVEN, NotProven.COUNTER_MISSING)


def test_a_counter_that_was_cleared_meanwhile_proves_nothing() -> None:
    def cleared(net: Subnet, first: str, second: str) -> None:
        if (LEAF_TO_SPINE, SPINE_FROM_LEAF) in net.way(first, second):
            net.at(LEAF_TO_SPINE)["PortXmitDiscards"] = 0

    before = Subnet(counts={LEAF_TO_SPINE: Counter(PortXmitDiscards=9)}, after=cleared)
    assert run_of(judged(before)) == (RunResult.NOT_PROVEN, NotProven.COUNTER_MISSING)


def test_a_port_whose_counters_were_cleared_proves_nothing_by_zeros_that_stay() -> None:
    def cleared(net: Subnet, first: str, second: str) -> None:
        if (LEAF_TO_SPINE, SPINE_FROM_LEAF) in net.way(first, second):
            net.at(LEAF_TO_SPINE).clear()

    start = Counter(PortXmitPkts=10**9, PortRcvPkts=10**9)
    before = Subnet(counts={LEAF_TO_SPINE: start}, after=cleared)
    assert run_of(judged(before)) == (RunResult.NOT_PROVEN, NotProven.COUNTER_MISSING)


def test_a_wait_that_ran_to_its_largest_value_did_grow_by_an_unknown_share() -> None:
    start = {port: Counter(PortXmitWait=2**32 - 10) for port in HOSTS.values()}
    found = judged(Subnet(counts=start))
    assert run_of(found) == (RunResult.LOSSLESS, None)
    assert found.waiting == ()


def test_waits_that_were_full_before_say_nothing() -> None:
    start = {port: Counter(PortXmitWait=2**32 - 1) for port in HOSTS.values()}
    net = Subnet(counts=start, waits_are_counted=False)
    assert run_of(judged(net)) == (RunResult.NOT_PROVEN, NotProven.COUNTER_MISSING)


def test_a_receiver_that_counts_nothing_of_what_came_in_disagrees() -> None:
    def stuck(net: Subnet, _first: str, second: str) -> None:
        net.at(HOSTS[second])["PortRcvPkts"] = 0

    assert "counters-disagree" in rules(judged(Subnet(after=stuck)))


def test_a_narrow_link_is_named_before_flows_are_asked() -> None:
    found = judged(Subnet(trunk="1xHDR"))
    ends = {f.where[0] for f in found.findings if f.rule == "link-below-speed"}
    assert ends == {Place("ibleaf01", "IB1/3"), Place("ibspine01", "IB1/1")}
    assert found.is_slow
    assert run_of(found) == (RunResult.LOSSLESS, None)


def test_a_slow_pair_is_an_error_where_the_intent_says_a_share() -> None:
    found = judged(Subnet(slow={"gpu02": 0.5}))
    (finding, *_) = (f for f in found.findings if f.rule == "bandwidth-below-expected")
    assert finding.severity is Severity.ERROR
    assert finding.where == (Place("gpu02", "ib0"),)
    assert ">= 192.7 Gb/s" in finding.expected  # 200 Gb/s, 65536 of 65968 bytes, 97 %


def test_waits_of_64_bits_count_where_those_of_the_adapter_are_full() -> None:
    start = {port: Counter(PortXmitWait=2**33) for port in HOSTS.values()}
    found = judged(Subnet(counts=start, has_wide_waits=True))
    assert run_of(found) == (RunResult.LOSSLESS, None)
    assert found.waiting[0].percent == pytest.approx(50.0)


def test_a_full_counter_is_said_to_be_full_and_how_to_clear_it() -> None:
    full = Subnet(counts={LEAF_TO_SPINE: Counter(PortXmitDiscards=2**16 - 1)})
    (finding, *_) = (f for f in judged(full).findings if f.rule == "counter-missing")
    assert "largest value" in finding.message
    assert "perfquery -R" in finding.fix
    assert "--duration 1" in finding.fix
