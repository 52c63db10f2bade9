"""Rounds that had no time: the report says so, whatever the rounds before proved."""

from dataclasses import replace

from netcheck.model.finding import Severity
from netcheck.perf.flows import Course
from netcheck.perf.observe import RoundResult
from netcheck.perf.perftest import Tool
from netcheck.perf.verdict import PerfVerdict
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
        "every round of rdma expected, 2 had no time: ib_write_bw, incast 2; ib_write_bw, incast 3"
    )
    assert left_out(found) == [(Severity.WARNING, said)]


def test_nothing_is_said_where_every_round_was_run() -> None:
    assert left_out(judge(ran(1.5, 1))) == []
