"""A policy with everything said: classes, marks, shares, and what holds for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, TypeVar

from netcheck.intent.complaint import Complaint, IntentError
from netcheck.intent.notes import Notes
from netcheck.model.fabric import (
    Carries,
    Delivery,
    EcnIntent,
    HeadroomBy,
    Policy,
    Scheduling,
    TrafficClass,
)
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known, known_or
from netcheck.model.qos import DcbxMode, Trust, Watchdog, WatchdogAction

T = TypeVar("T")

PRIORITIES: Final = range(8)
L2_MTU: Final = 9216
RDMA_MTUS: Final = (4096, 2048, 1024, 512, 256)
# a strict class that carries bulk traffic would starve the others
STRICT: Final = frozenset({Carries.CNP})
MARKED: Final = frozenset({Delivery.LOSSLESS, Delivery.ECN})


def is_default(one: TrafficClass) -> bool:
    """Whether a class takes everything that no other class claims."""
    return one.carries is Carries.DEFAULT or (one.carries is UNKNOWN and one.name == "default")


def default_class(policy: Policy) -> TrafficClass:
    """Give the class of a completed policy that takes everything unmarked."""
    return next(one for one in policy.classes.values() if one.carries is Carries.DEFAULT)


def lossless_classes(policy: Policy) -> list[TrafficClass]:
    """Give the lossless classes, in declared order."""
    return [one for one in policy.classes.values() if one.delivery is Delivery.LOSSLESS]


def marked_classes(policy: Policy) -> list[TrafficClass]:
    """Give the classes whose queues mark, in declared order."""
    return [
        one for one in policy.classes.values() if is_known(one.ecn) and one.ecn.is_enabled is True
    ]


def rdma_classes(policy: Policy) -> list[TrafficClass]:
    """Give the classes that RDMA traffic is promised something in, in declared order."""
    return [one for one in _data_classes(policy) if one.delivery in _RANK]


def _data_classes(policy: Policy) -> list[TrafficClass]:
    return [
        one for one in policy.classes.values() if one.carries in {Carries.DATA, Carries.STORAGE}
    ]


def data_class(policy: Policy) -> TrafficClass | None:
    """Give the class that RDMA data goes in: the first that is lossless, else marked."""
    wanted = _data_classes(policy)
    ranked = sorted(wanted, key=lambda one: _RANK.get(known_or(one.delivery, Delivery.LOSSY), 9))
    return ranked[0] if ranked else None


_RANK = {Delivery.LOSSLESS: 0, Delivery.ECN: 1, Delivery.TRIMMED: 2}


def class_that_carries(policy: Policy, what: Carries) -> TrafficClass | None:
    """Give the first class that carries ``what``."""
    return next((one for one in policy.classes.values() if one.carries is what), None)


def complete_policy(policy: Policy, notes: Notes) -> Policy:
    """Give the policy with every value that ports and hosts need.

    Raises:
        IntentError: There are more classes than switch priorities.
    """
    path = f"roce.policies.{policy.name}"
    fill = _Filler(notes, path)
    classes = _classes(policy, notes, path)
    has_lossless = any(one.delivery is Delivery.LOSSLESS for one in classes)
    return replace(
        policy,
        trust=fill("trust", policy.trust, _trust(classes)),
        l2_mtu=fill("l2_mtu", policy.l2_mtu, L2_MTU),
        roce_version=fill("roce_version", policy.roce_version, 2),
        dcbx=fill("dcbx", policy.dcbx, DcbxMode.DISABLED),
        headroom=fill("headroom", policy.headroom, HeadroomBy.EXPLICIT),
        watchdog=_watchdog(fill, policy.watchdog) if has_lossless else ABSENT,
        global_pause=_global_pause(fill, policy) if has_lossless else policy.global_pause,
        classes=FrozenMap({one.name: one for one in classes}),
    )


class _Filler:
    """Takes the default where nothing is said, and notes it."""

    def __init__(self, notes: Notes, path: str) -> None:
        self.notes = notes
        self.path = path

    def __call__(self, key: str, value: Known[T], default: T) -> Known[T]:
        if value is not UNKNOWN:
            return value
        self.notes.default(f"{self.path}.{key}", default)
        return default


def _trust(classes: Iterable[TrafficClass]) -> Trust:
    has_dscp = any(is_known(one.dscp) for one in classes)
    has_pcp = any(is_known(one.pcp) for one in classes)
    return Trust.PCP if has_pcp and not has_dscp else Trust.DSCP


def _global_pause(fill: _Filler, policy: Policy) -> Known[bool]:
    """Off: a port obeys either link pause or PFC, and many NICs come with the former on."""
    return fill("global_pause", policy.global_pause, default=False)


def _watchdog(fill: _Filler, stated: Known[Watchdog]) -> Known[Watchdog]:
    if stated is ABSENT:
        return ABSENT
    known = known_or(stated, Watchdog())
    return Watchdog(
        detection_ms=fill("watchdog.detection_ms", known.detection_ms, 200),
        restoration_ms=fill("watchdog.restoration_ms", known.restoration_ms, 400),
        action=fill("watchdog.action", known.action, WatchdogAction.DROP),
    )


def _classes(policy: Policy, notes: Notes, path: str) -> list[TrafficClass]:
    classes = list(policy.classes.values())
    if not any(is_default(one) for one in classes):
        classes.append(TrafficClass("default"))
        notes.default(f"{path}.classes", "a class named default")
    classes = [_with_words(one, notes, f"{path}.classes.{one.name}") for one in classes]
    classes = _with_priorities(classes, policy, notes, path)
    classes = _with_shares(classes, notes, path)
    return [_with_numbers(one, classes) for one in classes]


def _with_words(one: TrafficClass, notes: Notes, path: str) -> TrafficClass:
    """Delivery, purpose, scheduling and marking of a class."""
    fill = _Filler(notes, path)
    by_name = next((word for word in Carries if word.value == one.name), Carries.DATA)
    carries = fill("carries", one.carries, Carries.DEFAULT if is_default(one) else by_name)
    delivery = fill("delivery", one.delivery, Delivery.LOSSY)
    strict = Scheduling.STRICT if carries in STRICT else Scheduling.WEIGHTED
    is_marked = delivery in MARKED and carries is not Carries.CNP
    return replace(
        one,
        carries=carries,
        delivery=delivery,
        scheduling=fill("scheduling", one.scheduling, strict),
        ecn=one.ecn if is_known(one.ecn) else _ecn(fill, is_marked=is_marked),
    )


def _ecn(fill: _Filler, *, is_marked: bool) -> EcnIntent:
    fill("ecn", UNKNOWN, "auto" if is_marked else "off")
    return EcnIntent(is_enabled=is_marked)


def _with_priorities(
    classes: list[TrafficClass], policy: Policy, notes: Notes, path: str
) -> list[TrafficClass]:
    """Switch priorities that are not said: 0 for the default class, else by the first mark."""
    taken = {one.priority for one in classes if is_known(one.priority)}
    found = []
    for one in classes:
        if is_known(one.priority):
            found.append(one)
            continue
        wished = [0] if is_default(one) else _by_mark(one)
        free = [number for number in (*wished, *PRIORITIES) if number not in taken]
        if not free:
            message = f"{path}.classes: more classes than the {len(PRIORITIES)} switch priorities"
            raise IntentError([Complaint(policy.evidence, message)])
        taken.add(free[0])
        notes.default(f"{path}.classes.{one.name}.priority", free[0])
        found.append(replace(one, priority=free[0]))
    return found


def _by_mark(one: TrafficClass) -> list[int]:
    if is_known(one.dscp) and one.dscp:
        return [min(one.dscp) >> 3]
    return [min(one.pcp)] if is_known(one.pcp) and one.pcp else []


def _with_shares(classes: list[TrafficClass], notes: Notes, path: str) -> list[TrafficClass]:
    """Shares that are not said: what the others leave, in equal parts, at least 1 %.

    Classes of one queue have its share together, which any of them may say.
    """
    weighted = [one for one in classes if one.scheduling is Scheduling.WEIGHTED]
    stated = {
        (_queue(one), one.bandwidth_percent) for one in weighted if is_known(one.bandwidth_percent)
    }
    of_queue = dict(stated)
    silent = [
        one.name
        for one in weighted
        if not is_known(one.bandwidth_percent) and _queue(one) not in of_queue
    ]
    rest = max(100 - sum(share for _, share in stated), len(silent))
    found = []
    for one in classes:
        if one.scheduling is not Scheduling.WEIGHTED or is_known(one.bandwidth_percent):
            found.append(one)
            continue
        share = of_queue.get(_queue(one), 0)
        if one.name in silent:
            place = silent.index(one.name)
            share = rest // len(silent) + (1 if place < rest % len(silent) else 0)
        notes.default(f"{path}.classes.{one.name}.bandwidth", f"{share}%")
        found.append(replace(one, bandwidth_percent=share))
    return found


def _queue(one: TrafficClass) -> int:
    return known_or(one.queue, known_or(one.priority, 0))


def _with_numbers(one: TrafficClass, classes: list[TrafficClass]) -> TrafficClass:
    """PFC priority, queue and priority group: as the switch priority; lossy ones in group 0.

    Source: sonic-net/sonic-buildimage files/build_templates/qos_config.j2 keeps
        lossy traffic in priority group 0 and each lossless priority in its own.
    """
    priority = known_or(one.priority, 0)
    return replace(
        one,
        pfc_priority=known_or(one.pfc_priority, priority),
        queue=known_or(one.queue, priority),
        priority_group=_group(one, classes),
    )


def _group(one: TrafficClass, classes: list[TrafficClass]) -> int:
    if is_known(one.priority_group):
        return one.priority_group
    if one.delivery is Delivery.LOSSLESS:
        return known_or(one.priority, 0)
    lossless = {
        known_or(other.priority_group, known_or(other.priority, 0))
        for other in classes
        if other.delivery is Delivery.LOSSLESS
    }
    return next((number for number in PRIORITIES if number not in lossless), 0)
