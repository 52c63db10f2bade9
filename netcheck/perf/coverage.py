"""Which cables between switches carried the test, and rounds that reach those that did not.

Which way a flow goes is the fabric's secret: each switch hashes it onto one of
several equal cables. So what a round touched is read from the counters
afterwards, and rounds repeat, with other pairs and other source ports, until
every cable carried data in both directions or more rounds would not help.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from netcheck.model.counters import Meaning
from netcheck.model.fabric import Fabric, PortRef, TrafficClass
from netcheck.model.frozen import frozen
from netcheck.model.known import is_known
from netcheck.model.paths import tier_of
from netcheck.perf.observe import Footprint, RoundResult, class_at, is_host
from netcheck.perf.schedule import Endpoint, Pattern, Round, by_leaf, leaves_by_island

NOISE_PACKETS = 1000
ACK_BYTES = 256  # a queue whose packets are smaller on average carried answers, not data
ATTEMPTS = 8
OTHER_CABLES = "pairs over other cables"  # what rounds are called that reach the rest


@frozen
class Coverage:
    """Directed cables between switches, by the port that packets leave by.

    Attributes:
        crossed: Data left by this port in some round.
        missed: Some flow could have left by it, and none was seen to.
        unseen: The port showed no count of what was tested.
    """

    crossed: frozenset[PortRef] = frozenset()
    missed: frozenset[PortRef] = frozenset()
    unseen: frozenset[PortRef] = frozenset()

    def joined(self, other: Coverage) -> Coverage:
        """That of the rounds of both."""
        crossed = self.crossed | other.crossed
        missed = (self.missed | other.missed) - crossed
        return Coverage(crossed, missed, (self.unseen | other.unseen) - crossed - missed)


def coverage(results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass) -> Coverage:
    """What the rounds of one traffic class touched of the cables between switches."""
    return seen_by(
        results, fabric, lambda result, egress: _carried_data(result, fabric, egress, item)
    )


def seen_by(
    results: Sequence[RoundResult],
    fabric: Fabric,
    has_data: Callable[[RoundResult, PortRef], bool | None],
) -> Coverage:
    """What rounds touched of the cables between switches.

    Args:
        has_data: Whether data left by a port in a round; None where no counter tells.
    """
    crossed: set[PortRef] = set()
    possible: set[PortRef] = set()
    seen: set[PortRef] = set()
    for result in results:
        for egress in _between_switches(result, fabric):
            possible.add(egress)
            is_data = has_data(result, egress)
            seen.update([egress] if is_data is not None else [])
            crossed.update([egress] if is_data else [])
    return Coverage(frozenset(crossed), frozenset(seen - crossed), frozenset(possible - seen))


def _between_switches(result: RoundResult, fabric: Fabric) -> Iterator[PortRef]:
    for egress, ingress in Footprint(fabric, result.round).links:
        if not is_host(fabric, egress.device) and not is_host(fabric, ingress.device):
            yield egress


def _carried_data(
    result: RoundResult, fabric: Fabric, egress: PortRef, item: TrafficClass
) -> bool | None:
    """Whether data of the class left by a port; None where its queue was not counted."""
    deltas = result.deltas.get(egress.device)
    queue = class_at(fabric, egress, item).queue
    packets = deltas.find(egress.port, Meaning.QUEUE_PACKETS, queue) if deltas else None
    if deltas is None or packets is None or not is_known(packets):
        return None
    size = deltas.find(egress.port, Meaning.QUEUE_BYTES, queue)
    is_answers = is_known(size) and size < ACK_BYTES * packets
    return packets >= NOISE_PACKETS and not is_answers


def round_for(
    missed: frozenset[PortRef],
    ends: Sequence[Endpoint],
    peers: Mapping[PortRef, str],
    *,
    turn: int,
    islands: Mapping[str, str] = MappingProxyType({}),
    passed: AbstractSet[str] = frozenset(),
) -> Round:
    """Pairs over other leaves, drawn so that the missed cables may carry them.

    Every NIC sends to at most one and receives from at most one. Leaves at
    which a missed cable begins send, leaves at which one ends receive; where
    it lies further up, all do. The draw depends on ``turn`` alone.

    Args:
        missed: Egress ports of the cables to reach; all leaves take part where empty.
        ends: NICs that take part.
        peers: ``egress port -> switch at the other end``, of the missed cables.
        turn: How many such rounds went before.
        islands: As for ``schedule.rounds``.
        passed: As ``passed_through`` gives it.
    """
    draw = random.Random(turn)  # noqa: S311 -- a reproducible plan, no secret
    leaves = by_leaf(ends)
    lowest = leaves.keys() - passed
    sources = {ref.device for ref in missed} & lowest
    targets = {peers[ref] for ref in missed if ref in peers} & lowest
    is_above = any(not {ref.device, peers.get(ref)} & lowest for ref in missed)
    if is_above or not (sources or targets):
        sources = targets = set(leaves)
    flows = _drawn(leaves, sources, targets, islands, draw)
    return Round(f"{OTHER_CABLES}, {turn + 1}", Pattern.ACROSS, tuple(flows))


Flow = tuple[Endpoint, Endpoint]


def _drawn(
    leaves: Mapping[str, list[Endpoint]],
    sources: set[str],
    targets: set[str],
    islands: Mapping[str, str],
    draw: random.Random,
) -> Iterator[Flow]:
    """Flows from source leaves to any other, and from any other to target leaves."""
    senders = {name: draw.sample(found, len(found)) for name, found in leaves.items()}
    receivers = {name: draw.sample(found, len(found)) for name, found in leaves.items()}
    joined = {name: names for names in leaves_by_island(leaves, islands) for name in names}
    for name in sorted(sources):
        others = [one for one in draw.sample(joined[name], len(joined[name])) if one != name]
        yield from _matched(senders[name], [receivers[one] for one in others])
    for name in sorted(targets):
        others = [one for one in draw.sample(joined[name], len(joined[name])) if one != name]
        for receiver, sender in _matched(receivers[name], [senders[one] for one in others]):
            yield sender, receiver


def _matched(mine: list[Endpoint], pools: list[list[Endpoint]]) -> Iterator[Flow]:
    """Take NICs out of ``mine`` and, in turn, out of the pools, until one side is used up."""
    while mine and pools:
        left = []
        for pool in pools:
            pair = _taken(mine, pool)
            if pair is not None:
                yield pair
                left.append(pool)
            if not mine:
                return
        pools = left


def _taken(mine: list[Endpoint], pool: list[Endpoint]) -> Flow | None:
    """One NIC of each side, on two hosts, taken out of both."""
    for place in range(min(len(pool), ATTEMPTS)):
        if pool[-1 - place].host != mine[-1].host:
            return mine.pop(), pool.pop(-1 - place)
    return None


def peers_of(fabric: Fabric) -> dict[PortRef, str]:
    """Give ``port -> device at the other end of its cable``."""
    found: dict[PortRef, str] = {}
    for link in fabric.links:
        found[link.a], found[link.b] = link.b.device, link.a.device
    return found


def passed_through(fabric: Fabric) -> frozenset[str]:
    """Switches above others: what crosses their cables need not begin or end at them."""
    pairs = [(one.a.device, one.b.device) for one in fabric.links]
    return frozenset(
        high
        for low, high in (*pairs, *((b, a) for a, b in pairs))
        if not is_host(fabric, low) and tier_of(fabric, low) < tier_of(fabric, high)
    )
