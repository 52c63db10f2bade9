"""Links that neighbours tell of (LLDP), where no intent says them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from netcheck.model.device import Device, Neighbour, Port, Role
from netcheck.model.fabric import Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known

HOSTS = frozenset({"linux", "esxi"})


def links_from_neighbours(devices: Mapping[str, Device]) -> tuple[Link, ...]:
    """Links between the given devices that one end tells and the other does not deny."""
    found: dict[frozenset[PortRef], Link] = {}
    for here, there in _told(devices):
        denied = is_known(_neighbour(devices, there)) and _told_by(devices, there) != here
        if not denied:
            evidence = devices[here.device].find_evidence(f"port {here.port}", "neighbour")
            found.setdefault(frozenset({here, there}), Link(here, there, evidence=evidence))
    return tuple(found.values())


def _told(devices: Mapping[str, Device]) -> Iterator[tuple[PortRef, PortRef]]:
    for device in devices.values():
        for port in device.ports.values():
            here = PortRef(device.name, port.name)
            there = _told_by(devices, here)
            if there is not None:
                yield here, there


def _told_by(devices: Mapping[str, Device], end: PortRef) -> PortRef | None:
    """The far end as ``end`` tells it, where that is one of the devices."""
    neighbour = _neighbour(devices, end)
    return _resolve(devices, neighbour) if is_known(neighbour) else None


def _neighbour(devices: Mapping[str, Device], end: PortRef) -> Known[Neighbour]:
    return devices[end.device].ports[end.port].neighbour


def _resolve(devices: Mapping[str, Device], neighbour: Neighbour) -> PortRef | None:
    """Find the port that a neighbour names by its name or alias."""
    device = devices.get(neighbour.device) or devices.get(neighbour.device.partition(".")[0])
    if device is None:
        return None
    port = device.ports.get(neighbour.port) or _by_alias(device.ports, neighbour.port)
    return PortRef(device.name, port.name) if port is not None else None


def _by_alias(ports: Mapping[str, Port], alias: str) -> Port | None:
    return next((port for port in ports.values() if port.alias == alias), None)


def with_certain_roles(
    devices: Mapping[str, Device], links: tuple[Link, ...]
) -> FrozenMap[str, Device]:
    """Roles that cannot be otherwise: a host by its platform, a leaf by a host next to it."""
    hosts = {name for name, device in devices.items() if device.platform in HOSTS}
    beside = {
        end.device
        for link in links
        for end in (link.a, link.b)
        if link.other(end).device in hosts and end.device not in hosts
    }
    certain = {**dict.fromkeys(hosts, Role.HOST), **dict.fromkeys(beside, Role.LEAF)}
    return FrozenMap(
        {
            name: replace(device, role=certain[name])
            if device.role is UNKNOWN and name in certain
            else device
            for name, device in devices.items()
        }
    )
