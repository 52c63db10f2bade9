"""InfiniBand at 3,000 hosts: rehearsal, and lint of its discovery and routes beside ``ibdmchk``.

Needs opensm, ibsim-utils and infiniband-diags; ibutils for the peer. Each command
runs once, alone. ``python -m benchmarks.infiniband``.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.results import machine, put
from netcheck.intent.complete import complete
from netcheck.intent.load import load_intent
from netcheck.lab.opensm.subnet import simulated_subnet
from netcheck.lab.staging import stage

LEAVES, SPINES, HOSTS = 94, 32, 32
DUMPS = {"log_flags": "0x43"}  # also what ibdmchk reads
SUBNET = "compute"


@dataclass(frozen=True)
class Run:
    """One command: exit code, seconds of wall and processor time, MiB at most, output."""

    code: int
    wall_s: float
    cpu_s: float
    peak_mib: float
    text: str

    def row(self, name: str, what: str) -> str:
        """The run as a row of the table."""
        return f"| {name} | {self.wall_s:.1f} | {self.cpu_s:.1f} | {self.peak_mib:,.0f} | {what} |"


def write_intent(path: Path, *, qos: bool) -> None:
    """A tree of 3,008 hosts with two tenants; with two services or without any."""
    hosts = LEAVES * HOSTS
    lines = [
        "netcheck: 1",
        "name: compute",
        "infiniband:",
        "  subnets:",
        f"    {SUBNET}:",
        '      subnet_prefix: "0xfe80000000000001"',
        "      routing: [updn]",
        f"      subnet_managers: [gpu0001, gpu{hosts}]",
        "      partitions:",
        '        default: {pkey: "0x7fff", members: {all: limited, sm: full}}',
        '        a: {pkey: "0x0a01", members: {"gpu[0001-1000]": full}}',
        f'        b: {{pkey: "0x0b02", members: {{"gpu[1001-{hosts}]": full}}}}',
    ]
    if qos:
        lines += [
            "      qos:",
            "        default: {sl: 0, vl: 0, weight: 64}",
            "        fast: {sl: 1, vl: 1, weight: 192, high: on}",
        ]
    port = "speed: 200G, link_layer: infiniband"
    lines += [
        "devices:",
        f'  "leaf[01-{LEAVES}]": {{role: leaf, ports: {{"[1-{HOSTS + SPINES}]": {{{port}}}}}}}',
        f'  "spine[01-{SPINES}]": {{role: spine, ports: {{"[1-{LEAVES}]": {{{port}}}}}}}',
        f'  "gpu[0001-{hosts}]": {{role: host, rdma: {{mlx5_0: {{port: ib0, {port}}}}}}}',
        "links:",
        *cables(),
    ]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def cables() -> Iterator[str]:
    for leaf in range(LEAVES):
        first = leaf * HOSTS
        name = f"leaf{leaf + 1:02d}"
        yield f'  - {{a: "gpu[{first + 1:04d}-{first + HOSTS:04d}]:ib0", b: "{name}:[1-{HOSTS}]"}}'
        uplinks = f"{name}:[{HOSTS + 1}-{HOSTS + SPINES}]"
        yield f'  - {{a: "{uplinks}", b: "spine[01-{SPINES}]:{leaf + 1}"}}'


def run(command: list[str], folder: Path) -> Run:
    """Run a command in a process that measures it and everything it started."""
    code = (
        "import resource, subprocess, sys, time\n"
        "start = time.perf_counter()\n"
        "output = open('output', 'wb')\n"
        "done = subprocess.run(sys.argv[1:], stdout=output, stderr=subprocess.STDOUT)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(done.returncode, time.perf_counter() - start,"
        " used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)\n"
    )
    measured = subprocess.run(
        [sys.executable, "-c", code, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    status, wall, cpu, peak = measured.stdout.split()
    text = (folder / "output").read_text("utf-8", "replace")
    return Run(int(status), float(wall), float(cpu), float(peak), text)


def rehearsal_rows(folder: Path) -> list[str]:
    own = str(Path(sys.executable).with_name("netcheck"))
    rows = []
    for name, qos, options in (
        ("ib rehearse", False, ["--no-failures"]),
        ("ib rehearse, with failures", False, []),
        ("ib rehearse, services", True, ["--no-failures"]),
    ):
        intent = folder / "intent.yaml"
        write_intent(intent, qos=qos)
        done = run([own, "ib", "rehearse", str(intent), *options], folder)
        took = next(
            (line for line in done.text.splitlines() if ": took:" in line), done.text[-200:]
        )
        rows.append(done.row(name, f"exit {done.code}; {took.partition('took: ')[2] or took}"))
    return rows


def discover(folder: Path) -> None:
    """Bring the fabric up once more and keep what both checkers read."""
    intent = folder / "intent.yaml"
    write_intent(intent, qos=False)
    staged = stage(complete(load_intent(intent)), SUBNET)
    plan = replace(staged.plans[0], extra={**staged.plans[0].extra, **DUMPS})
    (folder / "seen").mkdir()
    with simulated_subnet(staged.network) as subnet:
        manager = subnet.start(plan)
        for name, *call in (("ibnetdiscover.txt", "ibnetdiscover"), ("dump_fts.txt", "dump_fts")):
            (folder / "seen" / name).write_text(subnet.diags.run(*call).text, encoding="utf-8")
        for dump in ("opensm-subnet.lst", "opensm.fdbs", "opensm.mcfdbs"):
            shutil.copy(manager.folder / dump, folder / dump)


def lint_rows(folder: Path) -> list[str]:
    own = str(Path(sys.executable).with_name("netcheck"))
    discover(folder)
    seen = str(folder / "seen")
    fabric = [own, "lint", f"{seen}/ibnetdiscover.txt", "--intent", str(folder / "intent.yaml")]
    routes = [own, "lint", seen, "--intent", str(folder / "intent.yaml")]
    rows = []
    for name, command in (
        ("lint of ibnetdiscover with cabling", fabric),
        ("lint of ibnetdiscover and dump_fts with cabling and credit loops", routes),
    ):
        done = run([*command, "--format", "json"], folder)
        summary = json.loads(done.text)["summary"]
        told = ", ".join(f"{summary[key]} {key}" for key in ("errors", "warnings", "passed"))
        rows.append(done.row(name, f"exit {done.code}; {told}"))
    if shutil.which("ibdmchk"):
        dumps = ["-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs"]
        done = run(["ibdmchk", *dumps], folder)
        rows.append(done.row("ibdmchk (credit loops alone)", f"exit {done.code} (11 is a crash)"))
    else:
        rows.append("| ibdmchk | - | - | - | not here: apt-get install ibutils |")
    return rows


def main() -> None:
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [*rehearsal_rows(folder), *lint_rows(folder)]
    links = LEAVES * (HOSTS + SPINES)
    lines = [
        f"{LEAVES * HOSTS:,} hosts, {LEAVES + SPINES} switches, {links:,} links, two partitions;",
        "one run each. With services OpenSM writes an SL2VL table for every two ports of a switch.",
        f"Machine: {machine()}; {time.perf_counter() - start:.0f} s in all.",
        "",
        "| command | wall s | cpu s | peak MiB of a process | what |",
        "|---|---|---|---|---|",
        *rows,
    ]
    put("infiniband: 3,000 hosts (`python -m benchmarks.infiniband`)", lines)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the peer crashes
    main()
