"""Suppressions: a reason, and a day on which they end."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.fact import is_readable
from netcheck.model.finding import Severity
from netcheck.model.records import SuppressionView
from netcheck.rules.rule import Fault, Scope, rule


@rule(
    "suppression-expired",
    severity=Severity.WARNING,
    scope=Scope.SUPPRESSION,
    source="derived: what was accepted for a time is judged again after it",
)
def suppression_expired(suppression: SuppressionView) -> Iterator[Fault]:
    """A suppression is past its last day.

    Why: what was accepted for a time is still there; the finding counts again.
    Bad: until 2026-01-31, and it is February.
    Good: a last day that is to come, or none.
    Fix: repair the cause and take the suppression out, or accept it anew.
    """
    if not suppression.today or not is_readable(suppression, "until"):
        return
    if suppression.until < suppression.today:
        yield Fault(suppression, ("until",), f">= {suppression.today}", suppression.until)


@rule(
    "suppression-unexplained",
    severity=Severity.WARNING,
    scope=Scope.SUPPRESSION,
    source="derived: nobody can tell later whether an unexplained exception still holds",
)
def suppression_unexplained(suppression: SuppressionView) -> Iterator[Fault]:
    """A suppression has no reason, and is not heeded.

    Why: nobody can tell later whether it still holds.
    Bad: a suppression with an empty reason.
    Good: reason "lab port, no RDMA until the rework".
    Fix: write the reason.
    """
    if not suppression.reason.strip():
        yield Fault(suppression, ("reason",), "a reason", "none")
