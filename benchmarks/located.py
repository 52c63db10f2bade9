"""Verdict and first suspect of every fault of the table, with processor time.

A lab in this process (``tests/perf/rig.py``) on the fabric of ``tests/perf/two-leaves.yaml``;
the table, with what is right, is ``tests/perf/fault-table.yaml``. ``python -m benchmarks.located``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import machine, put
from netcheck.model.finding import Performance
from netcheck.perf.verdict import PerfVerdict
from tests.perf.rig import World, world
from tests.perf.test_fault_table import TABLE, Case


class Row(NamedTuple):
    """One fault: verdict, first suspect, whether each is right, processor seconds."""

    name: str
    verdict: str
    is_right: bool
    first: str
    is_located: bool | None
    cpu_s: float


def is_right(case: Case, found: PerfVerdict) -> bool:
    """Verdict, finding and performance are those of the table."""
    rules = {finding.rule for finding in found.findings}
    is_slow = found.verdict.performance is Performance.SLOW
    is_silent = bool(case.faults) or not found.findings
    says = not case.finds or case.finds in rules
    return found.verdict.run is case.run and says and is_silent and (is_slow or not case.is_slow)


def measured(lab: World) -> Iterator[Row]:
    """Run every fault."""
    for name in TABLE:
        case, start = Case.of(name), time.process_time()
        with lab.faults(*case.faults):
            found = lab.judged()
        cpu_s = time.process_time() - start
        places = (
            [str(place).strip() for place in found.suspects[0].places] if found.suspects else []
        )
        located = case.is_right(found) if case.first else None
        right = is_right(case, found)
        sys.stderr.write(f"{name}: {found.verdict}, {' or '.join(places)}\n")
        yield Row(name, str(found.verdict), right, " or ".join(places), located, cpu_s)


def lines(rows: list[Row]) -> Iterator[str]:
    """Lines of RESULTS.md."""
    right = sum(row.is_right for row in rows)
    judged = [row for row in rows if row.is_located is not None]
    located = sum(bool(row.is_located) for row in judged)
    yield (
        f"{machine()}. {len(rows)} rows, the sound fabric among them: {right} verdicts right; the"
        f" faulty element is the first suspect in {located} of {len(judged)}"
        f" ({100 * located / len(judged):.0f} %); {sum(row.cpu_s for row in rows):.0f} s of"
        " processor time."
    )
    yield ""
    yield "| fault | verdict | right | first suspect | right | cpu s |"
    yield "|---|---|---|---|---|---|"
    words = {True: "yes", False: "**no**", None: ""}
    for row in rows:
        yield (
            f"| {row.name} | {row.verdict} | {words[row.is_right]} | {row.first} |"
            f" {words[row.is_located]} | {row.cpu_s:.1f} |"
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, world(Path(folder)) as found_world:
        put("faults of the lab", lines(list(measured(found_world))))
