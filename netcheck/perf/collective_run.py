"""Run a collective test of the user's own between two readings of all counters, and judge it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Protocol

from netcheck.collect.session import Output
from netcheck.model.finding import Finding, Place
from netcheck.model.known import is_known
from netcheck.perf.collectives import CollectiveResult, parse_collective
from netcheck.perf.found import perf_finding
from netcheck.perf.observe import RoundResult

LONGEST_S = 3600.0
PROGRAM = "_perf"  # how names of nccl-tests and rccl-tests end
GB_BITS = 8e9


class Runs(Protocol):
    """A session, as far as it is needed here."""

    def run(self, line: str, timeout: float = 60.0) -> Output:
        """Run a line to its end. Raises TransportError."""


def program_of(command: str) -> str:
    """Name of the test in a command line that may begin with mpirun; the first word at worst.

    Example:
        >>> program_of("mpirun -np 16 /opt/nccl-tests/build/all_reduce_perf -b 8 -e 1G")
        'all_reduce_perf'
    """
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    names = [PurePosixPath(word).name for word in words]
    return next((name for name in names if name.endswith(PROGRAM)), names[0] if names else "")


def run_collective(session: Runs, command: str) -> CollectiveResult:
    """Run it on the host of a session; what it says went wrong is in the result.

    Raises:
        TransportError: It did not end in time, or the session broke.
    """
    output = session.run(command, LONGEST_S)
    found = parse_collective(output.text)
    if found.error or (output.is_ok and found.is_finished and found.rows):
        return found
    lines = [line.strip() for line in output.text.splitlines() if line.strip()]
    last = lines[-1] if lines else "no output"
    said = f"exit status {output.status}: {last}" if not output.is_ok else f"not finished: {last}"
    return CollectiveResult(found.rows, found.name, found.bus_bps, found.wrong, error=said)


def collective_findings(results: Sequence[RoundResult]) -> Iterator[Finding]:
    """A test that failed, and one whose values were wrong."""
    for result in results:
        found = result.collective
        if found is None:
            continue
        place = Place(result.round.flows[0][0].host if result.round.flows else "")
        if found.error:
            yield perf_finding(
                "collective-failed",
                place,
                f"{result.tool}: {found.error}",
                expected="a result",
                found=found.error,
            )
        elif found.is_correct is False:
            wrong = found.wrong if is_known(found.wrong) else "some"
            yield perf_finding(
                "collective-wrong",
                place,
                f"{result.tool}: wrong values expected 0, found {wrong}",
                expected="0",
                found=str(wrong),
            )


def collective_notes(results: Sequence[RoundResult]) -> Iterator[str]:
    """What each collective test reached, in the units that it prints."""
    for result in results:
        found = result.collective
        if found is None or not found.rows:
            continue
        best = max(found.rows, key=lambda row: row.out_of_place.bus_bps)
        average = f"{found.bus_bps / GB_BITS:.2f} GB/s" if is_known(found.bus_bps) else "not said"
        words = {True: "all values right", False: "wrong values"}
        checked = words[found.is_correct] if is_known(found.is_correct) else "values not checked"
        yield (
            f"{result.tool}: bus bandwidth {average} on average,"
            f" {best.out_of_place.bus_bps / GB_BITS:.2f} GB/s with {best.size_bytes:,} bytes;"
            f" {checked}"
        )
