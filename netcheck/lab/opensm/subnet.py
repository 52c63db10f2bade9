"""A simulated subnet as a whole: fabric, subnet managers, diagnostics, and its end."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from netcheck.lab.opensm import manager, simulator
from netcheck.lab.opensm.diags import Diags
from netcheck.lab.opensm.manager import Manager
from netcheck.lab.opensm.network import Network
from netcheck.lab.opensm.process import wait_until
from netcheck.lab.opensm.simulator import Simulator, place
from netcheck.lab.opensm.tools import PATH, Tools, find_tools

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 -- a private folder is made in it
UP_S = 120.0
QUIET_S, QUIET_SHARE, QUIETEST_S = 0.3, 0.25, 3.0
SETTLE_S = 20.0
BEGUN_S = 0.3
BOUND_LINE = "Setting IS_SM on port"
BOUND_S, EARS_S = 10.0, 0.3


@dataclass(frozen=True)
class ManagerPlan:
    """A subnet manager to start.

    Attributes:
        node: Node of the network file where it runs.
        files: Shape: ``file name -> text``, as pushed to its host.
        extra: Keys set for the simulation alone.
    """

    name: str
    node: str
    files: Mapping[str, str]
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass
class SimulatedSubnet:
    """A running subnet.

    Attributes:
        managers: By name, in the order in which they were started.
        up_s: Seconds from the first manager's start to SUBNET UP.
    """

    network: Network
    simulator: Simulator
    diags: Diags
    folder: Path
    tools: Tools
    environment: Mapping[str, str]
    managers: dict[str, Manager] = field(default_factory=dict)
    up_s: float = 0.0
    launches: int = 0

    def start(self, plan: ManagerPlan, *, up_s: float = UP_S, is_first: bool = True) -> Manager:
        """Start a manager; the first is waited for until the subnet is up, others until STANDBY.

        Raises:
            TransportError: It does not get there; the message carries its log's errors.
        """
        started = self.launch(plan, is_first=is_first)
        if is_first:
            self.up_s = started.wait_up(up_s)
        else:
            started.wait_state("STANDBY", up_s)
        return started

    def launch(self, plan: ManagerPlan, *, is_first: bool) -> Manager:
        """Start a manager and wait for nothing but, where others run, that it answers them.

        Raises:
            TransportError: It cannot be started.
        """
        folder = self.folder / f"sm-{self.launches}"
        self.launches += 1
        manager.write_files(plan.files, folder, plan.extra)
        with self.held():
            started = manager.start(
                self.tools, plan.name, plan.node, folder, self.environment, plan.extra
            )
            self.managers[plan.name] = started
            if not is_first:
                self._await_ears(started)
        return started

    def _await_ears(self, started: Manager) -> None:
        """Wait until a manager answers others, before they are let to ask.

        OpenSM throws away what it is asked before it has read its own port. The one
        that asked asks again after a timeout, which the simulator does not have.
        """
        wait_until(lambda: BOUND_LINE in started.log() or not started.is_running, BOUND_S)
        time.sleep(EARS_S)

    def change(self, name: str, files: Mapping[str, str], *, up_s: float = UP_S) -> float:
        """Give a manager other files and have it read them (SIGHUP); give the seconds it took.

        Raises:
            TransportError: The subnet did not come up again.
        """
        changed = self.managers[name]
        manager.write_files(files, changed.folder, changed.extra)
        return changed.reload(up_s)

    def settle(self, timeout_s: float = SETTLE_S) -> None:
        """Wait until the master has nothing to do; longer for a fabric that took long to come up.

        What is broken in the middle of a sweep is not told from what that sweep finds.
        """
        master = self.master()
        if master is not None:
            master.wait_quiet(min(QUIET_S + self.up_s * QUIET_SHARE, QUIETEST_S), timeout_s)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Stop all managers for a moment, so that no packet of theirs is on the way.

        The simulator knows no timeouts: a manager whose packet is lost with a link
        would wait for ever. What two managers ask each other can still be lost; break
        a fabric while one runs.
        """
        running = [each for each in self.managers.values() if each.is_running]
        for each in running:
            each.kept.signal(signal.SIGSTOP)
        try:
            self.simulator.say("Start network")  # answered after what was sent before
            yield
        finally:
            for each in running:
                each.kept.signal(signal.SIGCONT)

    def unlink(self, node: str, port: int | None = None) -> None:
        """Take a cable out, or all cables of a node, with no packet on the way.

        Raises:
            InputError: There is no such node, or nothing is linked there.
        """
        self._change(f"Unlink {place(node, port)}")

    def relink(self, node: str, port: int | None = None) -> None:
        """Put back what ``unlink`` took out.

        Raises:
            InputError: There is no such node, or nothing was linked there.
        """
        self._change(f"ReLink {place(node, port)}")

    def _change(self, line: str) -> None:
        """Change cables while managers are held, at least until the change has begun.

        A switch that goes away tells of a hundred ports; the simulator waits for the
        manager to take that in before it ends.
        """
        with self.held():
            asked = self.simulator.begin(line)
            wait_until(lambda: self.simulator.is_answered(asked), BEGUN_S)
        self.simulator.finish(asked)

    def master(self) -> Manager | None:
        """The manager that says it is MASTER and runs."""
        running = [each for each in self.managers.values() if each.is_running]
        return next((each for each in running if each.state() == "MASTER"), None)


@contextmanager
def simulated_subnet(network: Network, *, diags_node: str = "") -> Iterator[SimulatedSubnet]:
    """Start a fabric without a manager; whatever runs in it is ended on the way out.

    Args:
        network: What the fabric is made of.
        diags_node: Node at which infiniband-diags run; the first host unless said.

    Raises:
        MissingToolsError: A program is not installed.
        InputError: ibsim does not take the network.
    """
    tools = find_tools()
    folder = Path(tempfile.mkdtemp(prefix="netcheck-ib-", dir=_base()))
    file = folder / "network"
    file.write_text(network.text, encoding="utf-8")
    environment = {"PATH": PATH, "LC_ALL": "C", "HOME": str(folder)}
    with ExitStack() as stack:
        running = simulator.start(tools, file, folder, environment, network.sizes)
        stack.callback(running.kept.end)
        environment["IBSIM_SOCKNAME"] = running.name
        node = diags_node or next(iter(network.hosts or network.switches))
        diags = Diags(tools, folder, environment, node)
        subnet = SimulatedSubnet(network, running, diags, folder, tools, environment)
        stack.callback(_end_managers, subnet)
        yield subnet


def _end_managers(subnet: SimulatedSubnet) -> None:
    """Managers first: one whose fabric has gone does not end when asked."""
    for each in reversed(subnet.managers.values()):
        each.kept.end()


def _base() -> Path | None:
    """Memory rather than a disk: every call of infiniband-diags makes and removes 80 files."""
    return SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK | os.X_OK) else None
