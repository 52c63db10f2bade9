"""A live or rehearsed InfiniBand subnet against its intent, beside the rules of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcheck.compare.subnet_pages import made, unread
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding, Place
from netcheck.model.guids import ports_of
from netcheck.model.infiniband import IbManager, IbNode, IbPort, IbSubnet, SmState
from netcheck.model.known import Known, is_known, known_or
from netcheck.model.subnets import Subnet

NO_FALLBACK = "no_fallback"
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
    yield from _compare_master(subnet, found, command)


def _manager(
    fabric: Fabric, subnet: Subnet, name: str, by_guid: dict[int, IbManager]
) -> IbManager | None:
    guids = ports_of(fabric, subnet, [name]).found
    return next((by_guid[guid] for guid in guids if guid in by_guid), None)


def _compare_master(
    subnet: Subnet, found: dict[str, IbManager | None], command: str
) -> Iterator[Finding]:
    # the highest priority said wins; else the order in which they are named
    preferred = max(found, key=lambda name: subnet.priorities.get(name, -1))
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
