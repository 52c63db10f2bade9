"""A device for tests: a real bash on a real terminal behind a real SSH server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from netcheck.collect.target import Target

PASSWORD = "marker-8d1f-secret"
SERVER = Path(__file__).with_name("bash_server.py")


@dataclass(frozen=True)
class BashDevice:
    """One SSH server on loopback whose shell is bash."""

    folder: Path
    port: int

    def target(self, name: str = "gpu01") -> Target:
        return Target(
            device=name,
            host="127.0.0.1",
            port=self.port,
            username="admin",
            netmiko="linux",
            password=f"file:{self.folder / 'password'}",
        )

    def typed(self) -> bytes:
        """Everything that clients sent to the shell."""
        return (self.folder / "typed").read_bytes()


@pytest.fixture(scope="module")
def bash_device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BashDevice]:
    folder = tmp_path_factory.mktemp("device")
    (folder / "bin").mkdir(parents=True)
    for name in ("password", "password.right"):
        (folder / name).write_text(PASSWORD)
    sudo = folder / "bin" / "sudo"
    sudo.write_text('#!/bin/sh\nexec "$@"\n')
    sudo.chmod(0o755)
    command = [sys.executable, str(SERVER), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield BashDevice(folder, int(server.stdout.readline()))
        server.terminate()
