"""GUIDs that a subnet manager's files name, against those of the fabric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.document import Evidence
from netcheck.model.fabric import Fabric
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Severity
from netcheck.model.infiniband import IbPort, NodeKind
from netcheck.model.known import is_known, known_or
from netcheck.model.subnet_manager import SmPartition
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.managers import OPENSM, Manager, managers
from netcheck.rules.rule import Fault, Scope, rule

# The upper 24 bits name the maker; a GUID without them is nobody's.
LEAST_GUID: Final = 1 << 40


@dataclass(slots=True)
class Known:
    """GUIDs of the fabric: ``guid -> name``, and whether they are all there are.

    Attributes:
        with_hosts: Switches that adapters hang from.
    """

    ports: dict[int, str] = field(default_factory=dict)
    nodes: dict[int, str] = field(default_factory=dict)
    with_hosts: set[int] = field(default_factory=set)
    is_whole: bool = False


def known_guids(fabric: FabricView) -> Known:
    """Give what outputs of the fabric and the intent say of GUIDs."""
    known = Known()
    for device in fabric.record.devices.values():
        seen = device.seen_subnet
        if not is_known(seen):
            continue
        known.is_whole |= seen.is_whole
        for node in seen.nodes.values():
            name = str(node.place())
            if is_known(node.guid):
                known.nodes[node.guid] = name
            for port in node.ports.values():
                if is_known(port.guid):
                    known.ports[port.guid] = name
                peer = seen.nodes.get(port.peer.node) if is_known(port.peer) else None
                if peer is not None and peer.kind is NodeKind.ADAPTER and is_known(node.guid):
                    known.with_hosts.add(node.guid)
    try:
        _add_intended(known, fabric.plan)
    except NotGivenError:
        return known
    return known


def _add_intended(known: Known, plan: Fabric) -> None:
    for subnet in plan.subnets.values():
        known.nodes |= {guid: name for name, guid in subnet.node_guids.items()}
        known.ports |= {guid: name for name, many in subnet.port_guids.items() for guid in many}
        known.is_whole |= bool(subnet.port_guids)
    for device in plan.devices.values():
        if is_known(device.node_guid):
            known.nodes[device.node_guid] = device.name
        for rdma in device.rdma.values():
            if is_known(rdma.port_guid):
                known.ports[rdma.port_guid] = f"{device.name} {rdma.name}"
            if is_known(rdma.node_guid):
                known.nodes.setdefault(rdma.node_guid, f"{device.name} {rdma.name}")


@rule("sm-guid-foreign", severity=Severity.ERROR, scope=Scope.FABRIC, source=OPENSM, is_proof=False)
def sm_guid_foreign(fabric: FabricView) -> Iterator[Fault]:
    """A GUID in the files is none of the fabric's, or is of the wrong kind.

    Why: a member that is not found is silently left out of its partition, roots that are not
        found make updn fail (minhop routes then), and a manager bound to a port that is not
        there never comes up. Partitions take port GUIDs, the file of roots takes node GUIDs.
    Bad: a node GUID as a member; a leaf among the roots; guid 0xdead.
    Good: GUIDs as ibnetdiscover shows them.
    Fix: take the GUID from ibnetdiscover: port GUIDs in brackets, node GUIDs by switchguid.
    """
    known = known_guids(fabric)
    for manager in managers(fabric):
        yield from _members(manager, known)
        yield from _roots(manager, known)
        guid = manager.number("guid")
        if guid and _is_foreign(guid, known.ports, known):
            effect = "OpenSM binds to no port, and the subnet never comes up"
            yield _foreign(manager, "guid", guid, known, effect, manager.at("guid"))


def _is_foreign(guid: int, right: dict[int, str], known: Known) -> bool:
    if guid < LEAST_GUID:
        return True
    if guid in right:
        return False
    return known.is_whole or guid in known.nodes or guid in known.ports


def _members(manager: Manager, known: Known) -> Iterator[Fault]:
    nodes = _named_nodes(manager)
    for one in manager.partitions:
        for member in one.members:
            if not member.name.startswith("0x"):
                continue
            guid = int(member.name, 16)
            if guid in nodes and guid not in known.ports:
                known.nodes.setdefault(guid, nodes[guid])
            if _is_foreign(guid, known.ports, known):
                effect = "it is silently left out of the partition"
                key = f"partition {one.name}"
                yield _foreign(manager, key, guid, known, effect, member.evidence)


def _named_nodes(manager: Manager) -> dict[int, str]:
    """Node GUIDs that the manager's other files name."""
    names = known_or(manager.config.names, {})
    roots = manager.config.roots
    found = dict.fromkeys(roots.guids, "a root") if is_known(roots) else {}
    return found | dict(names)


def _roots(manager: Manager, known: Known) -> Iterator[Fault]:
    roots = manager.config.roots
    if not is_known(roots):
        return
    for guid in roots.guids:
        if _is_foreign(guid, known.nodes, known):
            effect = "without any root that it finds updn fails, and minhop routes the fabric"
            yield _foreign(manager, "root_guid_file", guid, known, effect, roots.evidence)
        elif guid in known.with_hosts:
            yield manager.fault(
                "root_guid_file",
                expected="switches without hosts",
                found=f"{known.nodes.get(guid, hex(guid))}, which has hosts",
                effect="updn ranks the fabric from a leaf: long and unbalanced routes",
                at=roots.evidence,
                severity=Severity.WARNING,
            )


def _foreign(
    manager: Manager, key: str, guid: int, known: Known, effect: str, at: Evidence
) -> Fault:
    wants_node = key == "root_guid_file"
    others = known.ports if wants_node else known.nodes
    what = "port GUID" if wants_node else "node GUID"
    found = f"0x{guid:016x}"
    if guid in others:
        found += f", the {what} of {others[guid]}"
    return manager.fault(
        key,
        expected="a node GUID of the fabric" if wants_node else "a port GUID of the fabric",
        found=found,
        effect=effect,
        at=at,
    )


@rule(
    "sm-group-above-port",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="linux-rdma/opensm osm_sa_mcmember_record.c: a port below the group cannot join",
    is_proof=False,
)
def sm_group_above_port(fabric: FabricView) -> Iterator[Fault]:
    """A multicast group asks for more MTU or rate than a member's port has.

    Why: the group is made, and the weaker port cannot join it: its IPoIB interface stays
        down while all others work.
    Bad: rate=21 (400 Gb/s), and one adapter at 4xHDR.
    Good: the MTU and rate of the weakest member.
    Fix: lower mtu and rate of the partition, or leave them out.
    """
    ports = list(_adapter_ports(fabric))
    for manager in managers(fabric):
        for one in manager.partitions:
            if one.is_ipoib:
                yield from _above(manager, one, _members_among(one, ports))


def _adapter_ports(fabric: FabricView) -> Iterator[tuple[str, IbPort]]:
    for device in fabric.record.devices.values():
        seen = device.seen_subnet
        for node in seen.nodes.values() if is_known(seen) else ():
            if node.is_host:
                yield from ((str(node.place(number)), port) for number, port in node.ports.items())


def _members_among(
    one: SmPartition, ports: list[tuple[str, IbPort]]
) -> Iterator[tuple[str, IbPort]]:
    names = frozenset(member.name for member in one.members)
    are_all = bool(names & {"ALL", "ALL_CAS"})
    for name, port in ports:
        if are_all or (is_known(port.guid) and f"0x{port.guid:016x}" in names):
            yield name, port


def _above(
    manager: Manager, one: SmPartition, members: Iterator[tuple[str, IbPort]]
) -> Iterator[Fault]:
    weak: dict[str, list[tuple[int, str]]] = {"mtu": [], "rate": []}
    for name, port in members:
        for key, asked, had in (
            ("mtu", one.mtu_bytes, port.mtu_cap),
            ("rate", one.rate_bps, port.rate_bps),
        ):
            if is_known(asked) and is_known(had) and had < asked:
                weak[key].append((had, name))
    for key, found in weak.items():
        if found:
            least, name = min(found)
            more = f", and {len(found) - 1} more" if len(found) > 1 else ""
            yield manager.fault(
                f"partition {one.name}",
                expected=f"{key} of at most {_quantity(key, least)}",
                found=_quantity(key, one.mtu_bytes if key == "mtu" else one.rate_bps),
                effect=f"{name} cannot join{more}",
                at=one.evidence,
            )


def _quantity(key: str, value: object) -> str:
    if key == "mtu" or not isinstance(value, int):
        return f"{value} bytes"
    return f"{value / 1_000_000_000:g} Gb/s"
