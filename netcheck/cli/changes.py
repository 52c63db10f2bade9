"""What a plan or a run came to, as findings: one report path for all."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.deploy.device import Outcome, State
from netcheck.deploy.engine import Result
from netcheck.deploy.plan import Plan
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.platforms.platform import Change

WOULD_CHANGE = "would-change"
CHANGE_FAILED = "change-failed"
NOT_REACHED = "device-not-reached"
_LONGEST = 120


def planned(plan: Plan) -> Iterator[Finding]:
    """What a plan would change, object by object, and what it could not look at."""
    for order in plan.orders.values():
        yield from _changes(order.name, order.change)
    yield from (_not_reached(name, why) for name, why in plan.unreachable.items())


def _changes(device: str, change: Change) -> Iterator[Finding]:
    impact = f"impact {change.impact.value}: {change.reason}".rstrip(": ")
    for name, old, new in change.objects:
        yield _change(device, f"{name} changes", _short(old), _short(new), impact, change.source)
    for removal in change.removals:
        yield _change(device, f"{removal.object} goes away", "", "", impact, change.source)


def _change(device: str, message: str, old: str, new: str, impact: str, source: str) -> Finding:
    return Finding(
        WOULD_CHANGE,
        Severity.INFO,
        Verdict.FAIL,
        (Place(device),),
        f"{message} ({impact})",
        expected=new,
        found=old,
        reference=source,
        stage=Stage.PLAN,
    )


def _short(text: str) -> str:
    """One line of an object's text."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def deployed(result: Result) -> Iterator[Finding]:
    """What went wrong in a run; devices that hold what they should are silent."""
    yield from (_failed(outcome) for outcome in result.outcomes if outcome.state not in _GOOD)
    yield from (_not_reached(name, why) for name, why in result.unreachable.items())
    if result.waiting:
        yield Finding(
            CHANGE_FAILED,
            Severity.ERROR,
            Verdict.FAIL,
            tuple(Place(name) for name in result.waiting),
            "not changed: an earlier batch failed",
            fix="Repair the failed device, then deploy again (--resume).",
            stage=Stage.DEPLOY,
        )


_GOOD = frozenset({State.DONE, State.UNDONE})
_FIXES = {
    State.UNTOUCHED: "Nothing was changed on it; repair the cause and deploy again.",
    State.FAILED: "netcheck rollback brings it back; netcheck deploy --resume goes on.",
    State.STUCK: "It could not be brought back: look at the device, then netcheck rollback.",
}


def _failed(outcome: Outcome) -> Finding:
    return Finding(
        CHANGE_FAILED,
        Severity.ERROR,
        Verdict.FAIL,
        (Place(outcome.device),),
        f"{outcome.state.value}: {outcome.reason}",
        fix=_FIXES.get(outcome.state, ""),
        stage=Stage.DEPLOY,
    )


def _not_reached(device: str, why: str) -> Finding:
    return Finding(
        NOT_REACHED,
        Severity.ERROR,
        Verdict.UNVERIFIED,
        (Place(device),),
        why or "no answer",
        fix="Check address, login and the device itself.",
        stage=Stage.DEPLOY,
    )


def outcome_notes(result: Result) -> tuple[str, ...]:
    """What a run did, in a few lines."""
    lines = [str(standing) for standing in result.standings]
    states = [outcome.state for outcome in result.outcomes]
    counts = [f"{states.count(state)} {state.value}" for state in State if state in states]
    if result.unchanged:
        counts.append(f"{len(result.unchanged)} unchanged")
    if counts:
        lines.append(f"devices: {', '.join(counts)}")
    if result.run:
        lines.append(f"run {result.run}; netcheck rollback brings back what was held before")
    return tuple(lines)
