from dataclasses import replace

import pytest

from netcheck.model.finding import (
    Basis,
    Finding,
    NotProven,
    Performance,
    Place,
    RunResult,
    RunVerdict,
    Severity,
    Verdict,
)
from netcheck.report.report import Report
from netcheck.report.text import Look, verdict_line, write

EXPECTED = """\
gpu01
  muted   mtu-below-rdma
          accepted: old

gpu[01-02]
  no data ecn-inactive  rail0
          ecn: no evidence

leaf01
  error   pfc-host-missing  Ethernet[0-56:8] priority 3
          pfc_rx expected 3, found none
          leaf01/config_db.json:12:9
          (dcb -j pfc show)
          fix: enable PFC <on> the host & the port

1 rule not applicable: what it compares was not given
1 file not recognised: notes.bin (binary)
1 error, 1 unverified, 1 suppressed on 3 devices
"""


def test_findings_stand_under_their_devices_and_the_verdict_comes_last(report: Report) -> None:
    assert write(report) == EXPECTED


def test_suspects_stand_in_their_order() -> None:
    found = [
        Finding(
            "loss-located", Severity.INFO, Verdict.FAIL, (Place("leaf01", port),), port, expected
        )
        for port, expected in (("a", "suspect 2"), ("b", "suspect 1"), ("c", "suspect 3"))
    ]
    listed = Report("perf", tuple(found)).listed
    assert [one.where[0].port for one in listed] == ["b", "a", "c"]


def test_no_line_is_wider_than_the_terminal(report: Report) -> None:
    text = write(report, Look(width=60, verbose=True))
    assert max(map(len, text.splitlines())) <= 60


def test_colours_are_used_only_when_asked_for(report: Report) -> None:
    assert "\x1b" not in write(report)
    assert "\x1b[31m" in write(report, Look(colour=True))


def test_quiet_leaves_the_verdict(report: Report) -> None:
    assert write(report, Look(quiet=True)) == verdict_line(report) + "\n"


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (RunVerdict(RunResult.LOSSLESS, Basis.SIMULATED), "lossless (simulated)"),
        (
            RunVerdict(RunResult.LOSSLESS, Basis.MEASURED, performance=Performance.SLOW),
            "lossless, slow (measured)",
        ),
        (
            RunVerdict(RunResult.NOT_PROVEN, Basis.SIMULATED, reason=NotProven.COUNTER_MISSING),
            "not proven: counter missing (simulated)",
        ),
    ],
)
def test_a_measurement_ends_with_verdict_and_basis(verdict: RunVerdict, line: str) -> None:
    assert verdict_line(Report("perf", verdict=verdict)) == line


def test_a_clean_run_says_so(report: Report) -> None:
    clean = replace(report, findings=())
    assert verdict_line(clean) == "clean: no findings on 3 devices"


def test_control_characters_are_written_out(report: Report) -> None:
    sly = replace(report.findings[0], message="pfc \x1b[2J\x07 off", where=(Place("a\x1b[1m"),))
    text = write(Report("lint", (sly,)))
    assert "\x1b" not in text
    assert "pfc \\x1b[2J\\x07 off" in text
