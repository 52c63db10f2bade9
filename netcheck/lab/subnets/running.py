"""A subnet of the lab while it runs: its managers, what is read of it, its counters."""

from __future__ import annotations

import asyncio
import logging
import re
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from netcheck.lab.devices.linux.hca import HcaState, Said
from netcheck.lab.opensm import manager
from netcheck.lab.opensm.diags import Diags
from netcheck.lab.opensm.network import read_network
from netcheck.lab.opensm.process import wait_until
from netcheck.lab.opensm.subnet import ManagerPlan, SimulatedSubnet, simulated_subnet
from netcheck.lab.subnets.ledger import Ledger
from netcheck.lab.subnets.parts import LabManager, LabSubnet
from netcheck.lab.subnets.view import View, read_view, with_high_limit
from netcheck.lossless.credits.fabric import End, Fabric, Wear
from netcheck.model.errors import TransportError

LOGGER = logging.getLogger(__name__)
PRIORITY = re.compile(r"^\s*sm_priority\s+(\d+)", re.MULTILINE)
HIGH_LIMIT = re.compile(r"^\s*qos_high_limit\s+(\d+)", re.MULTILINE)
SETTLED = frozenset({"MASTER", "STANDBY"})
UP_S, RESTART_S, GRACE_S = 50.0, 20.0, 5.0
WATCH_S = 0.25
QUIET_S, SETTLE_S = 0.3, 10.0
# ibsim serves ten clients; managers and a reading of ours take some.
CLIENTS = 4
RESETS = ("-R", "-r", "-k", "-K", "--Reset_only", "--reset_after_read", "--clear-errors")
Mark = tuple[tuple[str, int, bool], ...]


class RunningSubnet:
    """One subnet; blocking calls, to be made from threads.

    Attributes:
        stalled, worn: What faults do to ports, on top of what is read.
        loaded: Shape: ``manager -> file name -> text`` that it was last told to read.
    """

    def __init__(self, plan: LabSubnet, simulated: SimulatedSubnet) -> None:
        self.name = plan.name
        self.simulated = simulated
        self.view = View()
        self.ledger = Ledger()
        self.stalled: set[End] = set()
        self.worn: dict[End, Wear] = {}
        self.logs: dict[str, str] = {}
        self.guids = frozenset(simulated.network.guids.values())
        self._plans = {one.name: one for one in plan.managers}
        self.loaded = {one.name: dict(one.files) for one in plan.managers}
        self._read_at: Mark | None = None
        self._lock = threading.RLock()
        self._clients = threading.BoundedSemaphore(CLIENTS)
        self._is_over = threading.Event()

    # Managers

    def start_all(self) -> None:
        """Start every manager with its first files.

        Raises:
            TransportError: The subnet does not come up.
        """
        self._start(self._plans, UP_S)
        self.refresh()

    def _start(self, names: Iterable[str], up_s: float) -> None:
        """Start managers one after the other, the one that will be master first.

        Raises:
            TransportError: One does not come up; the others are started all the same.
        """
        failed: list[TransportError] = []
        for name in sorted(names, key=self._rank):
            plan = self._plans[name]
            is_first = self.simulated.master() is None
            try:
                found = self.simulated.launch(
                    ManagerPlan(name, plan.node, self.loaded[name], plan.extra), is_first=is_first
                )
                if is_first:
                    self.simulated.up_s = found.wait_up(up_s)
                else:
                    wait_until(lambda one=found: one.state() in SETTLED, up_s)  # type: ignore[misc]  # bound now
            except TransportError as error:
                failed.append(error)
        if failed:
            raise failed[0]

    def _rank(self, name: str) -> tuple[int, int]:
        """Who is master: the highest priority, then the lowest GUID.

        Source: InfiniBand Architecture Specification volume 1, 14.4.1.
        """
        said = PRIORITY.findall(self.loaded[name].get(manager.CONF, ""))
        end = next(one for one in self.simulated.network.guids if one[0] == self._plans[name].node)
        return -int(said[-1]) if said else 0, self.simulated.network.guids[end]

    def plan(self, name: str) -> LabManager | None:
        """The manager of a host; None where none runs there."""
        return self._plans.get(name)

    def is_running(self, name: str) -> bool:
        """Whether a host's manager runs."""
        found = self.simulated.managers.get(name)
        return found is not None and found.is_running

    def log(self, name: str) -> str:
        """All that a host's manager logged, at each of its starts."""
        found = self.simulated.managers.get(name)
        return self.logs.get(name, "") + (found.log() if found else "")

    def pid(self, name: str) -> int:
        """Process of a host's manager; 0 where none runs."""
        return self.simulated.managers[name].pid if self.is_running(name) else 0

    def reload(self, name: str, files: Mapping[str, str]) -> None:
        """Have a manager read its files again."""
        with self._lock:
            self.loaded[name] = dict(files)
            found = self.simulated.managers[name]
            manager.write_files(files, found.folder, found.extra)
            found.mark()
            found.kept.signal(signal.SIGHUP)

    def give(self, files: Mapping[str, Mapping[str, str]]) -> None:
        """Give managers other files, and wait until the fabric is as they say.

        Raises:
            TransportError: The subnet does not come up again.
        """
        with self._lock:
            for name, own in files.items():
                if self.is_running(name):
                    self.reload(name, own)
                self.loaded[name] = dict(own)
            master = self.simulated.master()
            if master is not None:
                master.wait_up(RESTART_S)
            self.simulated.settle(SETTLE_S)
            self.refresh()

    def stop(self, name: str) -> None:
        """End a manager; another that stands by takes over."""
        with self._lock:
            found = self.simulated.managers.pop(name, None)
            if found is not None:
                found.kept.signal(signal.SIGTERM)  # killed, its port would stay one of a manager's
                wait_until(lambda: not found.is_running, GRACE_S)
                self.logs[name] = self.logs.get(name, "") + found.log()
                found.kill()

    def restart(self, name: str, files: Mapping[str, str]) -> None:
        """Start a manager, anew where it runs.

        The others start anew as well, with the files that they hold: the simulator
        loses what managers ask each other while one comes or goes, and they would
        wait for the answer for ever (docs/decisions/0012).

        Raises:
            RuntimeError: It does not come up.
        """
        with self._lock:
            running = [one for one in self._plans if one == name or self.is_running(one)]
            self.loaded[name] = dict(files)
            for one in running:
                self.stop(one)
            try:
                self._start(running, RESTART_S)
            except TransportError as error:
                LOGGER.warning("subnet %s: %s", self.name, error)
            if not self.is_running(name):
                raise RuntimeError(f"{name}: OpenSM has ended")

    # Reading

    def fresh(self) -> View:
        """The subnet as it is now: read again where a manager has done anything since."""
        if self._mark() != self._read_at:
            self.simulated.settle(SETTLE_S)
            self.refresh()
        return self.view

    def refresh(self) -> None:
        """Read the subnet."""
        with self._lock:
            mark = self._mark()
            self.view = read_view(self.simulated.diags, self.simulated.network)
            self._read_at = mark

    def _mark(self) -> Mark:
        """What tells that managers have done something: their logs have grown."""
        found = []
        for name, one in list(self.simulated.managers.items()):
            path = one.folder / manager.LOG
            found.append((name, path.stat().st_size if path.exists() else 0, one.is_running))
        return tuple(found)

    def watch(self) -> None:
        """Read again whenever managers have done something, until ``end``."""
        while not self._is_over.wait(WATCH_S):
            if self._mark() == self._read_at:
                continue
            try:
                self.fresh()
            except (TransportError, OSError):
                continue  # it is being changed; the next round reads it

    def end(self) -> None:
        """Let ``watch`` return."""
        self._is_over.set()

    def state(self, guid: int) -> HcaState:
        """A port of an adapter as its firmware shows it."""
        found = self.view.states.get(guid, HcaState())
        end = self.view.hosts.get(guid)
        counts: Mapping[str, int] = self.ledger.counts.get(end, {}) if end else {}
        return replace(found, counters=counts)

    def fabric(self) -> Fabric:
        """The subnet as traffic meets it."""
        nodes = with_high_limit(self.view.nodes, self._high_limit())
        return Fabric(nodes, frozenset(self.stalled), dict(self.worn))

    def _high_limit(self) -> int:
        """What the master was told of VLHighLimit: no query of the simulated fabric shows it."""
        master = self.simulated.master()
        files = self.loaded.get(master.name, {}) if master else {}
        said = HIGH_LIMIT.findall(files.get(manager.CONF, ""))
        return int(said[-1]) if said else 0

    # Programs of hosts

    async def run(self, guid: int, words: Sequence[str]) -> Said:
        """Run a program of infiniband-diags at a port."""
        return await asyncio.to_thread(self._run, guid, words)

    def _run(self, guid: int, words: Sequence[str]) -> Said:
        if words[0] == "perfquery" and "-c" in words:  # the simulator does not answer it
            return self._samples_control(words)
        ends = {number: end for end, number in self.simulated.network.guids.items()}
        base = self.simulated.diags
        diags = Diags(base.tools, base.folder, base.environment, ends[guid][0])
        with self._clients:
            try:
                answer = diags.run(*words)
            except TransportError as error:
                return Said(f"{error}\n", 1)
        if words[0] in ("perfquery", "ibqueryerrors") and set(words) & set(RESETS):
            self.read_counters()
        return Said(answer.text.rstrip("\n") + "\n", answer.status)

    def _samples_control(self, words: Sequence[str]) -> Said:
        """How long a tick of a port is: 8 bytes, which an adapter of 4 lanes tells by the lane.

        Source: NVIDIA ibdiagnet user manual, Congestion Assessment on InfiniBand Links.
        """
        where = [int(word, 0) for word in words[1:] if word.isdigit()]
        of = {lid: name for (name, _), lid in self.view.lids.items()}
        if len(where) < 2 or where[0] not in of:  # noqa: PLR2004 -- LID and port
            return Said("perfquery: iberror: failed: smplctlquery\n", 1)
        tick = 7 if self.view.nodes[of[where[0]]].is_switch else 1
        return Said(
            f"# PortSamplesControl: Lid {where[0]} port {where[1]}\n"
            f"OpCode:..........................0xff\nPortSelect:......................{where[1]}\n"
            f"Tick:............................{tick:#04x}\n",
            0,
        )

    def count(self, grown: Mapping[End, Mapping[str, int]]) -> None:
        """Let ports count what a run of traffic did to them."""
        with self._lock:
            self.read_counters(tuple(grown))
            self.ledger.add(self.simulated.simulator, grown)

    def read_counters(self, ends: Sequence[End] = ()) -> None:
        """Read counters of ports anew, of all that traffic has touched unless some are said."""
        self.ledger.read(self.simulated.diags, self.view.lids, ends or tuple(self.ledger.counts))


@contextmanager
def running_subnet(plan: LabSubnet) -> Iterator[RunningSubnet]:
    """Bring a subnet up; everything of it is ended on the way out.

    Raises:
        MissingToolsError: OpenSM, ibsim or infiniband-diags is not installed.
        TransportError: It does not come up.
    """
    network = read_network(plan.network, f"fabric of {plan.name}")
    with simulated_subnet(network) as simulated:
        running = RunningSubnet(plan, simulated)
        running.start_all()
        watcher = threading.Thread(target=running.watch, name=f"subnet {plan.name}", daemon=True)
        watcher.start()
        try:
            yield running
        finally:
            running.end()
            watcher.join()
