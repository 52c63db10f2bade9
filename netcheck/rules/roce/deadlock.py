"""Deadlock: no ring of lossless buffers, also after a link or a switch has failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from netcheck.lossless.deadlock import (
    loops,
    rings,
    rings_after_failures,
    rings_of_routes,
)
from netcheck.lossless.odd_turns import Ring
from netcheck.lossless.topology import Failure, Topology
from netcheck.model.fabric import Fabric, NextHops, PortRef
from netcheck.model.fact import Gap, NotGivenError
from netcheck.model.finding import Place, Severity
from netcheck.model.known import is_known
from netcheck.model.paths import ROLE_TIER
from netcheck.model.view import FabricView, LinkView
from netcheck.rules.rule import Fault, Scope, rule

HOTNETS = "Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid Them, HotNets 2016"
TAGGER = "Tagger: Practical PFC Deadlock Prevention in Data Center Networks, CoNEXT 2017"
FACTS = ("links", "pfc_tx")


@dataclass
class Plot:
    """The switches that pause one priority to each other, by number and by name."""

    numbers: dict[str, int] = field(default_factory=dict)
    ports: dict[tuple[int, int], str] = field(default_factory=dict)
    neighbours: list[dict[int, int]] = field(default_factory=list)
    hosts: list[int] = field(default_factory=list)

    def number(self, switch: str) -> int:
        """Number of a switch, new or known."""
        if switch not in self.numbers:
            self.numbers[switch] = len(self.numbers)
            self.neighbours.append({})
            self.hosts.append(0)
        return self.numbers[switch]

    def join_all(self, links: Iterable[tuple[PortRef, PortRef]]) -> None:
        """Add links between two switches."""
        numbers, neighbours, ports = self.numbers, self.neighbours, self.ports
        for one, other in links:
            a, b = numbers.get(one.device, -1), numbers.get(other.device, -1)
            if a < 0:
                a = self.number(one.device)
            if b < 0:
                b = self.number(other.device)
            near = neighbours[a]
            if b in near:
                near[b] += 1
                neighbours[b][a] += 1
            else:
                near[b] = neighbours[b][a] = 1
                ports[a, b], ports[b, a] = other.port, one.port

    def attach_all(self, links: Iterable[tuple[PortRef, PortRef]]) -> None:
        """Add links from a switch to a host."""
        for switch, _ in links:
            self.hosts[self.number(switch.device)] += 1

    @property
    def names(self) -> list[str]:
        """Switches by number."""
        return list(self.numbers)

    def places(self, ring: Ring) -> tuple[Place, ...]:
        """Ports behind which the buffers of a ring are, in its order."""
        names = self.names
        return tuple(Place(names[each.there], self.ports[each.here, each.there]) for each in ring)

    def topology(self, tiers: dict[str, int]) -> Topology:
        """Give the switches with their tiers; an unknown one counts from the hosts up."""
        hosts = self.hosts
        if not any(hosts):
            lowest = min((tiers.get(name, 1) for name in self.numbers), default=1)
            hosts = [int(tiers.get(name, 1) == lowest) for name in self.numbers]
        counted = self._from_hosts(hosts)
        found = [tiers.get(name, counted[number]) for name, number in self.numbers.items()]
        return Topology(tuple(found), tuple(self.neighbours), tuple(hosts))

    def _from_hosts(self, hosts: list[int]) -> list[int]:
        """Tier of each switch: one more than its distance from a switch with hosts."""
        found = [1 if count else 0 for count in hosts]
        layer = [number for number, count in enumerate(hosts) if count]
        tier = 1
        while layer:
            tier += 1
            fresh = {other for here in layer for other in self.neighbours[here] if not found[other]}
            for number in fresh:
                found[number] = tier
            layer = sorted(fresh)
        return [tier or 1 for tier in found]


def plots(fabric: FabricView) -> tuple[tuple[str, Plot], ...]:
    """Give ``(priorities, switches that pause them to each other)``, each set of links once.

    Raises:
        NotGivenError: No link between two switches is given.
    """
    found, gaps = _plots(fabric)
    fabric.gaps += gaps
    if not any(plot.ports for _, plot in found):
        raise NotGivenError("lossless link between switches")
    return found


@lru_cache(maxsize=1)  # the rules here look at the same fabric, one after the other
def _plots(fabric: FabricView) -> tuple[tuple[tuple[str, Plot], ...], tuple[Gap, ...]]:
    """The plots, and what could not be read for them: each rule tells of that."""
    before = len(fabric.gaps)
    groups: dict[frozenset[int], set[int]] = {}
    lossless = {number: _paused(fabric, link) for number, link in enumerate(fabric.links)}
    for priority in sorted(frozenset().union(*lossless.values())):
        members = frozenset(number for number, found in lossless.items() if priority in found)
        groups.setdefault(members, set()).add(priority)
    found = []
    for members, priorities in groups.items():
        plot = Plot()
        for number in sorted(members):
            _draw(plot, fabric.links[number])
        found.append((f"priority {', '.join(map(str, sorted(priorities)))}", plot))
    gaps = tuple(fabric.gaps[before:])
    del fabric.gaps[before:]
    return tuple(found), gaps


def _paused(fabric: FabricView, link: LinkView) -> frozenset[int]:
    """Priorities that are lossless at both ends of a link."""
    with fabric.attempt():
        if link.has_ends:
            a, b = link.ends
            return a.lossless_priorities & b.lossless_priorities
    return frozenset()


def _draw(plot: Plot, link: LinkView) -> None:
    a, b = link.ends
    pairs = zip(a.members, b.members, strict=True)
    if not a.device.is_host and not b.device.is_host:
        plot.join_all(pairs)
    elif not b.device.is_host:
        plot.attach_all((other, one) for one, other in pairs)
    elif not a.device.is_host:
        plot.attach_all(pairs)


def tiers_of(fabric: FabricView) -> dict[str, int]:
    """Tier of each switch, where it or its role is said, by the intent or by what was seen."""
    seen = _tiers(fabric.record)
    try:
        return seen | _tiers(fabric.plan)
    except NotGivenError:
        return seen


def _tiers(fabric: Fabric) -> dict[str, int]:
    found = {}
    for name, device in fabric.devices.items():
        if is_known(device.tier):
            found[name] = device.tier
        elif is_known(device.role):
            found[name] = ROLE_TIER[device.role]
    return found


def _next_hops(fabric: FabricView) -> tuple[NextHops, ...]:
    known = fabric.record.forwarding
    return known if is_known(known) else ()


def routes_of(plot: Plot, hops: tuple[NextHops, ...]) -> dict[int, dict[int, tuple[int, ...]]]:
    """Give ``host -> switch -> next switches``, of the forwarding that devices have."""
    if not hops:
        return {}
    names = plot.names
    onward = {
        (names[here], port): there
        for (there, here), port in plot.ports.items()
        for port in [plot.ports[there, here]]
    }
    routes: dict[int, dict[int, tuple[int, ...]]] = {}
    hosts: dict[str, int] = {}
    for table in hops:
        if table.device not in plot.numbers:
            continue
        here = plot.numbers[table.device]
        for host, ports in table.ports.items():
            number = hosts.setdefault(host, len(plot.numbers) + len(hosts))
            found = (onward.get((table.device, port)) for port in ports)
            after = tuple(sorted({one for one in found if one is not None}))
            routes.setdefault(number, {})[here] = after
    return routes


@rule(
    "cbd-in-buffer-graph",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=f"{HOTNETS}; {TAGGER}",
    aliases=("dragonfly-no-vc",),
    is_proof=False,
)
def cbd_in_buffer_graph(fabric: FabricView) -> Iterator[Fault]:
    """Lossless buffers wait for each other in a ring.

    Why: once all of them are full, none can send and none drops: the class stands still until a
        watchdog discards it. (Paths are those of the forwarding that was read, else those that
        rise and fall through the tiers, else the shortest.)
    Bad: four leaves in a ring, each with hosts: packets to the far leaf go both ways round.
    Good: a Clos in which every two hosts have a path that rises and then falls.
    Fix: give hosts a path over a spine, take the lossless class off the links between leaves, or
        move packets to another lossless priority where they turn up again.
    """
    tiers = tiers_of(fabric)
    for words, plot in plots(fabric):
        topology = plot.topology(tiers)
        routes = routes_of(plot, _next_hops(fabric))
        found = rings_of_routes(routes, topology.attached) if routes else rings(topology)
        yield from (_ring_fault(fabric, plot, ring, words) for ring in found)


def _ring_fault(fabric: FabricView, plot: Plot, ring: Ring, words: str) -> Fault:
    places = plot.places(ring)
    first = f"{places[0].device} {places[0].port}"
    found = f"ring of {len(ring)} buffers"
    return Fault(fabric, FACTS, "no ring", found, f"{words}; through {first}", places=places)


@rule(
    "cbd-after-single-failure",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source=f"{TAGGER}: packets that bounce off a lower switch after a failure",
    is_proof=False,
)
def cbd_after_single_failure(fabric: FabricView) -> Iterator[Fault]:
    """Lossless buffers wait for each other in a ring once a single link or switch has failed.

    Why: some hosts are then reached only over paths that fall and rise again; two such turns
        close a ring. (One failure of each kind is tried, and every irregular one; new paths are
        the shortest, unless routing forbids paths that rise again.)
    Bad: leaf1 has one uplink, to spine1; leaf2 loses its link to spine1.
    Good: two common spines for every two leaves.
    Fix: cable the leaves alike, or forbid paths that fall and rise (one AS number a tier).
    """
    tiers = tiers_of(fabric)
    for words, plot in plots(fabric):
        topology = plot.topology(tiers)
        if _next_hops(fabric) or rings(topology):
            continue
        for failure, ring in rings_after_failures(topology):
            note = f"{words}; after {_named(plot, failure)} failed"
            yield _ring_fault(fabric, plot, ring, note)


def _named(plot: Plot, failure: Failure) -> str:
    names = plot.names
    if failure.is_switch:
        return names[failure.a]
    ends = (
        f"{names[there]} {plot.ports[here, there]}"
        for here, there in ((failure.b, failure.a), (failure.a, failure.b))
    )
    return f"the link {' - '.join(ends)}"


@rule(
    "routing-loop-lossless",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=f"{HOTNETS}: a loop fills its buffers faster than the TTL empties them",
    supersedes=("cbd-in-buffer-graph",),
    is_proof=False,
)
def routing_loop_lossless(fabric: FabricView) -> Iterator[Fault]:
    """Packets of a lossless class can run in a circle.

    Why: the circle fills, each buffer waits for the next, and nothing moves any more.
    Bad: leaf1 sends packets to gpu2 to spine1, and spine1 sends them to leaf1.
    Good: every next hop is nearer to the destination.
    Fix: correct the routes; discard routes for aggregates at the switch that announces them.
    """
    hops = _next_hops(fabric)
    if not hops:
        raise NotGivenError("forwarding")
    tiers = tiers_of(fabric)
    for words, plot in plots(fabric):
        sources = plot.topology(tiers).attached
        routes = routes_of(plot, hops)
        for ring in dict.fromkeys(loops(routes, sources).values()):
            names = [plot.names[number] for number in ring]
            places = tuple(Place(name) for name in names)
            yield Fault(fabric, ("forwarding",), "no loop", " - ".join(names), words, places=places)
