"""A live or rehearsed InfiniBand subnet against its intent, beside the rules of the catalogue."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from netcheck.compare.partitions import FULL_BIT, far_end
from netcheck.compare.subnet_pages import made, unread
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding, Place
from netcheck.model.guids import ports_of
from netcheck.model.infiniband import (
    IbGroup,
    IbManager,
    IbNode,
    IbPort,
    IbSubnet,
    NodeKind,
    SmState,
)
from netcheck.model.known import UNKNOWN, Known, is_known, known_or
from netcheck.model.subnets import Partition, Subnet

NO_FALLBACK = "no_fallback"
LINK_LOCAL = 2  # scope of a group where none is said
FALLBACK = "minhop"


def compare_addresses(subnet: Subnet, asked: Iterable[tuple[IbNode, IbPort]]) -> Iterator[Finding]:
    """Yield a finding for every port of an adapter with another prefix or LMC than intended."""
    for node, port in asked:
        lid = port.lid if is_known(port.lid) else "?"
        command = f"smpquery portinfo {lid} {port.number}"
        where = [node.place(port.number)]
        for slug, wanted, found, form in (
            ("subnet-prefix-differs", subnet.subnet_prefix, port.subnet_prefix, "#018x"),
            ("lmc-differs", subnet.lmc, port.lmc, "d"),
        ):
            if not is_known(wanted):
                continue
            if not is_known(found):
                yield unread(slug, where, "port", command)
            elif found != wanted:
                yield made(
                    slug,
                    where,
                    "subnet prefix differs" if "prefix" in slug else "LMC differs",
                    expected=f"{wanted:{form}}",
                    found=f"{found:{form}}",
                    command=command,
                )


# Source: linux-rdma/opensm opensm/osm_link_mgr.c: which of the two a port of a switch gets.
LIFETIMES = {True: "leaf_head_of_queue_lifetime", False: "head_of_queue_lifetime"}


def compare_lifetimes(
    subnet: Subnet, seen: IbSubnet, asked: Iterable[tuple[IbNode, IbPort]]
) -> Iterator[Finding]:
    """Yield a finding for every switch port that holds packets for another time than intended.

    Args:
        asked: Ports of switches.
    """
    for node, port in asked:
        ends = far_end(seen, port)
        if ends is None:
            continue
        key = LIFETIMES[ends[0].kind is not NodeKind.SWITCH]
        wanted = said_number(subnet, key)
        where, command = [node.place(port.number)], f"smpquery portinfo {node.lid} {port.number}"
        if not is_known(wanted):
            continue
        if not is_known(port.hoq_life):
            yield unread("packet-lifetime-differs", where, "head-of-queue lifetime", command)
        elif port.hoq_life != wanted:
            yield made(
                "packet-lifetime-differs",
                where,
                f"{key} differs",
                expected=f"{wanted:#04x}",
                found=f"{port.hoq_life:#04x}",
                command=command,
                facts=("hoq_life",),
            )


def said_number(subnet: Subnet, key: str) -> Known[int]:
    """Give an option of the intent as a number; UNKNOWN where it is not said, or is none."""
    try:
        return int(subnet.options[key], 0) if key in subnet.options else UNKNOWN
    except ValueError:
        return UNKNOWN


def compare_managers(
    fabric: Fabric, subnet: Subnet, seen: IbSubnet, *, gone: Iterable[str] = ()
) -> Iterator[Finding]:
    """Yield a finding for a manager that is missing, or that is master out of its turn.

    Args:
        gone: Managers that are known not to run.
    """
    names = [name for name in known_or(subnet.subnet_managers, ()) if name not in set(gone)]
    if not names:
        return
    command = "saquery SMIR"
    if not is_known(seen.managers) or not seen.lists_managers:
        yield unread("manager-missing", [Place(name) for name in names], "managers", command)
        return
    by_guid = {one.guid: one for one in seen.managers if is_known(one.guid)}
    found = {name: _manager(fabric, subnet, name, by_guid) for name in names}
    for name, manager in found.items():
        if manager is None:
            yield made(
                "manager-missing",
                [Place(name)],
                f"subnet manager {name} is not in the subnet",
                expected="master" if name == names[0] else "standby",
                found="not there",
                command=command,
            )
        elif is_known(manager.priority) and subnet.priorities.get(name) not in {
            None,
            manager.priority,
        }:
            yield made(
                "manager-not-preferred",
                [Place(name)],
                f"subnet manager {name} has another priority than intended",
                expected=str(subnet.priorities[name]),
                found=str(manager.priority),
                command=command,
            )
    yield from _compare_master(subnet, found, command)


def _manager(
    fabric: Fabric, subnet: Subnet, name: str, by_guid: dict[int, IbManager]
) -> IbManager | None:
    guids = ports_of(fabric, subnet, [name]).found
    return next((by_guid[guid] for guid in guids if guid in by_guid), None)


def _compare_master(
    subnet: Subnet, found: dict[str, IbManager | None], command: str
) -> Iterator[Finding]:
    preferred = next(name for name in subnet.by_preference if name in found)
    masters = [name for name, one in found.items() if one and one.state is SmState.MASTER]
    if found[preferred] is not None and masters != [preferred]:
        yield made(
            "manager-not-preferred",
            [Place(preferred)],
            "the master is not the preferred subnet manager",
            expected=preferred,
            found=", ".join(masters) or "no master among the intended",
            command=command,
        )


def group_address(partition: Partition) -> str:
    """MGID of a partition's IPoIB broadcast group, as ``saquery`` writes it.

    Source: RFC 4391, section 4.

    Example:
        >>> group_address(Partition("a", 0x0A01))
        'ff12:401b:8a01::ffff:ffff'
    """
    scope = known_or(partition.scope, LINK_LOCAL)
    return f"ff1{scope:x}:401b:{partition.pkey | FULL_BIT:x}::ffff:ffff"


def ipoib_partitions(subnet: Subnet) -> list[Partition]:
    """Partitions that IP over InfiniBand runs in."""
    return [one for one in subnet.partitions.values() if one.is_ipoib is True]


def compare_groups(subnet: Subnet, seen: IbSubnet, failed: Container[str]) -> Iterator[Finding]:
    """Yield a finding for every IPoIB group that is not there, or is another than intended.

    Args:
        failed: Calls that gave no answer.
    """
    groups = {one.mgid: one for one in (seen.groups if is_known(seen.groups) else ())}
    for partition in ipoib_partitions(subnet):
        mgid = group_address(partition)
        command = f"saquery MCMR --mgid {mgid}"
        where = f"IPoIB group of partition {partition.name}"
        group = groups.get(mgid)
        if command in failed:
            yield unread("group-differs", [], where, command)
        elif group is None:
            yield made(
                "group-differs",
                [],
                f"{where} is not there",
                expected=mgid,
                found="no group",
                command=command,
            )
        else:
            yield from _compare_group(partition, group, where, command)


def _compare_group(
    partition: Partition, group: IbGroup, where: str, command: str
) -> Iterator[Finding]:
    rate = f"{group.rate_bps / 1e9:g}G" if is_known(group.rate_bps) else UNKNOWN
    facts: tuple[tuple[str, Known[object], Known[object]], ...] = (
        ("MTU", partition.mtu, group.mtu),
        ("rate", partition.rate, rate),
        ("service level", partition.sl, group.sl),
        ("Q_Key", partition.q_key, group.q_key),
        ("traffic class", partition.traffic_class, group.traffic_class),
        ("flow label", partition.flow_label, group.flow_label),
    )
    for name, wanted, found in facts:
        if is_known(wanted) and not is_known(found):
            yield unread("group-differs", [], f"{name} of the {where}", command)
        elif is_known(wanted) and wanted != found:
            yield made(
                "group-differs",
                [],
                f"{where} has another {name}",
                expected=str(wanted),
                found=str(found),
                command=command,
            )


def compare_engine(subnet: Subnet, engine: Known[str]) -> Iterator[Finding]:
    """Yield a finding where another routing engine is in use than the intent's first."""
    if not is_known(subnet.routing):
        return
    wanted = [one for one in subnet.routing if one != NO_FALLBACK]
    if not wanted:
        return
    if not is_known(engine):
        yield unread("routing-engine-differs", [], "routing engine", "log of the subnet manager")
    elif engine != wanted[0]:
        is_named = engine in wanted
        yield made(
            "routing-engine-differs",
            [],
            f"subnet {subnet.name} is routed by {engine}"
            + (", the intent's next choice" if is_named else ", which the intent does not name"),
            expected=wanted[0],
            found=engine,
            command="log of the subnet manager",
            facts=("routing",),
        )


def master_guid(seen: IbSubnet) -> int:
    """Port GUID of the master; 0 where none is seen."""
    managers = seen.managers if is_known(seen.managers) else ()
    masters = [one.guid for one in managers if one.state is SmState.MASTER]
    return next((guid for guid in masters if is_known(guid)), 0)


def adapter_ports(seen: IbSubnet) -> Iterator[tuple[IbNode, IbPort]]:
    """Ports of hosts' adapters that are cabled."""
    for node in seen.nodes.values():
        if node.is_host:
            for port in node.ports.values():
                if is_known(port.peer):
                    yield node, port
