"""Runs: from a plan to devices, batch by batch, and back where one fails.

Whatever cut a run off, the next one says how each device stands and goes on
from there; what undo needs is never saved over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from netcheck.collect.fanout import PACE, Pace, Progress, fan_out, silent
from netcheck.collect.session import Session
from netcheck.collect.target import Target, target_of
from netcheck.deploy.backend import Backend
from netcheck.deploy.device import DEADLINE_S, Outcome, State, read_held
from netcheck.deploy.journal import (
    TOUCHED,
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
from netcheck.deploy.plan import Order, Plan, change_of, plan
from netcheck.model.device import Device
from netcheck.model.errors import InputError, TransportError
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap

Confirm = Callable[[Plan], bool]


class Found(StrEnum):
    """What a device of a cut-off run holds."""

    BEFORE = "what it held before"
    AFTER = "what was rendered"
    BETWEEN = "something in between"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Standing:
    """How a device of a cut-off run stands: by the journal, and as found on it."""

    run: str
    device: str
    phase: Phase
    found: Found
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.device}: run {self.run} got to {self.phase}; it holds {self.found}"


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
        """Every device was reached and holds what it should."""
        good = all(o.state in (State.DONE, State.UNDONE) for o in self.outcomes)
        return good and not (self.unreachable or self.waiting or self.is_declined)


@dataclass(frozen=True, slots=True)
class _Question:
    device: Device
    target: Target


@dataclass(frozen=True, slots=True)
class _Answer:
    name: str
    held: FrozenMap[str, str] | None
    reason: str = ""


def read_all_held(
    fabric: Fabric, names: Iterable[str], *, pace: Pace = PACE, progress: Progress = silent
) -> tuple[dict[str, FrozenMap[str, str]], dict[str, str]]:
    """Read what devices hold: ``device -> file -> text``, and ``device -> reason`` of the rest.

    Raises:
        InputError: A device has no address or credentials.
    """
    questions = [
        _Question(fabric.devices[name], target_of(fabric, fabric.devices[name])) for name in names
    ]
    return _ask(questions, pace=pace, progress=progress)


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
    held, unreachable = read_all_held(fabric, names, pace=pace, progress=progress)
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
        standings = tuple(s for run in cut for s in _standings(run, progress))
        taken = _taken_over(plan_, cut)
        if taken.is_empty:
            _supersede(cut, "", taken)
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
        taken = _taken_over(plan_, cut)
        return None if taken.is_empty else _start(state, taken, cut, backend)


def finish(run: Run) -> None:
    """Close a run; one that left a device stuck or half-way stays open for the next."""
    phases = run.phases()
    open_ends = TOUCHED - {Phase.DONE}
    if not any(phases.get(name) in open_ends for name in run.head().names):
        run.note("", Mark.FINISHED)


def recheck(plan_: Plan, *, pace: Pace = PACE) -> None:
    """Make sure that devices still hold what a stored plan saw.

    Raises:
        InputError: One holds something else by now, or cannot be read.
    """
    orders = plan_.orders.values()
    held, unreachable = _ask([_Question(o.device, o.target) for o in orders], pace=pace)
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
    _supersede(cut, run.name, taken)
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


def replan(run: Run) -> Plan:
    """Give a plan that brings a run's devices to what the run had rendered for them."""
    head = run.head()
    orders = {name: run.order(name) for name in head.names}
    held, unreachable = _ask([_Question(o.device, o.target) for o in orders.values()])
    fresh: dict[str, Order] = {}
    for name in (name for name in orders if name in held):
        try:
            fresh[name] = _with_held(orders[name], held[name])
        except InputError as error:
            unreachable[name] = str(error)
    batches = (tuple(name for name in batch if name in fresh) for batch in head.batches)
    return Plan(
        head.fabric,
        FrozenMap(fresh),
        FrozenMap(unreachable),
        tuple(batch for batch in batches if batch),
    )


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
            if touched := _touched(run, batch):
                progress(", ".join(touched), "undoing")
                outcomes += backend.undo(run, touched)
        finish(run)
        return Result(run.name, tuple(outcomes))


def standings(state: Path, fabric: str, *, progress: Progress = silent) -> list[Standing]:
    """Say how cut-off runs left their devices, by journal and by asking the devices."""
    return [s for run in open_runs(state, fabric) for s in _standings(run, progress)]


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
        undone = backend.undo(run, _touched(run, batch))
        back = {outcome.device: outcome for outcome in undone}
        for outcome in done:
            now = back.get(outcome.device, outcome)
            why = reasons[outcome.device] or "another device of its batch failed"
            outcomes.append(replace(now, reason="; ".join(filter(None, (why, now.reason)))))
        break
    return outcomes


def _touched(run: Run, names: Iterable[str]) -> list[str]:
    """Give the devices from which something may have to be brought back."""
    phases = run.phases()
    return [
        name
        for name in names
        if phases.get(name) in TOUCHED
        or (phases.get(name) is Phase.FAILED and run.reached(name, Phase.SAVED))
    ]


def _taken_over(plan_: Plan, cut: Iterable[Run]) -> Plan:
    """Give the plan in which devices that cut-off runs touched keep what those saved."""
    orders = dict(plan_.orders)
    for run in cut:
        for name in _touched(run, run.head().names):
            if name in orders:
                older = run.order(name)
                orders[name] = replace(
                    orders[name], original=older.original, undo=older.undo, is_saved=True
                )
    listed = {name for batch in plan_.batches for name in batch}
    rest = tuple(name for name, o in orders.items() if not o.is_empty and name not in listed)
    return replace(
        plan_, orders=FrozenMap(orders), batches=(*plan_.batches, *([rest] if rest else []))
    )


def _supersede(cut: Iterable[Run], by: str, taken: Plan) -> None:
    """Close cut-off runs whose devices are all in hand; keep the others open."""
    for run in cut:
        left = [name for name in _touched(run, run.head().names) if name not in taken.orders]
        if not left:
            run.note("", Mark.SUPERSEDED, by)


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


def _standings(run: Run, progress: Progress) -> list[Standing]:
    phases = run.phases()
    orders = [run.order(name) for name in run.head().names]
    held, unreachable = _ask([_Question(o.device, o.target) for o in orders])
    found = []
    for order in orders:
        phase = phases.get(order.name, Phase.PLANNED)
        try:
            where, reason = _compare(order, held.get(order.name)), unreachable.get(order.name, "")
        except InputError as error:
            where, reason = Found.BETWEEN, str(error)
        found.append(Standing(run.name, order.name, phase, where, reason))
        progress(order.name, str(found[-1]).partition(": ")[2])
    return found


def _compare(order: Order, held: FrozenMap[str, str] | None) -> Found:
    if held is None:
        return Found.UNREACHABLE
    change = change_of(order.device, order.rendered, held)
    if change.is_empty:
        return Found.AFTER
    same = (change.objects, change.removals) == (order.original.objects, order.original.removals)
    return Found.BEFORE if same else Found.BETWEEN


def _with_held(order: Order, held: FrozenMap[str, str]) -> Order:
    change = change_of(order.device, order.rendered, held)
    return replace(order, held=held, change=change, original=change, undo=change.undo)


def _chosen(found: list[Run], name: str, state: Path) -> Run:
    matching = [run for run in found if run.name == name or (not name and _is_undoable(run))]
    if not matching:
        wanted = f"run {name}" if name else "a run"
        there = ", ".join(run.name for run in found) or "none"
        raise InputError(f"{state}: {wanted} is not there; there are: {there}")
    return matching[-1]


def _is_undoable(run: Run) -> bool:
    return run.last_mark is Mark.ROLLBACK or bool(_touched(run, run.head().names))


def _refuse_when_covered(run: Run, later: Iterable[Run]) -> None:
    """Refuse to undo what a later run has changed again and saved over."""
    mine = set(run.head().names)
    for other in later:
        shared = sorted(mine & set(_touched(other, other.head().names)))
        if shared:
            message = (
                f"run {run.name}: {shared[0]} was changed by {other.name} since; undo it first"
            )
            raise InputError(message)


def _ask(
    questions: Iterable[_Question], *, pace: Pace = PACE, progress: Progress = silent
) -> tuple[dict[str, FrozenMap[str, str]], dict[str, str]]:
    held: dict[str, FrozenMap[str, str]] = {}
    reasons: dict[str, str] = {}
    for answer in fan_out(_held_of, questions, executor=None, pace=pace):
        progress(answer.name, answer.reason or "read")
        if answer.held is None:
            reasons[answer.name] = answer.reason
        else:
            held[answer.name] = answer.held
    return held, reasons


def _held_of(question: _Question) -> _Answer:
    name = question.device.name
    try:
        with Session(question.target, deadline_s=DEADLINE_S) as session:
            return _Answer(name, read_held(session, question.device))
    except TransportError as error:
        return _Answer(name, None, str(error))
