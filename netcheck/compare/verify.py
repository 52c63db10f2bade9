"""Everything that can be said of live state without a test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from netcheck.compare.compare import compare
from netcheck.compare.health import Counters, health
from netcheck.model.fabric import Fabric, Suppression
from netcheck.model.finding import Finding, Stage
from netcheck.model.known import Known
from netcheck.rules.engine import judge
from netcheck.rules.settle import settle


def verify(
    intended: Fabric,
    observed: Fabric,
    *,
    before: Mapping[str, Known[Counters]] | None = None,
    extra: Iterable[Finding] = (),
    suppressions: Iterable[Suppression] = (),
    profile: str = "baseline",
    today: str = "",
) -> list[Finding]:
    """Compare with the intent, judge by the rules, and look at what moves.

    Args:
        intended: A completed intent.
        observed: What a snapshot of the same devices shows.
        before: Counters of the first of two readings, by device.
        extra: Findings made while reading (configuration against live state).
        today: ISO date by which suppressions expire.
    """
    found = [
        *compare(intended, observed),
        *judge(
            observed, intended=intended, stage=Stage.VERIFY, evidence_asked=True, profile=profile
        ),
        *health(before or {}, observed),
        *extra,
    ]
    return settle(found, intended, suppressions=suppressions, today=today)
