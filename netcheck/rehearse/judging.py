"""Expected against found for one reading of a subnet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from netcheck.compare.lanes import compare_lanes, intended_lanes
from netcheck.compare.partitions import (
    Memberships,
    compare_enforced,
    compare_first,
    compare_keys,
)
from netcheck.compare.path_records import Services, compare_paths
from netcheck.compare.subnet import (
    compare_addresses,
    compare_engine,
    compare_groups,
    compare_lifetimes,
    compare_managers,
    master_guid,
)
from netcheck.compare.subnet_pages import unread
from netcheck.model.document import Evidence
from netcheck.model.fabric import Fabric, Origin
from netcheck.model.finding import Finding, Place, Stage, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import IbNode, IbPort, IbSubnet
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.model.subnets import Subnet
from netcheck.rehearse.reading import WHOLE_CALLS, Reading
from netcheck.rehearse.sampling import Sample, Where
from netcheck.rules.catalogue import find_rule
from netcheck.rules.engine import judge

# ibsim's ports have VL0-7, MTU 2048 and 64 keys, whatever the hardware has.
SIMULATED_VLS: Final = 8
# An intent that names no manager gets one here; nobody said that it is to be the only one.
OF_MANAGERS: Final = frozenset({"ib-sm-alone", "ib-sm-tie"})
COMPLAINT: Final = re.compile(
    r"unrecognized token|-E-|invalid|parsing error|warning|out of range|not supported|must be",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Judge:
    """What is expected of one subnet.

    Attributes:
        ports: Shape: ``manager -> port GUID it runs at``.
        most_vls: Data lanes that ports have at all.
    """

    fabric: Fabric
    subnet: Subnet
    ports: Mapping[str, int]
    profile: str = "baseline"
    most_vls: int = SIMULATED_VLS

    def memberships(self, seen: IbSubnet) -> Memberships:
        """Partitions of every port, with the master as it is now."""
        return Memberships(self.fabric, self.subnet, master_guid(seen))

    def services(self) -> Services:
        """Services of paths, as the intent matches them."""
        return Services(self.fabric, self.subnet)

    def whole(
        self, reading: Reading, engine: Known[str], gone: tuple[str, ...] = ()
    ) -> Iterator[Finding]:
        """Yield what is wrong with the subnet as a whole."""
        seen = reading.seen
        for reply in reading.failed:
            if reply.command in WHOLE_CALLS:
                yield unread("subnet-not-read", [], reply.text.strip()[:200], reply.command)
        yield from compare_engine(self.subnet, engine)
        yield from compare_managers(self._placed(), self.subnet, seen, gone=gone)

    def _placed(self) -> Fabric:
        """The fabric with managers that run at other ports than their own at these."""
        ports = {**self.subnet.port_guids, **{name: (guid,) for name, guid in self.ports.items()}}
        subnet = replace(self.subnet, port_guids=FrozenMap(ports))
        return replace(self.fabric, subnets=self.fabric.subnets.with_items({subnet.name: subnet}))

    def tables(self, reading: Reading, sample: Sample) -> Iterator[Finding]:
        """Yield what is wrong with tables of the ports of a sample."""
        seen = reading.seen
        hosts = [*_ports(seen, sample.hosts)]
        if self.subnet.partitions:
            memberships = self.memberships(seen)
            yield from compare_keys(memberships, hosts)
            yield from compare_first(memberships, hosts)
            if self.subnet.options.get("part_enforce") != "off":
                yield from compare_enforced(memberships, seen, _ports(seen, sample.leaf_ports))
        yield from compare_addresses(self.subnet, hosts)
        failed = frozenset(reply.command for reply in reading.failed)
        yield from compare_groups(self.subnet, seen, failed)
        switch_ports = [*_ports(seen, sample.switch_ports)]
        yield from compare_lifetimes(self.subnet, seen, switch_ports)
        lanes = [*hosts, *switch_ports]
        yield from compare_lanes(intended_lanes(self.subnet), lanes, most_vls=self.most_vls)

    def paths(self, reading: Reading, engine: Known[str]) -> Iterator[Finding]:
        """Yield what is wrong with the paths that were asked for."""
        yield from compare_paths(self.services(), reading.paths, reading.paths, engine=engine)

    def rules(self, reading: Reading) -> list[Finding]:
        """Judge the subnet by the rules of the catalogue: cabling, errors, loops, duplicates."""
        name = self.subnet.name
        paths = (path for found in reading.paths.values() if is_known(found) for path in found)
        seen = replace(reading.seen, paths=(*reading.seen.paths, *paths))
        device = replace(reading.device, name=name, seen_subnet=seen)
        observed = Fabric(
            self.fabric.name,
            origin=Origin.SNAPSHOT,
            devices=FrozenMap({name: device}),
            subnets=self.fabric.subnets,
        )
        found = judge(
            observed,
            intended=self.fabric,
            stage=Stage.VERIFY,
            evidence_asked=False,
            profile=self.profile,
        )
        out = OF_MANAGERS if not is_known(self.subnet.subnet_managers) else frozenset[str]()
        judged = (one for one in found if one.verdict is not Verdict.NOT_APPLICABLE)
        return [one for one in judged if one.rule not in out]


def _ports(seen: IbSubnet, where: tuple[Where, ...]) -> Iterator[tuple[IbNode, IbPort]]:
    for key, number in where:
        node = seen.nodes.get(key)
        port = node.ports.get(number) if node else None
        if node is not None and port is not None:
            yield node, port


def complaints(manager: str, output: str, ignored: frozenset[str]) -> Iterator[Finding]:
    """Yield what a manager printed about its files.

    Args:
        ignored: Keys that only another build knows.
    """
    told = find_rule("manager-complains")
    for line in dict.fromkeys(map(str.strip, output.splitlines())):
        if COMPLAINT.search(line) and not any(f'"{key}"' in line for key in ignored):
            yield Finding(
                rule=told.slug,
                severity=told.severity,
                verdict=Verdict.FAIL,
                where=(Place(manager),),
                message=f"OpenSM says of its files: {line}",
                found=line,
                evidence=(Evidence(command="standard output of opensm"),),
                why=told.page.why,
                fix=told.page.fix,
                reference=told.source,
                stage=Stage.VERIFY,
            )


def engine_of(engines: list[str]) -> Known[str]:
    """Give the routing engine of the last sweep."""
    return engines[-1] if engines else UNKNOWN
