"""What a plan or a run came to, as findings: one report path for all."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.deploy.device import State
from netcheck.deploy.engine import Result
from netcheck.deploy.plan import Plan
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.platforms.platform import Change

WOULD_CHANGE = "would-change"
UNDO_FAILED = "undo-failed"
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


def undone(result: Result) -> Iterator[Finding]:
    """What could not be brought back by a rollback."""
    for outcome in result.outcomes:
        if outcome.state is not State.UNDONE:
            yield Finding(
                UNDO_FAILED,
                Severity.ERROR,
                Verdict.FAIL,
                (Place(outcome.device),),
                f"{outcome.state.value}: {outcome.reason}",
                fix="Look at the device, then run netcheck rollback again.",
                stage=Stage.DEPLOY,
            )
    yield from (_not_reached(name, why) for name, why in result.unreachable.items())


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
        is_back = states and all(state in {State.UNDONE, State.UNTOUCHED} for state in states)
        more = "" if is_back else "; netcheck rollback brings back what was held before"
        lines.append(f"run {result.run}{more}")
    return tuple(lines)
