"""Rounds that were not run: the report says so, whatever the others proved."""

from dataclasses import replace
from pathlib import Path

from netcheck.model.finding import RunResult, Severity
from netcheck.perf.flows import Course
from netcheck.perf.observe import RoundResult
from netcheck.perf.perftest import Tool
from netcheck.perf.schedule import Depth
from netcheck.perf.verdict import PerfVerdict
from tests.perf.rig import OPTIONS, TWO_LEAVES, world
from tests.perf.test_verdict import incast, judge


def ran(budget_s: float, rounds: int) -> RoundResult:
    """The only round that was run of some, where each takes one second."""
    course = Course("rdma", budget_s, lambda _: None, lambda _one, _tool, _port: incast())
    one = incast().round
    for number in range(rounds):
        course.run(replace(one, name=f"incast {number + 1}"), Tool.WRITE_BW)
        course.started -= 1.0
    (result,) = course.results
    return result


def left_out(found: PerfVerdict) -> list[tuple[Severity, str]]:
    return [(f.severity, f.message) for f in found.findings if f.rule == "round-not-run"]


def test_rounds_without_time_are_a_warning_that_names_them() -> None:
    found = judge(ran(1.5, 3))
    assert str(found.verdict) == "lossless (simulated)"
    said = (
        "every round of rdma expected, found 2 left out: ib_write_bw, incast 2 (no time left);"
        " ib_write_bw, incast 3 (no time left)"
    )
    assert left_out(found) == [(Severity.WARNING, said)]


def test_nothing_is_said_where_every_round_was_run() -> None:
    assert left_out(judge(ran(1.5, 1))) == []


def test_leaves_that_no_way_by_tiers_joins_are_said_not_to_be_tested(tmp_path: Path) -> None:
    rows = TWO_LEAVES.read_text("utf-8").splitlines()
    kept = [row for row in rows if 'b: "spine0' not in row]
    joined = '  - {a: "leaf01:Ethernet32", b: "leaf02:Ethernet32", cable: 5m}'
    kept.insert(kept.index("links:") + 1, joined)
    intent = tmp_path / "two-joined-leaves.yaml"
    intent.write_text("\n".join(kept), "utf-8")
    with world(tmp_path / "lab", intent) as lab:
        found = lab.judged(replace(OPTIONS, depth=Depth.QUICK))
    assert found.verdict.run is RunResult.LOSSLESS
    ((_, said),) = left_out(found)
    assert "8 flows of ib_write_bw, incast from leaf to leaf (no way by tiers)" in said


def test_what_is_left_out_before_the_first_round_is_said_too() -> None:
    course = Course("rdma", 1.5, lambda _: None, lambda _one, _tool, _port: incast())
    course.leave_out("2 flows of ib_write_bw, pairs", "no way by tiers")
    course.run(incast().round, Tool.WRITE_BW)
    (result,) = course.results
    ((_, said),) = left_out(judge(result))
    assert said.endswith("found 1 left out: 2 flows of ib_write_bw, pairs (no way by tiers)")
