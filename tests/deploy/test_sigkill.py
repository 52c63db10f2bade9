"""A run that is killed anywhere leaves whole files, and the next one knows and converges."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from netcheck.collect.snapshot import Answer, read_snapshot
from netcheck.deploy.backend import NetmikoBackend
from netcheck.deploy.engine import deploy, make_plan, rollback, standings
from netcheck.deploy.journal import open_runs, runs
from netcheck.model.fabric import Fabric
from tests.deploy import fake_platform
from tests.deploy.fake_platform import AFTER, BEFORE, NAMES, PACE, held_by, put_before

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("cut_driver.py")
RENDERED = {name: {"pfc": AFTER} for name in NAMES}
CHANGED = "unowned line\npfc 3\n"
CUTS = int(os.environ.get("NETCHECK_TEST_CUTS", "8"))
KILLED = -9


def cut_at(point: int, what: str, folder: Path, port: int, backend: str = "netmiko") -> int:
    """Run the driver; give its exit status, or the number of points when it got to the end."""
    counter = folder.with_name(f"{folder.name}.count")
    counter.unlink(missing_ok=True)
    environment = os.environ | {
        "NETCHECK_TEST_PORT": str(port),
        "NETCHECK_TEST_COUNTER": str(counter),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, str(DRIVER), str(point), what, backend, str(folder)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode in (0, KILLED), done.stderr
    return done.returncode or int(done.stdout)


def spread(total: int, count: int, offset: int = 0) -> list[int]:
    """Give ``count`` points over all of them, evenly."""
    return [1 + (offset + index * total) // count % total for index in range(count)]


def assert_whole(folder: Path) -> None:
    """Every JSON file under its own name is whole; journals have at most a torn end."""
    for path in folder.rglob("*.json"):
        if not path.name.startswith("."):
            json.loads(path.read_text())


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "cuts"), [("netmiko", CUTS), ("ansible", CUTS // 4)])
def test_a_killed_deploy_is_told_and_converges(
    fabric: Fabric, shell_port: int, tmp_path: Path, backend: str, cuts: int
) -> None:
    total = cut_at(0, "deploy", tmp_path / "whole", shell_port, backend)
    for number, point in enumerate(spread(total, cuts)):
        put_before()
        state = tmp_path / f"state{number}"
        assert cut_at(point, "deploy", state, shell_port, backend) == KILLED
        assert_whole(state)
        for name in NAMES:
            assert held_by(name) in (BEFORE, CHANGED)
        told = standings(state, "train")
        assert [s.device for s in told] == (list(NAMES) if open_runs(state, "train") else [])
        plan = make_plan(fabric, RENDERED, pace=PACE)
        result = deploy(plan, state, NetmikoBackend(pace=PACE), confirm=lambda _: True)
        assert result.is_ok, (point, result)
        assert result.standings == tuple(told)
        assert [held_by(name) for name in NAMES] == [CHANGED] * 3
        assert all(Path(f"{fake_platform.path_of(n)}.boot").exists() for n in NAMES), point
        assert open_runs(state, "train") == []
        assert runs(state, "train")
        assert rollback(state, "train", NetmikoBackend(pace=PACE)).is_ok
        assert [held_by(name) for name in NAMES] == [BEFORE] * 3, point


@pytest.mark.slow
def test_a_killed_collection_lists_nothing_that_is_not_there(
    fabric: Fabric, shell_port: int, tmp_path: Path
) -> None:
    assert fabric.devices
    total = cut_at(0, "collect", tmp_path / "whole", shell_port)
    for point in spread(total, CUTS):
        folder = tmp_path / "snapshot"
        assert cut_at(point, "collect", folder, shell_port) == KILLED
        assert_whole(folder)
        if (folder / "manifest.json").exists():
            snapshot = read_snapshot(folder)
            had = [record for record in snapshot.records if record.answer is Answer.HAD]
            assert all((folder / record.file).is_file() for record in had)
    assert cut_at(0, "collect", tmp_path / "snapshot", shell_port) == total
    assert read_snapshot(tmp_path / "snapshot").unreachable() == ()
