"""The test's end of ``cut_driver``, and what must hold after any cut."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("cut_driver.py")
KILLED = -9


@dataclass(frozen=True)
class Driver:
    """A running driver."""

    questions: IO[str]
    answers: IO[str]

    def run(self, point: int, what: str, folder: Path, backend: str = "netmiko") -> tuple[int, int]:
        """Do one thing up to a point (0: to the end); give status and points passed."""
        self.questions.write(f"{point} {what} {backend} {folder}\n")
        self.questions.flush()
        status, passed = self.answers.readline().split()
        return int(status), int(passed)

    def points(self, what: str, folder: Path, backend: str = "netmiko") -> int:
        """Do one thing to the end; give the number of points on the way."""
        status, passed = self.run(0, what, folder, backend)
        assert (status, passed > 0) == (0, True)
        return passed

    def kill_at(self, point: int, what: str, folder: Path, backend: str = "netmiko") -> None:
        """Do one thing and be killed at a point."""
        assert self.run(point, what, folder, backend) == (KILLED, point)
        assert_whole(folder)


@contextmanager
def driver(variables: Mapping[str, str]) -> Iterator[Driver]:
    """Start a driver in the world that these variables describe."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, str(DRIVER)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=environment, stdin=pipe, stdout=pipe, text=True, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Driver(process.stdin, process.stdout)
        process.stdin.close()


def spread(total: int, count: int) -> list[int]:
    """Give ``count`` points over all of them, evenly, the first and the last among them."""
    return [1 + index * (total - 1) // max(1, count - 1) for index in range(count)]


def assert_whole(folder: Path) -> None:
    """Every JSON file under its own name is whole.

    What the killed run had started may still be clearing its own temporary
    folders away, so that a folder or file that has just gone is no fault.
    """
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".json") and not name.startswith("."):
                with suppress(FileNotFoundError):
                    json.loads(Path(parent, name).read_text())
