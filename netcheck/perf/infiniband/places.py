"""The subnet as it was discovered, in the names of the intent: links, addresses, rates.

What is measured is what is cabled, so links are those that ``ibnetdiscover``
shows, also where the intent states its own: whether the two agree is verified
elsewhere.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from netcheck.model.cables import Cables, is_host, port_number
from netcheck.model.device import Device, LinkLayer, Port, RdmaDevice, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.guids import is_in
from netcheck.model.infiniband import IbNode, IbPort, IbSubnet
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.subnets import Subnet

Spot = tuple[str, int]
"""Key of a node, and the number of its port."""


@dataclass(frozen=True, slots=True)
class Place:
    """One port of the subnet: how counters are asked for, and what they are worth.

    Attributes:
        lid: Address of its node.
        tick: Length of a tick of PortXmitWait, as its PortSamplesControl says.
    """

    lid: int
    number: int
    node: IbNode
    port: IbPort
    tick: int | None = None


@dataclass(frozen=True)
class Places:
    """A subnet with names.

    Attributes:
        fabric: The intent with the links that were seen, and with switches that it lacks.
        at: Shape: ``port in the intent's names -> place``.
        guids: Shape: ``(host, RDMA device) -> port GUID``.
        second: Adapters that are cabled by another port than their first.
    """

    fabric: Fabric
    at: Mapping[PortRef, Place] = field(default_factory=dict)
    guids: Mapping[tuple[str, str], int] = field(default_factory=dict)
    second: frozenset[PortRef] = frozenset()


def places_of(fabric: Fabric, subnet: Subnet, seen: IbSubnet) -> Places:
    """Name what was seen as the intent does."""
    return _Naming(fabric, subnet, seen).places()


@dataclass
class _Naming:
    fabric: Fabric
    subnet: Subnet
    seen: IbSubnet
    device_of: dict[str, str] = field(default_factory=dict)
    adapter_of: dict[str, RdmaDevice] = field(default_factory=dict)

    def places(self) -> Places:
        """Adapters and switches by GUID or name, other switches by their cables."""
        for node in self.seen.nodes.values():
            if node.is_host:
                self._name_adapter(node)
            elif name := self._said_switch(node):
                self.device_of[node.key] = name
        while self._name_by_cables():
            pass
        links = tuple(dict.fromkeys(self._links()))
        at = {self._ref(*spot): place for spot, place in self._cabled()}
        devices = dict(self._devices(links, at))
        named = replace(self.fabric, links=links, devices=self.fabric.devices.with_items(devices))
        return Places(named, at, dict(self._guids()), frozenset(self._second(at)))

    @cached_property
    def _by_guid(self) -> dict[int, tuple[str, RdmaDevice]]:
        return {
            one.port_guid: (device.name, one)
            for device in self.fabric.devices.values()
            for one in self._own(device)
            if is_known(one.port_guid)
        }

    @cached_property
    def _switches(self) -> dict[int, str]:
        devices = self.fabric.devices.values()
        return {one.node_guid: one.name for one in devices if is_known(one.node_guid)}

    @cached_property
    def _planned(self) -> tuple[Link, ...]:
        return Cables(self.fabric).of_subnet(self.subnet.name)

    def _own(self, device: Device) -> list[RdmaDevice]:
        return [one for one in device.rdma.values() if is_in(self.subnet, one, self.fabric)]

    def _name_adapter(self, node: IbNode) -> None:
        guids = [port.guid for port in node.ports.values() if is_known(port.guid)]
        found = next((self._by_guid[guid] for guid in guids if guid in self._by_guid), None)
        device = self.fabric.devices.get(node.device)
        if found is None and device is not None:
            own = self._own(device)
            fit = [one for one in own if one.name == node.adapter or not node.adapter]
            found = (device.name, fit[0]) if len(fit) == 1 else None
        if found is not None:
            self.device_of[node.key], self.adapter_of[node.key] = found

    def _said_switch(self, node: IbNode) -> str:
        if is_known(node.guid) and node.guid in self._switches:
            return self._switches[node.guid]
        named = self.fabric.devices.get(node.device)
        return named.name if named is not None and not is_host(named) else ""

    def _name_by_cables(self) -> bool:
        """Name one more switch: the one that most cables of the intent lead to."""
        keys: dict[str, list[str]] = {}
        for key, name in self.device_of.items():
            keys.setdefault(name, []).append(key)
        votes: Tally[tuple[str, str]] = Tally()
        for link in self._planned:
            for near, far in ((link.a, link.b), (link.b, link.a)):
                if far.device in keys or is_host(self.fabric.devices[far.device]):
                    continue
                peers = (self._switch_at(key, near.port) for key in keys.get(near.device, ()))
                votes.update((peer, far.device) for peer in peers if peer)
        for (key, name), _ in votes.most_common(1):
            self.device_of[key] = name
        return bool(votes)

    def _switch_at(self, key: str, port: str) -> str:
        """Key of the unnamed switch that is seen at the far end of a named node's port."""
        rdma = self.adapter_of.get(key)
        if rdma is not None and port not in rdma.ports:
            return ""
        number = rdma.ports.index(port) + 1 if rdma else port_number(port)
        found = self.seen.nodes[key].ports.get(number or 0)
        peer = found.peer if found is not None else UNKNOWN
        is_new = is_known(peer) and peer.node not in self.device_of
        return peer.node if is_known(peer) and is_new and self._is_switch(peer.node) else ""

    def _is_switch(self, key: str) -> bool:
        return key in self.seen.nodes and not self.seen.nodes[key].is_host

    def _cabled(self) -> Iterator[tuple[Spot, Place]]:
        for key, node in self.seen.nodes.items():
            for number, port in node.ports.items():
                lid = port.lid if node.is_host and is_known(port.lid) else node.lid
                if is_known(port.peer) and is_known(lid):
                    yield (key, number), Place(lid, number, node, port)

    def _links(self) -> Iterator[Link]:
        for (key, number), place in self._cabled():
            peer = place.port.peer
            if is_known(peer) and peer.node in self.seen.nodes:
                a, b = sorted((self._ref(key, number), self._ref(peer.node, peer.port)))
                yield Link(a, b)

    def _ref(self, key: str, number: int) -> PortRef:
        node, rdma = self.seen.nodes[key], self.adapter_of.get(key)
        name = self.device_of.get(key)
        if name is None:
            place = node.place(number)
            return PortRef(place.device, place.port)
        if rdma is not None:
            ports = rdma.ports
            return PortRef(name, ports[number - 1] if number <= len(ports) else rdma.name)
        known = {port_number(port): port for port in self.fabric.devices[name].ports}
        return PortRef(name, known.get(number, str(number)))

    def _guids(self) -> Iterator[tuple[tuple[str, str], int]]:
        for key, rdma in self.adapter_of.items():
            for port in self.seen.nodes[key].ports.values():
                if is_known(port.guid) and is_known(port.peer):
                    yield (self.device_of[key], rdma.name), port.guid

    def _second(self, at: Mapping[PortRef, Place]) -> Iterator[PortRef]:
        for ref, place in at.items():
            if place.node.is_host and place.number > 1:
                yield ref

    def _devices(
        self, links: Iterable[Link], at: Mapping[PortRef, Place]
    ) -> Iterator[tuple[str, Device]]:
        """Devices on the links, with what paths and rates need of them."""
        tiers = _distances(links, {ref.device for ref, place in at.items() if place.node.is_host})
        for name, tier in tiers.items():
            known = self.fabric.devices.get(name)
            if known is None:
                yield name, Device(name, role=UNPLANNED if tier else Role.HOST, tier=tier)
            elif tier == 0:
                yield name, self._host(known, at)
            elif not is_known(known.role) and not is_known(known.tier):
                yield name, replace(known, tier=tier)

    def _host(self, device: Device, at: Mapping[PortRef, Place]) -> Device:
        rdma = {
            one.name: replace(one, link_layer=LinkLayer.INFINIBAND)
            for key, one in self.adapter_of.items()
            if self.device_of[key] == device.name
        }
        ports = {}
        for one in rdma.values():
            for name in one.ports:
                port = device.ports.get(name, Port(name))
                place = at.get(PortRef(device.name, name))
                rate = place.port.rate_bps if place else port.speed_bps
                speed = port.speed_bps if is_known(port.speed_bps) else rate
                ports[name] = replace(port, speed_bps=speed, link_layer=LinkLayer.INFINIBAND)
        return replace(
            device,
            role=Role.HOST,
            rdma=device.rdma.with_items(rdma),
            ports=device.ports.with_items(ports),
        )


UNPLANNED = Role.LEAF  # of a switch that the intent does not name: its tier says where it is


def _distances(links: Iterable[Link], hosts: set[str]) -> dict[str, int]:
    """Cables from the nearest host, by device: the tier of a switch in a tree."""
    near: dict[str, set[str]] = {}
    for link in links:
        near.setdefault(link.a.device, set()).add(link.b.device)
        near.setdefault(link.b.device, set()).add(link.a.device)
    found = dict.fromkeys(sorted(hosts & near.keys()), 0)
    layer = list(found)
    while layer:
        layer = sorted({far for name in layer for far in near[name] if far not in found})
        steps = max(found.values()) + 1
        found |= dict.fromkeys(layer, steps)
    return found
