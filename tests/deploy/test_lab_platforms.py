"""Deploy and rollback on each small lab: nothing to do twice, back as it was, whole after a break.

Walks ``examples/lab-small-*.yaml``, as ``tests/chain/test_faults_platforms.py`` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from netcheck.ansible.work import load_fabric, render_all
from netcheck.collect.fanout import PACE
from netcheck.deploy import device as deploying
from netcheck.deploy.backend import NetmikoBackend
from netcheck.deploy.engine import Result, deploy, make_plan, rollback
from netcheck.deploy.holding import read_all_held
from netcheck.lab.control import start_lab, stop_lab
from netcheck.model.errors import TransportError
from netcheck.platforms.platform import Run
from tests.deploy.worlds import ROOT, World

pytestmark = pytest.mark.slow

LABS = {
    path.stem.removeprefix("lab-small-"): path
    for path in (ROOT / "examples").glob("lab-small-*.yaml")
}
LEAF = "leaf01"
BOOKS = ("revisions.txt", "checkpoints.txt")


@pytest.fixture(scope="module", params=sorted(LABS))
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    intent = str(LABS[request.param])
    folder = tmp_path_factory.mktemp(request.param) / "lab"
    start_lab(load_fabric([intent], ""), folder)
    fabric = load_fabric([intent], str(folder))
    yield World(fabric, {LEAF: render_all(fabric)[LEAF]}, PACE)
    stop_lab(folder)


def held(world: World) -> dict[str, str]:
    """The leaf's configuration as its plan sees it, without the switch's own book-keeping."""
    found, unreachable = read_all_held(world.fabric, [LEAF])
    assert unreachable == {}
    return {
        file: "\n".join(line for line in text.splitlines() if not line.startswith("!"))
        for file, text in found[LEAF].items()
        if file not in BOOKS
    }


def deployed(world: World, state: Path) -> Result:
    plan = make_plan(world.fabric, world.rendered, devices=[LEAF])
    return deploy(plan, state, NetmikoBackend(), confirm=lambda _: True)


def test_a_second_deploy_has_nothing_to_do_and_rollback_brings_all_back(
    world: World, tmp_path: Path
) -> None:
    before = held(world)
    assert deployed(world, tmp_path).is_ok
    assert held(world) != before
    assert deployed(world, tmp_path).unchanged == (LEAF,)
    assert rollback(tmp_path, world.fabric.name, NetmikoBackend()).is_ok
    assert held(world) == before


@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 0.8, 0.9, 1.0])
def test_a_session_that_breaks_on_the_way_is_undone_and_can_be_deployed_again(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: float
) -> None:
    before = held(world)
    plan = make_plan(world.fabric, world.rendered, devices=[LEAF])
    change = plan.orders[LEAF].change
    steps = (*change.save, *change.steps, *change.persist)
    count = sum(isinstance(step, Run) for step in steps)
    breaks_at = 1 + round(part * (count - 1))
    seen: list[str] = []

    def broken(event: str) -> None:
        if event.startswith(f"device {LEAF} ran "):
            seen.append(event)
            if len(seen) == breaks_at:
                raise TransportError("the test broke the session")

    monkeypatch.setattr(deploying, "checkpoint", broken)
    [outcome] = deployed(world, tmp_path).outcomes
    monkeypatch.undo()
    assert "the test broke the session" in outcome.reason
    assert held(world) == before
    assert deployed(world, tmp_path).is_ok
    assert deployed(world, tmp_path).unchanged == (LEAF,)
    assert rollback(tmp_path, world.fabric.name, NetmikoBackend()).is_ok
    assert held(world) == before
