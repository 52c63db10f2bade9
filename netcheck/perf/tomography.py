"""Which cable explains best that some flows suffered and others did not.

Only the cable plan and the results are used. Which of several equal paths a
flow took is not known, nor how switches hash: a flow of several queue pairs
takes each of them with equal likelihood. A cable may hit all flows that cross
it or one in a few; the share that fits best is taken.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from netcheck.model.counters import Meaning
from netcheck.model.fabric import Fabric, PortRef
from netcheck.model.known import is_known
from netcheck.model.paths import Hop, paths
from netcheck.perf.clues import Clue, Rank, total
from netcheck.perf.observe import FlowResult, RoundResult, is_host, is_pulled
from netcheck.perf.schedule import Pattern

HEALTHY_SHARE = 0.5
HIT_SHARES = (1.0, 0.5, 0.25, 0.125)
BY_CHANCE = 0.01  # a flow that suffers with no bad cable on its way
BY_HASH = 0.1  # a flow that is slow beside others, where hashing may put several on one cable
LEAST_GAIN = 2.0  # how much better, as a logarithm, than chance alone
EXPLAINED = 0.05
MOST = 3


@dataclass(frozen=True)
class Trial:
    """One flow: how likely it crosses each cable, and whether it suffered.

    Attributes:
        by_chance: How likely it would with no bad cable on its way.
    """

    crosses: Mapping[Hop, float]
    queue_pairs: int
    has_suffered: bool
    by_chance: float = BY_CHANCE

    def likelihood(self, hop: Hop, share: float) -> float:
        """How likely it suffers where that cable hits a share of what crosses it."""
        return suffering(self.crosses.get(hop, 0.0) * share, self.queue_pairs)


Alike = tuple[float, int, bool, float]
"""How likely trials cross a cable, with how many queue pairs, whether they suffered, and how
likely they would by chance."""


def suffering(hit: float, queue_pairs: int, by_chance: float = BY_CHANCE) -> float:
    """How likely a flow suffers of whose queue pairs each is hit with that likelihood.

    Never less than by chance, or flows that do not suffer would speak for a bad cable.
    """
    spared = (1.0 - hit) ** queue_pairs
    return min(1.0 - BY_CHANCE, 1.0 - (1.0 - by_chance) * spared)


def by_flows(
    results: Sequence[RoundResult], fabric: Fabric, *, is_loss: bool = True
) -> Iterator[Clue]:
    """Cables that explain what flows suffered, one for each fault that is needed.

    Args:
        is_loss: Look at losses; else at rates alone.
    """
    trials = list(_trials(results, fabric, is_loss=is_loss))
    left = trials
    for _ in range(MOST):
        if not any(trial.has_suffered for trial in left):
            return
        best = _best(left)
        if not best:
            return
        gain, share = best[0][1], best[0][2]
        hops = [hop for hop, other, _ in best if other > gain - 1e-9]
        hit = [t for t in left if t.has_suffered and t.likelihood(hops[0], share) > EXPLAINED]
        crossing = sum(hops[0] in t.crosses for t in left)
        for hop in hops[:MOST]:
            what = f"{len(hit)} of {crossing} flows that may cross it suffered"
            rank = Rank.FLOWS if is_loss else Rank.SLOW
            where = _ends(fabric, hop)
            yield Clue(rank, where, gain, what, "MTU, PFC, maps and errors at both ends")
        done = set(map(id, hit))
        left = [trial for trial in left if id(trial) not in done]


def _ends(fabric: Fabric, hop: Hop) -> tuple[PortRef, PortRef]:
    if is_host(fabric, hop.egress.device):
        return hop.ingress, hop.egress
    return hop.egress, hop.ingress


def _best(trials: Sequence[Trial]) -> list[tuple[Hop, float, float]]:
    """Cables with how much better than chance each explains the trials, and its share."""
    hops = {hop for trial in trials if trial.has_suffered for hop in trial.crosses}
    crossing: dict[Hop, Counter[Alike]] = {hop: Counter() for hop in sorted(hops)}
    for trial in trials:
        for hop in trial.crosses.keys() & hops:
            alike = (
                trial.crosses[hop],
                trial.queue_pairs,
                trial.has_suffered,
                trial.by_chance,
            )
            crossing[hop][alike] += 1
    found = []
    for hop, counted in crossing.items():
        gain, share = max((_gain(counted, share), share) for share in HIT_SHARES)
        if gain >= LEAST_GAIN:
            found.append((hop, gain, share))
    return sorted(found, key=lambda row: (-row[1], row[0]))


def _gain(counted: Counter[Alike], share: float) -> float:
    """How much better than chance a cable explains the trials that cross it.

    Of the others it says what chance says.
    """
    gain = 0.0
    for (crossed, queue_pairs, has_suffered, chance), count in counted.items():
        bad = suffering(crossed * share, queue_pairs, chance)
        odds = bad / chance if has_suffered else (1.0 - bad) / (1.0 - chance)
        gain += count * math.log(odds)
    return gain


def _trials(results: Sequence[RoundResult], fabric: Fabric, *, is_loss: bool) -> Iterator[Trial]:
    known: dict[tuple[PortRef, PortRef], Mapping[Hop, float]] = {}
    for result in results:
        if result.background:
            continue
        for flow in result.flows:
            ends = (flow.sender.ref, flow.receiver.ref)
            if ends not in known:
                known[ends] = _crossings(fabric, *ends)
            has_suffered = _lost(flow, result) if is_loss else _is_slow(flow, result)
            is_shared = not is_loss and result.round.pattern is not Pattern.PAIRS
            chance = BY_HASH if is_shared else BY_CHANCE
            yield Trial(known[ends], result.queue_pairs, has_suffered, chance)


def _crossings(fabric: Fabric, a: PortRef, b: PortRef) -> Mapping[Hop, float]:
    ways = list(paths(fabric, a, b))
    found: dict[Hop, float] = {}
    for way in ways:
        for hop in way:
            found[hop] = found.get(hop, 0.0) + 1 / len(ways)
    return found


def _lost(flow: FlowResult, result: RoundResult) -> bool:
    """The test failed, or data had to be sent again.

    The sender tells so, who has one flow in a round; of data that is read, who reads it.
    """
    again = (Meaning.SEQUENCE_NAK, Meaning.ACK_TIMEOUT, Meaning.RETRANSMISSION)
    tells = flow.receiver if is_pulled(result) else flow.sender
    return bool(flow.result.error) or total(result, tells.ref, *again) > 0


def _is_slow(flow: FlowResult, result: RoundResult) -> bool:
    """The flow reached less than half of the median of its round."""
    rates = sorted(
        other.result.bandwidth_bps for other in result.flows if is_known(other.result.bandwidth_bps)
    )
    rate = flow.result.bandwidth_bps
    return bool(rates) and is_known(rate) and rate < HEALTHY_SHARE * rates[len(rates) // 2]
