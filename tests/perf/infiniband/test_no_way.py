"""Leaves that no way by tiers joins, as those of a torus: said not to be tested."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.model.finding import Basis, RunResult
from netcheck.perf.infiniband.verdict import judge_services
from netcheck.perf.schedule import Depth
from tests.perf.infiniband.subnet import OPTIONS, Subnet, intent, measured


@pytest.mark.parametrize("depth", [Depth.QUICK, Depth.STANDARD])
def test_flows_without_a_way_are_left_out_and_the_others_are_judged(
    depth: Depth, tmp_path: Path
) -> None:
    flat = intent(lambda text: text.replace("role: spine", "role: leaf"), tmp_path)
    ran = measured(Subnet(), flat, replace(OPTIONS, depth=depth))
    found = judge_services(ran, Basis.SIMULATED)
    assert [one.verdict.run for one in found.classes] == [RunResult.NOT_PROVEN]
    (said,) = [one.message for one in found.findings if one.rule == "round-not-run"]
    assert "4 flows of ib_write_bw, incast from leaf to leaf (no way by tiers)" in said
