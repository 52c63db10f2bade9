"""An intended subnet beside a seen one: which node is which device, which cable which link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from netcheck.lossless.seen import Cable, Seen
from netcheck.model.cables import Cables, is_host, port_number
from netcheck.model.device import Device
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.finding import Place
from netcheck.model.infiniband import LANE_BPS, IbEnd, IbNode, NodeKind, guid_key
from netcheck.model.known import is_known
from netcheck.model.subnets import Subnet

USUAL_WIDTH: Final = 4


@dataclass(frozen=True)
class Planned:
    """One intended fabric beside one seen subnet."""

    seen: Seen
    plan: Fabric
    cables: Cables

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], str]:
        """Key of each node by the names that its description holds, in small letters."""
        found: dict[tuple[str, str], str] = {}
        for key, node in self.seen.subnet.nodes.items():
            names = (node.device.partition(".")[0].lower(), node.adapter.lower())
            found.setdefault(names, key)
        return found

    @cached_property
    def _by_port_guid(self) -> Mapping[int, IbEnd]:
        return {
            port.guid: IbEnd(key, number)
            for key, node in self.seen.subnet.nodes.items()
            if node.kind is not NodeKind.SWITCH
            for number, port in node.ports.items()
            if is_known(port.guid)
        }

    def node(self, device: Device) -> str | None:
        """Give the key of a switch's node: by its GUID, else by its name."""
        nodes = self.seen.subnet.nodes
        guid = device.node_guid
        if not is_known(guid):
            guid = next(
                (
                    one.node_guids[device.name]
                    for one in self._subnets
                    if device.name in one.node_guids
                ),
                0,
            )
        if guid and guid_key(guid) in nodes:
            return guid_key(guid)
        if is_known(device.node_guid):
            return None
        return self._by_name.get((device.name.partition(".")[0].lower(), ""))

    @property
    def _subnets(self) -> tuple[Subnet, ...]:
        return tuple(self.plan.subnets.values())

    def end(self, place: PortRef) -> IbEnd | None:
        """Give the end that an intended port is; None where its node is not seen."""
        device = self.plan.devices.get(place.device)
        if device is None:
            return None
        if not is_host(device):
            number, key = port_number(place.port), self.node(device)
            return IbEnd(key, number) if number is not None and key is not None else None
        found = self.cables.adapter_at(place)
        if found is None:
            return None
        rdma, number = found
        if is_known(rdma.port_guid):
            at = self._by_port_guid.get(rdma.port_guid)
            if at is not None:
                return IbEnd(at.node, at.port + number - 1)
        host = device.name.partition(".")[0].lower()
        key = self._by_name.get((host, rdma.name.lower()))
        if key is None and len(device.rdma) == 1:
            key = self._by_name.get((host, ""))
        return IbEnd(key, number) if key is not None else None

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Intended links of the subnet that is seen: those of which an end is in it."""
        return tuple(
            link
            for link in self.cables.links
            if self.end_of[link.a] is not None or self.end_of[link.b] is not None
        )

    @cached_property
    def end_of(self) -> Mapping[PortRef, IbEnd | None]:
        """Seen end of each intended one."""
        places = (place for link in self.cables.links for place in (link.a, link.b))
        return {place: self.end(place) for place in places}

    @cached_property
    def place_of(self) -> Mapping[IbEnd, PortRef]:
        """Intended end of each seen one."""
        return {end: place for place, end in self.end_of.items() if end is not None}

    @cached_property
    def devices(self) -> Mapping[str, str]:
        """Name of the intended device by the key of its node."""
        return {end.node: place.device for place, end in self.end_of.items() if end is not None}

    def place(self, end: IbEnd) -> Place:
        """Give a place in the intent's own words, where it has the port."""
        known = self.place_of.get(end)
        if known is None:
            return self.seen.place(end)
        device = self.plan.devices[known.device]
        found = self.cables.adapter_at(known) if is_host(device) else None
        return Place(known.device, known.port if found is None else found[0].name)

    def rate(self, cable: Cable) -> tuple[int, str] | None:
        """Give the width and speed that the intent asks of a link; None where it does not say."""
        rates = []
        for end in cable:
            place = self.place_of.get(end)
            port = self.plan.devices[place.device].ports.get(place.port) if place else None
            if port is None or not is_known(port.speed_bps):
                continue
            width = port.lanes if is_known(port.lanes) else USUAL_WIDTH
            speed = next(
                (name for name, bps in LANE_BPS.items() if bps * width == port.speed_bps), ""
            )
            if speed:
                rates.append((width, speed))
        if rates:
            return min(rates, key=lambda rate: rate[0] * LANE_BPS[rate[1]])
        return self._expected(cable)

    def _expected(self, cable: Cable) -> tuple[int, str] | None:
        """What the subnet expects of all its links."""
        running = self.seen.runs(cable)
        for subnet in self._subnets:
            width, speed = subnet.expect.width, subnet.expect.speed
            if not is_known(width) and not is_known(speed):
                continue
            lanes = width if is_known(width) else running.width
            name = speed if is_known(speed) else running.speed
            if is_known(lanes) and is_known(name):
                return lanes, name
        return None

    def is_stated(self) -> bool:
        """Whether the intent says that its links are all there are."""
        return any(subnet.expect.are_cables_stated is True for subnet in self._subnets)

    def is_mine(self, node: IbNode) -> bool:
        """Whether a seen node is one of the intent's devices."""
        return node.key in self.devices


_KEPT: Final[list[Planned]] = []


def planned_at(seen: Seen, plan: Fabric) -> Planned:
    """Give an intent beside a subnet, built once for all rules."""
    for one in _KEPT:
        if one.seen is seen and one.plan is plan:
            return one
    del _KEPT[7:]
    _KEPT.insert(0, Planned(seen, plan, Cables(plan)))
    return _KEPT[0]
