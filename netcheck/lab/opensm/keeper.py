"""Runs one program and ends it, with all that it started, when whoever asked for it is gone.

A script of its own (``python -I -S keeper.py JSON``), so that a netcheck that is
killed leaves nothing running: its end of our standard input closes then, however
it went. What comes over standard input goes on to the program. The first line of
our standard output is the program's process id; our exit code is the program's.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time

PR_SET_PDEATHSIG = 1
CHUNK = 65536
TRIES, PAUSE_S = 50, 0.05


def die_with_keeper() -> None:
    """Called in the program's process before it runs: the kernel ends it with the keeper."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def start(argv: list[str], log: str) -> subprocess.Popen[bytes]:
    """Start the program in a process group of its own, its output in a file."""
    with open(log, "ab") as output:  # noqa: PTH123 -- pathlib is slow to import
        return subprocess.Popen(  # noqa: S603 -- the lab's own command
            argv,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=die_with_keeper,  # noqa: PLW1509 -- one thread
        )


def relay(child: subprocess.Popen[bytes]) -> None:
    """Hand standard input on to the program until either of them ends."""
    ended = os.pidfd_open(child.pid)
    assert child.stdin is not None  # noqa: S101 -- a pipe, as start says
    while True:
        ready, _, _ = select.select([0, ended], [], [])
        if ended in ready:
            return
        data = os.read(0, CHUNK)
        if not data:
            return
        try:
            child.stdin.write(data)
            child.stdin.flush()
        except BrokenPipeError:
            continue  # it ends; the next round sees it


def end(child: subprocess.Popen[bytes]) -> int:
    """Kill the program's whole group; give its exit code as a shell would."""
    code = child.poll()
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        code = child.wait() if code is None else code  # the group has ended by itself
    code = child.wait() if code is None else code
    return code if code >= 0 else 128 - code


def remove(folder: str) -> None:
    """Remove a folder; others that are ended with us may still write into it."""
    for _ in range(TRIES if folder else 0):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):  # noqa: PTH110 -- pathlib is slow to import
            return
        time.sleep(PAUSE_S)


def stop(number: int, frame: object) -> None:  # noqa: ARG001 -- a signal handler's signature
    """Leave ``relay``, as if standard input had closed."""
    raise SystemExit(128 + number)


def main() -> int:
    """Keep one program; argument is JSON: argv, log, and a folder to remove at the end."""
    told = json.loads(sys.argv[1])
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = start(told["argv"], told["log"])
    try:
        os.write(1, f"{child.pid}\n".encode())
        relay(child)
    finally:
        code = end(child)
        remove(told["remove"])
    return code


if __name__ == "__main__":
    sys.exit(main())
