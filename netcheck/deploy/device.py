"""One device of a run: save, change, check, persist; and back. Both backends work by this."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from netcheck.collect.atomic import checkpoint
from netcheck.collect.collector import expand, read_command
from netcheck.collect.secrets import secret_behind, served
from netcheck.collect.session import DeviceRefusedError, Output, Session
from netcheck.collect.snapshot import Answer
from netcheck.deploy.journal import TOUCHED, Phase, Run, at_work
from netcheck.deploy.plan import Order, Texts, change_of
from netcheck.model.device import Device
from netcheck.model.errors import InputError, TransportError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import is_known
from netcheck.platforms.placeholders import filled, hidden, references, without_secrets
from netcheck.platforms.platform import Run as Typed
from netcheck.platforms.platform import Step, Upload, load

DEADLINE_S: Final = 900.0
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Hands:
    """A session, and where secrets are had that go over it."""

    session: Session
    secrets: Path | None

    def held(self, order: Order) -> FrozenMap[str, str]:
        return read_held(self.session, order.device, order.rendered, self.secrets)


_Work = Callable[[_Hands, Run, Order], "Outcome"]


class State(StrEnum):
    """How a device stands after a run or an undo.

    DONE: holds what was rendered, checked and persistent; FAILED: something
    went wrong, and it may be changed in part; UNTOUCHED: something was wrong
    before anything was changed; UNDONE: holds what it held before; STUCK: it
    could not be brought back.
    """

    DONE = "done"
    FAILED = "failed"
    UNTOUCHED = "untouched"
    UNDONE = "undone"
    STUCK = "stuck"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a device stands and why."""

    device: str
    state: State
    reason: str = ""


def read_held(
    session: Session, device: Device, rendered: Texts, secrets: Path | None = None
) -> FrozenMap[str, str]:
    """Give the outputs that the platform's plan has to see, ``file -> text``, without secrets.

    Args:
        rendered: What the device is to hold; tells which secrets to compare with.
        secrets: Where a parent process serves them.

    Raises:
        InputError: The platform is not said, or a secret that is rendered is not to be had.
        TransportError: The session broke, or a command failed that may not.
    """
    if not is_known(device.platform):
        raise InputError(f"device {device.name}: platform is not said")
    secret = secret_behind(device.name, secrets)
    held: dict[str, str] = {}
    asked = load(device.platform).applying.holdings(device)
    for command in (one for general in asked for one in expand(general, device)):
        answer, output = read_command(session, device, command)
        if answer is Answer.HAD:
            wanted = rendered.get(command.file, "")
            held[command.file] = hidden(
                output.text, device.platform, rendered=wanted, secret=secret
            )
        elif answer is not Answer.ABSENT:
            last = output.text.strip().rpartition("\n")[2]
            raise DeviceRefusedError(f"{device.name}: {command.line}: {answer.value}: {last}")
    return FrozenMap(held)


def apply_order(run: Run, name: str, *, secrets: Path | None = None) -> Outcome:
    """Bring one device of a run to what was rendered, with a line in the journal at each step.

    Never raises for what is wrong with the device. ``secrets`` is the address
    at which a parent process serves logins.
    """
    return _guarded(run, name, secrets, _apply, State.FAILED)


def undo_order(run: Run, name: str, *, secrets: Path | None = None) -> Outcome:
    """Bring one device of a run back to what it held before, if it was touched.

    Never raises for what is wrong with the device.
    """
    return _guarded(run, name, secrets, _undo, State.STUCK)


def _guarded(run: Run, name: str, secrets: Path | None, work: _Work, worst: State) -> Outcome:
    try:
        order = run.order(name)
        target = order.target if secrets is None else served(order.target, secrets)
        with at_work(run.folder.parents[1]), Session(target, deadline_s=DEADLINE_S) as session:
            return work(_Hands(session, secrets), run, order)
    except (TransportError, InputError) as error:
        reason = str(error)
    except Exception as error:  # noqa: BLE001 -- one device's fault must not end the others' run
        _LOG.exception("%s: internal error", name)
        reason = f"internal error: {type(error).__name__}: {error}"
    is_touched = run.phases().get(name) in TOUCHED
    state = worst if is_touched else State.UNTOUCHED
    run.note(name, Phase.STUCK if worst is State.STUCK else Phase.FAILED, reason)
    return Outcome(name, state, reason)


def _apply(hands: _Hands, run: Run, order: Order) -> Outcome:
    device, name = order.device, order.name
    held = hands.held(order)
    change = change_of(device, order.rendered, held)
    if change != order.change:
        raise InputError(f"{name}: no longer holds what the plan saw; plan again")
    if not order.is_saved:
        run.note(name, Phase.SAVING)
        _perform(hands, name, change.save)
    run.note(name, Phase.SAVED)
    run.note(name, Phase.CHANGING)
    _perform(hands, name, change.steps)
    run.note(name, Phase.CHANGED)
    _check(hands, order)
    run.note(name, Phase.CHECKED)
    run.note(name, Phase.PERSISTING)
    _perform(hands, name, change.persist or order.original.persist)
    run.note(name, Phase.DONE)
    return Outcome(name, State.DONE)


def _check(hands: _Hands, order: Order) -> None:
    """Read the device again: a new plan must find nothing to do."""
    again = change_of(order.device, order.rendered, hands.held(order))
    if not again.is_empty:
        first = ", ".join(object_ for object_, _, _ in again.objects[:3]) or again.reason
        raise DeviceRefusedError(f"{order.name}: differs after the change: {first}")


def _undo(hands: _Hands, run: Run, order: Order) -> Outcome:
    name = order.name
    was_changed = order.is_saved or run.reached(name, Phase.CHANGING)
    if not was_changed or run.phases().get(name) is Phase.UNDONE:
        return Outcome(name, State.UNDONE if was_changed else State.UNTOUCHED)
    run.note(name, Phase.UNDOING)
    failures = _take_all(hands, name, order.undo)
    again = change_of(order.device, order.rendered, hands.held(order))
    if (again.objects, again.removals) != (order.original.objects, order.original.removals):
        why = "; ".join(failures) or "its undo did not bring it back"
        raise DeviceRefusedError(f"{name}: does not hold what it held before the run: {why}")
    run.note(name, Phase.UNDONE)
    return Outcome(name, State.UNDONE)


def _take_all(hands: _Hands, name: str, steps: Iterable[Step]) -> list[str]:
    """Take all steps of an undo, whatever single ones say; give what failed.

    An undo may meet a device that is changed in part, or undone in part by a
    run that was cut off: a unit that is gone already cannot be disabled. What
    counts is what the device holds in the end.

    Raises:
        TransportError: The session broke.
    """
    failures = []
    for step in steps:
        try:
            _perform(hands, name, [step])
        except DeviceRefusedError as error:
            failures.append(str(error))
    return failures


def _perform(hands: _Hands, name: str, steps: Iterable[Step]) -> None:
    """Take steps in order; the first that fails ends it.

    Raises:
        DeviceRefusedError: A command ended with another status than 0, or a file was refused.
        InputError: A secret that a file or a line holds is not to be had.
        TransportError: The session broke.
    """
    session = hands.session
    for step in steps:
        if isinstance(step, Upload):
            text = filled(step.text, secret_behind(name, hands.secrets))
            session.upload(step.path, text, step.mode)
            continue
        checkpoint(f"device {name} run {step.line}")
        output = _typed(hands, name, step)
        checkpoint(f"device {name} ran {step.line}")
        if not output.is_ok:
            last = output.text.strip().rpartition("\n")[2]
            raise DeviceRefusedError(f"{name}: {step.line}: status {output.status}: {last}")


def _typed(hands: _Hands, name: str, step: Typed) -> Output:
    """Run a command; secrets are filled in where it is typed, and shown nowhere."""
    if not references(step.line):
        return hands.session.run(step.line, step.timeout_s)
    line = filled(step.line, secret_behind(name, hands.secrets))
    output = hands.session.run(line, step.timeout_s, shown=step.line)
    return replace(output, text=without_secrets(output.text, line, step.line))
