"""Both backends on the lab: the same device state, nothing to do twice, nothing unowned touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from netcheck.collect.session import Session
from netcheck.collect.target import target_of
from netcheck.deploy.backend import backend
from netcheck.deploy.engine import deploy, make_plan, rollback
from netcheck.deploy.holding import read_all_held
from netcheck.lab.control import stop_lab
from netcheck.lab.state import PASSWORD_FILE
from tests.deploy import lab_world
from tests.deploy.worlds import ROOT, World

pytestmark = pytest.mark.slow
NAME = "lab-small"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("backends") / "lab"
    lab_world.start(folder)
    yield folder
    stop_lab(folder)


@pytest.fixture(scope="module")
def world(lab: Path) -> World:
    return lab_world.world(lab)


def held_files(world: World) -> dict[str, dict[str, str]]:
    """Give what devices hold, without the counters that move by themselves."""
    held, unreachable = read_all_held(world.fabric, lab_world.NAMES)
    assert unreachable == {}
    return {
        device: {file: text for file, text in files.items() if not file.startswith("ip_link")}
        for device, files in held.items()
    }


def config_of(world: World, device: str) -> dict[str, dict[str, object]]:
    with Session(target_of(world.fabric, world.fabric.devices[device])) as session:
        found: dict[str, dict[str, object]] = json.loads(
            session.run("sonic-cfggen -d --print-data").text
        )
    return found


def test_both_backends_end_in_the_same_device_state(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before, after, undone = held_files(world), {}, {}
    for name in ("netmiko", "ansible"):
        state = Path(name)  # as a user types it, relative to where he is
        plan = make_plan(world.fabric, world.rendered)
        result = deploy(plan, state, backend(name), confirm=lambda _: True)
        assert result.is_ok, result
        after[name] = held_files(world)
        second = deploy(
            make_plan(world.fabric, world.rendered), state, backend(name), confirm=lambda _: True
        )
        assert (second.run, sorted(second.unchanged)) == ("", list(lab_world.NAMES))
        assert rollback(state, NAME, backend(name)).is_ok
        undone[name] = held_files(world)
    assert after["netmiko"] == after["ansible"]
    assert undone["netmiko"]["leaf01"] == undone["ansible"]["leaf01"] == before["leaf01"]


def test_what_is_not_owned_stays_as_it_is(world: World, tmp_path: Path) -> None:
    before = config_of(world, "leaf01")
    plan = make_plan(world.fabric, world.rendered)
    assert deploy(plan, tmp_path, backend("netmiko"), confirm=lambda _: True).is_ok
    touched = {name.partition("|")[0] for name, _, _ in plan.orders["leaf01"].change.objects}
    after = config_of(world, "leaf01")
    unowned = set(before) - touched
    assert {"DEVICE_METADATA", "PORT"} & set(before)
    assert {table: after.get(table) for table in unowned} == {t: before[t] for t in unowned}
    assert rollback(tmp_path, NAME, backend("netmiko")).is_ok


def play(lab: Path, state: Path, playbook: str, *more: str) -> str:
    """Run a playbook by hand from the checkout; give its recap."""
    program = Path(sys.executable).with_name("ansible-playbook")
    command = [str(program), "-i", "inventories/lab", f"playbooks/{playbook}.yml", *more]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(state),
        "LC_ALL": "C.UTF-8",
        "NETCHECK_LAB": str(lab),
        "XDG_STATE_HOME": str(state),
    }
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.partition("PLAY RECAP")[2]


def test_playbooks_run_by_hand_deploy_verify_collect_and_roll_back(
    lab: Path, world: World, tmp_path: Path
) -> None:
    assert play(lab, tmp_path, "deploy", "--check").count("changed=1") == 3
    assert play(lab, tmp_path, "deploy").count("changed=1") == 3
    assert play(lab, tmp_path, "deploy").count("changed=0") == 3
    play(lab, tmp_path, "verify")
    play(lab, tmp_path, "collect", "-e", f"netcheck_snapshot={tmp_path / 'snapshot'}")
    assert (tmp_path / "snapshot" / "manifest.json").is_file()
    run = next((tmp_path / "netcheck" / NAME / "runs").iterdir())
    assert play(lab, tmp_path, "rollback", "-e", f"netcheck_run={run}").count("changed=1") == 3
    assert len(make_plan(world.fabric, world.rendered).batches) == 3
    secret = (lab / PASSWORD_FILE).read_bytes().strip()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in files if secret in path.read_bytes()] == []
