"""Scheduling: a lossless class gets its share of the link."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from netcheck.model.fabric import Scheduling
from netcheck.model.fact import NotGivenError, is_readable
from netcheck.model.finding import Place, Severity
from netcheck.model.qos import SchedulerKind
from netcheck.model.records import ClassView, SchedulerView
from netcheck.model.view import IntentView, PortView
from netcheck.rules.roce.groups import only_host, only_switch
from netcheck.rules.rule import Fault, Scope, rule

ETS = "IEEE 802.1Q clause 37 (ETS)"
WHOLE_PERCENT = 100
STARVED_BELOW = 0.5  # of the share that was said
UNSAID_STARVED_BELOW = 0.25  # of an equal share, where none was said


def weights(scheduler: Mapping[int, SchedulerView]) -> dict[int, int]:
    """Weights of the weighted queues."""
    return {
        queue: each.weight_percent
        for queue, each in scheduler.items()
        if each.kind is SchedulerKind.WEIGHTED
    }


@rule(
    "ets-sum-not-100",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{ETS}; torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c "
    "refuses another sum",
    is_proof=False,
)
def ets_sum_not_100(port: PortView) -> Iterator[Fault]:
    """The ETS shares of a NIC do not add up to 100.

    Why: the driver refuses them all. (Switches have their own units; their sums are not judged.)
    Bad: 50, 40.
    Good: 50, 50.
    Fix: give shares that add up to 100.
    """
    only_host(port)
    found = weights(port.scheduler)
    if found and sum(found.values()) != WHOLE_PERCENT:
        yield Fault(port, ("scheduler",), "sum 100 %", f"sum {sum(found.values())} %")


def _intended_queue(each: ClassView) -> int | str:
    """The queue of a class: that of its switch priority where none is said, else its own."""
    for fact in ("queue", "priority"):
        number = each.take_or_none(fact)
        if number is not None:
            return number
    return each.name


@rule("ets-intent-over-100", severity=Severity.ERROR, scope=Scope.INTENT, source=ETS)
def ets_intent_over_100(intent: IntentView) -> Iterator[Fault]:
    """The bandwidths of a policy add up to more than 100 %.

    Why: no device can give it; each would scale in its own way. (Classes of one queue have its
        share together: it counts once.)
    Bad: rdma 60 %, default 50 %.
    Good: rdma 50 %, default 50 %.
    Fix: lower the shares.
    """
    shares = {
        (_intended_queue(each), each.bandwidth_percent)
        for each in intent.policy.classes_saying("bandwidth_percent")
    }
    total = sum(share for _, share in shares)
    if total > WHOLE_PERCENT:
        place = Place(intent.policy.place.device)
        yield Fault(intent, ("bandwidth_percent",), "<= 100 %", f"{total} %", places=(place,))


@rule(
    "ets-tc-zero-bw",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=ETS,
    supersedes=("ets-lossless-starved",),
)
def ets_tc_zero_bw(port: PortView) -> Iterator[Fault]:
    """The queue of a lossless class has no share of the link.

    Why: it is served only when nothing else is there; senders stay paused.
    Bad: queue 3 weighted with 0 %.
    Good: queue 3 weighted with 50 %.
    Fix: give the queue a weight.
    """
    for each in port.lossless:
        queue = port.queue_of(each.priority)
        if weights(port.scheduler).get(queue) == 0:
            yield Fault(
                port, ("weight_percent", "scheduler"), "> 0 %", "0 %", number=f"queue {queue}"
            )


@rule(
    "ets-lossless-starved",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="derived: a class served below half of its declared share stays paused under load, and "
    "the pause spreads; without a declared share, a quarter of an equal share is the limit",
    aliases=("ets-lossless-min-share",),
)
def ets_lossless_starved(port: PortView) -> Iterator[Fault]:
    """The queue of a lossless class has a share far below what it should have.

    Why: other queues take the link; the class is paused again and again, and so are its senders.
    Bad: declared 50 %, weight 1 against 50.
    Good: weights of 50 and 50.
    Fix: set the weight of the queue.
    """
    for each in port.lossless:
        queue = port.queue_of(each.priority)
        found = weights(port.scheduler)
        if queue not in found or len(found) == 1 or not found[queue]:
            continue
        share = WHOLE_PERCENT * found[queue] / sum(found.values())
        limit = _least_share(port, each.priority, len(found))
        if share < limit:
            yield Fault(
                port,
                ("weight_percent", "scheduler"),
                f">= {limit:.1f} %",
                f"{share:.1f} %",
                note="share among weighted queues",
                number=f"queue {queue}",
            )


def _least_share(port: PortView, priority: int, queues: int) -> float:
    for each in port.policy.lossless() if port.has_policy else ():
        if each.priority == priority and is_readable(each, "bandwidth_percent"):
            return STARVED_BELOW * each.bandwidth_percent
    return UNSAID_STARVED_BELOW * WHOLE_PERCENT / queues


@rule(
    "scheduler-queue-unassigned",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source="sonic-net/sonic-buildimage files/build_templates/qos_config.j2: QUEUE and SCHEDULER",
    is_proof=False,
)
def scheduler_queue_unassigned(port: PortView) -> Iterator[Fault]:
    """The queue of a lossless class has no scheduler.

    Why: the platform's own default decides; on some it is strict priority by queue number.
    Bad: schedulers on queues 0 and 6 only.
    Good: a weight on queue 3 too.
    Fix: bind a scheduler to the queue.
    """
    only_switch(port)
    for each in port.lossless:
        queue = port.queue_of(each.priority)
        if queue not in port.scheduler:
            yield Fault(port, ("scheduler",), "a scheduler", "none", number=f"queue {queue}")


@rule(
    "ets-lossless-strict",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source="derived: a strict queue of bulk data starves all others and hides congestion",
    is_proof=False,
)
def ets_lossless_strict(port: PortView) -> Iterator[Fault]:
    """The queue of a lossless class is strict although the intent does not ask for it.

    Why: bulk data in a strict queue starves everything else.
    Bad: queue 3 strict, other queues weighted.
    Good: queue 3 weighted.
    Fix: make the queue weighted.
    """
    for each in port.policy.lossless():
        queue = port.queue_of(each.priority)
        found = port.scheduler.get(queue)
        if is_readable(each, "scheduling") and each.scheduling is Scheduling.STRICT:
            continue
        if not is_readable(each, "bandwidth_percent") and not _starves(port, queue):
            raise NotGivenError("intended bandwidth")
        if found is not None and found.kind is SchedulerKind.STRICT:
            yield Fault(port, ("scheduler",), "weighted", "strict", number=f"queue {queue}")


def _starves(port: PortView, queue: int) -> bool:
    """Other queues have shares to lose."""
    return any(share for other, share in weights(port.scheduler).items() if other != queue)


@rule(
    "ets-strict-starves-lossless",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source="derived: a strict queue is served before every weighted one (IEEE 802.1Q 8.6.8.1), "
    "so that bulk data in it takes the share of all of them",
    is_proof=False,
)
def ets_strict_starves_lossless(port: PortView) -> Iterator[Fault]:
    """A class with a share of the link is served before the lossless class, without a limit.

    Why: as much as it sends, the lossless class waits; it is paused, and its senders with it.
    Bad: class default with 50 %, its queue strict; the lossless queue weighted.
    Good: both weighted; or the strict queue shaped.
    Fix: make the queue weighted, or map the class to a weighted queue.
    """
    shared = weights(port.scheduler)
    if not any(port.queue_of(each.priority) in shared for each in port.lossless):
        return
    for each in port.policy.classes_saying("bandwidth_percent"):
        is_said = is_readable(each, "scheduling") and each.scheduling is Scheduling.STRICT
        if each.is_lossless or each.is_cnp or is_said or not is_readable(each, "priority"):
            continue
        queue = port.queue_of(each.priority)
        service = port.scheduler.get(queue)
        if (
            service is not None
            and service.kind is SchedulerKind.STRICT
            and not _is_limited(service)
        ):
            note = f"class {each.name}"
            yield Fault(port, ("scheduler",), "weighted", "strict", note, number=f"queue {queue}")


def _is_limited(service: SchedulerView) -> bool:
    return bool(is_readable(service, "shaper_bps") and service.shaper_bps)
