"""Everything that can be said of live state without a test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from netcheck.compare.compare import compare
from netcheck.model.fabric import Fabric, Suppression
from netcheck.model.finding import Finding, Stage
from netcheck.rules.engine import judge
from netcheck.rules.settle import settle


def verify(  # noqa: PLR0913 -- each comes from another part of a snapshot
    intended: Fabric,
    observed: Fabric,
    *,
    moved: Iterable[Finding] = (),
    extra: Iterable[Finding] = (),
    unread: Mapping[str, str] | None = None,
    suppressions: Iterable[Suppression] = (),
    profile: str = "baseline",
    today: str = "",
) -> list[Finding]:
    """Compare with the intent, judge by the rules, and look at what moves.

    Args:
        intended: A completed intent.
        observed: What a snapshot of the same devices shows.
        moved: What moved between two readings.
        extra: Findings made while reading (configuration against live state).
        unread: ``device -> reason`` of devices that were asked and gave nothing.
        today: ISO date by which suppressions expire.
    """
    found = [
        *compare(intended, observed, unread=unread),
        *judge(
            observed, intended=intended, stage=Stage.VERIFY, evidence_asked=True, profile=profile
        ),
        *moved,
        *extra,
    ]
    return settle(found, intended, suppressions=suppressions, today=today)
