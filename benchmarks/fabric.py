"""A large fabric as an intent: pods of leaves and spines, a core, a border, and seeded faults.

The intent says devices by ranges, one per cent of the ports one by one, and all
links in a CSV file. The same arguments give the same bytes. Sizes are counted in
pods of 8 leaves, 8 spines and 64 hosts with 8 NIC ports each; 256 pods have
131,072 NIC ports and 6,000 switches. ``python -m benchmarks.fabric DIR [PODS]``.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from benchmarks.faults import KINDS
from benchmarks.plan import Cable, End, Plan, policy

LEAVES = SPINES = RAILS = 8
HOSTS = UPLINKS = 64
WHOLE_PODS, WHOLE_CORES, WHOLE_BORDERS = 256, 1100, 804
BORDER_LINKS = 8
CORE_GROUPS, GROUPS_OF_POD = (
    7,
    (2, 4, 5, 6),
)  # what a line of the Fano plane leaves: any two share two
REGIONS, PLANES = 64, 4
SPEEDS = ("100G", "200G", "400G")
CORE_SPEED = "400G"
NIC_CABLES_M, LEAF_CABLES_M, CORE_CABLES_M = (1, 2, 3, 5), (7, 10, 15, 20), (30, 50, 100, 150)
BORDER_CABLE_M = 50
ODD_SHARE = 100  # one link in so many has its own settings at both ends
FAULTS = 50
PLATFORMS = ("sonic", "cumulus", "eos", "nxos")
MODELS = {
    "sonic": "SN5600",
    "cumulus": "SN5600",
    "eos": "DCS-7060DX5-64S",
    "nxos": "N9K-C93600CD-GX",
}


def port_name(platform: str, number: int) -> str:
    """Name of a port of a switch with up to 128 ports."""
    return {
        "sonic": f"Ethernet{number * 4}",
        "cumulus": f"swp{number // 2 + 1}s{number % 2}",
        "eos": f"Ethernet{number // 2 + 1}/{number % 2 * 4 + 1}",
        "nxos": f"Ethernet1/{number // 2 + 1}/{number % 2 + 1}",
    }[platform]


def port_range(platform: str, first: int, count: int) -> str:
    """Names of ``count`` ports from ``first`` on; both are even."""
    low, high = first // 2 + 1, (first + count) // 2
    return {
        "sonic": f"Ethernet[{first * 4}-{(first + count - 1) * 4}:4]",
        "cumulus": f"swp[{low}-{high}]s[0-1]",
        "eos": f"Ethernet[{low}-{high}]/[1,5]",
        "nxos": f"Ethernet1/[{low}-{high}]/[1-2]",
    }[platform]


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes and names of a fabric of so many pods."""

    pods: int
    platforms: tuple[str, ...]

    @property
    def cores(self) -> int:
        """Switches above the spines."""
        return max(-(-WHOLE_CORES * self.pods // WHOLE_PODS), 2 * PLANES)

    @property
    def core_links(self) -> int:
        """Most links that a core switch has to spines."""
        each = SPINES * UPLINKS // len(GROUPS_OF_POD)
        pods = [
            sum((pod + offset) % CORE_GROUPS == group for pod in range(self.pods))
            for group in range(CORE_GROUPS)
            for offset in GROUPS_OF_POD
        ]
        by_group = [
            sum(pods[i : i + len(GROUPS_OF_POD)]) for i in range(0, len(pods), len(GROUPS_OF_POD))
        ]
        sizes = [len(range(group, self.cores, CORE_GROUPS)) for group in range(CORE_GROUPS)]
        return max(-(-count * each // size) for count, size in zip(by_group, sizes, strict=True))

    @property
    def borders(self) -> int:
        """Switches beside the core."""
        return max(WHOLE_BORDERS * self.pods // WHOLE_PODS, 2 * PLANES)

    @property
    def switches(self) -> int:
        """All switches."""
        return self.pods * (LEAVES + SPINES) + self.cores + self.borders

    @property
    def nic_ports(self) -> int:
        """All ports of NICs."""
        return self.pods * HOSTS * RAILS

    def platform(self, number: int) -> str:
        """Platform of the switches of that number."""
        return self.platforms[number % len(self.platforms)]

    def leaf(self, pod: int, number: int, port: int) -> End:
        """One port of a leaf: the lower half goes to hosts."""
        policy = f"pod{pod:03d}" if port < HOSTS else f"region{pod * REGIONS // self.pods:02d}"
        return End(f"leaf-{pod:03d}-{number}", port_name(self.platform(pod), port), policy)

    def spine(self, pod: int, number: int, port: int) -> End:
        """One port of a spine: the lower half goes to leaves."""
        region = f"region{pod * REGIONS // self.pods:02d}"
        policy = region if port < UPLINKS else "core00"
        return End(f"spine-{pod:03d}-{number}", port_name(self.platform(pod + 1), port), policy)

    def core(self, number: int, port: int) -> End:
        """One port of a core switch."""
        plane = number % PLANES
        name = port_name(self.platform(plane), port)
        return End(f"core-{plane}-{number:04d}", name, f"core{plane:02d}")


def cables(shape: Shape) -> Iterator[Cable]:
    """Yield every link: NICs, leaves to spines, spines to the core, core to the border."""
    for pod in range(shape.pods):
        yield from _nic_cables(shape, pod)
    for pod in range(shape.pods):
        yield from _leaf_cables(shape, pod)
    yield from _core_cables(shape)


def _nic_cables(shape: Shape, pod: int) -> Iterator[Cable]:
    for host, rail in product(range(HOSTS), range(RAILS)):
        name = f"gpu-{pod:03d}-{host + 1:02d}"
        nic = End(name, f"rail{rail}", f"pod{pod:03d}", is_host=True)
        yield Cable(nic, shape.leaf(pod, rail, host), NIC_CABLES_M[(host + pod) % 4])


def _leaf_cables(shape: Shape, pod: int) -> Iterator[Cable]:
    each = UPLINKS // SPINES
    for leaf, up in product(range(LEAVES), range(UPLINKS)):
        spine = shape.spine(pod, up // each, leaf * each + up % each)
        yield Cable(shape.leaf(pod, leaf, HOSTS + up), spine, LEAF_CABLES_M[(leaf + pod) % 4])


def _core_cables(shape: Shape) -> Iterator[Cable]:
    """Each pod to four of seven groups of core switches, then the border in turn.

    The groups are such that any two pods share two of them, as hosts need that
    reach each other over a path that rises and falls.
    """
    links = [0] * CORE_GROUPS
    for pod, spine, up in product(range(shape.pods), range(SPINES), range(UPLINKS)):
        place = (spine * UPLINKS + up) * len(GROUPS_OF_POD) // (SPINES * UPLINKS)
        group = (pod + GROUPS_OF_POD[place]) % CORE_GROUPS
        size = len(range(group, shape.cores, CORE_GROUPS))
        number = group + links[group] % size * CORE_GROUPS
        core = shape.core(number, links[group] // size)
        yield Cable(shape.spine(pod, spine, UPLINKS + up), core, CORE_CABLES_M[pod // 4 % 4])
        links[group] += 1
    used = shape.core_links
    for border, up in product(range(shape.borders), range(BORDER_LINKS)):
        number = border * BORDER_LINKS + up
        core = shape.core(number % shape.cores, used + number // shape.cores)
        plane = border % PLANES
        name = port_name(shape.platform(plane), up)
        yield Cable(End(f"border-{plane}-{border:04d}", name, "core00"), core, BORDER_CABLE_M)


def plan_of(shape: Shape, seed: int, faults: int = FAULTS) -> Plan:
    """Give the fabric's plan with odd ports and faults, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 -- has to be the same each time
    plan = Plan(list(cables(shape)))
    names = [f"pod{pod:03d}" for pod in range(shape.pods)]
    names += [f"region{number:02d}" for number in range(REGIONS)]
    names += [f"core{number:02d}" for number in range(PLANES)]
    names += [f"odd{number}" for number in range(8)]
    plan.policies = {name: policy(number) for number, name in enumerate(names)}
    chosen = chance.sample(range(len(plan.rows)), len(plan.rows) // ODD_SHARE)
    for place, index in enumerate(chosen):
        _make_odd(plan, plan.rows[index], place)
    free = sorted(set(range(len(plan.rows))) - set(chosen))
    chance.shuffle(free)
    rows = iter(plan.rows[index] for index in free)
    for number in range(faults):
        kind = KINDS[number % len(KINDS)]
        row = next(row for row in rows if kind.fits(row))
        plan.faults.append(kind.put(plan, row, number))
    return plan


def _make_odd(plan: Plan, row: Cable, place: int) -> None:
    """Settings of its own at both ends, which agree."""
    settings = ({"fec": "rs"}, {"policy": f"odd{place % 8}"}, {"fec": "rs544"}, {"autoneg": "off"})
    for end in (row.a, row.b):
        plan.set(end, **settings[place % len(settings)])


def write_intent(folder: Path, shape: Shape, *, seed: int = 3, faults: int = FAULTS) -> Plan:
    """Write ``fabric.yaml`` and ``links.csv`` into a folder; give what was planned."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = plan_of(shape, seed, faults)
    with (folder / "links.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["a_device", "a_port", "b_device", "b_port", "cable_m"])
        for row in plan.rows:
            writer.writerow([row.a.device, row.a.port, row.b.device, row.b.port, row.metres])
    (folder / "fabric.yaml").write_text("".join(_yaml(shape, plan)))
    return plan


def _yaml(shape: Shape, plan: Plan) -> Iterator[str]:
    yield "netcheck: 1\nname: scale\n\nroce:\n  policy: core00\n  policies:\n"
    for name, text in plan.policies.items():
        yield f"    {name}:{text}\n"
    yield '\ncredentials:\n  lab: {username: admin, password: "env:NETCHECK_PASSWORD"}\n'
    yield "\ndevices:\n"
    for pod in range(shape.pods):
        yield from _pod(shape, pod)
    yield from _above(shape)
    for device, parts in plan.single.items():
        yield f"  {device}:\n"
        for part, names in parts.items():
            inner = ", ".join(
                f'"{name}": {{{", ".join(f"{key}: {value}" for key, value in said.items())}}}'
                for name, said in names.items()
            )
            yield f"    {part}: {{{inner}}}\n"
    yield "\nlinks:\n  - {csv: links.csv}\n"


def _pod(shape: Shape, pod: int) -> Iterator[str]:
    speed, region = SPEEDS[pod % 3], f"region{pod * REGIONS // shape.pods:02d}"
    for role, tier, sides in (
        ("leaf", shape.platform(pod), ((speed, f"pod{pod:03d}"), (speed, region))),
        ("spine", shape.platform(pod + 1), ((speed, region), (CORE_SPEED, "core00"))),
    ):
        yield f'  "{role}-{pod:03d}-[0-7]":\n    role: {role}\n    platform: {tier}\n'
        second = 0 if role == "leaf" else 64
        yield f"    model: {MODELS[tier]}\n    credentials: lab\n"
        yield f'    mgmt: "10.{200 + second // 64}.{pod}.[1-8]"\n    ports:\n'
        for first, (rate, name) in zip((0, HOSTS), sides, strict=True):
            yield f'      "{port_range(tier, first, HOSTS)}": {{speed: {rate}, policy: {name}}}\n'
    yield f'  "gpu-{pod:03d}-[01-64]":\n    role: host\n    platform: linux\n    credentials: lab\n'
    yield f'    mgmt: "10.202.{pod}.[1-64]"\n    policy: pod{pod:03d}\n    rdma:\n'
    yield f'      "mlx5_[0-7]": {{port: "rail[0-7]", driver: mlx5, speed: {speed},'
    yield f' address: "10.{pod % 200}.[{pod // 200 * 8}-{pod // 200 * 8 + 7}].[1-64]/24"}}\n'


def _above(shape: Shape) -> Iterator[str]:
    ports = shape.core_links
    ports += -(-shape.borders * BORDER_LINKS // shape.cores)
    for plane in range(PLANES):
        yield from _plane("core", plane, shape.cores, ports + ports % 2, shape.platform(plane))
        yield from _plane("border", plane, shape.borders, BORDER_LINKS, shape.platform(plane))


def _plane(kind: str, plane: int, total: int, ports: int, platform: str) -> Iterator[str]:
    last = plane + (total - 1 - plane) // PLANES * PLANES
    numbers = f"{plane}-[{plane:04d}-{last:04d}:{PLANES}]"
    role, name = ("superspine", f"core{plane:02d}") if kind == "core" else ("spine", "core00")
    yield f'  "{kind}-{numbers}":\n    role: {role}\n    platform: {platform}\n'
    yield f"    model: {MODELS[platform]}\n    credentials: lab\n"
    yield f'    mgmt: "{kind}-{numbers}.example"\n    ports:\n'
    yield f'      "{port_range(platform, 0, ports)}": {{speed: {CORE_SPEED}, policy: {name}}}\n'


def main() -> None:
    """Write a fabric into a folder."""
    pods = int(sys.argv[2]) if len(sys.argv) > 2 else WHOLE_PODS  # noqa: PLR2004 -- an option
    names = sys.argv[3] if len(sys.argv) > 3 else ",".join(PLATFORMS)  # noqa: PLR2004 -- as above
    shape = Shape(pods, tuple(names.split(",")))
    plan = write_intent(Path(sys.argv[1]), shape)
    print(f"{shape.switches} switches, {shape.nic_ports} NIC ports, {len(plan.rows)} links")
    for fault in plan.faults:
        print(fault.kind, fault.rule, *fault.places)


if __name__ == "__main__":
    main()
