"""Scheduling and ECN: model to variables of ``queues.j2``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from netcheck.model.device import Device, Port
from netcheck.model.known import UNKNOWN, Missing, is_known
from netcheck.model.qos import CongestionAction, Ecn, Scheduler, SchedulerKind
from netcheck.platforms.sonic.rendered.facts import any_said, ordered_ports, uses_of
from netcheck.platforms.sonic.rendered.names import shared_names


@dataclass(frozen=True, slots=True)
class SchedulerRow:
    """One row of SCHEDULER."""

    name: str
    kind: str
    weight: int | None


@dataclass(frozen=True, slots=True)
class WredRow:
    """One row of WRED_PROFILE; all three colours are alike."""

    name: str
    kmin_bytes: int
    kmax_bytes: int
    pmax_percent: int
    ecn: str
    is_active: bool


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One row of QUEUE."""

    key: str
    scheduler: str | None
    wred: str | None


def scheduler_name(scheduler: Scheduler) -> str:
    """Give the name of a scheduler, which is its whole content."""
    if is_known(scheduler.weight_percent) and scheduler.kind is SchedulerKind.WEIGHTED:
        return f"dwrr_{scheduler.weight_percent}"
    return "strict"


def scheduler_rows(device: Device) -> list[SchedulerRow] | None:
    """Give the rows of SCHEDULER; None when no scheduling is said."""
    rows = {
        scheduler_name(one): _scheduler_row(one)
        for port in ordered_ports(device)
        for one in _schedulers(port).values()
    }
    is_said = any_said(device, lambda port: port.qos.scheduler)
    return [rows[name] for name in sorted(rows, key=_weight_order)] if is_said else None


def _weight_order(name: str) -> tuple[str, int]:
    head, _, weight = name.partition("_")
    return head, int(weight or 0)


def _scheduler_row(scheduler: Scheduler) -> SchedulerRow:
    name = scheduler_name(scheduler)
    if scheduler.kind is SchedulerKind.STRICT or not is_known(scheduler.weight_percent):
        return SchedulerRow(name, "STRICT", None)
    return SchedulerRow(name, "DWRR", scheduler.weight_percent)


def wred_names(device: Device) -> dict[tuple[int, Ecn], str]:
    """Give ``(queue, marking) -> profile name``; a policy tunes each queue by itself."""
    queues = {queue for port in ordered_ports(device) for queue in _ecn(port)}
    names = {}
    for queue in sorted(queues):
        uses = uses_of(device, lambda port, queue=queue: _of_queue(port, queue))  # type: ignore[misc] # mypy cannot type a default in a lambda
        for content, name in shared_names(uses, suffix=f"_q{queue}").items():
            names[queue, content] = name
    return names


def wred_rows(device: Device) -> list[WredRow] | None:
    """Give the rows of WRED_PROFILE; None when nothing is said of ECN."""
    if not any_said(device, lambda port: port.qos.ecn):
        return None
    names = wred_names(device)
    return sorted(
        (_wred_row(name, ecn) for (_, ecn), name in names.items()), key=lambda row: row.name
    )


def _wred_row(name: str, ecn: Ecn) -> WredRow:
    kmin, kmax, pmax = ecn.kmin_bytes, ecn.kmax_bytes, ecn.pmax_percent
    if not (is_known(kmin) and is_known(kmax) and is_known(pmax)):
        raise TypeError(f"{name}: incomplete marking got past the refusals")
    word = "ecn_none" if ecn.action is CongestionAction.DROP else "ecn_all"
    return WredRow(name, kmin, kmax, pmax, word, is_active=ecn.is_active is True)


def queue_rows(device: Device) -> list[QueueRow] | None:
    """Give the rows of QUEUE, by port and queue; None when nothing is said of queues."""
    if not any_said(device, _scheduling_or_ecn):
        return None
    names = wred_names(device)
    return [
        _queue_row(port, queue, names)
        for port in ordered_ports(device)
        for queue in sorted({*_schedulers(port), *_ecn(port)})
    ]


def _queue_row(port: Port, queue: int, names: dict[tuple[int, Ecn], str]) -> QueueRow:
    scheduler, ecn = _schedulers(port).get(queue), _ecn(port).get(queue)
    return QueueRow(
        key=f"{port.name}|{queue}",
        scheduler=scheduler_name(scheduler) if scheduler else None,
        wred=names[queue, ecn] if ecn else None,
    )


def _scheduling_or_ecn(port: Port) -> object:
    return port.qos.scheduler if port.qos.scheduler is not UNKNOWN else port.qos.ecn


def _schedulers(port: Port) -> dict[int, Scheduler]:
    return dict(port.qos.scheduler) if is_known(port.qos.scheduler) else {}


def _ecn(port: Port) -> dict[int, Ecn]:
    if not is_known(port.qos.ecn):
        return {}
    return {queue: _spelled_out(ecn) for queue, ecn in port.qos.ecn.items()}


@lru_cache(maxsize=1024)
def _spelled_out(ecn: Ecn) -> Ecn:
    """What is not said of a marking is what ECN means: active, and marking."""
    return replace(
        ecn,
        action=CongestionAction.MARK if isinstance(ecn.action, Missing) else ecn.action,
        is_active=ecn.is_active is not False,
    )


def _of_queue(port: Port, queue: int) -> Iterator[Ecn]:
    if queue in _ecn(port):
        yield _ecn(port)[queue]
