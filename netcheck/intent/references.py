"""Names that an intent uses have to be declared in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcheck.intent.check import schema
from netcheck.intent.complaint import Complaints, suggest
from netcheck.intent.fields import NONE
from netcheck.intent.jobs import AUTO, AUTOMATIC
from netcheck.intent.members import check_subnets
from netcheck.intent.nodes import Node
from netcheck.model.cables import is_reached
from netcheck.model.device import Device, LinkLayer, Role
from netcheck.model.document import Evidence
from netcheck.model.fabric import Aggregate, Fabric, PortRef
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.platforms.platform import platform_names

Said = Iterator[tuple[Evidence, str]]


def check_references(fabric: Fabric, complaints: Complaints, *, deployable: bool) -> None:
    """Add a complaint for every name that nothing declares.

    Args:
        fabric: What was loaded.
        complaints: Takes the complaints.
        deployable: Also ask for all that deployment needs.
    """
    checks = [_links(fabric), _aggregates(fabric), _breakouts(fabric), _management(fabric)]
    checks.append(check_subnets(fabric, deployable=deployable))
    if deployable:
        checks += [_missing(fabric), _managers(fabric)]
        _check_ports(fabric, complaints)
    for check in checks:
        for at, message in check:
            complaints.add(at, message)


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    return f"{what} {name} is not declared{suggest(name, known)}"


def check_names(root: Node, complaints: Complaints) -> None:
    """Add a complaint for every policy, login and platform that is named and does not exist."""
    roce = root.mapping.get("roce")
    tables = {
        "policy": _keys(roce, "policies") if roce else frozenset(),
        "credentials": _keys(root, "credentials"),
        "platform": frozenset((*schema()["$defs"]["platform"]["examples"], *platform_names())),
    }
    owners = [("roce", roce)] if roce else []
    owners += [
        (f"{key}.{name}", node) for key in ("roles", "devices") for name, node in _items(root, key)
    ]
    for path, owner in owners:
        inner = [
            (f"{path}.{key}.{name}", node)
            for key in ("ports", "rdma")
            for name, node in _items(owner, key)
        ]
        for place, node in ((path, owner), *inner):
            _check_owner(place, node, tables, complaints)


def check_automatic(root: Node, complaints: Complaints) -> None:
    """Add a complaint for every job variable that is ``auto`` and cannot be computed."""
    for family, variables in _items(root, "jobs"):
        for name, node in variables.mapping.items():
            if node.value == AUTO and name not in AUTOMATIC:
                hint = suggest(name, AUTOMATIC)
                message = f"jobs.{family}.{name}: {AUTO} cannot be computed for it{hint}"
                complaints.add_first(node.at, message)


def _items(node: Node, key: str) -> Iterable[tuple[str, Node]]:
    inner = node.mapping.get(key)
    return inner.mapping.items() if inner else ()


def _keys(node: Node, key: str) -> frozenset[str]:
    return frozenset(name for name, _ in _items(node, key))


def _check_owner(
    path: str, owner: Node, tables: dict[str, frozenset[str]], complaints: Complaints
) -> None:
    for key, declared in tables.items():
        node = owner.mapping.get(key)
        if node is None or not isinstance(node.value, str):
            continue
        if node.value not in declared and not (key == "policy" and node.value == NONE):
            wrong = "is no platform" if key == "platform" else "is not declared"
            hint = suggest(node.value, declared)
            complaints.add_first(node.at, f"{path}.{key}: {node.value} {wrong}{hint}")


def _links(fabric: Fabric) -> Said:
    if not fabric.devices:
        return
    ports = {name: device.ports.keys() for name, device in fabric.devices.items()}
    used: dict[PortRef, Evidence] = {}
    for link in fabric.links:
        for end in (link.a, link.b):
            if end.port not in ports.get(end.device, ()):
                yield from _end(fabric, end, link.evidence)
            before = len(used)
            first = used.setdefault(end, link.evidence)
            if len(used) == before:
                yield link.evidence, f"{end}: already has a link, in {first.file}:{first.line}"


def _end(fabric: Fabric, end: PortRef, at: Evidence) -> Said:
    device = fabric.devices.get(end.device)
    if device is None:
        yield at, _unknown("device", end.device, fabric.devices)
    elif end.port not in device.ports and end.port not in _aggregate_names(fabric, device):
        yield at, f"{end}: {end.device} has no such port{suggest(end.port, device.ports)}"


def _management(fabric: Fabric) -> Said:
    """Two devices at one address: what is meant for one would reach the other."""
    seen: dict[tuple[str, Known[int]], str] = {}
    for device in fabric.devices.values():
        if not is_known(device.mgmt):
            continue
        first = seen.setdefault((device.mgmt, device.mgmt_port), device.name)
        if first != device.name:
            message = f"{device.name}: mgmt {device.mgmt} is that of {first}"
            yield device.evidence["device"], message


def _aggregate_names(fabric: Fabric, device: Device) -> set[str]:
    return {one.name for one in fabric.aggregates if one.device == device.name}


def _aggregates(fabric: Fabric) -> Said:
    for aggregate in fabric.aggregates:
        device = fabric.devices[aggregate.device]
        at = device.evidence["device"]
        for member in aggregate.members:
            if member not in device.ports:
                hint = suggest(member, device.ports)
                yield at, f"{device.name} {aggregate.name}: member {member} is no port{hint}"
        yield from _peer(fabric, aggregate, at)


def _breakouts(fabric: Fabric) -> Said:
    """A port that is broken out is there no more, unless its first part keeps the name."""
    for device in fabric.devices.values():
        for port in device.ports.values():
            if port.parent is UNKNOWN or not is_known(port.parent):
                continue
            whole = device.ports.get(port.parent)
            if whole is not None and whole.parent != port.parent:
                at = device.find_evidence(f"port {port.name}")
                message = f"parent {port.parent} is declared as a port of its own"
                hint = f"say parent: {port.parent} there too, or take it out"
                yield at, f"{device.name} {port.name}: {message}; {hint}"


def _peer(fabric: Fabric, aggregate: Aggregate, at: Evidence) -> Said:
    peer = aggregate.mlag_peer
    if is_known(peer) and peer not in fabric.devices:
        yield at, _unknown(f"{aggregate.device} {aggregate.name}: mlag_peer", peer, fabric.devices)


def _managers(fabric: Fabric) -> Said:
    start = Evidence(fabric.sources[0], 1) if fabric.sources else Evidence()
    for subnet in fabric.subnets.values():
        names = subnet.subnet_managers if is_known(subnet.subnet_managers) else ()
        for name in names:
            if name not in fabric.devices:
                yield start, _unknown(f"subnet {subnet.name}: manager", name, fabric.devices)


def _missing(fabric: Fabric) -> Said:
    """What deployment cannot do without."""
    for device in fabric.devices.values():
        if not is_reached(device):
            continue
        needed: dict[str, Known[object]] = {
            "role": device.role,
            "platform": device.platform,
            "mgmt": device.mgmt,
            "credentials": device.credentials,
        }
        missing = [key for key, value in needed.items() if not is_known(value)]
        if missing:
            words = ", ".join(missing)
            yield (
                device.evidence["device"],
                f"{device.name}: has no {words}; needed to read or change it",
            )
        for rdma in device.rdma.values():
            if not rdma.ports:
                at = device.find_evidence(f"rdma {rdma.name}")
                yield at, f"{device.name} {rdma.name}: has no port; needed to deploy"


def _check_ports(fabric: Fabric, complaints: Complaints) -> None:
    """Ask for the speed and the policy of every port of a switch that is deployed to."""
    switches = [one for one in fabric.devices.values() if one.role is not Role.HOST]
    for device in filter(is_reached, switches):
        for port in device.ports.values():
            if port.link_layer is LinkLayer.INFINIBAND or port.policy is ABSENT:
                continue
            at = device.find_evidence(f"port {port.name}")
            if not is_known(port.speed_bps):
                message = "has no speed, needed for headroom"
                complaints.add_port(at, device.name, port.name, message)
            if not is_known(port.policy) and fabric.policies:
                message = "has no policy; say none to end RDMA there"
                complaints.add_port(at, device.name, port.name, message)
