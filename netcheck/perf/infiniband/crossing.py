"""Pairs that take other cables between switches: what a forwarding table sends elsewhere.

A switch forwards by destination alone, so that a way is told by the leaf where it begins and
the adapter where it ends. Where all ways of a service were taken, a cable without data is on
none of them. With adaptive routing a pair may take another way each time.
Source: InfiniBand Architecture Specification volume 1, 18.2.4.3 (linear forwarding tables).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from netcheck.model.fabric import Fabric, PortRef
from netcheck.perf.coverage import OTHER_CABLES, passed_through, peers_of
from netcheck.perf.infiniband.services import MayTalk
from netcheck.perf.observe import RoundResult
from netcheck.perf.schedule import Endpoint, Pattern, Round, by_leaf, islands_of

Way = tuple[str, Endpoint]
"""Leaf where packets begin, adapter where they end."""


class Sides(NamedTuple):
    """Leaves where ways begin or end; any, where a port may lie further up."""

    begin: frozenset[str]
    end: frozenset[str]
    is_above: bool

    def meet(self, begin: AbstractSet[str], end: AbstractSet[str]) -> bool:
        """Some way that begins and ends at these is one of them."""
        return bool(begin & self.begin or end & self.end or (self.is_above and begin))

    def has(self, begin: str, end: str) -> bool:
        """The way that begins and ends there is one of them."""
        return self.is_above or begin in self.begin or end in self.end


@dataclass(frozen=True)
class Ways:
    """The ways of one service between leaves.

    Attributes:
        ends: Adapters that can be told to send.
        may_talk: Whether a sender's keys let it talk to a receiver.
        is_adaptive: Switches choose among ports anew, so that no way is ever done.
    """

    fabric: Fabric
    ends: Sequence[Endpoint]
    may_talk: MayTalk
    is_adaptive: bool = False

    def unrouted(
        self, missed: frozenset[PortRef], results: Sequence[RoundResult]
    ) -> frozenset[PortRef]:
        """Missed ports that no table sends the service by: all ways that might were taken."""
        if self.is_adaptive:
            return frozenset()
        ran = _taken(results, is_done=True)
        left = [way for way in self._all() if way not in ran and self._is_open(way)]
        begin = {leaf for leaf, _ in left}
        end = {receiver.leaf.device for _, receiver in left}
        return frozenset(ref for ref in missed if not self._sides([ref]).meet(begin, end))

    def round_over(
        self, missed: frozenset[PortRef], results: Sequence[RoundResult], turn: int
    ) -> Round:
        """Pairs by ways not taken yet that may cross missed cables; flows are empty without.

        No adapter sends twice or receives twice. The draw depends on ``turn`` alone.

        Args:
            missed: Ports that packets of the cables leave by.
            turn: How many such rounds went before.
        """
        ran = frozenset() if self.is_adaptive else _taken(results)
        sides = self._sides(missed)
        draw = random.Random(turn)  # noqa: S311 -- a reproducible plan, no secret
        fit = [
            way for way in self._all() if sides.has(way[0], way[1].leaf.device) and way not in ran
        ]
        flows: dict[Endpoint, Endpoint] = {}
        free = {leaf: list(found) for leaf, found in self._leaves.items()}
        for leaf, receiver in draw.sample(fit, len(fit)):
            if not free[leaf] or receiver in flows:
                continue
            sender = next((one for one in free[leaf] if self._may_send(one, receiver)), None)
            if sender is not None:
                free[leaf].remove(sender)
                flows[receiver] = sender
        pairs = sorted((sender, receiver) for receiver, sender in flows.items())
        return Round(f"{OTHER_CABLES}, {turn + 1}", Pattern.ACROSS, tuple(pairs))

    def _all(self) -> Iterator[Way]:
        islands = islands_of(self.fabric)
        for end in self.ends:
            own = end.leaf.device
            yield from (
                (leaf, end)
                for leaf in self._leaves
                if leaf != own and islands.get(leaf, leaf) == islands.get(own, own)
            )

    @cached_property
    def _peers(self) -> Mapping[PortRef, str]:
        return peers_of(self.fabric)

    @cached_property
    def _leaves(self) -> Mapping[str, list[Endpoint]]:
        return by_leaf(self.ends)

    @cached_property
    def _lowest(self) -> AbstractSet[str]:
        """Leaves that have no other switch below them: no way passes through."""
        return self._leaves.keys() - passed_through(self.fabric)

    def _is_open(self, way: Way) -> bool:
        """Some sender at its leaf may take it."""
        leaf, receiver = way
        return any(self._may_send(one, receiver) for one in self._leaves[leaf])

    def _may_send(self, sender: Endpoint, receiver: Endpoint) -> bool:
        return sender.host != receiver.host and self.may_talk(sender, receiver)

    def _sides(self, refs: Iterable[PortRef]) -> Sides:
        """Where ways begin or end that may leave by some of the ports."""
        begin, end, is_above = set(), set(), False
        for ref in refs:
            peer = self._peers.get(ref, "")
            begin.update([ref.device] if ref.device in self._lowest else [])
            end.update([peer] if peer in self._lowest else [])
            is_above = is_above or not {ref.device, peer} & self._lowest
        return Sides(frozenset(begin), frozenset(end), is_above)


def _taken(results: Sequence[RoundResult], *, is_done: bool = False) -> frozenset[Way]:
    """Ways that were tried; those alone whose tests did not fail, where done is asked for."""
    found: set[Way] = set()
    for result in results:
        failed = {(one.sender, one.receiver) for one in result.flows if one.result.error}
        left = result.round.flows if not (is_done and failed) else set(result.round.flows) - failed
        found.update((sender.leaf.device, receiver) for sender, receiver in left)
    return frozenset(found)
