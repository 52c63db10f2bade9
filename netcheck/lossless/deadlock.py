"""Deadlock: rings of buffers that wait for each other, in Ethernet fabrics with PFC.

A packet that waits in the buffer behind one link, to leave by another, makes
the first depend on the second. A ring of such dependencies can stand still for
ever, since a lossless class drops nothing.

Paths that rise and then fall make no ring: their links go up the tiers, then
down. So a fabric whose hosts all reach each other that way has none, and only
the turns of the other paths (from forwarding that is known, or the shortest
where no path rises and falls) are looked at: each with what reaches it over
paths that rise and fall.

Source: Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid
    Them (HotNets 2016); Tagger: Practical PFC Deadlock Prevention in Data
    Center Networks (CoNEXT 2017).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from netcheck.lossless.topology import Failure, Topology

if TYPE_CHECKING:
    from networkx import DiGraph


class Channel(NamedTuple):
    """The buffer behind the links from one switch to the next."""

    here: int
    there: int


class Turn(NamedTuple):
    """Packets that come in over one channel and leave over another."""

    coming: Channel
    leaving: Channel


Node = TypeVar("Node", int, Channel)
Ring = tuple[Channel, ...]
# destination switch -> switch -> next switches
Routes = Mapping[int, Mapping[int, tuple[int, ...]]]


def rings(topology: Topology) -> list[Ring]:
    """Give one ring of each set of buffers that wait for each other.

    Hosts that reach each other by no path that rises and falls are taken to
    use the shortest paths.
    """
    reach = _Reach(topology)
    turns: set[Turn] = set()
    for looked_at, (destination, sources) in enumerate(reach.valley_needed().items(), 1):
        turns |= _odd_turns(topology, _shortest(topology, destination), sources)
        # a ring needs few destinations: look after 1, 2, 4 and so on
        if looked_at & (looked_at - 1) == 0 and (found := _rings_of(reach, turns)):
            return found
    return _rings_of(reach, turns)


def rings_of_routes(routes: Routes, sources: Iterable[int]) -> list[Ring]:
    """Give one ring of each set of buffers that wait for each other, for known forwarding."""
    turns: set[Turn] = set()
    starts = tuple(sources)
    for destination, onward in routes.items():
        turns |= set(_turns(onward, [one for one in starts if one != destination]))
    return list(_rings(turns))


def loops(routes: Routes, sources: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """Give ``destination -> switches`` around which packets to it can run in a circle."""
    starts = tuple(sources)
    found = {}
    for destination, onward in routes.items():
        graph = _digraph((here, other) for here in onward for other in onward[here])
        reached = _reached(onward, starts)
        ring = next((one for one in _components(graph) if reached.issuperset(one)), None)
        if ring is not None:
            found[destination] = tuple(_cycle(graph, ring))
    return found


def rings_after_failures(topology: Topology) -> Iterator[tuple[Failure, Ring]]:
    """Yield failures of one link or switch that make a ring, with the first of their rings.

    One representative of each symmetry class, and every irregular element.
    """
    reach = _Reach(topology)
    is_clos = not reach.valley_needed()
    for failure in topology.failures():
        if is_clos and reach.survives(failure):
            continue
        found = rings(topology.without(failure))
        if found:
            yield failure, found[0]


class _Reach:
    """Who reaches whom by paths that rise and then fall."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        above = [0] * len(topology.tiers)
        for here in topology.top_down:
            own = 1 << here
            for upper in topology.uplinks[here]:
                own |= above[upper]
            above[here] = own
        self.above = above

    def valley_needed(self) -> dict[int, tuple[int, ...]]:
        """Give ``destination -> sources`` that no path that rises and falls connects to it."""
        above = self.above
        groups: dict[int, list[int]] = {}
        for here in self.topology.attached:
            groups.setdefault(above[here] & ~(1 << here), []).append(here)
        found: dict[int, set[int]] = {}
        for (upper, ones), (other_upper, others) in combinations(groups.items(), 2):
            if upper & other_upper:
                continue
            for a in ones:
                for b in others:
                    if not above[a] & above[b]:
                        found.setdefault(a, set()).add(b)
                        found.setdefault(b, set()).add(a)
        for a, b in combinations(groups.get(0, ()), 2):
            found.setdefault(a, set()).add(b)
            found.setdefault(b, set()).add(a)
        return {here: tuple(sorted(found[here])) for here in sorted(found)}

    def survives(self, failure: Failure) -> bool:
        """All pairs still have a path that rises and falls after the failure.

        Only for a fabric in which all have one: looks at what lies below the failure.
        """
        above = self._above_after(failure)
        hosts = self.topology.hosts
        lost = {here for here in above if here == failure.a and failure.is_switch}
        changed = {above[here] & ~(1 << here) for here in above if hosts[here]} - {
            above[here] & ~(1 << here) for here in lost
        }
        return all(a & b for a in changed for b in (*changed, *self.uppers))

    @cached_property
    def uppers(self) -> frozenset[int]:
        """Distinct sets of switches above those with hosts."""
        return frozenset(self.above[here] & ~(1 << here) for here in self.topology.attached)

    def _above_after(self, failure: Failure) -> dict[int, int]:
        """New sets of switches above, for all switches below a failure."""
        tiers = self.topology.tiers
        ends = (failure.a, failure.b)
        low = min(ends, key=lambda one: tiers[one])
        below = {low}
        waiting = [low] if failure.is_switch or tiers[failure.a] != tiers[failure.b] else []
        while waiting:
            fresh = set(self.downlinks[waiting.pop()]) - below
            below |= fresh
            waiting.extend(fresh)
        found: dict[int, int] = {}
        for here in sorted(below, key=lambda one: -tiers[one]):
            own = 1 << here
            for upper in self.topology.uplinks[here]:
                is_gone = upper in ends and (failure.is_switch or here in ends)
                if not is_gone:
                    own |= found.get(upper, self.above[upper])
            found[here] = own
        return found

    def leads_on(self, leaving: Channel, coming: Channel) -> bool:
        """Packets that rise and fall can hold ``leaving`` and wait, hop by hop, for ``coming``."""
        if leaving == coming:
            return True
        out, into = self._step(leaving), self._step(coming)
        if not out or not into or (out < 0 < into):
            return False
        here, target = leaving.there, coming.here
        if into > 0:
            return bool(self.above[here] >> target & 1)
        if out < 0:
            return bool(self.above[target] >> here & 1)
        if here == target and leaving.here == coming.there:
            return self._turns_back(here)
        return bool(self.above[here] & self.above[target])

    def _step(self, channel: Channel) -> int:
        tiers = self.topology.tiers
        return tiers[channel.there] - tiers[channel.here]

    def _turns_back(self, here: int) -> bool:
        """Packets can rise from ``here`` by one link and others fall to it by another."""
        uppers = self.topology.uplinks[here]
        return any(self.above[a] & self.above[b] for a, b in combinations(uppers, 2))

    @cached_property
    def downlinks(self) -> tuple[tuple[int, ...], ...]:
        """Neighbours of a lower tier, of each switch."""
        tiers = self.topology.tiers
        return tuple(
            tuple(other for other in near if tiers[other] < tiers[here])
            for here, near in enumerate(self.topology.neighbours)
        )

    def path(self, leaving: Channel, coming: Channel) -> list[Channel]:
        """Give a shortest chain of channels from one to the other, both ends included."""
        before: dict[Channel, Channel | None] = {leaving: None}
        queue = deque([leaving])
        while queue and coming not in before:
            here = queue.popleft()
            ways = self.downlinks[here.there]
            if self._step(here) > 0:
                ways = (*self.topology.uplinks[here.there], *ways)
            for other in ways:
                onward = Channel(here.there, other)
                if other != here.here and onward not in before:
                    before[onward] = here
                    queue.append(onward)
        chain: list[Channel] = []
        step: Channel | None = coming if coming in before else None
        while step is not None:
            chain.append(step)
            step = before[step]
        return chain[::-1]


def _shortest(topology: Topology, destination: int) -> dict[int, tuple[int, ...]]:
    """Give ``switch -> next switches`` on shortest paths to a destination."""
    distance = {destination: 0}
    queue = deque([destination])
    while queue:
        here = queue.popleft()
        for other in topology.neighbours[here]:
            if other not in distance:
                distance[other] = distance[here] + 1
                queue.append(other)
    return {
        here: tuple(
            other for other in topology.neighbours[here] if distance.get(other, far) == far - 1
        )
        for here, far in distance.items()
    }


def _turns(onward: Mapping[int, tuple[int, ...]], sources: Iterable[int]) -> Iterator[Turn]:
    """Yield the turns that packets from those switches take."""
    for here in sorted(_reached(onward, sources)):
        for there in onward.get(here, ()):
            for then in onward.get(there, ()):
                yield Turn(Channel(here, there), Channel(there, then))


def _reached(onward: Mapping[int, tuple[int, ...]], sources: Iterable[int]) -> set[int]:
    """Switches that packets from those switches pass."""
    seen: set[int] = set()
    waiting = list(sources)
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting.extend(onward.get(here, ()))
    return seen


def _odd_turns(
    topology: Topology, onward: Mapping[int, tuple[int, ...]], sources: Iterable[int]
) -> set[Turn]:
    """Turns that no path that rises and falls has."""
    tiers = topology.tiers

    def is_odd(turn: Turn) -> bool:
        first = tiers[turn.coming.there] - tiers[turn.coming.here]
        second = tiers[turn.leaving.there] - tiers[turn.leaving.here]
        return not first or not second or first < 0 < second

    return {turn for turn in _turns(onward, sources) if is_odd(turn)}


def _rings_of(reach: _Reach, turns: set[Turn]) -> list[Ring]:
    """Rings of odd turns, joined by what paths that rise and fall add between them."""
    if not turns:
        return []
    leaving = {turn.leaving for turn in turns}
    coming = {turn.coming for turn in turns}
    joins = {
        Turn(out, into)
        for out in leaving
        for into in coming
        if out != into and reach.leads_on(out, into)
    }
    found = []
    for ring in _rings(turns | joins):
        pairs = zip(ring, (*ring[1:], ring[0]), strict=True)
        chains = ([a] if Turn(a, b) in turns else reach.path(a, b)[:-1] for a, b in pairs)
        found.append(tuple(channel for chain in chains for channel in chain))
    return found


def _rings(turns: Iterable[Turn]) -> Iterator[Ring]:
    graph = _digraph(turns)
    for part in _components(graph):
        yield tuple(_cycle(graph, part))


def _digraph(edges: Iterable[tuple[Node, Node]]) -> DiGraph[Node]:
    import networkx as nx  # noqa: PLC0415 -- heavy, and rarely needed

    graph: DiGraph[Node] = nx.DiGraph()
    graph.add_edges_from(sorted(edges))
    return graph


def _components(graph: DiGraph[Node]) -> list[set[Node]]:
    """Sets of nodes that lead to each other, in order of their smallest."""
    import networkx as nx  # noqa: PLC0415 -- as above

    parts: Iterable[set[Node]] = nx.strongly_connected_components(graph)
    is_ring = (part for part in parts if len(part) > 1 or graph.has_edge(*2 * tuple(part)))
    return sorted(is_ring, key=min)


def _cycle(graph: DiGraph[Node], part: set[Node]) -> list[Node]:
    """A shortest ring through the smallest node of a set."""
    import networkx as nx  # noqa: PLC0415 -- as above

    first = min(part)
    if graph.has_edge(first, first):
        return [first]
    inner = graph.subgraph(part)
    back: dict[Node, list[Node]] = nx.single_source_shortest_path(inner, first)
    return back[min(inner.predecessors(first), key=lambda node: (len(back[node]), node))]
