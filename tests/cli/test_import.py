"""``netcheck import``: the intent that configurations follow, and what it cannot say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from netcheck import api
from netcheck.collect.snapshot import Answer, Member, Record, Snapshot, write_manifest
from netcheck.model.document import DocumentKind
from netcheck.model.fabric import Delivery
from netcheck.model.finding import ExitCode, Verdict
from netcheck.model.known import ABSENT
from netcheck.report.report import exit_code
from tests.cli.conftest import Ended

Run = Callable[..., Ended]
ROOT = Path(__file__).parents[2]
SMALL = sorted((ROOT / "examples").glob("lab-small*.yaml"))
MARKING = "minimum-threshold 500 kbytes maximum-threshold 1500 kbytes max-mark-probability 20"
EOS = f"""\
! device: leaf9 (DCS-7060X6-64PE, EOS-4.32.2F)
hostname leaf9
qos map traffic-class 3 to tx-queue 3
interface Ethernet1/1
   speed 400g-4
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   qos trust dscp
   uc-tx-queue 3
      random-detect ecn {MARKING}
interface Ethernet2/1
   speed 400g-4
   qos trust dscp
username admin secret sha512 $6$secretsecret
snmp-server community verysecret ro
end
"""


def rendered(intent: Path, folder: Path) -> Path:
    """The configurations of an intent, a folder a device."""
    for device, files in api.render(api.load_completed(intent)).items():
        for name, text in files.items():
            path = folder / device / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("intent", SMALL, ids=lambda path: path.stem)
def test_configurations_of_one_policy_give_that_policy(intent: Path, tmp_path: Path) -> None:
    target = tmp_path / "found.yaml"
    folder = rendered(intent, tmp_path / "rendered")
    report = api.import_paths([folder], target)
    assert report.findings == ()
    assert exit_code(report) is ExitCode.CLEAN
    (found,) = api.load_intent(target).policies.values()
    (meant,) = api.load_intent(intent).policies.values()
    assert [one.priority for one in found.classes.values()] == [3, 6, 0]
    lossless, stated = found.classes["lossless"], meant.classes["rdma"]
    assert lossless.delivery is Delivery.LOSSLESS
    assert (lossless.dscp, lossless.bandwidth_percent) == (stated.dscp, stated.bandwidth_percent)
    assert found.trust is meant.trust
    judged = api.lint_paths([folder], intent=[target])
    assert [one for one in judged.findings if one.verdict is Verdict.FAIL] == []


def test_scopes_are_found_again_with_ports_where_rdma_ends(tmp_path: Path) -> None:
    target = tmp_path / "found.yaml"
    folder = rendered(ROOT / "examples" / "scopes.yaml", tmp_path / "rendered")
    report = api.import_paths([folder], target)
    assert [one.message for one in report.findings] == []
    fabric = api.load_intent(target)
    lossless = {
        frozenset(
            one.priority for one in policy.classes.values() if one.delivery is Delivery.LOSSLESS
        )
        for policy in fabric.policies.values()
    }
    assert lossless == {frozenset({3, 4}), frozenset({4}), frozenset()}
    border = fabric.devices["border01"].ports
    assert [name for name, port in border.items() if port.policy is ABSENT] == [
        "Ethernet64",
        "Ethernet72",
    ]


def test_one_configuration_without_neighbours(netcheck: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "leaf9.cfg", tmp_path / "fabric.yaml"
    source.write_text(EOS, encoding="utf-8")
    ended = netcheck("import", source, "-o", target)
    assert ended.code == ExitCode.CLEAN, ended.out
    text = target.read_text(encoding="utf-8")
    assert "secret" not in text + ended.out
    assert "kmin: 500000B, kmax: 1500000B, pmax: 20%" in text
    assert "to be said: links" in ended.out
    fabric = api.load_intent(target)
    assert fabric.name == "fabric"
    assert fabric.devices["leaf9"].ports["Ethernet1/1"].speed_bps == 400_000_000_000


def test_a_file_that_is_there_stays_as_it_is(netcheck: Run, tmp_path: Path) -> None:
    target = tmp_path / "mine.yaml"
    target.write_text("precious", encoding="utf-8")
    source = tmp_path / "leaf9.cfg"
    source.write_text(EOS, encoding="utf-8")
    ended = netcheck("import", source, "-o", target)
    assert ended.code == ExitCode.BAD_INPUT
    assert "is there already" in ended.err + ended.out
    assert target.read_text(encoding="utf-8") == "precious"


def test_a_name_of_a_file_that_is_too_long_is_told(netcheck: Run, tmp_path: Path) -> None:
    source = tmp_path / "leaf9.cfg"
    source.write_text(EOS, encoding="utf-8")
    ended = netcheck("import", source, "-o", tmp_path / f"{'x' * 300}.yaml")
    assert ended.code == ExitCode.BAD_INPUT
    assert "cannot be written: File name too long" in ended.err + ended.out


@pytest.mark.parametrize("name", ["leaf[1-3]", "leaf[1]", "leaf[x]"])
def test_a_name_that_would_be_a_range_is_refused(netcheck: Run, tmp_path: Path, name: str) -> None:
    source, target = tmp_path / "a.cfg", tmp_path / "x.yaml"
    source.write_text(EOS.replace("leaf9", name), encoding="utf-8")
    ended = netcheck("import", source, "-o", target)
    assert ended.code == ExitCode.BAD_INPUT
    assert f"{name}: an intent takes [ for a range" in ended.err + ended.out
    assert not target.exists()


def test_an_intent_is_no_configuration(netcheck: Run, tmp_path: Path) -> None:
    ended = netcheck("import", SMALL[0], "-o", tmp_path / "x.yaml")
    assert ended.code == ExitCode.BAD_INPUT
    assert "is an intent already" in ended.err + ended.out
    assert not (tmp_path / "x.yaml").exists()


def test_what_is_not_recognised_gives_no_intent(netcheck: Run, tmp_path: Path) -> None:
    source = tmp_path / "notes.txt"
    source.write_text("nothing of a device\n", encoding="utf-8")
    ended = netcheck("import", source, "-o", tmp_path / "x.yaml", "--format", "json")
    assert ended.code == ExitCode.UNVERIFIED
    assert json.loads(ended.out)["findings"] == []
    assert not (tmp_path / "x.yaml").exists()


def test_only_devices_that_are_asked_for(netcheck: Run, tmp_path: Path) -> None:
    folder = rendered(SMALL[0], tmp_path / "rendered")
    target = tmp_path / "x.yaml"
    assert netcheck("import", folder, "-o", target, "--limit", "gpu*").code == ExitCode.CLEAN
    assert set(api.load_intent(target).devices) == {"gpu01", "gpu02"}


def test_what_no_intent_can_say_of_a_port_is_told(tmp_path: Path) -> None:
    """Completing gives a map of all eight PFC priorities; this one maps a single one."""
    folder = rendered(ROOT / "examples" / "lab-small.yaml", tmp_path / "rendered")
    config = folder / "leaf01" / "config_db.json"
    tables = json.loads(config.read_text(encoding="utf-8"))
    tables["MAP_PFC_PRIORITY_TO_QUEUE"]["backend"] = {"3": "3"}
    config.write_text(json.dumps(tables), encoding="utf-8")
    report = api.import_paths([folder], tmp_path / "x.yaml")
    facts = {fact for one in report.findings for fact in one.facts}
    assert facts == {"pfc_priority_to_queue"}
    assert exit_code(report) is ExitCode.CLEAN


def test_thresholds_that_no_intent_can_say_are_told(netcheck: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "leaf9.cfg", tmp_path / "x.yaml"
    source.write_text(EOS.replace("threshold 500 k", "threshold 5000 k"), encoding="utf-8")
    ended = netcheck("import", source, "-o", target)
    assert ended.code == ExitCode.CLEAN, ended.out + ended.err
    assert "ecn 3 kmin_bytes expected" in ended.out
    assert api.load_intent(target).devices["leaf9"].ports


def test_a_speed_that_no_headroom_is_known_of_leaves_the_rest_uncompared(
    netcheck: Run, tmp_path: Path
) -> None:
    folder = rendered(ROOT / "examples" / "lab-small.yaml", tmp_path / "rendered")
    config = folder / "leaf01" / "config_db.json"
    tables = json.loads(config.read_text(encoding="utf-8"))
    tables["PORT"]["Ethernet0"]["speed"] = "56000"
    config.write_text(json.dumps(tables), encoding="utf-8")
    ended = netcheck("import", folder / "leaf01", "-o", tmp_path / "x.yaml")
    assert ended.code == ExitCode.UNVERIFIED
    assert "cannot be completed: leaf01 Ethernet0: speed 56G" in ended.out
    assert "policy roce: 4 ports of leaf01" in ended.out


def test_members_of_an_aggregate_are_said(tmp_path: Path) -> None:
    config, target = tmp_path / "leaf9.cfg", tmp_path / "found.yaml"
    config.write_text(EOS.replace("   speed", "   channel-group 5 mode active\n   speed"), "utf-8")
    api.import_paths([config], target)
    (one,) = api.load_intent(target).aggregates
    assert (one.device, one.name) == ("leaf9", "Port-Channel5")
    assert one.members == ("Ethernet1/1", "Ethernet2/1")


@pytest.mark.shared
def test_every_shared_case_gives_an_intent_that_loads(shared: Path, tmp_path: Path) -> None:
    found = []
    for number, folder in enumerate(sorted((shared / "cases").iterdir())):
        target = tmp_path / f"{number}.yaml"
        report = api.import_paths([folder], target)
        if report.devices:
            assert api.load_intent(target).devices, folder.name
            found.append(folder.name)
    assert len(found) > 20


def test_what_was_not_understood_is_told_and_no_policy_is_made_of_it(tmp_path: Path) -> None:
    config = tmp_path / "leaf9.cfg"
    config.write_text(EOS.replace("priority 3 no-drop", "priority 33 no-drop"), encoding="utf-8")
    report = api.import_paths([config], tmp_path / "found.yaml")
    told = [one for one in report.findings if one.rule == "value-malformed"]
    assert [(one.verdict, one.where[0].port) for one in told] == [(Verdict.FAIL, "Ethernet1/1")]
    assert exit_code(report) is ExitCode.FINDINGS


def test_what_a_subnet_manager_takes_for_something_else_is_told(tmp_path: Path) -> None:
    folder = rendered(ROOT / "examples" / "lab-ib.yaml", tmp_path / "rendered")
    config = next(folder.glob("*/opensm.conf"))
    text = config.read_text(encoding="utf-8").replace("qos TRUE", "qos yes")
    config.write_text(f"priority 15\n{text}", encoding="utf-8")
    report = api.import_paths([config.parent], tmp_path / "found.yaml")
    assert {one.rule for one in report.findings} >= {"sm-option-unknown", "sm-switch-not-true"}


def test_a_device_that_was_not_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "leaf9").mkdir()
    (tmp_path / "leaf9" / "running-config.txt").write_text(EOS, encoding="utf-8")
    record = Record(
        "leaf9",
        "show running-config",
        "leaf9/running-config.txt",
        DocumentKind.CONFIG,
        Answer.HAD,
    )
    members = (Member("leaf9", "eos", is_reached=True), Member("leaf8", "eos", reason="timeout"))
    write_manifest(Snapshot(tmp_path, "lab", members, (record,)))
    report = api.import_paths([tmp_path], tmp_path.with_suffix(".yaml"))
    assert "leaf8 was not read: timeout" in report.notes
