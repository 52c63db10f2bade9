"""What schedulers and libraries are told of a subnet: who is near whom.

Slurm's ``topology.conf`` is a tree, a subnet mostly is not: switches of one tier
that share switches above them stand for one switch of the tree. Hosts whose
adapters lead to several leaves (rails) are grouped by the set of them.

Source: Slurm topology.conf(5), TopologyPlugin=topology/tree; NVIDIA NCCL user
    guide, environment variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from netcheck.lossless.seen import Seen
from netcheck.model.document import Document
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric, Origin
from netcheck.model.finding import Finding, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import IbNode
from netcheck.model.known import is_known, read
from netcheck.platforms.infiniband.netfile import write_net
from netcheck.platforms.infiniband.parse import parse

TOPOLOGY: Final = "topology.conf"
HOSTS: Final = "hosts.txt"
NCCL: Final = "nccl.conf"
# What has to hold before schedulers are told: a wrong map is worse than none.
PRECONDITIONS: Final = frozenset(
    {"ib-topology-vs-intent", "ib-subnet-split", "ib-guid-dup", "value-malformed"}
)
HEAD: Final = "# netcheck: made from the subnet as it was seen; make it again when cables move\n"
_NAME: Final = re.compile(r"^(.*?)(\d+)$")
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Branch:
    """One switch of the tree: its name, and the hosts or the switches below it."""

    name: str
    hosts: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


def job_files(seen: Seen) -> Mapping[str, str]:
    """Give ``topology.conf`` for Slurm, hosts in order of nearness, and hints for NCCL.

    Raises:
        InputError: The subnet has no hosts at switches.
    """
    work = _Jobs(seen)
    if not work.leaves_of:
        raise InputError(f"{seen.device}: no hosts at switches are seen")
    return {
        TOPOLOGY: HEAD + "".join(f"{_line(branch)}\n" for branch in work.tree()),
        HOSTS: HEAD + "".join(f"{host}\n" for host in work.in_order()),
        NCCL: HEAD + "".join(f"{line}\n" for line in work.hints()),
    }


def only_subnet(fabric: Fabric) -> Seen:
    """Give the one subnet that a fabric shows.

    Raises:
        InputError: There is none, or more than one.
    """
    found = [one for one in fabric.devices.values() if is_known(one.seen_subnet)]
    if not found:
        raise InputError("no InfiniBand subnet: expected an output of ibnetdiscover or iblinkinfo")
    if len(found) > 1:
        names = ", ".join(one.name for one in found)
        raise InputError(f"{len(found)} subnets: {names}; give the outputs of one at a time")
    [device] = found
    return Seen(device.name, read(device.seen_subnet, "seen_subnet"))


def as_planned(plan: Fabric, subnet: str = "") -> Fabric:
    """Give the subnet of an intent as if all of it were cabled and found.

    Raises:
        InputError: The intent has several subnets and none is named, or no links.
    """
    names = tuple(plan.subnets)
    if not subnet and len(names) > 1:
        raise InputError(f"say which subnet: {', '.join(names)}")
    name = subnet or (names[0] if names else "subnet")
    text = write_net(plan, name, fastest="XDR")
    device = parse([Document(f"{plan.name} {name}", text)], name=name)
    return Fabric(plan.name, origin=Origin.CONFIG, devices=FrozenMap({name: device}))


def is_wrong(findings: Iterable[Finding]) -> bool:
    """Whether a finding says that cables or nodes are not what they should be."""
    return any(one.rule in PRECONDITIONS and one.verdict is Verdict.FAIL for one in findings)


def _line(branch: Branch) -> str:
    names = branch.hosts or branch.below
    word = "Nodes" if branch.hosts else "Switches"
    return f"SwitchName={branch.name} {word}={hostlist(names)}"


def hostlist(names: Iterable[str]) -> str:
    """Give names as Slurm writes a list of them.

    Example:
        >>> hostlist(["gpu01", "gpu02", "gpu03", "login"])
        'gpu[01-03],login'
    """
    groups: dict[tuple[str, int], list[int]] = {}
    plain: list[str] = []
    for name in dict.fromkeys(names):
        found = _NAME.match(name)
        if found is None:
            plain.append(name)
        else:
            groups.setdefault((found[1], len(found[2])), []).append(int(found[2]))
    parts = [_group(stem, width, sorted(each)) for (stem, width), each in groups.items()]
    return ",".join(sorted(parts) + sorted(plain))


def _group(stem: str, width: int, numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    texts = [f"{a:0{width}}" if a == b else f"{a:0{width}}-{b:0{width}}" for a, b in runs]
    inner = ",".join(texts)
    return f"{stem}{inner}" if len(numbers) == 1 else f"{stem}[{inner}]"


@dataclass(frozen=True)
class _Jobs:
    seen: Seen

    @cached_property
    def leaves_of(self) -> Mapping[str, Mapping[str, str]]:
        """Key of the leaf by adapter, for each host."""
        found: dict[str, dict[str, str]] = {}
        for leaf, ends in self.seen.hosts_at.items():
            for end in ends:
                node = self.seen.subnet.nodes[end.node]
                host = node.device.partition(".")[0]
                found.setdefault(host, {})[f"{node.adapter or 'hca'}:{end.port}"] = leaf
        return dict(sorted(found.items()))

    @cached_property
    def blocks(self) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        """Hosts by the set of leaves that their adapters lead to."""
        found: dict[tuple[str, ...], list[str]] = {}
        for host, leaves in self.leaves_of.items():
            key = tuple(sorted(set(leaves.values()), key=self.label))
            found.setdefault(key, []).append(host)
        order = sorted(found, key=lambda key: [self.label(leaf) for leaf in key])
        return {key: tuple(found[key]) for key in order}

    def label(self, key: str) -> str:
        """Name of a switch as Slurm can take it."""
        node: IbNode = self.seen.subnet.nodes[key]
        return _UNFIT.sub("_", node.device or key)

    def block_name(self, leaves: Sequence[str]) -> str:
        """Name of a block: its leaf, or the first of its leaves and how many more."""
        first = self.label(leaves[0])
        if len(leaves) > 1:
            return f"{first}_and_{len(leaves) - 1}"
        return (
            first
            if sum(first == self.label(key[0]) for key in self.blocks) == 1
            else (f"{first}_alone")
        )

    def tree(self) -> Iterator[Branch]:
        """Yield the tree from its leaves up; a part without cables to the rest is its own tree."""
        groups: list[tuple[str, frozenset[str]]] = []
        for leaves, hosts in self.blocks.items():
            name = self.block_name(leaves)
            groups.append((name, frozenset(leaves)))
            yield Branch(name, hosts=hosts)
        reached = set(self.seen.hosts_at)
        tier = 1
        while len(groups) > 1:
            above = self._above(reached)
            found = {key for keys in above.values() for key in keys}
            if not found:
                return
            reached |= found
            tier += 1
            joined = list(self._joined(groups, above))
            groups = []
            for number, (members, switches) in enumerate(joined, 1):
                name = f"tier{tier}" if len(joined) == 1 else f"tier{tier}_{number}"
                if len(members) > 1:
                    yield Branch(name, below=tuple(members))
                groups.append((name if len(members) > 1 else members[0], switches))

    def _above(self, reached: set[str]) -> dict[str, set[str]]:
        """Switches of the next tier that each switch which is reached leads to."""
        found: dict[str, set[str]] = {key: set() for key in reached}
        for key in reached:
            for cable in self.seen.uplinks.get(key, ()):
                found[key] |= {end.node for end in cable if end.node not in reached}
        return found

    @staticmethod
    def _joined(
        groups: Sequence[tuple[str, frozenset[str]]], above: Mapping[str, set[str]]
    ) -> Iterator[tuple[list[str], frozenset[str]]]:
        """Join groups that share a switch above them."""
        open_ = [
            ([name], set(switches) | {up for key in switches for up in above.get(key, ())})
            for name, switches in groups
        ]
        while open_:
            names, switches = open_.pop(0)
            is_grown = True
            while is_grown:
                near = [one for one in open_ if one[1] & switches]
                is_grown = bool(near)
                for one in near:
                    names += one[0]
                    switches |= one[1]
                    open_.remove(one)
            yield names, frozenset(switches)

    def in_order(self) -> Iterator[str]:
        """Yield the hosts so that neighbours in the list are near each other."""
        for hosts in self.blocks.values():
            yield from hosts

    def hints(self) -> Iterator[str]:
        """Yield settings for NCCL, each with its reason."""
        adapters = sorted({name for leaves in self.leaves_of.values() for name in leaves})
        everywhere = [
            name for name in adapters if all(name in each for each in self.leaves_of.values())
        ]
        if everywhere:
            yield "# adapters that every host has on this subnet"
            yield f"NCCL_IB_HCA={','.join(everywhere)}"
        yield from self._rails(everywhere)
        if any("Aggregation Node" in str(one.description) for one in self._adapters()):
            yield "# switches have aggregation nodes: in-network reduction (SHARP) is possible"
            yield "# NCCL_COLLNET_ENABLE=1"

    def _adapters(self) -> Iterator[IbNode]:
        return (node for node in self.seen.subnet.nodes.values() if is_known(node.description))

    def _rails(self, adapters: Sequence[str]) -> Iterator[str]:
        """Whether adapter n of each host of a block leads to one leaf, and each to another."""
        if len(adapters) < 2:  # noqa: PLR2004 -- rails are two and more
            return
        sets = [
            [frozenset(self.leaves_of[host][name] for host in hosts) for name in adapters]
            for hosts in self.blocks.values()
        ]
        is_railed = all(
            all(len(leaves) == 1 for leaves in each) and len(set(each)) == len(adapters)
            for each in sets
        )
        if not is_railed:
            yield "# adapters of one number lead to different leaves: no rails"
            return
        part_of = {key: number for number, part in enumerate(self.seen.parts) for key in part}
        parts = {frozenset(part_of[next(iter(leaves))] for leaves in each) for each in sets}
        if all(len(part) == len(adapters) for part in parts):
            yield "# each rail is a fabric of its own: no traffic can change rails"
            yield "NCCL_CROSS_NIC=0"
        else:
            yield "# one leaf for each rail, joined above: rails may be changed, at two hops more"
            yield "# NCCL_CROSS_NIC=2"
