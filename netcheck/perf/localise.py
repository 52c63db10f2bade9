"""Where a fault lies: the places that clues point at, the nearest to a cause first.

Neither the lab nor the way switches hash flows is known here: only the cable
plan, the counters of devices and NICs, and the results of flows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from netcheck.model.fabric import Fabric, PortRef, TrafficClass
from netcheck.model.finding import Finding
from netcheck.perf.clues import KINDS, Clue, Rank
from netcheck.perf.observe import RoundResult, is_host
from netcheck.perf.tomography import by_flows

SHOWN = 4


@dataclass(frozen=True, slots=True)
class Suspect:
    """A place (the ends of a cable are two), what speaks for it, and what to look at."""

    places: tuple[PortRef, ...]
    evidence: str
    look_at: str

    @property
    def where(self) -> PortRef:
        """The first of its places."""
        return self.places[0]


def suspects(
    results: Sequence[RoundResult],
    fabric: Fabric,
    item: TrafficClass,
    findings: Sequence[Finding] = (),
    *,
    is_slow: bool = True,
) -> list[Suspect]:
    """Places to look at first, the surest first; none where nothing speaks for any.

    Args:
        findings: Those whose place is itself a clue, such as a queue that does not mark.
        is_slow: As for ``by_rank``.
    """
    counted = [clue for kind in KINDS for clue in kind(results, fabric, item)]
    return by_rank(counted, results, fabric, findings, is_slow=is_slow)


def by_rank(
    counted: Iterable[Clue],
    results: Sequence[RoundResult],
    fabric: Fabric,
    findings: Sequence[Finding] = (),
    *,
    is_slow: bool = True,
) -> list[Suspect]:
    """Places that clues of counters point at, with those of flows and of findings.

    Args:
        is_slow: Rates are below what is expected. Where they are not, one that is below others
            is the work of hashing.
    """
    clues = [*counted, *by_flows(results, fabric)]
    clues += by_flows(results, fabric, is_loss=False) if is_slow else ()
    clues += [_of(finding) for finding in findings]
    ranked = sorted(clues, key=lambda clue: (clue.rank, -clue.weight, clue.where))
    found: dict[frozenset[PortRef], Suspect] = {}
    dropping: set[str] = set()
    for clue in ranked:
        key = frozenset(clue.where)
        device = clue.where[0].device
        # ports of one switch that drop alike share a cause, and would hide another fault
        is_more = clue.rank is Rank.DROPS and device in dropping
        if not is_more and not any(key & other for other in found):
            found[key] = Suspect(clue.where, clue.evidence, clue.look_at)
            dropping.update([device] if clue.rank is Rank.DROPS else [])
    return list(found.values())[:SHOWN]


def _of(finding: Finding) -> Clue:
    place = finding.where[0]
    where = (PortRef(place.device, place.port),)
    return Clue(Rank.FINDING, where, 1.0, finding.message, finding.fix)


def uncounted(
    results: Sequence[RoundResult], fabric: Fabric, item: TrafficClass
) -> frozenset[PortRef]:
    """Switch ports that a loss is suspected at from flows alone, where more tests would tell more.

    Empty where no flow suffered, or where counters say already where it was.
    """
    counted = (clue for kind in KINDS for clue in kind(results, fabric, item))
    if any(clue.rank < Rank.FLOWS for clue in counted):
        return frozenset()
    clues = by_flows(results, fabric)
    return frozenset(
        place
        for clue in clues
        for place in clue.where
        if not is_host(fabric, place.device) and place.port
    )
