"""Deadlock: rings of buffers that wait for each other, in Ethernet fabrics with PFC.

A packet that waits in the buffer behind one link, to leave by another, makes
the first depend on the second. A ring of such dependencies can stand still for
ever, since a lossless class drops nothing.

Paths that rise and then fall make no ring: their links go up the tiers, then
down. So a fabric whose hosts all reach each other that way has none, and only
the turns of the other paths (from forwarding that is known, or the shortest
where no path rises and falls) are looked at, with what rising and falling
packets add between them (``odd_turns.py``).

Source: Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid
    Them (HotNets 2016); Tagger: Practical PFC Deadlock Prevention in Data
    Center Networks (CoNEXT 2017).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import combinations, zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from netcheck.lossless.odd_turns import Channel, Ring, Search, reached
from netcheck.lossless.topology import Failure, Topology

if TYPE_CHECKING:
    from networkx import DiGraph


class Turn(NamedTuple):
    """Packets that come in over one channel and leave over another."""

    coming: Channel
    leaving: Channel


Node = TypeVar("Node", int, Channel)
# destination switch -> switch -> next switches
Routes = Mapping[int, Mapping[int, tuple[int, ...]]]


def rings(topology: Topology) -> list[Ring]:
    """Give one ring of each set of buffers that wait for each other.

    Hosts that reach each other by no path that rises and falls are taken to
    use the shortest paths. Of a large set, one ring is enough.
    """
    reach = _Reach(topology)
    search = Search(topology)
    for looked_at, (destination, sources) in enumerate(reach.valley_needed(), 1):
        search.add(_shortest(topology, destination), sources)
        # a ring needs few destinations: look after 1, 2, 4 and so on
        if looked_at & (looked_at - 1) == 0 and (found := search.rings()):
            return found
    return search.rings()


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
        passed = reached(onward, starts)
        ring = next((one for one in _components(graph) if passed.issuperset(one)), None)
        if ring is not None:
            found[destination] = tuple(_cycle(graph, ring))
    return found


def rings_after_failures(topology: Topology) -> Iterator[tuple[Failure, Ring]]:
    """Yield failures of one link or switch that make a ring, with the first of their rings.

    One representative of each symmetry class, and every irregular element.
    """
    reach = _Reach(topology)
    is_clos = next(reach.valley_needed(), None) is None
    if is_clos and reach.is_firm():
        return
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

    @cached_property
    def groups(self) -> dict[int, list[int]]:
        """Switches with hosts, by the set of switches above them."""
        found: dict[int, list[int]] = {}
        for here in self.topology.attached:
            found.setdefault(self.above[here] & ~(1 << here), []).append(here)
        return found

    def valley_needed(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield ``(destination, sources)`` that no path that rises and falls connects to it."""
        above = self.above
        apart = {
            upper: [others for other, others in self.groups.items() if not upper & other]
            for upper in self.groups
        }
        # one of each group first: what closes a ring goes between different groups
        for row in zip_longest(*self.groups.values()):
            for here in row:
                if here is None:
                    continue
                others = apart[above[here] & ~(1 << here)]
                sources = (one for some in others for one in some if one != here)
                found = tuple(one for one in sources if not above[one] & above[here])
                if found:
                    yield here, found

    def is_firm(self) -> bool:
        """Any two switches with hosts share more switches above than one failure can take away."""
        tops = [here for here, below in enumerate(self.downlinks) if below]
        most = max((self.above[here].bit_count() for here in tops), default=0)
        alone = all(upper.bit_count() > most for upper in self.groups)
        return alone and all((a & b).bit_count() > most for a, b in combinations(self.groups, 2))

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
        return all(a & b for a in changed for b in (*changed, *self.groups))

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

    @cached_property
    def downlinks(self) -> tuple[tuple[int, ...], ...]:
        """Neighbours of a lower tier, of each switch."""
        tiers = self.topology.tiers
        return tuple(
            tuple(other for other in near if tiers[other] < tiers[here])
            for here, near in enumerate(self.topology.neighbours)
        )


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
    for here in sorted(reached(onward, sources)):
        for there in onward.get(here, ()):
            for then in onward.get(there, ()):
                yield Turn(Channel(here, there), Channel(there, then))


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
