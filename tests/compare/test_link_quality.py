"""Counters of a subnet as rates: what is worse than a link may be, and what is too little."""

from __future__ import annotations

import pytest

from netcheck.compare.link_quality import rates_between
from netcheck.lossless.link_quality import bit_error_rate, wait_share
from netcheck.model.counters import Counter, CounterKey, WholeCounts
from netcheck.model.finding import Place
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import IbNode, IbPort, IbSubnet, NodeKind
from netcheck.model.known import UNKNOWN
from netcheck.platforms.infiniband.counters import counter

PORT = IbPort(5, width=4, speed="HDR")
LEAF = IbNode(
    "leaf1", NodeKind.SWITCH, device="leaf1", device_id=0xD2F0, ports=FrozenMap({5: PORT})
)
SUBNET = IbSubnet(nodes=FrozenMap({"leaf1": LEAF}))
PLACE = Place("leaf1", "5")


def counted(**values: int) -> WholeCounts:
    pairs: dict[CounterKey, Counter] = dict(
        counter(name, value, "leaf1 5") for name, value in values.items()
    )
    return WholeCounts(pairs)


def found(seconds: float, **values: int) -> list[tuple[str, str]]:
    findings = list(rates_between(SUBNET, counted(), counted(**values), seconds))
    assert {one.where for one in findings} <= {(PLACE,)}
    return [(one.rule, one.found) for one in findings]


def test_errors_become_a_rate_for_each_bit() -> None:
    assert found(100, SymbolErrorCounter=120) == [
        ("link-bit-errors", "6.0e-12 (120 errors in 100 s)")
    ]


def test_as_many_errors_as_a_link_may_have_are_no_finding() -> None:
    assert found(1000, SymbolErrorCounter=200) == []


def test_one_error_is_no_rate() -> None:
    assert found(1, SymbolErrorCounter=1) == []


def test_recoveries_are_told_by_the_hour() -> None:
    assert found(3600, LinkErrorRecoveryCounter=10) == []
    assert found(3600, LinkErrorRecoveryCounter=11) == [
        ("link-recovers-often", "11 an hour (11 in 3600 s)")
    ]


def test_waiting_is_a_share_of_the_time() -> None:
    # 8 bytes a tick at 200 Gb/s: 3.125e9 ticks are the whole second
    assert found(1, PortXmitWait=312_500_000) == []
    assert found(1, PortXmitWait=1_562_500_000) == [("port-waits-long", "50% of 1 s")]


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_without_a_time_nothing_is_told(seconds: float) -> None:
    assert found(seconds, SymbolErrorCounter=9999) == []


def test_a_counter_that_stopped_at_its_width_is_no_rate() -> None:
    assert found(10, LinkErrorRecoveryCounter=255) == []


def test_readings_that_are_not_known_tell_nothing() -> None:
    assert list(rates_between(SUBNET, UNKNOWN, counted(SymbolErrorCounter=9), 1)) == []


def test_a_tick_counts_lanes_on_older_switches_and_is_unknown_on_others() -> None:
    rate = 100_000_000_000
    share = wait_share(97_656_250, seconds=1, rate_bps=rate, device_id=0xCB20, width=4)
    assert share == pytest.approx(1.0)
    assert wait_share(1, seconds=1, rate_bps=rate, device_id=0x101B, width=4) is None


@pytest.mark.parametrize(("seconds", "rate"), [(0.0, 1), (1.0, 0)])
def test_a_time_or_rate_of_nothing_is_refused(seconds: float, rate: int) -> None:
    with pytest.raises(ValueError, match="above 0"):
        bit_error_rate(1, seconds=seconds, rate_bps=rate)
    with pytest.raises(ValueError, match="above 0"):
        wait_share(1, seconds=seconds, rate_bps=rate, device_id=0xD2F0, width=4)
