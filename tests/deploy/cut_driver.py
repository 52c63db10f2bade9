"""Runs deploy, rollback or collect, each in a fork that is killed at the n-th point.

Usage: ``cut_driver.py``; each line on standard input is ``N WHAT BACKEND FOLDER``
(N 0: to the end), and is answered by ``STATUS POINTS``. Where it works, ``worlds``
says. What takes long to import is imported once.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import netmiko

from netcheck.collect.collector import collect
from netcheck.deploy.engine import deploy, make_plan, rollback
from tests.deploy import cutter, worlds

assert netmiko.__version__


def work(world: worlds.World, last: int, what: str, chosen: str, folder: Path) -> None:
    """Do one thing from start to end, or to the cut."""
    os.environ["NETCHECK_TEST_DRIVER"] = str(os.getpid())
    os.environ["NETCHECK_TEST_COUNTER"] = f"{folder}.count"
    cutter.install(last)
    if what == "collect":
        collect(world.fabric, folder, pace=world.pace)
        return
    backend = worlds.backend(chosen, world, last)
    if what == "rollback":
        rollback(folder, world.fabric.name, backend)
        return
    plan = make_plan(world.fabric, world.rendered, pace=world.pace)
    deploy(plan, folder, backend, confirm=lambda _: True)


def in_fork(world: worlds.World, line: str) -> str:
    """Fork, work in the child, and say how it ended and how far it came."""
    last, what, chosen, folder = line.split(maxsplit=3)
    counter = Path(f"{folder}.count")
    counter.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work(world, int(last), what, chosen, Path(folder))
            status = 0
        finally:
            sys.stderr.flush()
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    passed = counter.stat().st_size if counter.exists() else 0
    return f"{os.waitstatus_to_exitcode(ended)} {passed}"


def main() -> None:
    world = worlds.load()
    for line in sys.stdin:
        print(in_fork(world, line.rstrip("\n")), flush=True)  # noqa: T201 -- the test reads it


if __name__ == "__main__":
    main()
