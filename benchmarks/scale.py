"""Lint and render a fabric of 131,072 NIC ports and 6,000 switches; growth over size.

Each run is a fresh process of the real command line. All seeded faults have to be
found, and every finding has to lie on a fault. ``make bench-scale`` runs all of it;
``python -m benchmarks.scale lint|render|growth`` runs a part.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fabric import WHOLE_PODS, Shape, write_intent
from benchmarks.plan import Fault, Plan
from benchmarks.results import machine, put
from netcheck.platforms.platform import platform_names

FOLDER = Path(os.environ.get("NETCHECK_BENCH_DIR", "/var/tmp/netcheck-bench")) / "scale"  # noqa: S108 -- made and read by this file only
NETCHECK = str(Path(sys.executable).with_name("netcheck"))
WANTED = ("sonic", "cumulus", "eos", "nxos")
GROWTH_PODS = (11, 22, 44)  # about 250, 500 and 1,000 switches
RUNS = 2


class Used(NamedTuple):
    """What a process took."""

    wall_s: float
    cpu_s: float
    peak_mib: float
    output: str


def measured(*arguments: str) -> Used:
    """Run the command line once; give what it took, with its children."""
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen([NETCHECK, *arguments], stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if process.returncode not in (0, 1):
        raise SystemExit(
            f"netcheck {' '.join(arguments)}: exit {process.returncode}\n{text[:2000]}"
        )
    return Used(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text)


def platforms() -> tuple[str, ...]:
    """Switch platforms that are there; SONiC stands in for others."""
    known = platform_names()
    return tuple(name if name in known else "sonic" for name in WANTED)


def judged(report: dict[str, Any], plan: Plan) -> tuple[list[Fault], list[str]]:
    """Give the faults that no finding names, and the places of findings that are on no fault."""
    touched = {place for fault in plan.faults for place in fault.places}
    devices = {device for device, _ in touched}
    named: dict[str, set[tuple[str, str]]] = {}
    strange = []
    for finding in report["findings"]:
        places = {_place(one) for one in finding["where"]}
        named.setdefault(finding["rule"], set()).update(places)
        # what one port makes of its device may be more than the platform can express
        if finding["rule"] == "platform-limit":
            places = {place for place in places if place[0] not in devices}
        strange += [f"{finding['rule']} {' '.join(place)}" for place in places - touched]
    missed = [
        fault for fault in plan.faults if named.get(fault.rule, set()).isdisjoint(fault.places)
    ]
    return missed, strange


def _place(one: dict[str, str | None]) -> tuple[str, str]:
    device = one["device"] or ""
    return device, "" if device.startswith("policy ") else one["port"] or ""


def lint(pods: int, runs: int = RUNS) -> tuple[Shape, list[Used]]:
    """Lint a fabric several times; it stops where a fault is missed or something else is found."""
    shape = Shape(pods, platforms())
    folder = FOLDER / str(pods)
    plan = write_intent(folder, shape)
    used = []
    for _ in range(runs):
        used.append(measured("lint", str(folder / "fabric.yaml"), "--format", "json"))
        missed, strange = judged(json.loads(used[-1].output), plan)
        if missed or strange:
            raise SystemExit(f"missed: {missed}\nfound beside: {strange[:20]}")
    return shape, used


def render(pods: int) -> tuple[Shape, Used, Used]:
    """Render a fabric without faults into a new folder, then over itself.

    What an earlier run left is removed afterwards: for five minutes after many files
    were deleted, ext4 passes over each of their inodes whenever it makes a file (Linux
    fs/ext4/ialloc.c, recently_deleted). 20,000 files took 0.8 s of system time, and 7.5 to
    9.9 s after as many had been deleted.
    """
    shape = Shape(pods, platforms())
    folder = FOLDER / f"{pods}-sound"
    write_intent(folder, shape, faults=0)
    earlier = list(folder.glob("rendered*"))
    target = folder / f"rendered-{time.time_ns()}"
    command = ("render", str(folder / "fabric.yaml"), "-o", str(target), "-q")
    used, again = measured(*command), measured(*command)
    for one in earlier:
        shutil.rmtree(one)
    return shape, used, again


def row(what: str, shape: Shape, used: Used) -> str:
    size = f"{shape.switches:,} switches, {shape.nic_ports:,} NIC ports"
    return f"| {what} | {size} | {used.wall_s:.1f} | {used.cpu_s:.1f} | {used.peak_mib:,.0f} |"


def best(used: list[Used]) -> Used:
    return min(used, key=lambda one: one.cpu_s)


HEAD = ["| command | fabric | wall s | cpu s | peak MiB |", "|---|---|---|---|---|"]


def main() -> None:
    """Run the parts that are named, or all; write them into RESULTS.md."""
    parts = sys.argv[1:] or ["growth", "lint", "render"]
    about = f"{machine()}; switches: {', '.join(platforms())}; least processor time of the runs."
    if "lint" in parts:
        shape, used = lint(WHOLE_PODS)
        put("scale: lint", [about, "", *HEAD, row("netcheck lint", shape, best(used))])
    if "render" in parts:
        shape, one, again = render(WHOLE_PODS)
        where = f"{about} 170,000 files below {FOLDER}: on a slow disk they take most of the time."
        rows = [row("netcheck render", shape, one), row("the same over it", shape, again)]
        put("scale: render", [where, "", *HEAD, *rows])
    if "growth" in parts:
        put("scale: growth", [about, "", *growth()])


def growth() -> list[str]:
    """Rows over sizes, and growth relative to linear."""
    found = [(shape, best(used)) for shape, used in (lint(pods) for pods in GROWTH_PODS)]
    rows = [row("netcheck lint", shape, used) for shape, used in found]
    (small, least), (large, most) = found[0], found[-1]
    linear = least.cpu_s * large.nic_ports / small.nic_ports
    ratio = f"From the first to the last, cpu grows {most.cpu_s / linear:.2f} times linear."
    return [*HEAD, *rows, "", ratio]


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
