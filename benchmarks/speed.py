"""How fast this machine is: what every figure beside it has to be read with.

Plain operations of Python and of libyaml, so that times taken on two machines can
be compared. ``python -m benchmarks.speed``.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import yaml

from benchmarks.results import machine, put

RUNS = 5
OBJECTS = 300_000
CALLS = 1_000_000
ROWS = 20_000
YAML_ROWS = 4_000


@dataclass(frozen=True, slots=True)
class Six:
    """A record of six fields, as the model has thousands of."""

    a: int
    b: int
    c: int
    d: int
    e: int
    f: int


def least_s(work: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs."""
    found = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def _nothing() -> None:
    pass


def _calls() -> None:
    for _ in range(CALLS):
        _nothing()


def _ports(count: int) -> list[dict[str, Any]]:
    return [
        {"name": f"Ethernet{number}", "speed": 400, "mtu": 9216, "peer": f"leaf{number % 97}"}
        for number in range(count)
    ]


def figures() -> dict[str, float]:
    """Give ``operation -> millions, or megabytes, in a second``; the collector is off."""
    gc.disable()
    try:
        text = json.dumps(_ports(ROWS))
        block = yaml.dump(_ports(YAML_ROWS), Dumper=yaml.CSafeDumper)
        return {
            "frozen slotted dataclasses of 6 fields made, M/s": OBJECTS
            / least_s(lambda: [Six(1, 2, 3, 4, 5, 6) for _ in range(OBJECTS)])
            / 1e6,
            "function calls, M/s": CALLS / least_s(_calls) / 1e6,
            "json.loads, MB/s": len(text) / least_s(lambda: json.loads(text)) / 1e6,
            "yaml CSafeLoader, MB/s": len(block)
            / least_s(lambda: yaml.load(block, Loader=yaml.CSafeLoader))
            / 1e6,
        }
    finally:
        gc.enable()


def main() -> None:
    """Measure, and write the section of ``RESULTS.md``."""
    rows = [f"| {name} | {value:.2f} |" for name, value in figures().items()]
    put(
        "speed of the machine",
        [
            f"{machine()}. Fastest of {RUNS} runs, one core, collector off.",
            "",
            "| operation | rate |",
            "|---|---|",
            *rows,
        ],
    )


if __name__ == "__main__":
    main()
