"""InfiniBand cables of an intended fabric: which links, in which subnet, with which GUIDs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from netcheck.model.device import Device, LinkLayer, RdmaDevice, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.known import is_known

# The second bit says "given by whoever runs the network", as in an Ethernet address (EUI-64).
_MADE_UP: Final = 0x02 << 56
_CAGE: Final = re.compile(r"\d+/(?P<cage>\d+)/(?P<half>[12])")
_LAST: Final = re.compile(r"(?P<number>\d+)$")
_NETWORK: Final = frozenset({Role.LEAF, Role.SPINE, Role.SUPERSPINE, Role.BORDER, Role.ROUTER})


def port_number(name: str) -> int | None:
    """Give the number that InfiniBand knows a switch's port by; None where the name has none.

    A cage of two ports (``1/5/2``) counts both: 10.

    Source: NVIDIA QM9700 user manual (ports 1/1/1 to 1/32/2), MLNX-OS (``IB1/5``).

    Example:
        >>> [port_number(name) for name in ("7", "IB1/5", "swp12", "1/5/2", "mgmt")]
        [7, 5, 12, 10, None]
    """
    cage = _CAGE.search(name)
    if cage:
        return 2 * (int(cage["cage"]) - 1) + int(cage["half"])
    found = _LAST.search(name)
    return int(found["number"]) if found else None


def made_up_guid(name: str) -> int:
    """Give a GUID for a name that has none: the same at every run, marked as made up.

    The last hexadecimal digit is left at zero for the ports.
    """
    from hashlib import sha256  # noqa: PLC0415 -- few intents need it, and all are loaded

    digest = sha256(name.encode()).digest()
    return _MADE_UP | (int.from_bytes(digest[:7], "big") & ~0xF)


def adapter_guids(device: str, rdma: RdmaDevice) -> tuple[int, int]:
    """Give node and port GUID of an adapter: as said, else made from its name."""
    if is_known(rdma.port_guid):
        node = rdma.node_guid if is_known(rdma.node_guid) else rdma.port_guid
        return node, rdma.port_guid
    made = rdma.node_guid if is_known(rdma.node_guid) else made_up_guid(f"{device} {rdma.name}")
    return made, made + 1


def switch_guid(device: Device) -> int:
    """Give the GUID of a switch: as said, else made from its name."""
    return device.node_guid if is_known(device.node_guid) else made_up_guid(device.name)


def with_guids(fabric: Fabric) -> Fabric:
    """Give the fabric with a made-up GUID for every InfiniBand switch and adapter without one.

    For simulation: what is rendered for a real fabric has its own GUIDs.
    """
    cables = Cables(fabric)
    devices = {}
    for name in cables.devices:
        device = fabric.devices[name]
        if not is_host(device):
            devices[name] = replace(device, node_guid=switch_guid(device))
            continue
        rdma = {}
        for one in cables.adapters(name):
            node, port = adapter_guids(name, one)
            rdma[one.name] = replace(one, node_guid=node, port_guid=port)
        devices[name] = replace(device, rdma=device.rdma.with_items(rdma))
    return replace(fabric, devices=fabric.devices.with_items(devices))


def is_host(device: Device) -> bool:
    """A device whose ports are adapters': by its role, else because it has RDMA devices."""
    if is_known(device.role):
        return device.role not in _NETWORK
    return bool(device.rdma)


def is_reached(device: Device) -> bool:
    """Whether netcheck logs in to a device: not to one that its subnet manager alone serves.

    That is a switch or a host with InfiniBand only, whose intent says no management address.
    """
    if is_known(device.mgmt):
        return True
    if is_host(device):
        adapters = device.rdma.values()
        return not adapters or any(one.link_layer is not LinkLayer.INFINIBAND for one in adapters)
    if not device.ports:
        return True
    return not all(port.link_layer is LinkLayer.INFINIBAND for port in device.ports.values())


@dataclass(frozen=True)
class Cables:
    """The InfiniBand links of an intended fabric.

    A link is one where an end says so (its port or RDMA device has link layer
    InfiniBand); a switch with one such link has no others.
    """

    fabric: Fabric

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """All InfiniBand links, in order."""
        known = [link for link in self.fabric.links if self._ends_known(link)]
        switches: set[str] = set()
        todo = {end.device for link in known for end in (link.a, link.b)}
        while todo:
            name = todo.pop()
            if name in switches or not self._is_switch(name):
                continue
            switches.add(name)
            todo |= {link.other(end).device for link in self._at(name) for end in _ends(link, name)}
        return tuple(
            link
            for link in self.fabric.links
            if link.a.device in switches or link.b.device in switches or self._ends_known(link)
        )

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """Names of the devices on them, in order of the fabric."""
        named = {end.device for link in self.links for end in (link.a, link.b)}
        return tuple(name for name in self.fabric.devices if name in named)

    def of_subnet(self, subnet: str) -> tuple[Link, ...]:
        """Give the links of one subnet.

        Where the fabric has several, a part of it belongs to the subnet that its
        RDMA devices name, else to that whose subnet manager is in it.
        """
        if len(self.fabric.subnets) <= 1:
            return self.links
        return tuple(
            link for part in self._parts() for link in part if subnet in self._subnets_of(part)
        )

    def adapters(self, host: str) -> tuple[RdmaDevice, ...]:
        """Give the RDMA devices of a host whose ports are on InfiniBand links."""
        on_links = self._ports_on_links.get(host, frozenset())
        return tuple(
            one
            for one in self.fabric.devices[host].rdma.values()
            if one.link_layer is LinkLayer.INFINIBAND or on_links.intersection(one.ports)
        )

    def adapter_at(self, end: PortRef) -> tuple[RdmaDevice, int] | None:
        """Give the RDMA device behind a host's port, and the number of the port at it."""
        device = self.fabric.devices.get(end.device)
        for one in device.rdma.values() if device else ():
            if end.port in one.ports:
                return one, one.ports.index(end.port) + 1
        return None

    @cached_property
    def _ports_on_links(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for link in self.links:
            for end in (link.a, link.b):
                found.setdefault(end.device, set()).add(end.port)
        return {name: frozenset(ports) for name, ports in found.items()}

    @cached_property
    def _by_device(self) -> dict[str, list[Link]]:
        found: dict[str, list[Link]] = {}
        for link in self.fabric.links:
            for name in {link.a.device, link.b.device}:
                found.setdefault(name, []).append(link)
        return found

    def _at(self, name: str) -> list[Link]:
        return self._by_device.get(name, [])

    def _is_switch(self, name: str) -> bool:
        device = self.fabric.devices.get(name)
        return device is not None and not is_host(device)

    def _ends_known(self, link: Link) -> bool:
        return any(self._is_infiniband(end) for end in (link.a, link.b))

    def _is_infiniband(self, end: PortRef) -> bool:
        device = self.fabric.devices.get(end.device)
        if device is None:
            return False
        port = device.ports.get(end.port)
        if port is not None and port.link_layer is LinkLayer.INFINIBAND:
            return True
        found = self.adapter_at(end)
        return found is not None and found[0].link_layer is LinkLayer.INFINIBAND

    def _parts(self) -> list[list[Link]]:
        """Links by connected part; hosts do not join parts, for each of their ports is its own."""
        part_of: dict[str, list[Link]] = {}
        parts: list[list[Link]] = []
        for link in self.links:
            known = [part_of[key] for key in _keys(link, self) if key in part_of]
            part = known[0] if known else []
            for other in known[1:]:
                if other is not part:
                    part += other
                    part_of.update({key: part for one in other for key in _keys(one, self)})
                    parts.remove(other)
            if not known:
                parts.append(part)
            part.append(link)
            part_of.update(dict.fromkeys(_keys(link, self), part))
        return parts

    def _subnets_of(self, part: Iterable[Link]) -> frozenset[str]:
        ends = [end for link in part for end in (link.a, link.b)]
        found = [self.adapter_at(end) for end in ends]
        said = frozenset(one[0].subnet for one in found if one and is_known(one[0].subnet))
        if said:
            return said
        hosts = {end.device for end in ends}
        return frozenset(
            name
            for name, subnet in self.fabric.subnets.items()
            if is_known(subnet.subnet_managers) and hosts.intersection(subnet.subnet_managers)
        )


def _ends(link: Link, name: str) -> tuple[PortRef, ...]:
    return tuple(end for end in (link.a, link.b) if end.device == name)


def _keys(link: Link, cables: Cables) -> list[str]:
    """What a link is joined to others by: its switches, and the port of a host."""
    return [
        end.device if cables._is_switch(end.device) else str(end)  # noqa: SLF001 -- same module
        for end in (link.a, link.b)
    ]
