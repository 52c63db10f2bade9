"""A run that is killed anywhere leaves whole files, and the next one knows and converges.

Here on fake devices, a few cuts each; ``test_sigkill_lab`` has the many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from netcheck.collect.snapshot import Answer, read_snapshot
from netcheck.deploy.backend import NetmikoBackend
from netcheck.deploy.engine import deploy, make_plan, rollback
from netcheck.deploy.journal import open_runs, runs
from netcheck.deploy.recovery import standings
from netcheck.model.fabric import Fabric
from tests.deploy.cuts import Driver, driver, spread
from tests.deploy.fake_platform import AFTER, BEFORE, NAMES, PACE, held_by, path_of, put_before

RENDERED = {name: {"pfc": AFTER} for name in NAMES}
CHANGED = "unowned line\npfc 3\n"
CUTS = int(os.environ.get("NETCHECK_TEST_CUTS", "8"))
DIRECT = NetmikoBackend(pace=PACE)


@pytest.fixture
def cutting(fabric: Fabric, shell_port: int) -> Iterator[Driver]:
    assert fabric.devices
    with driver({"NETCHECK_TEST_PORT": str(shell_port)}) as started:
        yield started


def converge(fabric: Fabric, state: Path) -> None:
    """Run again; everything is told first, and holds what was rendered after."""
    told = standings(state, "train")
    assert [s.device for s in told] == (list(NAMES) if open_runs(state, "train") else [])
    result = deploy(make_plan(fabric, RENDERED, pace=PACE), state, DIRECT, confirm=lambda _: True)
    assert (result.is_ok, result.standings) == (True, tuple(told))
    assert [held_by(name) for name in NAMES] == [CHANGED] * 3
    assert all(Path(f"{path_of(name)}.boot").exists() for name in NAMES)
    assert open_runs(state, "train") == []
    assert runs(state, "train")


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "cuts"), [("netmiko", CUTS), ("ansible", CUTS // 4)])
def test_a_killed_deploy_is_told_and_converges(
    fabric: Fabric, cutting: Driver, tmp_path: Path, backend: str, cuts: int
) -> None:
    total = cutting.points("deploy", tmp_path / "whole", backend)
    for point in spread(total, cuts):
        put_before()
        state = tmp_path / f"state{point}"
        cutting.kill_at(point, "deploy", state, backend)
        assert all(held_by(name) in (BEFORE, CHANGED) for name in NAMES)
        converge(fabric, state)
        assert rollback(state, "train", DIRECT).is_ok
        assert [held_by(name) for name in NAMES] == [BEFORE] * 3


@pytest.mark.slow
def test_a_killed_rollback_is_told_and_finished(
    fabric: Fabric, cutting: Driver, tmp_path: Path
) -> None:
    state = tmp_path / "whole"
    cutting.points("deploy", state)
    total = cutting.points("rollback", state)
    for point in spread(total, CUTS):
        state = tmp_path / f"state{point}"
        converge(fabric, state)
        cutting.kill_at(point, "rollback", state)
        assert bool(standings(state, "train")) == bool(open_runs(state, "train"))
        if [held_by(name) for name in NAMES] != [BEFORE] * 3 or open_runs(state, "train"):
            assert rollback(state, "train", DIRECT).is_ok
        assert [held_by(name) for name in NAMES] == [BEFORE] * 3


@pytest.mark.slow
def test_a_killed_collection_lists_nothing_that_is_not_there(
    cutting: Driver, tmp_path: Path
) -> None:
    folder = tmp_path / "snapshot"
    total = cutting.points("collect", tmp_path / "whole")
    for point in spread(total, CUTS):
        cutting.kill_at(point, "collect", folder)
        if (folder / "manifest.json").exists():
            had = [r for r in read_snapshot(folder).records if r.answer is Answer.HAD]
            assert all((folder / record.file).is_file() for record in had)
    assert cutting.points("collect", folder) == total
    assert read_snapshot(folder).unreachable() == ()
