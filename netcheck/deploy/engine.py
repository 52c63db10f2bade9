"""Runs: from a plan to devices, batch by batch, and back where one fails.

Whatever cut a run off, the next one says how each device stands and goes on
from there; what undo needs is never saved over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from netcheck.collect.fanout import PACE, Pace, Progress, silent
from netcheck.deploy.backend import Backend
from netcheck.deploy.device import Outcome, State
from netcheck.deploy.holding import read_all_held, read_held_again
from netcheck.deploy.journal import (
    Mark,
    Phase,
    Run,
    begin_run,
    forget_unstarted,
    locked,
    open_runs,
    runs,
)
from netcheck.deploy.order import BATCH_SIZE
from netcheck.deploy.plan import Plan, change_of, plan
from netcheck.deploy.recovery import (
    Standing,
    replan,
    standings_of,
    supersede,
    taken_over,
    touched,
)
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap

Confirm = Callable[[Plan], bool]


@dataclass(frozen=True, slots=True)
class Result:
    """What a run came to.

    Attributes:
        run: Its name; empty where nothing was to be done or nobody agreed.
        unchanged: Devices that held all already.
        unreachable: ``device -> reason`` of devices that could not be read.
        waiting: Devices of batches that did not come up after a failure.
        standings: How earlier, cut-off runs had left the devices.
    """

    run: str = ""
    outcomes: tuple[Outcome, ...] = ()
    unchanged: tuple[str, ...] = ()
    unreachable: FrozenMap[str, str] = FrozenMap()
    waiting: tuple[str, ...] = ()
    standings: tuple[Standing, ...] = ()
    is_declined: bool = False

    @property
    def is_ok(self) -> bool:
        """Every device was reached and holds what it should.

        One that had to be brought back, which has a reason, does not.
        """
        good = all(
            o.state is State.DONE or (o.state is State.UNDONE and not o.reason)
            for o in self.outcomes
        )
        return good and not (self.unreachable or self.waiting or self.is_declined)


def make_plan(
    fabric: Fabric,
    rendered: Mapping[str, Mapping[str, str]],
    *,
    devices: Collection[str] | None = None,
    batch_size: int = BATCH_SIZE,
    pace: Pace = PACE,
    progress: Progress = silent,
) -> Plan:
    """Read the devices and give the plan that brings them to what is rendered.

    Raises:
        InputError: A device has no address or credentials.
    """
    names = [name for name in rendered if devices is None or name in devices]
    held, unreachable = read_all_held(
        fabric, names, rendered=rendered, pace=pace, progress=progress
    )
    return plan(fabric, rendered, held, unreachable=FrozenMap(unreachable), batch_size=batch_size)


def deploy(
    plan_: Plan,
    state: Path,
    backend: Backend,
    *,
    confirm: Confirm,
    progress: Progress = silent,
) -> Result:
    """Carry out a plan.

    Devices that a cut-off run left half-way are taken over from it: what it
    saved stays what undo brings back.

    Args:
        confirm: Asked once, with the plan as it will be carried out.

    Raises:
        InputError: Another run is at work, or a device no longer holds what
            the plan saw.
    """
    with locked(state):
        cut = open_runs(state, plan_.fabric)
        standings = tuple(s for run in cut for s in standings_of(run, progress))
        taken = taken_over(plan_, cut)
        if taken.is_empty:
            supersede(cut, "", taken)
            return _summary(taken, "", [], standings)
        if not confirm(taken):
            return replace(_summary(taken, "", [], standings), is_declined=True)
        run = _start(state, taken, cut, backend.name)
        outcomes = _carry_out(run, backend, progress)
        finish(run)
        return _summary(taken, run.name, outcomes, standings)


def start(plan_: Plan, state: Path, backend: str) -> Run | None:
    """Begin a run that somebody else carries out, such as a playbook run by hand.

    None where there is nothing to do.

    Raises:
        InputError: Another run is at work.
    """
    with locked(state):
        cut = open_runs(state, plan_.fabric)
        taken = taken_over(plan_, cut)
        return None if taken.is_empty else _start(state, taken, cut, backend)


def finish(run: Run) -> None:
    """Close a run; one that left a device stuck or half-way stays open for the next."""
    phases = run.phases()
    names = touched(run, run.head().names)
    if all(phases.get(name) is Phase.DONE for name in names):
        run.note("", Mark.FINISHED)


def recheck(plan_: Plan, *, pace: Pace = PACE) -> None:
    """Make sure that devices still hold what a stored plan saw.

    Raises:
        InputError: One holds something else by now, or cannot be read.
    """
    orders = plan_.orders.values()
    held, unreachable = read_held_again(orders, pace=pace)
    moved = [
        order.name
        for order in orders
        if order.name in held
        and change_of(order.device, order.rendered, held[order.name]) != order.change
    ]
    if moved:
        raise InputError(f"{', '.join(moved)}: no longer holds what the plan saw; plan again")
    if unreachable:
        raise InputError("; ".join(unreachable.values()))


def _start(state: Path, taken: Plan, cut: Iterable[Run], backend: str) -> Run:
    forget_unstarted(state)
    run = begin_run(state, taken, backend)
    run.note("", Mark.STARTED)
    supersede(cut, run.name, taken)
    return run


def resume(
    state: Path, fabric: str, backend: Backend, *, confirm: Confirm, progress: Progress = silent
) -> Result:
    """Carry the last cut-off run of a fabric, or its rollback, to its end.

    Raises:
        InputError: No run was cut off, or another is at work.
    """
    cut = open_runs(state, fabric)
    if not cut:
        raise InputError(f"{state}: no run of {fabric} was cut off")
    if cut[-1].last_mark is Mark.ROLLBACK:
        return rollback(state, fabric, backend, name=cut[-1].name, progress=progress)
    return deploy(replan(cut[-1]), state, backend, confirm=confirm, progress=progress)


def rollback(
    state: Path, fabric: str, backend: Backend, *, name: str = "", progress: Progress = silent
) -> Result:
    """Bring the devices of a run (the last, where none is named) back to what they held.

    Raises:
        InputError: There is no such run, a later one changed the same devices,
            or another is at work.
    """
    with locked(state):
        found = runs(state, fabric)
        run = _chosen(found, name, state)
        _refuse_when_covered(run, found[found.index(run) + 1 :])
        run.note("", Mark.ROLLBACK)
        outcomes: list[Outcome] = []
        for batch in reversed(run.head().batches):
            if names := touched(run, batch):
                progress(", ".join(names), "undoing")
                outcomes += backend.undo(run, names)
        finish(run)
        return Result(run.name, tuple(outcomes))


def _carry_out(run: Run, backend: Backend, progress: Progress) -> list[Outcome]:
    """Apply batch by batch; a batch with a failure is brought back and is the last."""
    outcomes: list[Outcome] = []
    for number, batch in enumerate(run.head().batches):
        progress(", ".join(batch), f"batch {number + 1}" + (" (canary)" if not number else ""))
        done = backend.apply(run, batch)
        if all(outcome.state is State.DONE for outcome in done):
            outcomes += done
            continue
        reasons = {outcome.device: outcome.reason for outcome in done}
        undone = backend.undo(run, touched(run, batch))
        back = {outcome.device: outcome for outcome in undone}
        for outcome in done:
            now = back.get(outcome.device, outcome)
            why = reasons[outcome.device] or "another device of its batch failed"
            outcomes.append(replace(now, reason="; ".join(filter(None, (why, now.reason)))))
        break
    return outcomes


def _summary(
    plan_: Plan, run: str, outcomes: list[Outcome], standings_: tuple[Standing, ...]
) -> Result:
    changed = {name for batch in plan_.batches for name in batch}
    done = {outcome.device for outcome in outcomes}
    return Result(
        run,
        tuple(outcomes),
        unchanged=tuple(name for name in plan_.orders if name not in changed),
        unreachable=plan_.unreachable,
        waiting=tuple(name for b in plan_.batches for name in b if run and name not in done),
        standings=standings_,
    )


def _chosen(found: list[Run], name: str, state: Path) -> Run:
    matching = [run for run in found if run.name == name or (not name and _is_undoable(run))]
    if not matching:
        there = ", ".join(run.name for run in found) or "none"
        if found and not name:
            raise InputError(f"{state}: nothing is left to undo of {there}")
        wanted = f"run {name}" if name else "a run"
        raise InputError(f"{state}: {wanted} is not there; there are: {there}")
    return matching[-1]


def _is_undoable(run: Run) -> bool:
    return run.last_mark is Mark.ROLLBACK or bool(touched(run, run.head().names))


def _refuse_when_covered(run: Run, later: Iterable[Run]) -> None:
    """Refuse to undo what a later run has changed again and saved over."""
    mine = set(run.head().names)
    for other in later:
        shared = sorted(mine & set(touched(other, other.head().names)))
        if shared:
            message = (
                f"run {run.name}: {shared[0]} was changed by {other.name} since; undo it first"
            )
            raise InputError(message)
