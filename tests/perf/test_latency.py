"""Latency on an idle fabric and beside an incast: figures, pairs that stand out, failed tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from netcheck.model.fabric import PortRef
from netcheck.model.finding import Severity
from netcheck.model.known import UNKNOWN
from netcheck.perf.latency import latency_figures, latency_findings, outliers
from netcheck.perf.observe import FlowResult, RoundResult
from netcheck.perf.perftest import PerftestResult, Tool
from netcheck.perf.schedule import Endpoint, Pattern, Round

Figure = float | tuple[float, float]
"""Typical latency, with the 99th percentile where that is another."""


def end(number: int) -> Endpoint:
    return Endpoint(f"gpu{number:02}", "rail0", "mlx5_0", PortRef("leaf01", f"Ethernet{number}"))


def flow(number: int, figure: Figure) -> FlowResult:
    typical, last = figure if isinstance(figure, tuple) else (figure, figure)
    result = PerftestResult(latency_us=typical, percentile_99_us=last, percentile_999_us=last * 2)
    return FlowResult(end(number), end(number + 1), result)


def idle(*figures: Figure) -> RoundResult:
    """Pairs within a leaf that measured these latencies in microseconds."""
    flows = tuple(flow(number, figure) for number, figure in enumerate(figures))
    pairs = tuple((one.sender, one.receiver) for one in flows)
    one = Round("pairs within each leaf", Pattern.PAIRS, pairs)
    return RoundResult(one, Tool.WRITE_LAT, "rdma", flows, {})


def loaded(*probes: FlowResult) -> RoundResult:
    """An incast during which these tests of latency ran."""
    one = Round("incast within each leaf", Pattern.INCAST, ())
    return RoundResult(one, Tool.WRITE_BW, "rdma", (), {}, probes=probes)


def failed(error: str) -> FlowResult:
    return FlowResult(end(1), end(0), PerftestResult(error=error))


@pytest.mark.parametrize(
    ("figures", "late"),
    [
        ((2.0, 2.0, 2.0, 9.0), ["gpu03"]),
        ((2.0, 2.0, 4.0), []),  # twice the middle, no more
        ((1.0, 1.0, 3.0), []),  # two microseconds more, no more
        ((1.0, 1.0, 3.01), ["gpu02"]),
        ((30.0, 30.0, 55.0), []),
        ((2.0, 9.0), []),  # of two, nobody knows which stands out
        (((2.0, 3.0), (2.0, 3.0), (2.0, 40.0)), ["gpu02"]),
    ],
)
def test_a_pair_stands_out_of_its_peers_by_a_factor_and_by_microseconds(
    figures: Sequence[Figure], late: list[str]
) -> None:
    found = list(latency_findings([idle(*figures)]))
    assert sorted({one.where[0].device for one in found}) == late
    assert {one.rule for one in found} <= {"latency-above-peers"}
    assert sorted({sender.host for sender, _ in outliers(idle(*figures))}) == late


def test_what_is_expected_and_found_is_said() -> None:
    (found,) = latency_findings([idle((2.0, 3.0), (2.0, 3.0), (2.0, 40.0))])
    assert found.message == (
        "99 % latency to gpu03 rail0 expected about 3.00 us as between others at that distance,"
        " found 40.00 us"
    )


def test_figures_are_of_the_middle_pair_and_name_the_worst() -> None:
    first, second = latency_figures([loaded(flow(7, 100.0)), idle(1.0, 2.0, 9.0)])
    assert str(first) == (
        "class rdma, latency idle: 3 pairs, typical 2.00 us, 99 % 2.00, 99.9 % 4.00;"
        " worst 99 % 9.00 us, gpu02 rail0 to gpu03 rail0"
    )
    assert str(second) == (
        "class rdma, latency incast: 1 pair, typical 100.00 us, 99 % 100.00, 99.9 % 200.00;"
        " worst 99 % 100.00 us, gpu07 rail0 to gpu08 rail0"
    )


def test_a_rate_is_no_latency() -> None:
    assert list(latency_figures([replace(idle(1.0), tool=Tool.WRITE_BW)])) == []


@pytest.mark.parametrize(
    ("probe", "said"),
    [
        (failed("cannot connect"), "cannot connect"),
        (failed(""), "the test printed no latency"),
        (
            replace(failed(""), result=PerftestResult(latency_us=3.0, percentile_99_us=UNKNOWN)),
            "the test printed no latency",
        ),
    ],
)
def test_a_probe_that_failed_is_a_warning_at_its_place(probe: FlowResult, said: str) -> None:
    (found,) = latency_findings([loaded(flow(5, 100.0), probe)])
    assert (found.rule, found.severity) == ("latency-test-failed", Severity.WARNING)
    assert [str(place) for place in found.where] == ["gpu01 rail0"]
    assert found.message == f"latency to gpu00 rail0 during incast within each leaf: {said}"
    assert [one.pairs for one in latency_figures([loaded(flow(5, 100.0), probe)])] == [1]


def test_each_port_that_an_incast_fills_has_one_probe() -> None:
    a, b, c, d = map(end, range(4))
    one = Round("incast", Pattern.INCAST, ((a, c), (b, c), (b, d), (a, d)))
    assert one.probes == ((a, c), (b, d))
    assert replace(one, pattern=Pattern.MIXED).probes == ()
