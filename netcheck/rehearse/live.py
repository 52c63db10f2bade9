"""A live subnet read back through one host with infiniband-diags, as a rehearsal reads its own."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from netcheck.collect.dialects import SHELL_KIND
from netcheck.collect.session import Session
from netcheck.collect.subnet import ask_subnet
from netcheck.collect.target import Target, target_of
from netcheck.compare.subnet_pages import unread
from netcheck.model.errors import InputError, TransportError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding, Place
from netcheck.model.globs import matches
from netcheck.model.guids import ports_of, with_discovered
from netcheck.model.known import UNKNOWN, Known, known_or
from netcheck.model.subnets import Subnet
from netcheck.platforms.opensm.commands import ENGINE_LINE
from netcheck.rehearse.judging import Judge
from netcheck.rehearse.readback import judged, read_notes, read_subnet
from netcheck.rehearse.reading import Reply, patient, read_nodes
from netcheck.rehearse.sampling import HOSTS, PATHS
from netcheck.report.report import Report
from netcheck.rules.settle import settle

DEADLINE_S, COMMAND_S, PAUSE_S = 900.0, 120.0, 5.0
MOST_VLS = 15
ENGINE = re.compile(r"osm_ucast_mgr_process: (\S+) tables configured on all switches")

Progress = Callable[[str], None]


def with_subnets(
    report: Report,
    fabric: Fabric,
    *,
    profile: str = "baseline",
    limit: Sequence[str] = (),
    progress: Progress = lambda _: None,
) -> Report:
    """Give a report of live devices with what the intent's subnets show besides.

    A subnet is read at the first of its managers that lets itself be read; one
    without any to log in to is left to what the devices themselves show.

    Args:
        fabric: A completed intent whose devices are to be reached.
    """
    findings: list[Finding] = []
    notes: list[str] = []
    for subnet in fabric.subnets.values():
        targets = probes_of(fabric, subnet, limit)
        told = [] if targets else ["no manager to log in to; the subnet was not read"]
        found: list[Finding] = []
        for target in targets:
            found, lines = verify_subnet(fabric, subnet, target, profile, progress)
            told += lines or [f"not read at {target.device}: {found[0].message}"]
            if lines:
                break
        findings += found
        notes += [f"{subnet.name}: {line}" for line in told]
    if not fabric.subnets:
        return report
    today = datetime.now(UTC).date().isoformat()
    settled = settle(findings, fabric, today=today)
    return replace(report, findings=(*report.findings, *settled), notes=(*report.notes, *notes))


def probes_of(fabric: Fabric, subnet: Subnet, limit: Iterable[str] = ()) -> list[Target]:
    """Give the logins of the managers that have one, in their order.

    One that is embedded in a switch has no shell, and no infiniband-diags.
    """
    globs, found = tuple(limit), list[Target]()
    for name in known_or(subnet.subnet_managers, ()):
        device = fabric.devices.get(name)
        if device is None or not matches(name, globs):
            continue
        with suppress(InputError):
            target = target_of(fabric, device)
            found += [target] if target.session.kind == SHELL_KIND else []
    return found


def verify_subnet(
    fabric: Fabric, subnet: Subnet, target: Target, profile: str, progress: Progress
) -> tuple[list[Finding], list[str]]:
    """Read one subnet over a login and compare it with the intent.

    Gives findings, and lines for a person. A login that fails is a finding, and no line.
    """
    progress(f"{subnet.name}: read at {target.device}")
    try:
        with Session(target, deadline_s=DEADLINE_S) as session:
            work = _Work(fabric, subnet, session, profile)
            return work.read_back()
    except (TransportError, InputError) as error:
        place = [Place(target.device)]
        return [unread("subnet-not-read", place, str(error), "login")], []


@dataclass(frozen=True)
class _Work:
    fabric: Fabric
    subnet: Subnet
    session: Session
    profile: str

    def ask(self, commands: Sequence[Sequence[str]]) -> list[Reply]:
        """Run calls of infiniband-diags, all of them on the read-only list."""
        lines = [shlex.join(command) for command in commands]
        return [
            Reply(one.command, one.text, status)
            for one, status in ask_subnet(self.session, lines, COMMAND_S)
        ]

    def read_back(self) -> tuple[list[Finding], list[str]]:
        """Read the whole, then tables and paths of a sample; compare."""
        ask = patient(self.ask, lambda: time.sleep(PAUSE_S))
        fabric = self.fabric
        if not self.subnet.port_guids:  # names get the GUIDs of the nodes that carry them
            fabric = with_discovered(fabric, self.subnet.name, read_nodes(ask).seen)
        subnet = fabric.subnets[self.subnet.name]
        judge = Judge(fabric, subnet, {}, self.profile, most_vls=MOST_VLS)
        engine = self.engine()
        asker = frozenset(ports_of(fabric, subnet, [self.session.target.device]).found)
        reading, sample = read_subnet(ask, judge, engine, hosts=HOSTS, paths=PATHS, asker=asker)
        place = f"read at {self.session.target.device}"
        return judged(judge, reading, sample, engine), [
            place,
            *read_notes(reading, sample, engine),
        ]

    def engine(self) -> Known[str]:
        """Routing engine of the last sweep, as the log of the manager at this host says."""
        output = self.session.run(ENGINE_LINE, COMMAND_S)
        found = ENGINE.findall(output.text) if output.is_ok else []
        return found[-1] if found else UNKNOWN
