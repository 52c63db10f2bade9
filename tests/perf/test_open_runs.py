"""A run that proves nothing says so in reports of findings alone, too."""

from __future__ import annotations

import pytest

from netcheck.model.counters import Meaning
from netcheck.model.finding import ExitCode, Severity, Verdict
from netcheck.perf import run
from netcheck.perf.observe import RoundResult
from netcheck.report import csv, junit
from netcheck.report.report import Report, exit_code
from tests.perf.test_verdict import Readings, fabric, incast, key


def calm(readings: dict[str, Readings]) -> None:
    for port in ("Ethernet2", "Ethernet3"):
        readings["leaf01"][key(port, Meaning.PFC_TX, 3)] = 0


@pytest.mark.parametrize(
    ("results", "said"),
    [([], "no round was run"), ([incast(calm)], "no pause frame was seen"), ([incast()], "")],
)
def test_a_run_that_is_not_proven_is_a_finding(
    results: list[RoundResult], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "measure", lambda *_: list(results))
    found = run.run_perf(fabric())
    still = [f for f in found.findings if f.rule == "run-not-proven"]
    assert [(f.severity, f.verdict) for f in still] == [
        (Severity.ERROR, Verdict.UNVERIFIED)
    ] * bool(said)
    report = Report("perf", found.findings, verdict=found.verdict)
    assert exit_code(report) == (ExitCode.UNVERIFIED if said else ExitCode.CLEAN)
    assert (said in csv.write(report)) == (said in junit.write(report))
    assert said in csv.write(report)


def test_an_error_that_says_it_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "measure", lambda *_: [incast(error="cannot connect")])
    rules = {finding.rule for finding in run.run_perf(fabric()).findings}
    assert "rdma-test-failed" in rules
    assert "run-not-proven" not in rules
