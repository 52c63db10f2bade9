"""What devices hold, read from all of them at once, for plans and for checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from netcheck.collect.fanout import PACE, Pace, Progress, fan_out, silent
from netcheck.collect.session import Session
from netcheck.collect.target import Target, target_of
from netcheck.deploy.device import DEADLINE_S, read_held
from netcheck.deploy.plan import Order, Texts
from netcheck.model.device import Device
from netcheck.model.errors import InputError, TransportError
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap


@dataclass(frozen=True, slots=True)
class _Question:
    device: Device
    target: Target
    rendered: Texts = FrozenMap()


@dataclass(frozen=True, slots=True)
class _Answer:
    name: str
    held: FrozenMap[str, str] | None
    reason: str = ""


def read_all_held(
    fabric: Fabric,
    names: Iterable[str],
    *,
    rendered: Mapping[str, Texts] = FrozenMap(),
    pace: Pace = PACE,
    progress: Progress = silent,
) -> tuple[dict[str, FrozenMap[str, str]], dict[str, str]]:
    """Read what devices hold: ``device -> file -> text``, and ``device -> reason`` of the rest.

    Args:
        rendered: What they are to hold; tells which secrets to compare with.

    Raises:
        InputError: A device has no address or credentials.
    """
    questions = [
        _Question(
            fabric.devices[name],
            target_of(fabric, fabric.devices[name]),
            rendered.get(name, FrozenMap()),
        )
        for name in names
    ]
    return _ask(questions, pace=pace, progress=progress)


def read_held_again(
    orders: Iterable[Order], *, pace: Pace = PACE
) -> tuple[dict[str, FrozenMap[str, str]], dict[str, str]]:
    """Read what the devices of orders hold now, as ``read_all_held``."""
    questions = (_Question(order.device, order.target, order.rendered) for order in orders)
    return _ask(questions, pace=pace)


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
            return _Answer(name, read_held(session, question.device, question.rendered))
    except (TransportError, InputError) as error:
        return _Answer(name, None, str(error))
