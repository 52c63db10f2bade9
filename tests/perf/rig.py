"""A lab in this process: real devices, real commands and parsers, no SSH between them.

Deploys an intent by the platforms' own steps, puts faults in, and runs the
measurement on sessions that hand each command line to the device's shell.
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from netcheck import api
from netcheck.collect.collector import expand
from netcheck.collect.session import EndedEarlyError, Output
from netcheck.collect.target import Target
from netcheck.lab import bench as lab_bench
from netcheck.lab.building import Building
from netcheck.lab.devices.cli.console import Console
from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lab.devices.shell import ShellExit, Streams
from netcheck.lab.faults import Faults
from netcheck.lab.topology import topology_of
from netcheck.lossless.dataplane import run as dataplane
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Basis
from netcheck.perf import bench as perf_bench
from netcheck.perf.measure import measure
from netcheck.perf.observe import RoundResult
from netcheck.perf.options import PerfOptions
from netcheck.perf.verdict import PerfVerdict, judge_perf
from netcheck.platforms.platform import Step, Upload, load

T = TypeVar("T")
TWO_LEAVES = Path(__file__).with_name("two-leaves.yaml")
QUIET_S = 0.02
POLL_S = 0.002
PATIENCE = 10  # the data plane takes processor time that others may take from it
# What is stepped through before a run counts as steady, and what stands for the rest of it:
# shorter than in the lab, for the sake of processor time.
SETTLE_S, WINDOW_S = 0.35e-3, 0.2e-3
OPTIONS = PerfOptions(
    duration_s=2, settle_s=0.0, queue_pairs=2, more_rounds=2, sample_s=0.0, probe_after_s=0.0
)


class Session:
    """Runs command lines on one device's shell, as ``collect.session.Session`` does over SSH."""

    def __init__(self, target: Target, world: World) -> None:
        self.target = target
        self._world = world
        device = world.building.devices[target.device]
        self._device: SimulatedDevice = device
        self._shell = device.new_shell()
        if isinstance(self._shell, Console):
            self._shell.is_privileged = True
        self._held: list[str] = []
        self._task: Any = None  # a concurrent.futures.Future[int]

    def close(self) -> None:
        """End the session."""
        if self._task is not None:
            self._task.cancel()

    def start(self, line: str) -> None:
        """Start a line; ``finish`` waits for it."""
        self._held = []
        self._task = self._world.begin(self._run(line))

    async def _run(self, line: str) -> int:
        try:
            return await self._shell.run(line, Streams(self._held.append, self._held.append))
        except ShellExit as end:
            return end.status

    def ended_within(self, _seconds: float) -> bool:
        """A server waits on."""
        return False

    def wait_for(self, pattern: str, timeout: float) -> str:
        """Wait until the output matches."""
        end = time.monotonic() + PATIENCE * timeout
        while time.monotonic() < end:
            text = "".join(self._held)
            if re.search(pattern, text):
                return text
            if self._task.done():
                break
            time.sleep(POLL_S)
        raise EndedEarlyError(f"{self.target.device}: ended without {pattern!r}: {text}", text)

    def finish(self, timeout: float) -> Output:
        """Wait for the end."""
        status = self._task.result(PATIENCE * timeout)
        return Output("".join(self._held), status)

    def run(self, line: str, timeout: float = 60.0) -> Output:
        """Run a line to its end."""
        self.start(line)
        status = self._task.result(PATIENCE * timeout)
        return Output("".join(self._held), status)

    def run_each(self, lines: Sequence[str], timeout: float) -> list[Output]:
        """Run lines one after the other."""
        return [self.run(line, timeout) for line in lines]

    def interrupt(self, timeout: float = 30.0) -> Output:
        """Stop what runs."""
        del timeout
        self._task.cancel()
        return Output("".join(self._held), 130)

    def apply(self, step: Step) -> None:
        """Make one step of a change as root."""
        if isinstance(step, Upload):
            self._device.files.write(step.path, step.text, user="root")
            return
        done = self.run(step.line)
        assert done.is_ok, f"{self.target.device}: {step.line}: {done.text}"


@dataclass(eq=False)
class World:
    """A lab with an intent on it."""

    fabric: Fabric
    building: Building
    loop: asyncio.AbstractEventLoop

    def begin(self, work: Coroutine[Any, Any, T]) -> Any:
        """Start work in the lab's loop; Any: a concurrent.futures.Future of its result."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def session(self, device: str) -> Session:
        """Open a session."""
        return Session(_target(device), self)

    def deploy(self) -> None:
        """Bring every device to the intent by the platform's own steps."""
        for name, files in api.render(self.fabric).items():
            device = self.fabric.devices[name]
            platform = load(str(device.platform))
            session = self.session(name)
            held: dict[str, str] = {}
            for command in platform.applying.holdings(device):
                for one in expand(command, device):
                    output = session.run(one.line)
                    if output.is_ok:
                        held[one.file] = output.text
            change = platform.applying.plan(device, files, held)
            for step in (*change.save, *change.steps, *change.persist):
                session.apply(step)

    @contextmanager
    def faults(self, *names: Sequence[str | None]) -> Iterator[list[str]]:
        """Put faults in, each ``(name, device, port)``, and take them out again."""
        found = Faults(self.building)
        try:
            yield [found.inject(str(n[0]), *(*n[1:], None, None)[:2]) for n in names]
        finally:
            found.clear()

    def results(self, options: PerfOptions = OPTIONS) -> list[RoundResult]:
        """Measure."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(perf_bench, "Session", lambda target: Session(target, self))
            patch.setattr(perf_bench, "target_of", lambda _fabric, device: _target(device.name))
            return measure(self.fabric, options)

    def judged(self, options: PerfOptions = OPTIONS) -> PerfVerdict:
        """Measure and judge."""
        return judge_perf(self.results(options), self.fabric, Basis.SIMULATED)


def _target(device: str) -> Any:  # Any: the one field of a Target that is looked at here
    return type("Near", (), {"device": device})()


@contextmanager
def world(folder: Path, intent: Path = TWO_LEAVES) -> Iterator[World]:
    """Build a lab and deploy an intent on it."""
    fabric = api.complete(api.load_intent(intent, deployable=True))
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lab_bench, "QUIET_S", QUIET_S)
        patch.setattr(lab_bench, "LONGEST_QUIET_S", 10 * QUIET_S)
        patch.setattr(lab_bench, "run", partial(dataplane.run, settle_s=SETTLE_S))
        patch.setattr(dataplane, "WINDOW_S", WINDOW_S)
        topology = topology_of(fabric)
        addresses = {one.name: f"127.77.0.{n + 1}" for n, one in enumerate(topology.devices)}
        found = World(fabric, Building(topology, folder, addresses), loop)
        found.deploy()
        try:
            yield found
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


def run_in(found: World, work: Callable[[], T]) -> T:
    """Do something in the lab's loop."""

    async def inside() -> T:
        return work()

    result: T = found.begin(inside()).result(60)
    return result
