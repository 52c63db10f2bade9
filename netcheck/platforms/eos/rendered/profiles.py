"""What stands in a QoS profile: the same for every port that treats traffic alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from netcheck.model.device import Port
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known, known_or
from netcheck.model.qos import (
    CongestionAction,
    Ecn,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.eos import defaults
from netcheck.platforms.eos.rendered.names import profile_names

_TRUST = {Trust.DSCP: "qos trust dscp", Trust.PCP: "qos trust cos", Trust.NONE: "no qos trust"}
_ACTION = {WatchdogAction.DROP: "drop", WatchdogAction.ALERT: "notify-only"}
_PFC = "priority-flow-control"
# The least that makes the watchdog look at a queue.
GUARANTEED = "bandwidth guaranteed percent 1"


@dataclass(frozen=True, slots=True)
class Queue:
    """One queue of a profile: its number and its lines."""

    number: int
    lines: tuple[str, ...]
    is_marking: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """Lines of a profile; the queues' lines stand below them."""

    lines: tuple[str, ...]
    queues: tuple[Queue, ...]


def named_profiles(
    ports: list[Port], poll_ms: Known[int]
) -> tuple[dict[str, Profile], dict[str, str]]:
    """Give ``name -> profile`` in order of name, and ``port -> name``.

    Args:
        ports: One of each kind is enough.
    """
    uses: dict[Profile, list[Port]] = {}
    for port in ports:
        if is_said(port.qos):
            uses.setdefault(profile_of(port.qos, poll_ms), []).append(port)
    names = profile_names(uses)
    by_port = {port.name: names[profile] for profile, users in uses.items() for port in users}
    return {names[each]: each for each in sorted(uses, key=names.__getitem__)}, by_port


def is_said(qos: PortQos) -> bool:
    """Tell whether anything is said that stands in a profile; said to be absent counts."""
    facts = (qos.trust, qos.pfc_tx, qos.watchdog, qos.scheduler, qos.ecn)
    return any(fact is not UNKNOWN for fact in facts)


@lru_cache(maxsize=1024)
def profile_of(qos: PortQos, poll_ms: Known[int]) -> Profile:
    """Give the profile of one port: what is said, and no more."""
    lines = [_TRUST[qos.trust]] if is_known(qos.trust) else []
    lines += _pfc_lines(qos)
    lines += _watchdog_lines(qos.watchdog, poll_ms)
    return Profile(tuple(lines), tuple(_queues(qos)))


def _pfc_lines(qos: PortQos) -> list[str]:
    if qos.pfc_tx is UNKNOWN:
        return []
    pfc = sorted(known_or(qos.pfc_tx, frozenset()))
    if not pfc and not (is_known(qos.pfc_mode) and qos.pfc_mode == "on"):
        return [f"no {_PFC}"]
    return [f"{_PFC} on", *(f"{_PFC} priority {one} no-drop" for one in pfc)]


def _watchdog_lines(watchdog: Known[Watchdog], poll_ms: Known[int]) -> list[str]:
    if watchdog is ABSENT:
        return [f"no {_PFC} pause watchdog"]
    if not is_known(watchdog):
        return []
    detection, restoration = (
        seconds(known_or(time, 0)) for time in (watchdog.detection_ms, watchdog.restoration_ms)
    )
    poll = seconds(poll_ms, 3) if is_known(poll_ms) else "auto"
    lines = [f"{_PFC} pause watchdog"]
    if is_known(watchdog.action):
        lines.append(f"{_PFC} pause watchdog port action {_ACTION[watchdog.action]}")
    times = f"timeout {detection} polling-interval {poll} recovery-time {restoration}"
    return [*lines, f"{_PFC} pause watchdog port timer {times}"]


def seconds(time_ms: int, decimals: int = 2) -> str:
    """Give a time in seconds with as many decimals as EOS prints.

    Example:
        >>> seconds(200), seconds(100, 3)
        ('0.20', '0.100')
    """
    return f"{time_ms / 1000:.{decimals}f}"


def _queues(qos: PortQos) -> list[Queue]:
    schedulers = qos.scheduler if is_known(qos.scheduler) else {}
    markings = qos.ecn if is_known(qos.ecn) else {}
    guarded = _guarded_queues(qos)
    found = []
    for number in sorted(schedulers.keys() | markings.keys() | guarded):
        lines = _scheduler_lines(schedulers.get(number))
        lines += [GUARANTEED] if number in guarded else []
        lines += _marking_lines(markings.get(number))
        is_marking = number in markings and markings[number].action is CongestionAction.MARK
        found.append(Queue(number, tuple(lines), is_marking))
    return found


def _guarded_queues(qos: PortQos) -> frozenset[int]:
    if not is_known(qos.watchdog):
        return frozenset()
    queues = known_or(qos.priority_to_queue, defaults.PRIORITY_TO_QUEUE)
    guarded = known_or(qos.watchdog.priorities, known_or(qos.pfc_tx, frozenset()))
    return frozenset(queues.get(one, one) for one in guarded)


def _scheduler_lines(scheduler: Scheduler | None) -> list[str]:
    if scheduler is None:
        return []
    lines = ["priority strict"]
    if scheduler.kind is SchedulerKind.WEIGHTED:
        lines = ["no priority", f"bandwidth percent {scheduler.weight_percent}"]
    if is_known(scheduler.shaper_bps):
        lines.append(f"shape rate {scheduler.shaper_bps // 1000} kbps")
    return lines


def _marking_lines(ecn: Ecn | None) -> list[str]:
    if ecn is None:
        return []
    is_drop = ecn.action is CongestionAction.DROP
    kind, share = ("drop", "drop-probability") if is_drop else ("ecn", "max-mark-probability")
    low, high = f"minimum-threshold {ecn.kmin_bytes} bytes", f"{ecn.kmax_bytes} bytes"
    ramp = f"{low} maximum-threshold {high} {share} {ecn.pmax_percent} weight 0"
    return [f"random-detect {kind} {ramp}"]
