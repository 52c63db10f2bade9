"""Runs that were cut off: how they left their devices, and who takes them over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from netcheck.collect.fanout import Progress, silent
from netcheck.deploy.holding import read_held_again
from netcheck.deploy.journal import TOUCHED, Mark, Phase, Run, open_runs
from netcheck.deploy.plan import Order, Plan, change_of
from netcheck.model.errors import InputError
from netcheck.model.frozenmap import FrozenMap


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


def standings(state: Path, fabric: str, *, progress: Progress = silent) -> list[Standing]:
    """Say how cut-off runs left their devices, by journal and by asking the devices."""
    return [s for run in open_runs(state, fabric) for s in standings_of(run, progress)]


def standings_of(run: Run, progress: Progress) -> list[Standing]:
    """Say how one cut-off run left its devices, by journal and by asking the devices."""
    phases = run.phases()
    orders = [run.order(name) for name in run.head().names]
    held, unreachable = read_held_again(orders)
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


def replan(run: Run) -> Plan:
    """Give a plan that brings a run's devices to what the run had rendered for them."""
    head = run.head()
    orders = {name: run.order(name) for name in head.names}
    held, unreachable = read_held_again(orders.values())
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


def touched(run: Run, names: Iterable[str]) -> list[str]:
    """Give the devices from which something may have to be brought back.

    Those are also the ones that this run took over half-changed and did not
    come to: what an earlier run saved must not be saved over.
    """
    phases = run.phases()
    return [name for name in names if _is_touched(run, name, phases.get(name))]


def _is_touched(run: Run, name: str, phase: Phase | None) -> bool:
    if phase is Phase.UNDONE:
        return False
    if phase in TOUCHED or (phase is Phase.FAILED and run.reached(name, Phase.CHANGING)):
        return True
    return run.order(name).is_saved


def taken_over(plan_: Plan, cut: Iterable[Run]) -> Plan:
    """Give the plan in which devices that cut-off runs touched keep what those saved."""
    orders = dict(plan_.orders)
    for run in cut:
        for name in touched(run, run.head().names):
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


def supersede(cut: Iterable[Run], by: str, taken: Plan) -> None:
    """Close cut-off runs whose devices are all in hand; keep the others open."""
    for run in cut:
        left = [name for name in touched(run, run.head().names) if name not in taken.orders]
        if not left:
            run.note("", Mark.SUPERSEDED, by)
