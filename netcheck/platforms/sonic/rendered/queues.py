"""Scheduling and ECN: model to variables of ``queues.j2``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial

from netcheck.model.device import Port
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import Missing, is_known
from netcheck.model.qos import CongestionAction, Ecn, Scheduler, SchedulerKind
from netcheck.platforms.sonic.rendered.facts import uses_of
from netcheck.platforms.sonic.rendered.names import shared_names
from netcheck.platforms.switch import Switch, any_said


@frozen
class SchedulerRow:
    """One row of SCHEDULER."""

    name: str
    kind: str
    weight: int | None


@frozen
class WredRow:
    """One row of WRED_PROFILE; all three colours are alike."""

    name: str
    kmin_bytes: int
    kmax_bytes: int
    pmax_percent: int
    ecn: str
    is_active: bool


@frozen
class QueueRow:
    """One row of QUEUE."""

    queue: int
    scheduler: str | None
    wred: str | None


def scheduler_name(scheduler: Scheduler) -> str:
    """Give the name of a scheduler, which is its whole content."""
    if is_known(scheduler.weight_percent) and scheduler.kind is SchedulerKind.WEIGHTED:
        return f"dwrr_{scheduler.weight_percent}"
    return "strict"


def scheduler_rows(switch: Switch) -> list[SchedulerRow] | None:
    """Give the rows of SCHEDULER; None when no scheduling is said."""
    found = {one for port in switch.kinds for one in _schedulers(port).values()}
    rows = {scheduler_name(one): _scheduler_row(one) for one in found}
    is_said = any_said(switch, lambda port: port.qos.scheduler)
    return [rows[name] for name in sorted(rows, key=_weight_order)] if is_said else None


def _weight_order(name: str) -> tuple[str, int]:
    head, _, weight = name.partition("_")
    return head, int(weight or 0)


def _scheduler_row(scheduler: Scheduler) -> SchedulerRow:
    name = scheduler_name(scheduler)
    if scheduler.kind is SchedulerKind.STRICT or not is_known(scheduler.weight_percent):
        return SchedulerRow(name, "STRICT", None)
    return SchedulerRow(name, "DWRR", scheduler.weight_percent)


WredNames = Mapping[tuple[int, Ecn], str]


def wred_names(switch: Switch) -> WredNames:
    """Give ``(queue, marking) -> profile name``; a policy tunes each queue by itself."""
    queues = {queue for port in switch.kinds for queue in _ecn(port)}
    names = {}
    for queue in sorted(queues):
        uses = uses_of(switch, partial(_of_queue, queue))
        for content, name in shared_names(uses, suffix=f"_q{queue}").items():
            names[queue, content] = name
    return names


def wred_rows(switch: Switch, names: WredNames) -> list[WredRow] | None:
    """Give the rows of WRED_PROFILE; None when nothing is said of ECN."""
    if not any_said(switch, lambda port: port.qos.ecn):
        return None
    return sorted(
        (_wred_row(name, ecn) for (_, ecn), name in names.items()), key=lambda row: row.name
    )


def _wred_row(name: str, ecn: Ecn) -> WredRow:
    kmin, kmax, pmax = ecn.kmin_bytes, ecn.kmax_bytes, ecn.pmax_percent
    if not (is_known(kmin) and is_known(kmax) and is_known(pmax)):
        raise TypeError(f"{name}: incomplete marking got past the refusals")
    word = "ecn_none" if ecn.action is CongestionAction.DROP else "ecn_all"
    return WredRow(name, kmin, kmax, pmax, word, is_active=ecn.is_active is True)


def is_queue_said(switch: Switch) -> bool:
    """Tell whether anything is said of queues; QUEUE is then whole."""
    return any_said(switch, lambda port: port.qos.scheduler) or any_said(
        switch, lambda port: port.qos.ecn
    )


def queue_rows(port: Port, names: WredNames) -> tuple[QueueRow, ...]:
    """Give the rows of a port of QUEUE, by queue."""
    schedulers, marks = _schedulers(port), _ecn(port)
    return tuple(
        QueueRow(
            queue,
            scheduler_name(schedulers[queue]) if queue in schedulers else None,
            names[queue, marks[queue]] if queue in marks else None,
        )
        for queue in sorted({*schedulers, *marks})
    )


def _schedulers(port: Port) -> Mapping[int, Scheduler]:
    return port.qos.scheduler if is_known(port.qos.scheduler) else {}


def _ecn(port: Port) -> Mapping[int, Ecn]:
    return _all_spelled_out(port.qos.ecn) if is_known(port.qos.ecn) else {}


@lru_cache(maxsize=1024)
def _all_spelled_out(marks: FrozenMap[int, Ecn]) -> Mapping[int, Ecn]:
    return {queue: _spelled_out(ecn) for queue, ecn in marks.items()}


def _spelled_out(ecn: Ecn) -> Ecn:
    """What is not said of a marking is what ECN means: active, and marking."""
    return replace(
        ecn,
        action=CongestionAction.MARK if isinstance(ecn.action, Missing) else ecn.action,
        is_active=ecn.is_active is not False,
    )


def _of_queue(queue: int, port: Port) -> tuple[Ecn, ...]:
    found = _ecn(port).get(queue)
    return () if found is None else (found,)
