"""Lint, loops, routes and cabling of a subnet of 3,008 hosts, beside ibdmchk on the same subnet.

The subnet is a two-tier tree routed up and down; its outputs are written here, in
the tools' formats, with no part of netcheck. Faults are put in, each has to be
found and nothing else may be: cables of two hosts swapped, a link at half its
speed, one switch whose routes lead back up. ``python -m benchmarks.subnet``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import machine, put
from benchmarks.scale import Used, measured

FOLDER = Path(os.environ.get("NETCHECK_BENCH_DIR", "/var/tmp/netcheck-bench")) / "subnet"  # noqa: S108 -- made and read by this file only
LEAVES, SPINES, HOSTS = 94, 32, 32  # hosts are those of one leaf
RUNS = 3
SWAPPED = {4: 40, 40: 4}  # these two hosts have each other's cable
SLOW = (7, 3)  # leaf and spine of the link that runs at half its speed
LOOPING = (0, 1)  # two leaves whose routes to others go by a leaf
FOUND = {"ib-topology-vs-intent", "ib-link-width-speed"}
LOOPS = FOUND | {"ib-credit-loop"}


class Node(NamedTuple):
    """A node: GUID, letter of its kind, LID, name."""

    guid: int
    letter: str
    lid: int
    name: str


def leaf(number: int) -> Node:
    return Node(0x0002C90200200000 + 16 * number, "S", 1 + number, f"leaf{number + 1:02}")


def spine(number: int) -> Node:
    return Node(0x0002C90200300000 + 16 * number, "S", 101 + number, f"spine{number + 1:02}")


def host(number: int) -> Node:
    guid = 0x0002C90300100000 + 16 * number
    return Node(guid, "H", 201 + number, f"node{number + 1:04} mlx5_0")


def intent() -> str:
    ports = "link_layer: infiniband, speed: 200G"
    last = LEAVES * HOSTS
    return f"""\
netcheck: 1
name: subnet
infiniband: {{subnets: {{compute: {{}}}}}}
devices:
  leaf[01-{LEAVES}]: {{role: leaf, ports: {{"[1-{HOSTS + SPINES}]": {{{ports}}}}}}}
  spine[01-{SPINES}]: {{role: spine, ports: {{"[1-{LEAVES}]": {{{ports}}}}}}}
  node[0001-{last}]: {{role: host, rdma: {{mlx5_0: {{port: ib0, link_layer: infiniband}}}}}}
links:
  - {{a: "node[0001-{last}]:ib0", b: "leaf[01-{LEAVES}]:[1-{HOSTS}]"}}
  - {{a: "leaf[01-{LEAVES}]:[{HOSTS + 1}-{HOSTS + SPINES}]", b: "spine[01-{SPINES}]:[1-{LEAVES}]"}}
"""


def cables(*, faulty: bool) -> dict[Node, dict[int, tuple[Node, int, str]]]:
    """Far end and speed by node and port."""
    found: dict[Node, dict[int, tuple[Node, int, str]]] = {}

    def join(a: Node, port: int, b: Node, far: int, speed: str = "4xHDR") -> None:
        found.setdefault(a, {})[port] = (b, far, speed)
        found.setdefault(b, {})[far] = (a, port, speed)

    for number in range(LEAVES * HOSTS):
        where = SWAPPED.get(number, number) if faulty else number
        join(leaf(where // HOSTS), where % HOSTS + 1, host(number), 1)
    for low in range(LEAVES):
        for high in range(SPINES):
            slow = faulty and (low, high) == SLOW
            speed = "4xEDR" if slow else "4xHDR"
            join(leaf(low), HOSTS + 1 + high, spine(high), low + 1, speed)
    return found


def discovery(links: dict[Node, dict[int, tuple[Node, int, str]]]) -> Iterator[str]:
    """What ``ibnetdiscover`` prints."""
    yield "#\n# Topology file: generated on Mon Jan  5 10:00:00 2026\n#\n"
    for node, ports in sorted(links.items(), key=lambda pair: (pair[0].letter == "H", pair[0])):
        ident = f'"{node.letter}-{node.guid:016x}"'
        head = f"vendid=0x2c9\ndevid=0x1\nsysimgguid={node.guid:#x}\n"
        if node.letter == "S":
            count = max(ports)
            yield f"\n{head}switchguid={node.guid:#x}({node.guid:x})\n"
            tail = f'# "{node.name}" enhanced port 0 lid {node.lid} lmc 0'
            yield f"Switch\t{count} {ident}\t\t{tail}\n"
        else:
            yield f'\n{head}caguid={node.guid:#x}\nCa\t1 {ident}\t\t# "{node.name}"\n'
        for port, (far, number, speed) in sorted(ports.items()):
            there = f'"{far.letter}-{far.guid:016x}"[{number}]'
            tail = f'"{far.name}" lid {far.lid} {speed}'
            if node.letter == "H":
                yield f"[{port}]({node.guid + 1:x}) \t{there}\t\t# lid {node.lid} lmc 0 {tail}\n"
            else:
                guid = f"({far.guid + 1:x}) " if far.letter == "H" else ""
                yield f"[{port}]\t{there}{guid}\t\t# {tail}\n"


def exits(*, loops: bool) -> Iterator[tuple[Node, dict[int, int]]]:
    """Port by LID at each switch: up by the host's number, down to its leaf."""
    hosts = [(number, host(number)) for number in range(LEAVES * HOSTS)]
    for low in range(LEAVES):
        up = HOSTS + 1
        yield (
            leaf(low),
            {
                one.lid: number % HOSTS + 1 if number // HOSTS == low else up + number % SPINES
                for number, one in hosts
            },
        )
    for high in range(SPINES):
        table = {one.lid: number // HOSTS + 1 for number, one in hosts}
        if loops and high < len(LOOPING):
            # packets for the third leaf go down to a leaf, and from there up by the other spine
            for number, one in hosts[2 * HOSTS : 3 * HOSTS]:
                if number % SPINES == high:
                    table[one.lid] = LOOPING[high] + 1
        yield spine(high), table


def routes(*, loops: bool) -> Iterator[str]:
    """What ``dump_fts -n`` prints."""
    found = {node: dict(table) for node, table in exits(loops=loops)}
    if loops:
        _lead_on(found)
    for node, table in found.items():
        yield f"Unicast lids [0x0-0x{max(table):x}] of switch Lid {node.lid} "
        yield f"guid {node.guid:#018x} ({node.name}):\n  Lid  Out   Destination\n"
        yield "       Port     Info \n"
        yield from (f"0x{lid:04x} {port:03} \n" for lid, port in sorted(table.items()))
        yield f"{len(table)} valid lids dumped \n"


def _lead_on(found: dict[Node, dict[int, int]]) -> None:
    """Leaves that were led to send packets up again, by the other of the two spines."""
    for high, low in enumerate(LOOPING):
        for number in range(2 * HOSTS, 3 * HOSTS):
            if number % SPINES == high:
                found[leaf(low)][host(number).lid] = HOSTS + 1 + (1 - high)


def write(folder: Path, *, faulty: bool, loops: bool) -> None:
    taken = folder / "taken"
    shutil.rmtree(folder, ignore_errors=True)
    taken.mkdir(parents=True)
    (folder / "intent.yaml").write_text(intent())
    (taken / "ibnetdiscover.txt").write_text("".join(discovery(cables(faulty=faulty))))
    (taken / "dump_fts.txt").write_text("".join(routes(loops=loops)))


def lint(folder: Path, wanted: set[str]) -> Used:
    """Lint once; it stops where other rules find something than those that have to."""
    command = ("lint", str(folder / "taken"), "--intent", str(folder / "intent.yaml"))
    used = measured(*command, "--format", "json")
    found = {one["rule"] for one in json.loads(used.output)["findings"] if one["verdict"] == "fail"}
    if found != wanted:
        raise SystemExit(f"{folder}: expected {sorted(wanted)}, found {sorted(found)}")
    return used


def checked_by_ibdmchk(folder: Path) -> str:
    """Processor time of ibdmchk on the same subnet, and how it ended."""
    program = shutil.which("ibdmchk")
    if program is None:
        return "not installed"
    (folder / "subnet.lst").write_text("".join(subnet_list()))
    (folder / "fdbs").write_text("".join(tables()))
    (folder / "mcfdbs").write_text("")
    before = os.times()
    command = [program, "-s", "subnet.lst", "-f", "fdbs", "-m", "mcfdbs"]
    ended = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    end = f"exit {ended.returncode}" if ended.returncode >= 0 else f"signal {-ended.returncode}"
    return f"{spent:.1f} s, {end}"


def subnet_list() -> Iterator[str]:
    """What OpenSM writes as ``opensm-subnet.lst``."""
    for node, ports in cables(faulty=False).items():
        for port, (far, number, _) in sorted(ports.items()):
            yield f"{_half(node, port)} {_half(far, number)} PHY=4x LOG=ACT SPD=50\n"


def _half(node: Node, port: int) -> str:
    is_switch = node.letter == "S"
    kind, count = ("SW", HOSTS + SPINES + LEAVES) if is_switch else ("CA", 1)
    guid = node.guid if is_switch else node.guid + 1
    return (
        f"{{ {kind} Ports:{count:02X} SystemGUID:{node.guid:016x} NodeGUID:{node.guid:016x} "
        f"PortGUID:{guid:016x} VenID:0002C9 DevID:1 Rev:000000A1 {{{node.name}}} "
        f"LID:{node.lid:04X} PN:{port:02X} }}"
    )


def tables() -> Iterator[str]:
    """What OpenSM writes as ``opensm.fdbs``."""
    for node, table in exits(loops=False):
        yield f"dump_ucast_routes: Switch {node.guid:#018x}\nLID    : Port : Hops : Optimal\n"
        yield from (f"0x{lid:04X} : {port:03}  : 03   : yes\n" for lid, port in table.items())


def main() -> None:
    rows = []
    cases = {
        "sound": (False, False, set()),
        "faults": (True, False, FOUND),
        "loop": (True, True, LOOPS),
    }
    for name, (faulty, loops, wanted) in cases.items():
        write(FOLDER / name, faulty=faulty, loops=loops)
        used = min((lint(FOLDER / name, wanted) for _ in range(RUNS)), key=lambda one: one.cpu_s)
        told = ", ".join(sorted(wanted)) or "nothing"
        rows.append(
            f"| netcheck lint, {name} | {used.cpu_s:.1f} s | {used.peak_mib:.0f} | {told} |"
        )
    rows.append(f"| ibdmchk, sound | {checked_by_ibdmchk(FOLDER / 'sound')} | | loops only |")
    put(
        "subnet: 3,008 hosts (`python -m benchmarks.subnet`)",
        [
            f"{LEAVES} leaves, {SPINES} spines, {LEAVES * HOSTS} hosts; {machine()}.",
            f"Processor time of the whole command with its intent, the least of {RUNS} runs.",
            "",
            "| run | processor time | peak MiB | found |",
            "|---|---|---|---|",
            *rows,
        ],
    )


if __name__ == "__main__":
    main()
