"""Inputs of our own, of the kinds that people hand to lint."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.casework import Run, failures, missing

CASES: dict[str, dict[str, Any]] = yaml.safe_load(  # Any: YAML
    Path(__file__).with_name("own_cases.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("name", CASES)
def test_every_fault_is_found_and_nothing_else(netcheck: Run, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    for file, text in case["files"].items():
        path = tmp_path / "case" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    findings = failures(netcheck, tmp_path / "case", _intent(case, tmp_path))
    assert list(missing(findings, case["expect"])) == []
    wanted = {rule for one in case["expect"] for rule in one["rules"]}
    other = [f for f in findings if f["severity"] == "error" and f["rule"] not in wanted]
    assert other == []


def _intent(case: dict[str, Any], folder: Path) -> Path | None:  # Any: YAML
    policy = {key: case[key] for key in ("classes",) if key in case} | case.get("policy", {})
    if not policy:
        return None
    path = folder / "intent.yaml"
    content = {"netcheck": 1, "name": "case", "roce": {"policies": {"p": policy}}}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path
