"""Output policies of type queuing: service and marking of each queue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from netcheck.model.device import Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, is_known
from netcheck.model.qos import CongestionAction, Ecn, Scheduler, SchedulerKind
from netcheck.platforms.nxos.quirks import QUEUES, strict_queues
from netcheck.platforms.nxos.rendered.refuse import outside, refuse
from netcheck.platforms.platform import Refusal

WHOLE_PERCENT = 100


@dataclass(frozen=True, slots=True)
class Output:
    """What one output policy gives its queues."""

    scheduler: FrozenMap[int, Scheduler]
    ecn: FrozenMap[int, Ecn]


def output_of(port: Port) -> Output | None:
    """Give the output policy of a port; None where no scheduling is said."""
    if not is_known(port.qos.scheduler):
        return None
    ecn = port.qos.ecn if is_known(port.qos.ecn) else FrozenMap[int, Ecn]()
    return Output(port.qos.scheduler, ecn)


def output_lines(output: Output) -> list[tuple[str, list[str]]]:
    """Give ``(class, lines)`` of an output policy, all eight queues, the highest first."""
    strict = [q for q, one in output.scheduler.items() if one.kind is SchedulerKind.STRICT]
    above = strict_queues(min(strict)) if strict else range(0)
    return [
        (output_class(queue), [*_service(output, queue, above), *_marking(output.ecn.get(queue))])
        for queue in reversed(QUEUES)
    ]


def output_class(queue: int) -> str:
    """Name of the predefined class of a queue."""
    return f"c-out-8q-q{queue or '-default'}"


def _service(output: Output, queue: int, strict: range) -> Iterator[str]:
    if queue in strict:
        yield f"priority level {len(QUEUES) - queue}"
        return
    one = output.scheduler.get(queue)
    weight = one.weight_percent if one is not None and is_known(one.weight_percent) else 0
    yield f"bandwidth remaining percent {weight}"


def _marking(one: Ecn | None) -> Iterator[str]:
    """Thresholds in bytes, which are exact; weight 0 follows the queue as it is now."""
    if one is not None:
        ecn = " ecn" if one.action is not CongestionAction.DROP else ""
        yield (
            f"random-detect minimum-threshold {one.kmin_bytes} bytes"
            f" maximum-threshold {one.kmax_bytes} bytes"
            f" drop-probability {one.pmax_percent} weight 0{ecn}"
        )


def queue_refusals(port: Port, place: str) -> Iterator[Refusal]:
    """Yield what an output policy cannot hold."""
    qos = port.qos
    if qos.egress_buffer is not UNKNOWN:
        yield refuse("egress-buffer", place, "an egress account")
    if qos.scheduler is ABSENT:
        yield refuse("scheduler-kind", place, "none")
    if is_known(qos.scheduler):
        yield from _scheduler_refusals(qos.scheduler, place)
    if qos.ecn is not UNKNOWN and not is_known(qos.scheduler):
        yield refuse("ecn-without-scheduler", place, "no scheduling said")
    if is_known(qos.ecn):
        if not qos.ecn:
            yield refuse("ecn-incomplete", place, "an empty map")
        for queue, one in qos.ecn.items():
            yield from outside("qos-group", f"{place} ECN", [queue])
            yield from _ecn_refusals(one, f"{place} queue {queue}")


def _scheduler_refusals(found: FrozenMap[int, Scheduler], place: str) -> Iterator[Refusal]:
    yield from outside("qos-group", f"{place} scheduler", found)
    strict, total = [], 0
    for queue, one in found.items():
        at = f"{place} queue {queue}"
        if one.kind is SchedulerKind.STRICT:
            strict.append(queue)
        elif one.kind is not SchedulerKind.WEIGHTED or not is_known(one.weight_percent):
            yield refuse("scheduler-kind", at, f"{one.kind}, weight {one.weight_percent}")
        else:
            total += one.weight_percent
            yield from outside("scheduler-weight", at, [one.weight_percent])
        if one.shaper_bps is not UNKNOWN:
            yield refuse("scheduler-shaper", at, one.shaper_bps)
    if total > WHOLE_PERCENT:
        yield refuse("scheduler-sum", place, f"{total} %")
    yield from outside("strict-highest", place, [min(strict)] if strict else [])
    above = strict_queues(min(strict)) if strict else range(0)
    weighted = [
        queue for queue in above if queue in found and found[queue].kind is not SchedulerKind.STRICT
    ]
    if weighted:
        yield refuse("strict-highest", place, f"strict {sorted(strict)}, weighted {weighted}")


def _ecn_refusals(one: Ecn, place: str) -> Iterator[Refusal]:
    numbers = (one.kmin_bytes, one.kmax_bytes, one.pmax_percent, one.action)
    if not all(map(is_known, numbers)) or one.is_active not in {True, UNKNOWN}:
        yield refuse("ecn-incomplete", place, one)
        return
    yield from outside("ecn-probability", place, [one.pmax_percent])
    yield from outside("ecn-threshold", place, [one.kmin_bytes, one.kmax_bytes])
    if is_known(one.kmin_bytes) and is_known(one.kmax_bytes) and one.kmin_bytes > one.kmax_bytes:
        yield refuse("ecn-threshold", place, f"{one.kmin_bytes} > {one.kmax_bytes}")
