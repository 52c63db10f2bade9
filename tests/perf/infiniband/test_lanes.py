"""A service whose level leads to a lane that carries nothing: found, and named first."""

from __future__ import annotations

import pytest

from netcheck.model.finding import RunResult
from tests.perf.infiniband.subnet import Subnet, judged


@pytest.mark.parametrize(
    ("net", "said"),
    [
        (Subnet(lane=15), "SL 2 leads to lane 15, which drops data"),
        (Subnet(weight=0), "SL 2 leads to lane 1, which has no weight in either table"),
    ],
)
def test_the_lane_is_named_before_what_fails_for_want_of_it(net: Subnet, said: str) -> None:
    found = judged(net)
    (finding,) = (f for f in found.findings if f.rule == "service-without-lane")
    assert finding.found == said
    assert {place.device for place in finding.where} >= {"gpu01", "gpu02", "gpu03", "gpu04"}
    assert said in found.suspects[0].evidence
    (one,) = found.classes
    assert one.verdict.run is RunResult.NOT_LOSSLESS


def test_lanes_are_asked_for_only_where_tests_failed() -> None:
    net = Subnet()
    judged(net)
    assert not any("smpquery" in line for line in net.lines)
