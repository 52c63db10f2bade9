"""The inventory of an intent: hosts in the order in which they change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from netcheck.ansible.inventory import build
from netcheck.ansible.work import find_lab, guarded, load_fabric, paths
from netcheck.deploy.share import collections_path, shared
from netcheck.model.errors import InputError

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def test_hosts_come_first_with_their_groups_and_addresses() -> None:
    found = build(["lab-small.yaml"], lab="", folder=EXAMPLES)
    assert [host.name for host in found.hosts] == ["gpu01", "gpu02", "leaf01"]
    assert found.hosts[2].groups == ("role_leaf", "platform_sonic")
    assert found.hosts[2].variables["ansible_host"] == "192.0.2.1"
    assert found.variables == {
        "netcheck_intent": [str(EXAMPLES / "lab-small.yaml")],
        "netcheck_lab": "",
        "netcheck_fabric": "lab-small",
    }


def test_no_reference_to_a_secret_is_in_the_inventory() -> None:
    assert "NETCHECK_PASSWORD" not in repr(build(["lab-small.yaml"], lab="", folder=EXAMPLES))


def test_a_lab_that_does_not_run_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no lab runs there; start one with netcheck lab up"):
        build([], lab=str(tmp_path), folder=EXAMPLES)
    with pytest.raises(InputError, match="no lab runs there; start one with netcheck lab up"):
        load_fabric([str(EXAMPLES / "lab-small.yaml")], str(tmp_path))


def test_the_lab_is_found_by_environment_then_in_the_users_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("NETCHECK_LAB", raising=False)
    assert find_lab("auto") == tmp_path / "netcheck-lab"
    monkeypatch.setenv("NETCHECK_LAB", "/srv/lab")
    assert find_lab("auto") == Path("/srv/lab")
    assert find_lab("/elsewhere") == Path("/elsewhere")


@pytest.mark.parametrize(
    ("given", "expected"), [("a.yaml", ["a.yaml"]), (["a", "b"], ["a", "b"]), (None, [])]
)
def test_one_intent_may_stand_alone(given: object, expected: list[str]) -> None:
    assert paths(given) == expected


def test_a_failed_task_carries_its_reason_and_no_traceback() -> None:
    result = guarded(load_fabric, intent=["/nowhere.yaml"], lab="")  # type: ignore[arg-type] # raises before it gives anything
    assert result["failed"]
    assert "/nowhere.yaml" in result["msg"]


@pytest.mark.parametrize("folder", ["playbooks", "roles", "inventories", "examples"])
def test_what_is_shared_is_found(folder: str) -> None:
    assert any(shared(folder).iterdir())


def test_every_module_page_has_its_action_and_the_other_way_round() -> None:
    plugins = collections_path() / "ansible_collections" / "netcheck" / "fabric" / "plugins"
    actions, modules = (
        {path.stem for path in (plugins / kind).glob("*.py")} for kind in ("action", "modules")
    )
    assert actions == modules
    assert actions


@pytest.mark.slow
def test_ansible_reads_the_inventory(tmp_path: Path) -> None:
    inventory = tmp_path / "train.netcheck.yml"
    intent = EXAMPLES / "lab-small.yaml"
    inventory.write_text(f"plugin: netcheck.fabric.intent\nintent: ['{intent}']\n")
    done = subprocess.run(
        [Path(sys.executable).with_name("ansible-inventory"), "-i", inventory, "--list"],
        env=os.environ | {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    groups = json.loads(done.stdout)
    assert groups["platform_linux"]["hosts"] == ["gpu01", "gpu02"]
    assert groups["role_leaf"]["hosts"] == ["leaf01"]
