"""A subnet as rules look at it: its links, its switches by number, and where hosts are.

Built once for each subnet and each intent, for a large one takes seconds to walk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from netcheck.lossless.channels import Network
from netcheck.model.document import Evidence
from netcheck.model.finding import Place
from netcheck.model.infiniband import IbEnd, IbNode, IbPort, IbSubnet, NodeKind, PortState
from netcheck.model.known import UnknownFactError, is_known

LARGEST_UNICAST_LID: Final = 0xBFFF


class Cable(NamedTuple):
    """A link between two ports that are both known, the smaller end first."""

    a: IbEnd
    b: IbEnd


@dataclass(frozen=True)
class Seen:
    """One subnet and the device at which it was read."""

    device: str
    subnet: IbSubnet

    @cached_property
    def cables(self) -> tuple[Cable, ...]:
        """Each link once, in order of the nodes."""
        found: dict[Cable, None] = {}
        for key, node in self.subnet.nodes.items():
            for number, port in node.ports.items():
                if is_known(port.peer) and port.peer.node in self.subnet.nodes:
                    here = IbEnd(key, number)
                    ends = sorted((here, port.peer), key=_order)
                    found.setdefault(Cable(*ends))
        return tuple(found)

    @cached_property
    def switches(self) -> tuple[IbNode, ...]:
        """The switches, in order of their names."""
        return tuple(node for node in self.subnet.nodes.values() if node.kind is NodeKind.SWITCH)

    @cached_property
    def hosts(self) -> tuple[IbNode, ...]:
        """Adapters that carry jobs, in order of their names."""
        return tuple(node for node in self.subnet.nodes.values() if node.is_host)

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        """Number of each switch by its key."""
        return {node.key: number for number, node in enumerate(self.switches)}

    @cached_property
    def by_lid(self) -> Mapping[int, tuple[IbNode, int]]:
        """Node and port of each LID, those of path bits included."""
        found: dict[int, tuple[IbNode, int]] = {}
        for node in self.subnet.nodes.values():
            for number, port in node.ports.items():
                if is_known(port.lid):
                    span = 1 << (port.lmc if is_known(port.lmc) else 0)
                    for lid in range(port.lid, port.lid + span):
                        found.setdefault(lid, (node, number))
        return found

    def port(self, end: IbEnd) -> IbPort:
        """Give the port at an end; a bare one where nothing was said of it."""
        node = self.subnet.nodes.get(end.node)
        found = node.ports.get(end.port) if node is not None else None
        return found if found is not None else IbPort(end.port)

    def place(self, end: IbEnd) -> Place:
        """Give the place of an end."""
        node = self.subnet.nodes.get(end.node)
        return node.place(end.port) if node is not None else Place(end.node, str(end.port))

    def places(self, cable: Cable) -> tuple[Place, Place]:
        """Give the places of both ends; a host comes before its switch."""
        a, b = cable
        if self.subnet.nodes[b.node].is_host and not self.subnet.nodes[a.node].is_host:
            a, b = b, a
        return self.place(a), self.place(b)

    def evidence(self, cable: Cable) -> Evidence | None:
        """Where the link was read; None where nobody knows."""
        for end in cable:
            found = self.port(end).evidence
            if found.file:
                return found
        return None

    def runs(self, cable: Cable) -> IbPort:
        """Give the end that tells what the link runs at."""
        a, b = self.port(cable.a), self.port(cable.b)
        return a if is_known(a.rate_bps) or not is_known(b.rate_bps) else b

    @cached_property
    def uplinks(self) -> Mapping[str, tuple[Cable, ...]]:
        """Links from each switch to other switches, by the switch's key."""
        found: dict[str, list[Cable]] = {node.key: [] for node in self.switches}
        for cable in self.cables:
            if cable.a.node in found and cable.b.node in found:
                found[cable.a.node].append(cable)
                found[cable.b.node].append(cable)
        return {key: tuple(cables) for key, cables in found.items()}

    @cached_property
    def hosts_at(self) -> Mapping[str, tuple[IbEnd, ...]]:
        """Ends of the hosts at each switch, by the switch's key."""
        found: dict[str, list[IbEnd]] = {}
        for node in self.hosts:
            for number, port in node.ports.items():
                if is_known(port.peer) and port.peer.node in self.number_of:
                    found.setdefault(port.peer.node, []).append(IbEnd(node.key, number))
        return {key: tuple(ends) for key, ends in found.items()}

    @cached_property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """Sets of nodes that reach each other by cables, the largest first."""
        near: dict[str, list[str]] = {key: [] for key in self.subnet.nodes}
        for a, b in self.cables:
            near[a.node].append(b.node)
            near[b.node].append(a.node)
        seen: set[str] = set()
        found = []
        for start in near:
            if start not in seen:
                part = list(_reached(start, near, seen))
                found.append(tuple(sorted(part)))
        return tuple(sorted(found, key=lambda part: (-len(part), part)))

    @cached_property
    def network(self) -> Network:
        """Switches, routes and hosts as numbers.

        Raises:
            UnknownFactError: The routes of a switch were not given.
        """
        number_of = self.number_of
        exits: list[dict[int, tuple[int, int]]] = [{} for _ in self.switches]
        routes = []
        for number, node in enumerate(self.switches):
            if not is_known(node.routes):
                raise UnknownFactError("routes", str(node.place()))
            routes.append(node.routes)
            for port, facts in node.ports.items():
                if is_known(facts.peer) and facts.peer.node in number_of:
                    exits[number][port] = (number_of[facts.peer.node], facts.peer.port)
        sources = tuple(
            (number_of[key], self.port(end).peer.port)  # type: ignore[union-attr]  # hosts_at has those with a peer
            for key, ends in self.hosts_at.items()
            for end in ends
        )
        lanes = tuple(self._lanes())
        # one port whose lanes are not known would hide what waits for it
        is_whole = all(
            any(out == port for _, out in table)
            for table, ports in zip(lanes, exits, strict=True)
            for port in ports
        )
        return Network(
            tuple(exits),
            tuple(routes),
            sources,
            self.destinations,
            lanes if is_whole else (),
            self._homes(),
        )

    def _homes(self) -> dict[int, tuple[int, int]]:
        """Switch and port of each host's LID; none where nobody has listed all cables."""
        found = {}
        for lid in self.destinations if self.subnet.is_whole else ():
            node, number = self.by_lid[lid]
            peer = self.port(IbEnd(node.key, number)).peer
            if is_known(peer) and peer.node in self.number_of:
                found[lid] = (self.number_of[peer.node], peer.port)
        return found

    @cached_property
    def destinations(self) -> tuple[int, ...]:
        """LIDs of hosts, in order."""
        return tuple(
            lid
            for lid, (node, _) in sorted(self.by_lid.items())
            if node.is_host and lid <= LARGEST_UNICAST_LID
        )

    @cached_property
    def source_ends(self) -> tuple[IbEnd, ...]:
        """Ends of hosts in the order of ``network.sources``."""
        return tuple(end for ends in self.hosts_at.values() for end in ends)

    def _lanes(self) -> Iterator[dict[tuple[int, int], tuple[int, ...]]]:
        """Lanes by (port in, port out) of each switch; empty where none tells any."""
        for node in self.switches:
            yield {
                (entry, number): lanes
                for number, port in node.ports.items()
                if is_known(port.sl_to_vl)
                for entry, lanes in port.sl_to_vl.items()
            }

    @property
    def active_ports(self) -> Iterator[tuple[IbNode, IbPort]]:
        """Ports whose link is up, port 0 of a switch left out."""
        for node in self.subnet.nodes.values():
            for number, port in node.ports.items():
                if number and port.state is PortState.ACTIVE:
                    yield node, port


def _order(end: IbEnd) -> tuple[str, int]:
    return end.node, end.port


def _reached(start: str, near: Mapping[str, list[str]], seen: set[str]) -> Iterator[str]:
    waiting = [start]
    seen.add(start)
    while waiting:
        node = waiting.pop()
        yield node
        for other in near[node]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)


_KEPT: Final[dict[int, Seen]] = {}
_MOST: Final = 8


def seen_at(device: str, subnet: IbSubnet) -> Seen:
    """Give the subnet as rules look at it, built once for all rules."""
    found = _KEPT.get(id(subnet))
    if found is None or found.subnet is not subnet or found.device != device:
        if len(_KEPT) >= _MOST:
            _KEPT.clear()
        found = _KEPT[id(subnet)] = Seen(device, subnet)
    return found
