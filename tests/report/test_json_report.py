import json

from netcheck.model.finding import Basis, ClassVerdict, Performance, RunResult, RunVerdict
from netcheck.report.json import write
from netcheck.report.report import Report

FINDING_KEYS = {
    "rule",
    "severity",
    "verdict",
    "where",
    "message",
    "expected",
    "found",
    "evidence",
    "why",
    "fix",
    "reference",
    "stage",
}


def test_the_document_has_the_published_keys(report: Report) -> None:
    document = json.loads(write(report))
    assert list(document) == ["version", "tool", "verdict", "summary", "findings"]
    assert document["version"] == 1
    assert set(document["tool"]) == {"name", "version"}
    assert document["verdict"] is None
    assert all(set(finding) == FINDING_KEYS for finding in document["findings"])


def test_a_finding_carries_every_place_and_where_it_was_read(report: Report) -> None:
    first = json.loads(write(report))["findings"][0]
    assert [place["port"] for place in first["where"]] == [f"Ethernet{n}" for n in range(0, 64, 8)]
    assert first["evidence"] == [
        {
            "file": "leaf01/config_db.json",
            "line": 12,
            "column": 9,
            "command": None,
            "counter": None,
        },
        {"file": None, "line": None, "column": None, "command": "dcb -j pfc show", "counter": None},
    ]


def test_what_was_not_judged_is_counted_by_rule(report: Report) -> None:
    document = json.loads(write(report))
    assert document["summary"]["not_applicable"] == {"pfc-path-gap": 1}
    assert [finding["verdict"] for finding in document["findings"]] == [
        "fail",
        "unverified",
        "suppressed",
    ]


def test_a_measurement_says_result_reason_performance_and_basis() -> None:
    verdict = RunVerdict(RunResult.LOSSLESS, Basis.SIMULATED, performance=Performance.OK)
    assert json.loads(write(Report("perf", verdict=verdict)))["verdict"] == {
        "run": "lossless",
        "reason": None,
        "performance": "ok",
        "basis": "simulated",
    }


def test_a_measurement_gives_the_result_of_each_class() -> None:
    lost = RunVerdict(RunResult.NOT_LOSSLESS, Basis.SIMULATED)
    held = RunVerdict(RunResult.LOSSLESS, Basis.SIMULATED)
    classes = (
        ClassVerdict("rdma", held, 3_000_000, paused=True, marked=True),
        ClassVerdict("bulk", lost, 500, paused=False, marked=True, is_lossless=False),
    )
    found = json.loads(write(Report("perf", verdict=held, classes=classes)))["summary"]["classes"]
    assert found == [
        {
            "name": "rdma",
            "lossless": True,
            "run": "lossless",
            "reason": None,
            "packets": 3_000_000,
            "loss_bound": 1e-06,
            "pfc": True,
            "ecn": True,
        },
        {
            "name": "bulk",
            "lossless": False,
            "run": "not_lossless",
            "reason": None,
            "packets": 500,
            "loss_bound": None,
            "pfc": False,
            "ecn": True,
        },
    ]
