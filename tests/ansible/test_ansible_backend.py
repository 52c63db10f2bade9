"""Runs by Ansible end as direct runs do, and leave no secret behind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from netcheck.deploy.backend import Backend
from netcheck.deploy.device import State
from netcheck.deploy.engine import Result, deploy, make_plan, rollback
from netcheck.model.fabric import Fabric
from tests.deploy import worlds
from tests.deploy.conftest import SECRET, fabric, shell_port
from tests.deploy.fake_platform import AFTER, BEFORE, NAMES, PACE, held_by, path_of

__all__ = ["fabric", "shell_port"]

RENDERED: Mapping[str, Mapping[str, str]] = {name: {"pfc": AFTER} for name in NAMES}
CHANGED = "unowned line\npfc 3\n"


@pytest.fixture
def by_ansible(fabric: Fabric) -> Backend:
    return worlds.backend("ansible", worlds.World(fabric, RENDERED, PACE))


def run(fabric: Fabric, state: Path, backend: Backend) -> Result:
    return deploy(make_plan(fabric, RENDERED, pace=PACE), state, backend, confirm=lambda _: True)


@pytest.mark.slow
def test_a_run_and_its_rollback_leave_devices_as_a_direct_run_does(
    fabric: Fabric, tmp_path: Path, by_ansible: Backend
) -> None:
    result = run(fabric, tmp_path / "state", by_ansible)
    assert [(o.device, o.state, o.reason) for o in result.outcomes] == [
        (name, State.DONE, "") for name in NAMES
    ]
    assert [held_by(name) for name in NAMES] == [CHANGED] * 3
    assert run(fabric, tmp_path / "state", by_ansible).unchanged == NAMES
    assert rollback(tmp_path / "state", "train", by_ansible).is_ok
    assert [held_by(name) for name in NAMES] == [BEFORE] * 3
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    leaks = [p for p in files if p.name != "password.right" and SECRET.encode() in p.read_bytes()]
    assert leaks == []
    assert [path for path in files if "artifacts" in path.parts] == []


@pytest.mark.slow
def test_a_device_that_refuses_is_brought_back_with_its_reason(
    fabric: Fabric, tmp_path: Path, by_ansible: Backend
) -> None:
    path_of("gpu01").write_text(f"refuse\n{BEFORE}")
    result = run(fabric, tmp_path / "state", by_ansible)
    assert [(o.device, o.state) for o in result.outcomes] == [("gpu01", State.UNDONE)]
    assert "status 9" in result.outcomes[0].reason
    assert result.waiting == ("gpu02", "leaf01")
    assert held_by("gpu01") == f"refuse\n{BEFORE}"
