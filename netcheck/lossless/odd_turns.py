"""Rings through turns that no path has which rises and then falls.

Packets to one destination that come in at a switch from several neighbours and
leave to several others are one turn with many ways in and out. Turns that rise,
cross or fall as usual are not listed: at a switch, packets that rose go on to all
neighbours above and below, packets that fell to all below, never back where
they came from.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from netcheck.lossless.topology import Topology

if TYPE_CHECKING:
    from networkx import DiGraph


class Channel(NamedTuple):
    """The buffer behind the links from one switch to the next."""

    here: int
    there: int


Ring = tuple[Channel, ...]
MOST_RINGS = 8  # a fabric with more has one cause for all of them


class Search:
    """Odd turns of some destinations, and the rings they close."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.ways: list[tuple[int, ...]] = []  # next switches of each turn
        self.turns: dict[Channel, list[int]] = {}  # turns that packets of a channel take

    def add(self, onward: Mapping[int, tuple[int, ...]], sources: Iterable[int]) -> None:
        """Add the odd turns of packets from those switches along ``switch -> next switches``."""
        coming: dict[int, list[int]] = {}
        for here in reached(onward, sources):
            for there in onward.get(here, ()):
                coming.setdefault(there, []).append(here)
        for here, ins in coming.items():
            outs = onward.get(here, ())
            if outs:
                self._add_at(here, ins, outs)

    def _add_at(self, here: int, ins: list[int], outs: tuple[int, ...]) -> None:
        tiers = self.topology.tiers
        up = tuple(other for other in outs if tiers[other] > tiers[here])
        level = tuple(other for other in outs if tiers[other] == tiers[here])
        above = [other for other in ins if tiers[other] > tiers[here]]
        beside = [other for other in ins if tiers[other] == tiers[here]]
        for some, ways in ((above, up), (ins, level), (beside, outs)):
            if some and ways:
                self.ways.append(ways)
                for other in some:
                    self.turns.setdefault(Channel(other, here), []).append(len(self.ways) - 1)

    def rings(self) -> list[Ring]:
        """Give rings, each through a channel that no earlier search came to; eight at most."""
        found: list[Ring] = []
        seen: set[Channel] = set()
        for start in sorted(self._leaving(self._candidates())):
            if start in seen:
                continue
            before = self._walk(start)
            if start in before:
                found.append(_back(before, start))
                seen |= before.keys()
            if len(found) == MOST_RINGS:
                break
        return found

    def _leaving(self, turns: set[int]) -> set[Channel]:
        """Channels that packets of those turns leave by."""
        return {
            Channel(channel.there, other)
            for channel, taken in self.turns.items()
            for turn in turns.intersection(taken)
            for other in self.ways[turn]
        }

    def _candidates(self) -> set[int]:
        """Turns that may be part of a ring: those that lead to each other switch by switch.

        Switches stand for their channels here, so packets may turn back where they
        came from: all turns of rings are among these, and a few others.
        """
        if not self.turns:
            return set()
        import networkx as nx  # noqa: PLC0415 -- heavy, and rarely needed

        graph: DiGraph[int] = nx.DiGraph()
        graph.add_edges_from(self._usual())
        graph.add_edges_from(self._odd())
        first = 2 * len(self.topology.tiers)
        return {
            node - first
            for part in nx.strongly_connected_components(graph)
            if len(part) > 1
            for node in part
            if node >= first
        }

    def _usual(self) -> Iterator[tuple[int, int]]:
        """Edges between switches that packets rose to (even numbers) or fell to (odd numbers)."""
        tiers = self.topology.tiers
        for here, near in enumerate(self.topology.neighbours):
            for other in near:
                if tiers[other] > tiers[here]:
                    yield 2 * here, 2 * other
                elif tiers[other] < tiers[here]:
                    yield 2 * here, 2 * other + 1
                    yield 2 * here + 1, 2 * other + 1

    def _odd(self) -> Iterator[tuple[int, int]]:
        """Edges into and out of turns, numbered after the switches."""
        tiers, first = self.topology.tiers, 2 * len(self.topology.tiers)
        for channel, turns in self.turns.items():
            here = channel.there
            step = tiers[here] - tiers[channel.here]
            for turn in turns:
                if step:
                    yield 2 * channel.here, first + turn
                if step < 0:
                    yield 2 * channel.here + 1, first + turn
                for other in self.ways[turn]:
                    if tiers[other] != tiers[here]:
                        yield first + turn, 2 * other + (tiers[other] < tiers[here])
                    following = self.turns.get(Channel(here, other), ())
                    yield from ((first + turn, first + then) for then in following)

    def _walk(self, start: Channel) -> dict[Channel, Channel]:
        """Give ``channel -> the one before`` of all that can wait for it, until it meets ``start``.

        A switch is spread from twice at most: the second time, only the way is
        left that was back to where the first came from.
        """
        before: dict[Channel, Channel] = {}
        used: dict[tuple[int, bool], int] = {}
        taken: set[int] = set()
        queue = deque([start])
        while queue:
            channel = queue.popleft()
            for other in self._onward(channel, used, taken):
                following = Channel(channel.there, other)
                if following not in before:
                    before[following] = channel
                    if following == start:
                        return before
                    queue.append(following)
        return before

    def _onward(
        self, channel: Channel, used: dict[tuple[int, bool], int], taken: set[int]
    ) -> Iterator[int]:
        for turn in self.turns.get(channel, ()):
            if turn not in taken:
                taken.add(turn)
                yield from self.ways[turn]
        tiers = self.topology.tiers
        here, origin = channel.there, channel.here
        if tiers[here] == tiers[origin]:
            return
        rose = tiers[here] > tiers[origin]
        first = used.setdefault((here, rose), origin)
        near = self.topology.neighbours[here]
        ways = near if first == origin else (first,)
        for other in ways:
            step = tiers[other] - tiers[here]
            if other != origin and step and (rose or step < 0):
                yield other


def reached(onward: Mapping[int, tuple[int, ...]], sources: Iterable[int]) -> set[int]:
    """Switches that packets from those switches pass."""
    seen: set[int] = set()
    waiting = list(sources)
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting.extend(onward.get(here, ()))
    return seen


def _back(before: Mapping[Channel, Channel], start: Channel) -> Ring:
    """Follow a walk back from where it met its start; the smallest channel comes first."""
    chain = [start]
    while (channel := before[chain[-1]]) != start:
        chain.append(channel)
    chain.reverse()
    first = chain.index(min(chain))
    return (*chain[first:], *chain[:first])
