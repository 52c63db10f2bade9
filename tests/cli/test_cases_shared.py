"""Public configurations with known faults: every one found, and little else said."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.casework import Finding, Run, failures, missing

EXPECTED: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("shared_cases.yaml").read_text("utf-8")
)  # Any: YAML
PLATFORMS = {"cumulus", "eos", "host-mlx5", "ib", "nxos", "sonic"}


def cases(shared: Path) -> list[Path]:
    folders = (path.parent for path in sorted((shared / "cases").glob("*/case.yaml")))
    return [folder for folder in folders if case_of(folder)["platform"] in PLATFORMS]


def case_of(folder: Path) -> dict[str, Any]:  # Any: YAML
    loaded: dict[str, Any] = yaml.safe_load((folder / "case.yaml").read_text("utf-8"))
    return loaded


def intent_of(case: dict[str, Any]) -> dict[str, object]:  # Any: YAML
    """An intent that holds what the case's own ``intent`` says, and nothing else."""
    said = case["intent"]
    classes: dict[str, dict[str, object]] = {
        f"rdma{priority}": {"priority": priority, "delivery": "lossless"}
        for priority in said.get("lossless_priorities", [])
    }
    if said.get("mode") == "lossless" and not classes:
        classes["rdma"] = {"delivery": "lossless"}
    first = next(iter(classes.values()), {})
    if "roce_dscp" in said:
        first["dscp"] = [said["roce_dscp"]]
    if said.get("ecn"):
        first["ecn"] = "auto"
    if "cnp_dscp" in said:
        classes["cnp"] = {"dscp": [said["cnp_dscp"]]}
    if said.get("mode") == "lossy":
        classes["default"] = {"delivery": "lossy"}
    policy: dict[str, object] = {"classes": classes} if classes else {}
    if "rdma_mtu" in said:
        policy["rdma_mtu"] = f"{said['rdma_mtu']}B"
    if "roce_version" in said:
        policy["roce_version"] = said["roce_version"]
    return {"netcheck": 1, "name": "case", "roce": {"policies": {"p": policy}}}


def lint(netcheck: Run, folder: Path, tmp_path: Path) -> list[Finding]:
    intent = tmp_path / f"{folder.name}.yaml"
    intent.write_text(yaml.safe_dump(intent_of(case_of(folder))), encoding="utf-8")
    return failures(netcheck, folder, intent)


@pytest.mark.shared
def test_every_expected_finding_is_at_its_place(
    netcheck: Run, shared: Path, tmp_path: Path
) -> None:
    missed = {
        folder.name: found
        for folder in cases(shared)
        if (found := list(missing(lint(netcheck, folder, tmp_path), EXPECTED.get(folder.name, []))))
    }
    assert missed == {}


@pytest.mark.shared
def test_clean_cases_have_no_error_and_others_hardly_any_more(
    netcheck: Run, shared: Path, tmp_path: Path
) -> None:
    wrong: list[str] = []
    total = 0
    for folder in cases(shared):
        errors = [each for each in lint(netcheck, folder, tmp_path) if each["severity"] == "error"]
        wanted = EXPECTED.get(folder.name, [])
        other = [each for each in errors if not any(each["rule"] in one["rules"] for one in wanted)]
        assert not (case_of(folder)["expect_clean"] and errors), (folder.name, errors)
        wrong += [f"{folder.name}: {each['rule']}" for each in other]
        total += len(errors)
    assert len(wrong) * 5 <= total, wrong


@pytest.mark.shared
def test_every_case_with_an_expected_error_is_in_the_table(shared: Path) -> None:
    faulty = {
        folder.name
        for folder in cases(shared)
        if any(one["severity"] == "error" for one in case_of(folder)["expect"])
    }
    assert faulty <= set(EXPECTED)
