"""The policy that the treatment of one port follows: what ``complete`` does, the other way round.

A switch priority that a mark leads to, or that pauses, is a class. What the port
does not tell stays UNKNOWN, which in an intent is not said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from netcheck.intent.defaults import PRIORITIES
from netcheck.intent.hosts import MAPPED_DRIVERS
from netcheck.intent.switches import LOSSLESS_ALPHA, PLAIN_KNOBS
from netcheck.lossless.ecn import ecn_thresholds
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
from netcheck.model.known import UNKNOWN, Known, first_known, is_known, known_or
from netcheck.model.qos import (
    CongestionAction,
    DcbxMode,
    DeviceQos,
    Ecn,
    PortQos,
    SchedulerKind,
    Trust,
    Watchdog,
)
from netcheck.platforms.knobs import Knobs

NAMELESS = ""
# Source: Mellanox/mlnx-tools, cnp_dscp of mlx5 as it comes (48).
USUAL_CNP_DSCP = 48
DSCPS = 64
NONE: frozenset[int] = frozenset()
Map = Mapping[int, int]


class Around(NamedTuple):
    """What a port's numbers depend on besides its QoS.

    Attributes:
        whole: What its device treats alike for all ports.
        cnp_dscps: DSCPs that NICs of the fabric put on CNPs.
        drivers: Drivers of the RDMA devices on the port, where it is a host's.
        pool_bytes: Pool of the lossless accounts, where it is known; else 0.
        knobs: What kinds of numbers the device's platform takes.
        points: Priorities on which its NIC answers marks; UNKNOWN of switches.
    """

    whole: DeviceQos = DeviceQos()
    speed_bps: Known[int] = UNKNOWN
    cnp_dscps: frozenset[int] = frozenset({USUAL_CNP_DSCP})
    drivers: frozenset[str] = frozenset()
    is_host: bool = False
    pool_bytes: int = 0
    knobs: Knobs = PLAIN_KNOBS
    points: Known[frozenset[int]] = UNKNOWN


def tells(qos: PortQos) -> bool:
    """Whether a port tells of pausing and marking; that nothing marks says little by itself."""
    is_told = is_known(qos.pfc_tx) or is_known(qos.pfc_rx)
    return is_told or bool(marking_queues(qos)) or (is_known(qos.ecn) and is_known(qos.trust))


def marking_queues(qos: PortQos) -> frozenset[int]:
    """Queues that mark, as far as is known."""
    queues = known_or(qos.ecn, FrozenMap())
    return frozenset(queue for queue, one in queues.items() if marks(one))


def marks(one: Ecn) -> bool:
    """Whether thresholds mark: others drop, or are not in effect."""
    return one.action is not CongestionAction.DROP and one.is_active is not False


def policy_of(qos: PortQos, around: Around) -> Policy | None:
    """Give the nameless policy of a port; None where the port tells nothing of PFC and marking."""
    if not tells(qos):
        return None
    classes = _Port(qos, around).classes()
    return Policy(
        NAMELESS,
        trust=qos.trust,
        dcbx=DcbxMode.DISABLED if _is_own(qos, around) else qos.dcbx_mode,
        watchdog=_watchdog(qos),
        watchdog_poll_ms=around.whole.watchdog_poll_ms if is_known(qos.watchdog) else UNKNOWN,
        headroom=_headroom(qos, around),
        global_pause=qos.global_pause_rx if qos.global_pause_rx == qos.global_pause_tx else UNKNOWN,
        classes=FrozenMap({one.name: one for one in classes}),
    )


def marks_as_computed(policy: Policy, around: Around) -> bool:
    """Whether all thresholds of a port's policy are those that ``auto`` would give."""
    if not is_known(around.speed_bps):
        return False
    own = ecn_thresholds(around.speed_bps, pool_bytes=around.pool_bytes, alpha=LOSSLESS_ALPHA)
    computed = EcnIntent(
        is_enabled=True,
        kmin_bytes=own.kmin_bytes,
        kmax_bytes=own.kmax_bytes,
        pmax_percent=own.pmax_percent,
    )
    return all(
        one.ecn == computed
        for one in policy.classes.values()
        if is_known(one.ecn) and one.ecn.is_enabled is True
    )


def is_closed(policy: Policy) -> bool:
    """Whether a policy pauses nothing and marks nothing: RDMA ends at its ports."""
    return not any(
        one.delivery is Delivery.LOSSLESS or (is_known(one.ecn) and one.ecn.is_enabled is True)
        for one in policy.classes.values()
    )


def _is_own(qos: PortQos, around: Around) -> bool:
    """A host that decides for itself negotiates nothing."""
    return around.is_host and qos.dcbx_mode is DcbxMode.HOST


def _watchdog(qos: PortQos) -> Known[Watchdog]:
    if not is_known(qos.watchdog):
        return qos.watchdog
    return replace(qos.watchdog, priorities=UNKNOWN)


def _headroom(qos: PortQos, around: Around) -> Known[HeadroomBy]:
    if around.knobs.is_headroom_own:
        return UNKNOWN  # it cannot be asked for anything else
    if around.whole.is_headroom_computed is True:
        return HeadroomBy.DEVICE
    accounts = known_or(qos.ingress_buffer, FrozenMap()).values()
    is_stated = any(is_known(one.headroom_bytes) for one in accounts)
    return HeadroomBy.EXPLICIT if is_stated else UNKNOWN


class _Port:
    """One port's maps, with what is not known of them as nothing."""

    def __init__(self, qos: PortQos, around: Around) -> None:
        self.qos, self.around = qos, around
        known = first_known(qos.dscp_to_priority, around.whole.dscp_to_priority)
        trusts_dscp = qos.trust is not Trust.PCP
        trusts_pcp = qos.trust in {Trust.PCP, Trust.BOTH}
        self.dscp: Map = known_or(known, FrozenMap()) if trusts_dscp else FrozenMap()
        self.pcp: Map = known_or(qos.pcp_to_priority, FrozenMap()) if trusts_pcp else FrozenMap()
        self.queue: Map = known_or(qos.priority_to_queue, FrozenMap())
        self.pfc_of = self._pfc_priorities()

    def _pfc_priorities(self) -> dict[int, int]:
        """Give ``switch priority -> PFC priority`` of those that pause in either direction."""
        queues: Map = known_or(self.qos.pfc_priority_to_queue, FrozenMap())
        used = {*self.dscp.values(), *self.pcp.values()} or set(PRIORITIES)
        found: dict[int, int] = {}
        for pfc in sorted(known_or(self.qos.pfc_tx, NONE) | known_or(self.qos.pfc_rx, NONE)):
            same = [number for number in sorted(used) if self._queue(number) == queues.get(pfc)]
            if pfc in same or not same:
                found[pfc] = pfc
            else:  # several may lead to one queue: a priority keeps its own, else the first
                found.setdefault(same[0], pfc)
        return found

    def _queue(self, priority: int) -> int:
        return self.queue.get(priority, priority)

    @property
    def default(self) -> int:
        """Switch priority that more than half of all marks lead to; else that of mark 0.

        Of a map of few marks most may lead to a class of their own.
        """
        marks, number = (self.dscp, DSCPS) if self.dscp else (self.pcp, len(PRIORITIES))
        most, count = next(iter(Counter(marks.values()).most_common(1)), (0, 0))
        return most if 2 * count > number else marks.get(0, 0)

    def classes(self) -> list[TrafficClass]:
        """The classes, in order of priority, the default last."""
        numbers = sorted(self._priorities() - {self.default})
        found = [self._class(number) for number in numbers]
        classes = [*self._named(found), self._class(self.default, "default")]
        # Classes of one queue have its share together: the last one says it.
        of_queue = {known_or(one.queue, one.priority): one.name for one in classes}
        return [
            one
            if of_queue[known_or(one.queue, one.priority)] == one.name
            else replace(one, bandwidth_percent=UNKNOWN)
            for one in classes
        ]

    def _priorities(self) -> set[int]:
        own = {dscp >> 3 for dscp in self.dscp} if self._has_own_map else set()
        told = {
            priority
            for dscp, priority in self.dscp.items()
            if not own or priority != dscp >> 3 or dscp in self.around.cnp_dscps
        }
        found = {*told, *self.pcp.values(), *self.pfc_of, *known_or(self.around.points, NONE)}
        return found | self._only_marking({*found, self.default})

    def _only_marking(self, found: set[int]) -> set[int]:
        """Switch priorities of queues that mark and that no other class leads to.

        Only where neither PFC nor trust shows: system-wide marking is also on ports without RDMA.
        """
        if any(map(is_known, (self.qos.pfc_tx, self.qos.pfc_rx, self.qos.trust))):
            return set()
        silent = marking_queues(self.qos) - {self._queue(number) for number in found}
        leading = {self._queue(number): number for number in reversed(PRIORITIES)}
        return {leading[queue] for queue in silent if queue in leading}

    @property
    def _has_own_map(self) -> bool:
        """A NIC that maps every DSCP by itself says nothing of classes by that."""
        return bool(self.around.drivers & MAPPED_DRIVERS)

    def _class(self, priority: int, name: str = NAMELESS) -> TrafficClass:
        is_default = name == "default"
        dscps = frozenset(dscp for dscp, number in self.dscp.items() if number == priority)
        pcps = frozenset(pcp for pcp, number in self.pcp.items() if number == priority)
        queue = self.queue.get(priority, UNKNOWN)
        ecn = self._ecn(priority, known_or(queue, priority))
        pfc = self.pfc_of.get(priority, UNKNOWN)
        scheduling, share = self._service(known_or(queue, priority))
        return TrafficClass(
            name=name,
            dscp=UNKNOWN if is_default or not dscps else dscps,
            pcp=UNKNOWN if is_default or not pcps else pcps,
            priority=priority,
            pfc_priority=pfc,
            queue=queue,
            priority_group=self._group(priority, pfc),
            delivery=self._delivery(ecn, pfc),
            carries=Carries.DEFAULT if is_default else self._carries(dscps, priority),
            scheduling=scheduling,
            bandwidth_percent=share,
            ecn=ecn,
        )

    def _carries(self, dscps: frozenset[int], priority: int) -> Known[Carries]:
        is_cnp = bool(dscps & self.around.cnp_dscps) and priority not in self.pfc_of
        return Carries.CNP if is_cnp else UNKNOWN

    def _group(self, priority: int, pfc: Known[int]) -> Known[int]:
        groups: Map = known_or(self.qos.priority_to_priority_group, FrozenMap())
        if priority in groups:
            return groups[priority]
        paused: Map = known_or(self.qos.pfc_priority_to_priority_group, FrozenMap())
        return paused.get(pfc, UNKNOWN) if is_known(pfc) else UNKNOWN

    def _service(self, queue: int) -> tuple[Known[Scheduling], Known[int]]:
        schedulers = self.qos.scheduler
        one = schedulers.get(queue) if is_known(schedulers) else None
        if one is None or one.kind is SchedulerKind.VENDOR:
            return UNKNOWN, UNKNOWN
        if one.kind is SchedulerKind.STRICT:
            return Scheduling.STRICT, UNKNOWN
        return Scheduling.WEIGHTED, one.weight_percent

    def _ecn(self, priority: int, queue: int) -> Known[EcnIntent]:
        if self.around.is_host:
            points = self.around.points
            return EcnIntent(is_enabled=priority in points) if is_known(points) else UNKNOWN
        if not is_known(self.qos.ecn):
            return UNKNOWN if self.qos.ecn is UNKNOWN else EcnIntent(is_enabled=False)
        one = self.qos.ecn.get(queue)
        if one is None or not marks(one):
            return EcnIntent(is_enabled=False)
        if (
            is_known(one.kmin_bytes)
            and is_known(one.kmax_bytes)
            and one.kmin_bytes > one.kmax_bytes
        ):
            return EcnIntent(is_enabled=True)  # no intent can say it
        return EcnIntent(
            is_enabled=True,
            kmin_bytes=one.kmin_bytes,
            kmax_bytes=one.kmax_bytes,
            pmax_percent=one.pmax_percent,
        )

    def _delivery(self, ecn: Known[EcnIntent], pfc: Known[int]) -> Known[Delivery]:
        """Not known of a class that is not paused as far as is known, where PFC does not show."""
        if is_known(pfc):
            return Delivery.LOSSLESS
        if not (is_known(self.qos.pfc_tx) or is_known(self.qos.pfc_rx)):
            return UNKNOWN
        return Delivery.ECN if _is_marked(ecn) else Delivery.LOSSY

    @staticmethod
    def _named(classes: Iterable[TrafficClass]) -> list[TrafficClass]:
        """Give names by what is known; a number where there are several of a kind."""
        given = list(classes)
        words = [_word(one) for one in given]
        return [
            replace(one, name=word if _is_only(word, words) else f"{word}-{one.priority}")
            for one, word in zip(given, words, strict=True)
        ]


def _is_only(word: str, words: list[str]) -> bool:
    return word != "priority" and words.count(word) == 1


def _word(one: TrafficClass) -> str:
    if one.delivery is Delivery.LOSSLESS:
        return "lossless"
    if one.carries is Carries.CNP:
        return "cnp"
    return "ecn" if _is_marked(one.ecn) else "priority"


def _is_marked(ecn: Known[EcnIntent]) -> bool:
    return is_known(ecn) and ecn.is_enabled is True
