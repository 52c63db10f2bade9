"""Three devices behind one real shell, with the fake platform."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from netcheck.collect import collector, target
from netcheck.deploy import device as deploy_device
from netcheck.deploy import plan as deploy_plan
from netcheck.model.fabric import Fabric
from netcheck.platforms import placeholders
from tests.deploy import fake_platform

SECRET = "marker-77aa-secret"
SERVER = Path(__file__).parents[1] / "collect" / "bash_server.py"


@pytest.fixture
def shell_port(tmp_path: Path) -> Iterator[int]:
    folder = tmp_path / "shell"
    (folder / "bin").mkdir(parents=True)
    (folder / "password.right").write_text(SECRET)
    sudo = folder / "bin" / "sudo"
    sudo.write_text('#!/bin/sh\nexec "$@"\n')
    sudo.chmod(0o755)
    command = [sys.executable, str(SERVER), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.terminate()


@pytest.fixture
def fabric(shell_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fabric:
    """The fake fabric; devices hold their first configuration."""
    monkeypatch.setenv("NETCHECK_TEST_ROOT", str(tmp_path / "devices"))
    monkeypatch.setenv("NETCHECK_TEST_PASSWORD", SECRET)
    for module, name in (
        (collector, "load"),
        (deploy_plan, "load"),
        (deploy_device, "load"),
        (placeholders, "secret_keys"),
        (target, "capabilities"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name))  # put back afterwards
    fake_platform.install()
    fake_platform.put_before()
    return fake_platform.make_fabric(shell_port, "env:NETCHECK_TEST_PASSWORD")
