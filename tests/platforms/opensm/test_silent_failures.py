"""Every text that OpenSM silently takes for something else is reported; the right one is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from netcheck.api import lint_paths
from netcheck.model.finding import Finding, Severity, Verdict

TABLE: list[dict[str, Any]] = yaml.safe_load(  # Any: YAML
    Path(__file__).with_name("silent_failures.yaml").read_text("utf-8")
)
LOUD = {Severity.ERROR, Severity.WARNING}


def lint(folder: Path, files: dict[str, str]) -> list[Finding]:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    report = lint_paths([folder])
    return [one for one in report.findings if one.verdict is Verdict.FAIL and one.severity in LOUD]


def place(finding: Finding) -> str:
    at = finding.evidence[0]
    return f"{Path(at.file).name}:{at.line}"


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["row"].replace(" ", "-"))
def test_a_wrong_text_is_reported_at_its_place_with_what_happens_and_the_right_one_is_not(
    row: dict[str, Any],  # Any: YAML
    tmp_path: Path,
) -> None:
    found = lint(tmp_path / "wrong", row["wrong"])
    told = [one for one in found if one.rule == row["rule"] and row["tells"] in one.message]
    assert row["at"] in [place(one) for one in told], [(one.rule, one.message) for one in found]
    assert [(one.rule, one.message) for one in lint(tmp_path / "right", row["right"])] == []


def test_the_table_has_a_row_for_each_measured_failure() -> None:
    assert len(TABLE) >= 90
    assert len({(row["row"], *row["wrong"]) for row in TABLE}) == len(TABLE)
