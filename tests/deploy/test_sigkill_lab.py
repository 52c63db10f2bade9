"""A hundred cuts on the lab: one leaf and two hosts, real platforms, both backends.

80 with Netmiko (deploy, rollback and collect), 20 with Ansible. After each: no
half-written file, the next run says how each device stands, and it converges.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from netcheck.collect.collector import collect
from netcheck.collect.snapshot import Answer, read_snapshot
from netcheck.deploy.backend import NetmikoBackend
from netcheck.deploy.engine import deploy, make_plan, rollback
from netcheck.deploy.journal import open_runs
from netcheck.deploy.recovery import Found, standings
from netcheck.lab.control import stop_lab
from netcheck.model.document import DocumentKind
from tests.deploy import lab_world
from tests.deploy.cuts import Driver, driver, spread
from tests.deploy.worlds import World

STRIDE = int(os.environ.get("NETCHECK_TEST_CUT_STRIDE", "1"))
ROUNDS = 20 // STRIDE  # each is cut twice
COLLECT_CUTS = 40 // STRIDE
ANSIBLE_CUTS = 20 // STRIDE
DIRECT = NetmikoBackend()
NAME = "lab-small"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("lab") / "lab"
    lab_world.start(folder)
    yield folder
    stop_lab(folder)


@pytest.fixture(scope="module")
def world(lab: Path) -> World:
    return lab_world.world(lab)


@pytest.fixture(scope="module")
def cutting(lab: Path) -> Iterator[Driver]:
    with driver({"NETCHECK_TEST_LAB": str(lab)}) as started:
        yield started


def held_configs(world: World, folder: Path) -> dict[str, str]:
    """Read every configuration that devices hold; each is whole."""
    snapshot = collect(world.fabric, folder, kinds={DocumentKind.CONFIG})
    assert snapshot.not_had() == ()
    texts = {
        f"{name} {Path(document.name).name}": document.text
        for name in lab_world.NAMES
        for document in snapshot.documents(name)
    }
    json.loads(texts["leaf01 config_db.json"])
    return texts


def converge(world: World, state: Path) -> None:
    """Run again: it says how each device stood, and each holds what was rendered after."""
    is_open = bool(open_runs(state, NAME))
    plan = make_plan(world.fabric, world.rendered)
    result = deploy(plan, state, DIRECT, confirm=lambda _: True)
    assert result.is_ok, result
    assert sorted(s.device for s in result.standings) == (list(lab_world.NAMES) if is_open else [])
    assert all(s.found is not Found.UNREACHABLE for s in result.standings)
    assert open_runs(state, NAME) == []


def undo(state: Path) -> None:
    result = rollback(state, NAME, DIRECT)
    assert result.is_ok, result


def leave_folders(world: World, folder: Path) -> None:
    """Deploy and undo once: folders stay on devices, and later runs have fewer points."""
    converge(world, folder / "first")
    undo(folder / "first")


def test_a_killed_deploy_and_rollback_are_told_and_converge(
    world: World, cutting: Driver, tmp_path: Path
) -> None:
    before = held_configs(world, tmp_path / "before")
    leave_folders(world, tmp_path)
    deploying = cutting.points("deploy", tmp_path / "whole")
    undoing = cutting.points("rollback", tmp_path / "whole")
    cuts = zip(spread(deploying, ROUNDS), spread(undoing, ROUNDS), strict=True)
    for number, (deploy_cut, rollback_cut) in enumerate(cuts):
        state = tmp_path / f"state{number}"
        cutting.kill_at(deploy_cut, "deploy", state)
        converge(world, state)
        cutting.kill_at(rollback_cut, "rollback", state)
        is_open = bool(open_runs(state, NAME))
        assert bool(standings(state, NAME)) == is_open
        if is_open or not make_plan(world.fabric, world.rendered).batches:
            undo(state)
    assert held_configs(world, tmp_path / "after") == before


def test_a_deploy_by_ansible_that_is_killed_is_told_and_converges(
    world: World, cutting: Driver, tmp_path: Path
) -> None:
    before = held_configs(world, tmp_path / "before")
    leave_folders(world, tmp_path)
    deploying = cutting.points("deploy", tmp_path / "whole", "ansible")
    undo(tmp_path / "whole")
    for point in spread(deploying, ANSIBLE_CUTS):
        state = tmp_path / f"state{point}"
        cutting.kill_at(point, "deploy", state, "ansible")
        converge(world, state)
        undo(state)
    assert held_configs(world, tmp_path / "after") == before


def test_a_killed_collection_lists_nothing_that_is_not_there(
    cutting: Driver, tmp_path: Path
) -> None:
    folder = tmp_path / "snapshot"
    total = cutting.points("collect", tmp_path / "whole")
    for point in spread(total, COLLECT_CUTS):
        cutting.kill_at(point, "collect", folder)
        if (folder / "manifest.json").exists():
            had = [r for r in read_snapshot(folder).records if r.answer is Answer.HAD]
            assert all((folder / record.file).is_file() for record in had)
    assert cutting.points("collect", folder) == total
    assert read_snapshot(folder).not_had() == ()
