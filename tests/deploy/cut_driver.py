"""Run one collect or deploy and be killed at the n-th point at which a cut could hurt.

Usage: ``cut_driver.py N WHAT BACKEND FOLDER``; prints the number of points passed when
it gets to the end. Where it works, ``worlds`` says.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from netcheck.collect.collector import collect
from netcheck.deploy.engine import deploy, make_plan
from tests.deploy import cutter, worlds


def main() -> None:
    last, what, chosen, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
    os.environ["NETCHECK_TEST_DRIVER"] = str(os.getpid())
    world = worlds.load()
    cutter.install(last)
    if what == "collect":
        collect(world.fabric, folder, pace=world.pace)
    else:
        plan = make_plan(world.fabric, world.rendered, pace=world.pace)
        backend = worlds.backend(chosen, world, last)
        deploy(plan, folder, backend, confirm=lambda _: True)
    print(cutter.passed())  # noqa: T201 -- the test reads it


if __name__ == "__main__":
    main()
