"""Start-up time beside peers, in one run, into RESULTS.md.

Peers are installed into a virtual environment of their own on the first run.
Each command runs once to warm up and then ``RUNS`` times, the commands taking
turns, so that a machine that gets slower slows all of them. Python writes byte
code in the warm-up, as it does for every installed program.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.results import machine, put

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PEERS = HERE / ".peers"
RUNS = 11
SLOWING = {"PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"}  # code compiled at every start
SMALL = "examples/lab-small.yaml"


def peer(name: str) -> str:
    return str(PEERS / "bin" / name)


def install_peers() -> None:
    if (PEERS / "bin" / "anta").exists():
        return
    subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
    packages = ["ansible-lint", "anta[cli]", "yamllint"]
    subprocess.run([peer("pip"), "install", "-q", *packages], check=True)


def commands() -> dict[str, list[str]]:
    own = str(Path(sys.executable).with_name("netcheck"))
    return {
        "netcheck --help": [own, "--help"],
        "netcheck lint (small intent)": [own, "lint", SMALL],
        "python -c pass": [sys.executable, "-c", "pass"],
        "yamllint (small intent)": [peer("yamllint"), SMALL],
        "yamllint --help": [peer("yamllint"), "--help"],
        "anta --help": [peer("anta"), "--help"],
        "ansible-lint --help": [peer("ansible-lint"), "--help"],
    }


def once(command: list[str]) -> tuple[float, float]:
    """Seconds of wall time, and of processor time of the process and its children."""
    environment = {name: text for name, text in os.environ.items() if name not in SLOWING}
    start, used = time.perf_counter(), os.times()
    subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system
    return wall, cpu - used.children_user - used.children_system


def row(name: str, wall: tuple[float, ...], cpu: tuple[float, ...]) -> str:
    figures = (statistics.median(wall), min(wall), max(wall), statistics.median(cpu), min(cpu))
    return f"| {name} | {' | '.join(f'{figure:.3f}' for figure in figures)} |"


def main() -> None:
    install_peers()
    every = commands()
    for command in every.values():
        once(command)
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in every}
    load = os.getloadavg()[0]
    for _ in range(RUNS):
        for name, command in every.items():
            seconds[name].append(once(command))
    load = max(load, os.getloadavg()[0])
    rows = [row(name, *zip(*found, strict=True)) for name, found in seconds.items()]
    put(
        "start-up",
        [
            "Seconds of whole processes: wall time, and processor time (user and system), which",
            "other work on the machine disturbs less.",
            "",
            f"{machine()}. {RUNS} runs each, taking turns;",
            f"load average up to {load:.1f} (above the number of cores, wall times are too long).",
            "",
            "| command | wall median | wall least | wall most | cpu median | cpu least |",
            "|---|---|---|---|---|---|",
            *rows,
        ],
    )


if __name__ == "__main__":
    main()
