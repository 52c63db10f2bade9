"""Start-up time beside peers, in one run, into RESULTS.md.

Peers are installed into a virtual environment of their own on the first run.
Each command runs once to warm up and then ``RUNS`` times, the commands taking
turns, so that a machine that gets slower slows all of them.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PEERS = HERE / ".peers"
RUNS = 11
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


def once(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    return time.perf_counter() - start


def main() -> None:
    install_peers()
    every = commands()
    for command in every.values():
        once(command)
    seconds: dict[str, list[float]] = {name: [] for name in every}
    for _ in range(RUNS):
        for name, command in every.items():
            seconds[name].append(once(command))
    rows = [
        f"| {name} | {statistics.median(found):.3f} | {min(found):.3f} | {max(found):.3f} |"
        for name, found in seconds.items()
    ]
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {system}"
    text = "\n".join(
        [
            "# Results",
            "",
            "Written by `make bench`. Seconds of wall time, whole processes.",
            "",
            f"Machine: {machine}. {RUNS} runs each, taking turns.",
            "",
            "| command | median | least | most |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )
    (HERE / "RESULTS.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
