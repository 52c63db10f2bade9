"""Counters of 1,000 hosts before and after, over SSH on loopback.

The hosts are the lab's: 8 adapters each, all in one process, each with an address
and an SSH server of its own. The client keeps one session a host for both
readings, as ``netcheck perf`` does. Processor time is told for the client and
the hosts apart, for they share the machine here and nowhere else.
``python -m benchmarks.counters [HOSTS]``.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import machine, put
from netcheck import api
from netcheck.collect.collector import expand
from netcheck.lab.control import relocate
from netcheck.lab.state import TOPOLOGY_FILE, LabState, read_state, write_private
from netcheck.lab.topology import topology_of
from netcheck.model.document import Document, DocumentKind
from netcheck.model.fabric import Fabric
from netcheck.model.known import is_known
from netcheck.perf.bench import Bench
from netcheck.perf.deltas import deltas
from netcheck.platforms.platform import load

HOSTS, RAILS, A_NETWORK = 1000, 8, 250
PARSED = 100  # hosts whose texts are parsed as well
START_S = 600.0
FILES = 8192
ALLOWED_MS, ALLOWED_MS_EACH_100_KB, ALLOWED_S = 15.0, 1.0, 60.0
HEAD = """netcheck: 1
name: many
credentials:
  lab: {username: admin, password: "env:NETCHECK_PASSWORD"}
devices:
"""
NETWORK = """
  "gpu{network:02d}[001-{hosts:03d}]":
    role: host
    platform: linux
    credentials: lab
    mgmt: "198.18.{network}.[1-{hosts}]"
    rdma:
      "mlx5_[0-{last}]":
        {{port: "rail[0-{last}]", driver: mlx5, speed: 400G, address: "10.[100-{rails}].{network}.[1-{hosts}]/16"}}
"""  # noqa: E501 -- one line of the intent


class Phase(NamedTuple):
    """What one step took."""

    name: str
    wall_s: float
    client_s: float
    hosts_s: float


def intent(hosts: int) -> str:
    """YAML of that many hosts with 8 adapters each."""
    parts = [HEAD]
    for network, first in enumerate(range(0, hosts, A_NETWORK)):
        count = min(A_NETWORK, hosts - first)
        parts.append(NETWORK.format(network=network, hosts=count, last=RAILS - 1, rails=99 + RAILS))
    return "".join(parts)


@contextmanager
def running(fabric: Fabric, folder: Path) -> Iterator[LabState]:
    """Bring the hosts up; more of them than a lab's usual patience is for."""
    write_private(folder / TOPOLOGY_FILE, topology_of(fabric).to_json())
    command = [sys.executable, "-m", "netcheck.lab.server", str(folder)]
    with subprocess.Popen(command) as process:
        try:
            yield _awaited(folder, process)
        finally:
            process.terminate()


def _awaited(folder: Path, process: subprocess.Popen[bytes]) -> LabState:
    end = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < end:
        state = read_state(folder)
        if state is not None:
            return state
        time.sleep(0.2)
    raise SystemExit("the hosts did not come up")


def processor_s(pid: int) -> float:
    """Processor time that another process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def own_s() -> float:
    """Processor time that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Clock:
    """Times phases of the client beside the process of the hosts."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.phases: list[Phase] = []

    def time(self, name: str, work: Callable[[], object]) -> object:
        """Do the work; keep what it took."""
        wall, client, hosts = time.monotonic(), own_s(), processor_s(self.pid)
        found = work()
        self.phases.append(
            Phase(
                name,
                time.monotonic() - wall,
                own_s() - client,
                processor_s(self.pid) - hosts,
            )
        )
        return found

    def total(self) -> Phase:
        """All phases so far together."""
        return Phase(
            "together",
            sum(one.wall_s for one in self.phases),
            sum(one.client_s for one in self.phases),
            sum(one.hosts_s for one in self.phases),
        )


Asked = dict[str, list[Document] | None]


def measured(fabric: Fabric, state: LabState) -> tuple[Clock, Phase, list[Asked]]:
    """Read all hosts twice; give what each phase and the collection took, and the texts."""
    clock = Clock(state.pid)
    bench = Bench(relocate(fabric, state))
    names = list(fabric.devices)
    asked: list[Asked] = []
    with bench:
        clock.time("sessions opened", lambda: bench.open_for(names))
        clock.time("counters before", lambda: asked.append(bench.documents(names)))
        clock.time("counters after", lambda: asked.append(bench.documents(names)))
        clock.time("sessions closed", bench.close)
    together = clock.total()
    clock.time(f"texts of {PARSED} hosts to counters and deltas", lambda: moved(asked))
    return clock, together, asked


def moved(asked: list[Asked]) -> int:
    """Parse both readings of some hosts and compare them; give how many counters there are."""
    parse = load("linux").parsing.parse
    count = 0
    if silent := [name for each in asked for name, found in each.items() if found is None]:
        raise SystemExit(f"{silent[0]}: no answer")
    for name in list(asked[0])[:PARSED]:
        first, last = asked[0][name] or [], asked[1][name] or []
        found = deltas(parse(first, name=name), parse(last, name=name))
        rows = [row for each in found.moved.values() for row in each]
        if not rows or not all(is_known(row.by) for row in rows):
            raise SystemExit(f"{name}: a counter is missing")
        count += len(rows)
    return count


def section(fabric: Fabric, clock: Clock, together: Phase, asked: list[Asked]) -> list[str]:
    """Lines of RESULTS.md."""
    hosts = len(fabric.devices)
    size = sum(len(one.text) for each in asked for docs in each.values() for one in docs or ())
    commands = sum(len(docs or ()) for each in asked for docs in each.values())
    allowed = ALLOWED_MS + ALLOWED_MS_EACH_100_KB * size / hosts / 1e5
    rows = [*clock.phases[:-1], together, clock.phases[-1]]
    head = (
        f"{machine()}. {hosts:,} hosts of {RAILS} adapters in one process, one SSH session a host"
        f" for both readings; {commands / hosts:.0f} commands and {size / hosts / 1e3:.1f} kB a"
        f" host ({size / 1e6:.1f} MB). Hosts and client share the machine; loading Netmiko"
        " (0.4 s) is in the first step. On a busy machine both wait for each other, and waiting"
        " costs, too: compare runs of one load only."
    )
    goals = (
        f"Collected: {together.wall_s:.1f} s (goal: at most {ALLOWED_S:.0f} s), client"
        f" {together.client_s / hosts * 1e3:.2f} ms a host (goal: at most {allowed:.2f} ms, that"
        f" is {ALLOWED_MS:.0f} ms and {ALLOWED_MS_EACH_100_KB:.0f} ms for each 100 kB)."
    )
    return [
        head,
        "",
        "| step | wall s | client cpu s | client cpu ms a host | cpu of the hosts s |",
        "|---|---|---|---|---|",
        *(
            f"| {one.name} | {one.wall_s:.1f} | {one.client_s:.2f} |"
            f" {one.client_s / (PARSED if one is rows[-1] else hosts) * 1e3:.2f} |"
            f" {one.hosts_s:.1f} |"
            for one in rows
        ),
        "",
        goals,
        "",
        "Commands of one reading of one host (those with a port or device once for each):",
        "",
        *(f"    {line}" for line in lines(fabric)),
    ]


def lines(fabric: Fabric) -> list[str]:
    """Commands that a host is sent for its counters."""
    device = next(iter(fabric.devices.values()))
    asked = load("linux").reading.commands(device)
    counters = [one for one in asked if one.kind is DocumentKind.COUNTERS]
    return [one.line for command in counters for one in expand(command, device)[:1]]


def main(hosts: int) -> None:
    """Measure, and write the section."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, most), most))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "intent.yaml"
        path.write_text(intent(hosts))
        fabric = api.complete(api.load_intent([path]))
        lab = folder / "lab"
        lab.mkdir(mode=0o700)
        with running(fabric, lab) as state:
            put(f"counters of {hosts:,} hosts", section(fabric, *measured(fabric, state)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else HOSTS)
