"""One program of a simulated subnet, from the side of whoever started it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from netcheck.model.errors import TransportError

KEEPER = Path(__file__).with_name("keeper.py")
START_S = 20.0
END_S = 10.0
POLL_S = 0.01


@dataclass(frozen=True)
class Kept:
    """A running program behind a keeper.

    Attributes:
        pid: Process id of the program itself.
        log: File that holds its output.
    """

    keeper: subprocess.Popen[bytes]
    pid: int
    log: Path

    @property
    def is_running(self) -> bool:
        """Whether the program still runs."""
        return self.keeper.poll() is None

    def send(self, text: str) -> None:
        """Write a line to the program's standard input.

        Raises:
            TransportError: It has ended.
        """
        assert self.keeper.stdin is not None  # noqa: S101 -- a pipe, as start says
        try:
            self.keeper.stdin.write(f"{text}\n".encode())
            self.keeper.stdin.flush()
        except OSError as error:
            raise TransportError(f"{self.log.name}: program has ended") from error

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program; nothing happens once it has ended."""
        if self.is_running:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return

    def wait(self, timeout_s: float) -> int:
        """Wait for the program's end; give its exit code.

        Raises:
            TransportError: It did not end in time.
        """
        try:
            return self.keeper.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise TransportError(f"{self.log.name}: no end after {timeout_s:g} s") from error

    def end(self) -> None:
        """End the program and all that it started."""
        assert self.keeper.stdin is not None  # noqa: S101 -- as in send
        with suppress(BrokenPipeError):
            self.keeper.stdin.close()
        try:
            self.keeper.wait(END_S)
        except subprocess.TimeoutExpired:
            self.keeper.kill()  # the kernel ends the program with it
            self.keeper.wait()

    def output(self) -> str:
        """What the program printed so far."""
        return self.log.read_text("utf-8", "replace") if self.log.exists() else ""


def start(
    argv: Sequence[str],
    *,
    log: Path,
    folder: Path,
    environment: Mapping[str, str],
    remove: Path | None = None,
) -> Kept:
    """Start a program that ends with us, however we end.

    Args:
        log: File its output is appended to.
        folder: Its working folder.
        environment: Its whole environment.
        remove: Folder that is removed when it has ended.

    Raises:
        TransportError: It cannot be started.
    """
    told = {"argv": list(argv), "log": str(log), "remove": str(remove) if remove else ""}
    keeper = subprocess.Popen(  # noqa: S603 -- our own script
        [sys.executable, "-I", "-S", str(KEEPER), json.dumps(told)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=folder,
        env=dict(environment),
    )
    assert keeper.stdout is not None  # noqa: S101 -- a pipe, as above
    with keeper.stdout as pipe:
        first = pipe.readline()
    kept = Kept(keeper, int(first or 0), log)
    if not first:
        kept.end()
        raise TransportError(f"{argv[0]}: cannot be started")
    return kept


def wait_until(holds: Callable[[], bool], timeout_s: float, poll_s: float = POLL_S) -> bool:
    """Ask again and again until something holds; False when it did not in time."""
    end = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(poll_s)
    return True
