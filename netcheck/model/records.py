"""Views of the records that ports and devices hold, and of the policy in effect."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from netcheck.model.fabric import Carries, Delivery, EcnIntent, Policy, Scheduling, Suppression
from netcheck.model.fact import Read, ReadView, ReadViews, View, is_readable
from netcheck.model.finding import Place
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.qos import (
    CongestionAction,
    DcbxMode,
    HeadroomRow,
    PoolKind,
    SchedulerKind,
    Threshold,
    Trust,
    WatchdogAction,
)

NOTHING: frozenset[int] = frozenset()
NO_MAP: FrozenMap[int, int] = FrozenMap()


class EcnView(View):
    """Marking of one queue."""

    kmin_bytes: Read[int] = Read()
    kmax_bytes: Read[int] = Read()
    pmax_percent: Read[int] = Read()
    action: Read[CongestionAction] = Read()
    is_active: Read[bool] = Read()


class BufferView(View):
    """Account of one priority group or queue."""

    size_bytes: Read[int] = Read()
    headroom_bytes: Read[int] = Read()
    xoff_bytes: Read[int] = Read()
    xon_bytes: Read[int] = Read()
    xon_offset_bytes: Read[int] = Read()
    threshold: Read[Threshold] = Read()
    pool: Read[str] = Read()
    profile: Read[str] = Read()
    is_lossless: Read[bool] = Read(absent=False)
    is_computed: Read[bool] = Read(absent=False)


class SchedulerView(View):
    """Service of one queue."""

    kind: Read[SchedulerKind] = Read()
    weight_percent: Read[int] = Read()
    shaper_bps: Read[int] = Read(absent=0)


class WatchdogView(View):
    """Watchdog of one port."""

    detection_ms: Read[int] = Read()
    restoration_ms: Read[int] = Read()
    action: Read[WatchdogAction] = Read()
    priorities: Read[frozenset[int]] = Read(absent=NOTHING)


class PoolView(View):
    """One buffer pool."""

    kind: Read[PoolKind] = Read()
    is_dynamic: Read[bool] = Read()
    size_bytes: Read[int] = Read()
    shared_headroom_bytes: Read[int] = Read(absent=0)


class DeviceQosView(View):
    """What one ASIC treats alike for all ports."""

    pools: ReadViews[PoolView] = ReadViews(PoolView, "pool")
    oversubscription: Read[int] = Read(absent=0)
    is_headroom_computed: Read[bool] = Read(absent=False)
    headroom_table: Read[tuple[HeadroomRow, ...]] = Read(absent=())
    lossless_mtu_bytes: Read[int] = Read()
    small_packet_percent: Read[int] = Read()
    watchdog_poll_ms: Read[int] = Read()
    dscp_to_priority: Read[FrozenMap[int, int]] = Read(absent=NO_MAP)
    buffer_profiles: ReadViews[BufferView] = ReadViews(BufferView, "profile")
    ecn_profiles: ReadViews[EcnView] = ReadViews(EcnView, "profile")


class ClassView(View):
    """One declared traffic class."""

    name: Read[str] = Read()
    dscp: Read[frozenset[int]] = Read(absent=NOTHING)
    pcp: Read[frozenset[int]] = Read(absent=NOTHING)
    priority: Read[int] = Read()
    queue: Read[int] = Read()
    priority_group: Read[int] = Read()
    delivery: Read[Delivery] = Read()
    carries: Read[Carries] = Read()
    scheduling: Read[Scheduling] = Read()
    bandwidth_percent: Read[int] = Read()
    ecn: Read[EcnIntent] = Read()

    @property
    def is_lossless(self) -> bool:
        """The intent says that this class may be paused and never dropped."""
        return is_readable(self, "delivery") and self.delivery is Delivery.LOSSLESS

    @property
    def is_cnp(self) -> bool:
        """The class carries congestion notifications, as declared or by its name."""
        if is_readable(self, "carries"):
            return self.carries is Carries.CNP
        return self.name == "cnp"

    @property
    def pfc_priority(self) -> int:
        """PFC priority as said, else the switch priority (the same number by convention)."""
        stated = self.take_or_none("pfc_priority")
        return self.priority if stated is None else stated

    def take_or_none(self, fact: str) -> int | None:
        """Give a whole number that the intent says, or None where it says none."""
        value = getattr(self.subject, fact)
        return value if isinstance(value, int) else None


class PolicyView(View):
    """The policy in effect at a place."""

    name: Read[str] = Read()
    trust: Read[Trust] = Read()
    l2_mtu: Read[int] = Read()
    ip_mtu: Read[int] = Read()
    rdma_mtu: Read[int] = Read()
    dcbx: Read[DcbxMode] = Read()
    watchdog: ReadView[WatchdogView] = ReadView(WatchdogView)

    @cached_property
    def classes(self) -> tuple[ClassView, ...]:
        """Declared classes, in declared order."""
        policy = self.subject
        assert isinstance(policy, Policy)  # noqa: S101 -- tells the type checker what the view wraps
        return tuple(ClassView(each, self.place, owner=self) for each in policy.classes.values())

    def classes_saying(self, *facts: str) -> Iterator[ClassView]:
        """Yield the classes for which the intent says all of ``facts``."""
        return (each for each in self.classes if all(is_readable(each, fact) for fact in facts))

    def lossless(self) -> Iterator[ClassView]:
        """Yield the lossless classes whose switch priority is said."""
        return iter(self._lossless)

    @cached_property
    def _lossless(self) -> tuple[ClassView, ...]:
        return tuple(each for each in self.classes_saying("priority") if each.is_lossless)

    def cnp(self) -> Iterator[ClassView]:
        """Yield the classes that carry congestion notifications."""
        return (each for each in self.classes if each.is_cnp)


class SuppressionView(View):
    """One suppression, on a day (ISO date, empty where no day is given)."""

    rule: Read[str] = Read()
    reason: Read[str] = Read()
    until: Read[str] = Read()

    def __init__(self, subject: Suppression, place: Place, *, today: str) -> None:
        super().__init__(subject, place)
        self.today = today
