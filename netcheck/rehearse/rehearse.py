"""A rehearsal from beginning to end: up, read back, broken, read back again."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from netcheck.compare.subnet_pages import made, unread
from netcheck.lab.opensm.manager import Manager
from netcheck.lab.opensm.process import wait_until
from netcheck.lab.opensm.subnet import SimulatedSubnet, simulated_subnet
from netcheck.lab.staging import Staged
from netcheck.model.document import Document
from netcheck.model.errors import TransportError
from netcheck.model.finding import Finding, Place
from netcheck.model.known import Known, is_known
from netcheck.rehearse.failures import Failures
from netcheck.rehearse.judging import Judge, complaints, engine_of
from netcheck.rehearse.readback import judged, read_notes, read_subnet
from netcheck.rehearse.reading import Reading, Reply, patient
from netcheck.rehearse.sampling import HOSTS, PATHS, Sample
from netcheck.rehearse.simulated import compared, not_simulated, unknown_keys

UP_S = 180.0
LOG = "opensm.log"
SM_STATE = re.compile(r"SMState\.+(\d)")
ALIVE = frozenset({"2", "3"})  # standby, master
LISTED_S, LISTED_SHARE, POLL_S = 20.0, 8.0, 0.3
Progress = Callable[[str], None]


@dataclass(frozen=True)
class RehearsalOptions:
    """How much is read, and what is broken.

    Attributes:
        full: All ports instead of a sample.
        hosts, paths: Size of the sample.
        failures: Also break the fabric: a link, a switch, the master.
        tamper: Called with the subnet once it is up, before it is read.
    """

    full: bool = False
    hosts: int = HOSTS
    paths: int = PATHS
    failures: bool = True
    profile: str = "baseline"
    up_s: float = UP_S
    tamper: Callable[[SimulatedSubnet], None] = lambda _: None


@dataclass
class Rehearsal:
    """What came of it.

    Attributes:
        notes: Lines for a person: what was read, how long it took, what is not simulated.
        seconds: Shape: ``part -> seconds``, in order.
    """

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def timed(self, part: str, began: float) -> None:
        """Note how long a part took."""
        self.seconds[part] = self.seconds.get(part, 0.0) + time.monotonic() - began


def rehearse(
    staged: Staged, options: RehearsalOptions, progress: Progress = lambda _: None
) -> Rehearsal:
    """Run one rehearsal; whatever was started has ended when this returns.

    Where it cannot go on (calls of infiniband-diags hang), that is a finding beside
    those so far.

    Raises:
        MissingToolsError: OpenSM, ibsim or infiniband-diags is not installed.
        InputError: ibsim does not take the network.
        TransportError: ibsim does not start.
    """
    rehearsal = Rehearsal(notes=list(staged.notes))
    began = time.monotonic()
    with simulated_subnet(staged.network) as subnet:
        work = _Work(staged, options, subnet, rehearsal, progress)
        try:
            if work.bring_up():
                rehearsal.timed("up", began)
                options.tamper(subnet)
                work.read_back()
                if options.failures:
                    work.break_it()
        except TransportError as error:
            work.give_up(error)
    rehearsal.notes += [compared(staged.subnet), *not_simulated(staged.subnet)]
    return rehearsal


@dataclass
class _Work:
    staged: Staged
    options: RehearsalOptions
    subnet: SimulatedSubnet
    rehearsal: Rehearsal
    progress: Progress
    doing: str = "comes up"

    @property
    def judge(self) -> Judge:
        staged = self.staged
        return Judge(staged.fabric, staged.subnet, staged.ports, self.options.profile)

    def ask(self, commands: Sequence[Sequence[str]]) -> list[Reply]:
        """Run calls of infiniband-diags at the master's port.

        The subnet administrator tells a port only of paths in partitions that it shares.
        """
        diags = replace(self.subnet.diags, node=self.master().node)
        answers = diags.run_all(commands)
        return [Reply(each.command, each.text, each.status) for each in answers]

    def bring_up(self) -> bool:
        """Start the managers; False where the subnet does not come up."""
        for number, plan in enumerate(self.staged.plans):
            self.progress(f"{plan.name}: starts")
            try:
                self.subnet.start(plan, up_s=self.options.up_s, is_first=number == 0)
                self._settle(number)
            except TransportError as error:
                self._is_down(plan.name, error)
                if number == 0:
                    return False
            finally:
                self._complaints(plan.name)
        self._await_standbys()
        first = self.staged.plans[0].name
        self.rehearsal.notes.append(f"{first}: SUBNET UP after {self.subnet.up_s:.2f} s")
        return True

    def _await_standbys(self) -> None:
        """Wait until the subnet administrator lists every manager that runs, as it is."""
        running = [one for one in self.subnet.managers.values() if one.is_running]

        def are_listed() -> bool:
            states = SM_STATE.findall(self.ask([("saquery", "SMIR")])[0].text)
            return sum(state in ALIVE for state in states) >= len(running)

        # the next sweep tells; a large fabric on a busy machine takes its time for one
        wait_until(are_listed, LISTED_S + LISTED_SHARE * self.subnet.up_s, POLL_S)

    def _settle(self, number: int) -> None:
        """A lower number of lanes is in force for SL2VL only after a second sweep."""
        if number == 0 and is_known(self.staged.subnet.data_vls):
            self.subnet.managers[self.staged.plans[0].name].reload(self.options.up_s)

    def _is_down(self, name: str, error: TransportError) -> None:
        told = str(error)
        named = set()
        network = self.staged.network
        nodes: dict[int, list[str]] = {}
        for node, number in network.node_guids.items():
            nodes.setdefault(number, []).append(node)
        for number, alike in nodes.items():
            if f"{number:#x} " in told:
                names = " and ".join(network.names[node] for node in alike)
                told = told.replace(f"{number:#x} ", f"{names} ({number:#x}) ")
                named |= {network.device(node) for node in alike}
        self.rehearsal.findings.append(
            made(
                "subnet-not-up",
                [Place(one) for one in sorted(named) or [name]],
                f"subnet {self.staged.subnet.name} does not come up: {told}",
                expected="SUBNET UP",
                found="no SUBNET UP",
                command="log of opensm",
            )
        )

    def _complaints(self, name: str) -> None:
        manager = self.subnet.managers.get(name)
        if manager is not None:
            ignored = unknown_keys(self.staged.subnet)
            self.rehearsal.findings += complaints(name, manager.kept.output(), ignored)

    def read_back(self) -> None:
        """Read the subnet as it came up, and judge it."""
        began = time.monotonic()
        self.doing = "reads back"
        self.progress(self.doing)
        hosts = None if self.options.full else self.options.hosts
        reading, sample = self.read(hosts=hosts, paths=self.options.paths)
        engine = self.engine()
        self.rehearsal.findings += judged(self.judge, reading, sample, engine)
        self.rehearsal.timed("read back", began)
        self.rehearsal.notes += read_notes(reading, sample, engine)

    def give_up(self, error: TransportError) -> None:
        """Say where the rehearsal ended before its end."""
        what = f"{self.doing}: {error}"
        self.rehearsal.findings.append(unread("subnet-not-read", [], what, "infiniband-diags"))
        self.rehearsal.notes.append(f"given up, with all that was to follow: {what}")

    def read(self, *, hosts: int | None, paths: int) -> tuple[Reading, Sample]:
        """Read the whole, then the tables and paths of a sample."""
        ask = patient(self.ask, self.subnet.settle)
        return read_subnet(
            ask, self.judge, self.engine(), hosts=hosts, paths=paths, extra=self._logs()
        )

    def master(self) -> Manager:
        """The manager in charge."""
        return self.subnet.master() or next(iter(self.subnet.managers.values()))

    def engine(self) -> Known[str]:
        """Routing engine of the last sweep, as the master's log says."""
        return engine_of(self.master().engines())

    def _logs(self) -> Iterator[Document]:
        yield Document(LOG, self.master().log())

    def break_it(self) -> None:
        """Break a link, a switch, the master, one after the other."""
        failures = Failures(
            self.subnet,
            self.staged,
            self.judge,
            lambda: self.read(hosts=SOME_HOSTS, paths=SOME_PATHS),
        )
        for name, run in failures.cases():
            began = time.monotonic()
            self.doing = name
            self.progress(f"failure: {name}")
            findings, note = run()
            self.rehearsal.findings += findings
            self.rehearsal.notes.append(f"{name}: {note}")
            self.rehearsal.timed(name, began)


SOME_HOSTS, SOME_PATHS = 20, 100
