import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from netcheck.model.document import Evidence
from netcheck.report.report import Report
from netcheck.report.sarif import fingerprint, write

SUBSET = json.loads(Path(__file__).with_name("sarif-2.1.0-subset.json").read_text("utf-8"))


def run(report: Report) -> Any:  # Any: JSON
    return json.loads(write(report))["runs"][0]


@pytest.mark.parametrize("is_empty", [True, False])
def test_the_log_keeps_to_the_standard(report: Report, is_empty: bool) -> None:  # noqa: FBT001 -- a parameter
    document = json.loads(write(Report("lint") if is_empty else report))
    found = [error.message for error in Draft202012Validator(SUBSET).iter_errors(document)]
    assert found == []


def test_each_result_points_at_its_rule(report: Report) -> None:
    found = run(report)
    rules = [rule["id"] for rule in found["tool"]["driver"]["rules"]]
    assert [rules[each["ruleIndex"]] for each in found["results"]] == [
        each["ruleId"] for each in found["results"]
    ]


def test_a_rule_leads_to_its_source(report: Report) -> None:
    rules = {rule["id"]: rule for rule in run(report)["tool"]["driver"]["rules"]}
    assert rules["pfc-host-missing"]["helpUri"] == "https://example.org/pfc"


def test_missing_evidence_is_open_and_not_a_failure(report: Report) -> None:
    kinds = {each["ruleId"]: (each["kind"], each["level"]) for each in run(report)["results"]}
    assert kinds["ecn-inactive"] == ("open", "none")
    assert kinds["pfc-host-missing"] == ("fail", "error")


def test_files_below_the_working_directory_are_relative(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inside = Evidence(str(tmp_path / "a b" / "config_db.json"), 3)
    outside = Evidence("/elsewhere/config_db.json", 3)
    finding = replace(report.findings[0], evidence=(inside, outside))
    locations = run(Report("lint", (finding,)))["results"][0]["locations"]
    artifacts = [each["physicalLocation"]["artifactLocation"] for each in locations]
    assert artifacts == [
        {"uri": "a%20b/config_db.json", "uriBaseId": "%SRCROOT%"},
        {"uri": "file:///elsewhere/config_db.json"},
    ]


def test_a_fingerprint_survives_moved_lines_and_changed_figures(report: Report) -> None:
    first = report.findings[0]
    moved = replace(
        first,
        message="pfc_rx expected 4, found 5",
        evidence=(Evidence("leaf01/config_db.json", 99, 1), Evidence(command="dcb -j pfc show")),
    )
    assert fingerprint(moved) == fingerprint(first)
    assert fingerprint(replace(first, rule="other")) != fingerprint(first)
