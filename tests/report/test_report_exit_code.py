from dataclasses import replace

import pytest

from netcheck.model.finding import (
    Basis,
    ExitCode,
    Finding,
    NotProven,
    RunResult,
    RunVerdict,
    Severity,
    Verdict,
)
from netcheck.report.report import Report, exit_code


def one(severity: Severity, verdict: Verdict) -> Report:
    return Report("lint", (Finding("some-rule", severity, verdict, (), "text"),))


@pytest.mark.parametrize(
    ("severity", "verdict", "code"),
    [
        (Severity.ERROR, Verdict.FAIL, ExitCode.FINDINGS),
        (Severity.WARNING, Verdict.FAIL, ExitCode.CLEAN),
        (Severity.INFO, Verdict.FAIL, ExitCode.CLEAN),
        (Severity.ERROR, Verdict.UNVERIFIED, ExitCode.UNVERIFIED),
        (Severity.ERROR, Verdict.SUPPRESSED, ExitCode.CLEAN),
        (Severity.ERROR, Verdict.NOT_APPLICABLE, ExitCode.CLEAN),
        (Severity.ERROR, Verdict.PASS, ExitCode.CLEAN),
    ],
)
def test_each_verdict_has_its_exit_code(
    severity: Severity, verdict: Verdict, code: ExitCode
) -> None:
    assert exit_code(one(severity, verdict)) is code


def test_a_warning_fails_when_the_threshold_says_so() -> None:
    report = replace(one(Severity.WARNING, Verdict.FAIL), fail_on=Severity.WARNING)
    assert exit_code(report) is ExitCode.FINDINGS


def test_a_failure_outweighs_missing_evidence(report: Report) -> None:
    assert exit_code(report) is ExitCode.FINDINGS


def test_what_could_not_be_judged_counts_when_all_is_required() -> None:
    report = replace(one(Severity.ERROR, Verdict.NOT_APPLICABLE), require_complete=True)
    assert exit_code(report) is ExitCode.UNVERIFIED


@pytest.mark.parametrize(
    ("run", "reason", "code"),
    [
        (RunResult.LOSSLESS, None, ExitCode.CLEAN),
        (RunResult.NOT_LOSSLESS, None, ExitCode.FINDINGS),
        (RunResult.NOT_PROVEN, NotProven.COUNTER_MISSING, ExitCode.UNVERIFIED),
    ],
)
def test_a_measurement_decides_the_exit_code(
    run: RunResult, reason: NotProven | None, code: ExitCode
) -> None:
    verdict = RunVerdict(run, Basis.SIMULATED, reason=reason)
    assert exit_code(Report("perf", verdict=verdict)) is code
