"""What nccl-tests and rccl-tests print: one table, whatever the collective.

Source: NVIDIA/nccl-tests src/common.cu (writeBenchmarkLineBody, writeResultFooter);
    ROCm/rccl-tests keeps the same columns.
"""

from __future__ import annotations

import re

from netcheck.model.frozen import frozen
from netcheck.model.known import UNKNOWN, Known, is_known

GB = 1e9
_COLUMNS = 13  # size count type redop root, then time algbw busbw #wrong twice
_WITHOUT_ROOT = 12  # very old binaries have no column root
_BOUNDS = re.compile(r"^#\s*Out of bounds values\s*:\s*(\d+)\s+(\w+)")
_AVERAGE = re.compile(r"^#\s*Avg bus bandwidth\s*:\s*([0-9.]+)")
_CONCLUDED = re.compile(r"^#\s*Collective test concluded\s*:\s*(\S+)")
_FAILURE = re.compile(
    r"Test (?:NCCL|CUDA|HIP) failure|NCCL WARN|unhandled (?:cuda|system) error"
    r"|remote process exited",
    re.IGNORECASE,
)


@frozen
class Timing:
    """One column group of a row.

    Attributes:
        algorithm_bps, bus_bps: Bits per second (the table has GB/s).
        wrong: Elements with a wrong result; UNKNOWN where they were not checked (``N/A``).
    """

    time_us: float
    algorithm_bps: float
    bus_bps: float
    wrong: Known[int] = UNKNOWN


@frozen
class CollectiveRow:
    """One message size."""

    size_bytes: int
    type: str
    operation: str
    out_of_place: Timing
    in_place: Timing


@frozen
class CollectiveResult:
    """A whole run.

    Attributes:
        name: Program, where the output says it (since nccl-tests 2.14).
        bus_bps: Average bus bandwidth over all rows, as the program gives it.
        wrong: Values out of bounds, as the program counts them.
        is_finished: The closing lines were printed.
        error: First line that tells of a failure; empty where none does.
    """

    rows: tuple[CollectiveRow, ...] = ()
    name: str = ""
    bus_bps: Known[float] = UNKNOWN
    wrong: Known[int] = UNKNOWN
    is_finished: bool = False
    error: str = ""

    @property
    def is_correct(self) -> Known[bool]:
        """Whether every value that was checked was right; UNKNOWN where none was checked."""
        timings = (each for row in self.rows for each in (row.out_of_place, row.in_place))
        counts = [
            wrong for wrong in (*(each.wrong for each in timings), self.wrong) if is_known(wrong)
        ]
        return all(count == 0 for count in counts) if counts else UNKNOWN


def parse_collective(text: str) -> CollectiveResult:
    """Give what a run printed; figures that are not there stay UNKNOWN. Never raises on content."""
    rows: list[CollectiveRow] = []
    found: dict[str, re.Match[str]] = {}
    error = ""
    for line in text.splitlines():
        if line.startswith("#"):
            for name, pattern in (
                ("bounds", _BOUNDS),
                ("average", _AVERAGE),
                ("concluded", _CONCLUDED),
            ):
                match = pattern.match(line)
                if match:
                    found[name] = match
        elif (row := _row(line.split())) is not None:
            rows.append(row)
        if not error and _FAILURE.search(line):
            error = line.strip()
    bounds, average, concluded = (found.get(key) for key in ("bounds", "average", "concluded"))
    return CollectiveResult(
        rows=tuple(rows),
        name=concluded[1] if concluded else "",
        bus_bps=float(average[1]) * GB * 8 if average else UNKNOWN,
        wrong=int(bounds[1]) if bounds else UNKNOWN,
        is_finished=bounds is not None and average is not None,
        error=error,
    )


def _row(words: list[str]) -> CollectiveRow | None:
    if len(words) not in (_COLUMNS, _WITHOUT_ROOT) or not words[0].isdigit():
        return None
    try:
        first, last = _timing(words[-8:-4]), _timing(words[-4:])
        return CollectiveRow(int(words[0]), words[2], words[3], first, last)
    except ValueError:
        return None


def _timing(words: list[str]) -> Timing:
    time_us, algorithm, bus = map(float, words[:3])
    wrong = UNKNOWN if words[3] == "N/A" else int(float(words[3]))
    return Timing(time_us, algorithm * GB * 8, bus * GB * 8, wrong)
