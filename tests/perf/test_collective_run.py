"""A collective test of the user's own, between two readings of all counters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.collect.session import Output
from netcheck.lab.devices.linux.host import LinuxHost
from netcheck.lab.devices.shell import Call
from netcheck.model.errors import TransportError
from netcheck.model.finding import RunResult
from netcheck.perf.collective_run import collective_findings, program_of, run_collective
from netcheck.perf.schedule import Depth
from tests.perf.rig import OPTIONS, Session, World, world
from tests.perf.test_verdict import incast

SMALL = Path(__file__).parents[2] / "examples" / "lab-small.yaml"
PRINTED = Path(__file__).with_name("all_reduce.txt").read_text("utf-8")
COMMAND = "mpirun -np 4 all_reduce_perf -b 1G -e 2G -f 2"
WRONG = PRINTED.replace("# Out of bounds values : 0 OK", "# Out of bounds values : 3 FAILED")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (COMMAND, "all_reduce_perf"),
        ("/opt/rccl-tests/build/alltoall_perf -g 8", "alltoall_perf"),
        ("srun my-job", "srun"),
        ("unclosed 'quote reduce_perf", "reduce_perf"),
        ("", ""),
    ],
)
def test_the_program_is_found_behind_its_launcher(command: str, name: str) -> None:
    assert program_of(command) == name


class Prints:
    """A session on which every command prints one text."""

    def __init__(self, text: str, status: int = 0) -> None:
        self.text, self.status = text, status

    def run(self, line: str, timeout: float = 60.0) -> Output:
        assert (line, timeout > 60) == (COMMAND, True)
        return Output(self.text, self.status)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("collective"), SMALL) as found:
        yield found


@pytest.mark.slow
def test_what_the_test_reached_is_reported(lab: World) -> None:
    async def mpirun(call: Call) -> int:
        call.out(PRINTED)
        return 0

    host = lab.building.devices["gpu01"]
    assert isinstance(host, LinuxHost)
    host.programs["mpirun"] = mpirun
    found = lab.judged(replace(OPTIONS, depth=Depth.QUICK, collective=COMMAND))
    assert found.verdict.run is RunResult.LOSSLESS
    assert found.findings == ()
    (said,) = found.collectives
    assert said.startswith("all_reduce_perf: bus bandwidth 381.69 GB/s on average, 384.32 GB/s")
    assert said.endswith("with 2,147,483,648 bytes; all values right")


def test_a_test_that_no_two_hosts_can_run_is_no_pass(lab: World) -> None:
    found = lab.judged(replace(OPTIONS, collective=COMMAND, limit=frozenset({"gpu01"})))
    (failed,) = [one for one in found.findings if one.rule == "collective-failed"]
    assert failed.message.startswith("all_reduce_perf: not run: no two hosts")


def test_a_session_that_a_test_broke_is_not_used_again(
    lab: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken: list[Session] = []
    whole = Session.run

    def run(self: Session, line: str, timeout: float = 60.0) -> Output:
        if line == COMMAND or self in broken:
            broken.append(self)
            raise TransportError("gpu01: no end")
        return whole(self, line, timeout)

    monkeypatch.setattr(Session, "run", run)
    found = lab.judged(replace(OPTIONS, depth=Depth.QUICK, collective=COMMAND))
    (failed,) = found.findings
    assert (failed.rule, failed.found) == ("collective-failed", "gpu01: no end")
    assert found.verdict.run is RunResult.LOSSLESS


@pytest.mark.parametrize(
    ("text", "status", "rule", "said"),
    [
        (WRONG, 0, "collective-wrong", "wrong values expected 0, found 3"),
        (PRINTED, 1, "collective-failed", "exit status 1: # Collective test concluded"),
        (PRINTED.partition("# Out")[0], 0, "collective-failed", "not finished: 2147483648"),
        ("", 127, "collective-failed", "exit status 127: no output"),
        ("gpu01: Test NCCL failure common.cu:1 'x'", 0, "collective-failed", "Test NCCL failure"),
    ],
)
def test_a_test_that_failed_is_no_pass(text: str, status: int, rule: str, said: str) -> None:
    printed = run_collective(Prints(text, status), COMMAND)
    result = replace(incast(), tool="all_reduce_perf", collective=printed)
    (finding,) = collective_findings([result])
    assert finding.rule == rule
    assert said in finding.message
