"""How one port and one device treat traffic: maps, PFC, ETS, ECN, buffers, watchdog.

Words as in STYLE section 3: DSCP, switch priority, queue, priority group and
PFC priority are five different things. Every class here is frozen and
hashable; ten thousand equal ports share one ``PortQos``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known


class Trust(StrEnum):
    """Which mark a port believes."""

    DSCP = "dscp"
    PCP = "pcp"
    BOTH = "both"
    PORT = "port"
    NONE = "none"


class PfcMode(StrEnum):
    """How PFC gets switched on."""

    ON = "on"
    OFF = "off"
    AUTO = "auto"


class DcbxMode(StrEnum):
    """Who decides the DCB settings of a port."""

    DISABLED = "disabled"
    IEEE = "ieee"
    CEE = "cee"
    FIRMWARE = "firmware"
    HOST = "host"


class SchedulerKind(StrEnum):
    """How a queue is served."""

    STRICT = "strict"
    WEIGHTED = "weighted"
    VENDOR = "vendor"


class CongestionAction(StrEnum):
    """What happens to a packet above the threshold."""

    MARK = "mark"
    DROP = "drop"


class WatchdogAction(StrEnum):
    """What the PFC watchdog does with a stuck queue."""

    DROP = "drop"
    FORWARD = "forward"
    ALERT = "alert"


class PoolKind(StrEnum):
    """Which side of the switch a pool accounts for."""

    INGRESS = "ingress"
    EGRESS = "egress"


@frozen
class Scheduler:
    """Service of one queue.

    ``weight_percent`` is the share among weighted queues, as the platform
    holds it; legal sums differ by platform.
    """

    kind: SchedulerKind
    weight_percent: Known[int] = UNKNOWN
    shaper_bps: Known[int] = UNKNOWN


@frozen
class Ecn:
    """Marking of one queue: starts at ``kmin_bytes``, ``pmax_percent`` at ``kmax_bytes``.

    ``action`` is DROP when the thresholds exist but nothing marks;
    ``is_active`` is False when thresholds exist and no packet colour takes part.
    """

    kmin_bytes: Known[int] = UNKNOWN
    kmax_bytes: Known[int] = UNKNOWN
    pmax_percent: Known[int] = UNKNOWN
    action: Known[CongestionAction] = UNKNOWN
    is_active: Known[bool] = UNKNOWN


@frozen
class Dynamic:
    """Threshold as a share of the free pool: ``alpha`` times what is free."""

    alpha: float


@frozen
class Static:
    """Threshold in bytes."""

    limit_bytes: int


Threshold = Dynamic | Static


@frozen
class Buffer:
    """Buffer account of one priority group (ingress) or one queue (egress).

    Attributes:
        size_bytes: Reserved bytes of the account.
        headroom_bytes: Bytes kept for what arrives after XOFF is sent (a size).
        xoff_bytes: Fill level that sends XOFF, where the platform states one.
        xon_bytes: Fill level below which XON is sent.
        xon_offset_bytes: XON relative to the threshold, where stated.
        threshold: What limits the use of the shared pool.
        pool: Name of the pool it draws on.
        profile: Name of the profile that holds these numbers.
        is_lossless: The account pauses instead of dropping.
        is_computed: The device computes the numbers itself.
    """

    size_bytes: Known[int] = UNKNOWN
    headroom_bytes: Known[int] = UNKNOWN
    xoff_bytes: Known[int] = UNKNOWN
    xon_bytes: Known[int] = UNKNOWN
    xon_offset_bytes: Known[int] = UNKNOWN
    threshold: Known[Threshold] = UNKNOWN
    pool: Known[str] = UNKNOWN
    profile: Known[str] = UNKNOWN
    is_lossless: Known[bool] = UNKNOWN
    is_computed: Known[bool] = UNKNOWN


@frozen
class Watchdog:
    """PFC watchdog of one port; ``priorities`` are those it guards."""

    detection_ms: Known[int] = UNKNOWN
    restoration_ms: Known[int] = UNKNOWN
    action: Known[WatchdogAction] = UNKNOWN
    priorities: Known[frozenset[int]] = UNKNOWN


@frozen
class BufferPool:
    """One pool; ``shared_headroom_bytes`` is the part kept for all lossless accounts."""

    kind: Known[PoolKind] = UNKNOWN
    is_dynamic: Known[bool] = UNKNOWN
    size_bytes: Known[int] = UNKNOWN
    size_percent: Known[int] = UNKNOWN
    shared_headroom_bytes: Known[int] = UNKNOWN


@dataclass(frozen=True, slots=True, order=True)
class HeadroomRow:
    """One row of a headroom table that a device looks its profiles up in."""

    speed_bps: int
    cable_m: int
    size_bytes: int
    headroom_bytes: int
    xon_bytes: int
    xon_offset_bytes: int = 0
    alpha_exponent: int = 0


@frozen
class PortQos:
    """How one port treats traffic.

    Shape: maps are ``DSCP -> switch priority``, ``switch priority -> queue`` and
    so on; a key that is missing is not mapped. A platform's own defaults are
    part of the map where its documents state them.
    """

    trust: Known[Trust] = UNKNOWN
    dscp_to_priority: Known[FrozenMap[int, int]] = UNKNOWN
    pcp_to_priority: Known[FrozenMap[int, int]] = UNKNOWN
    priority_to_queue: Known[FrozenMap[int, int]] = UNKNOWN
    priority_to_priority_group: Known[FrozenMap[int, int]] = UNKNOWN
    pfc_rx: Known[frozenset[int]] = UNKNOWN
    pfc_tx: Known[frozenset[int]] = UNKNOWN
    pfc_mode: Known[PfcMode] = UNKNOWN
    pfc_priority_to_queue: Known[FrozenMap[int, int]] = UNKNOWN
    pfc_priority_to_priority_group: Known[FrozenMap[int, int]] = UNKNOWN
    dcbx_mode: Known[DcbxMode] = UNKNOWN
    dcbx_willing: Known[bool] = UNKNOWN
    scheduler: Known[FrozenMap[int, Scheduler]] = UNKNOWN
    ecn: Known[FrozenMap[int, Ecn]] = UNKNOWN
    ingress_buffer: Known[FrozenMap[int, Buffer]] = UNKNOWN
    egress_buffer: Known[FrozenMap[int, Buffer]] = UNKNOWN
    watchdog: Known[Watchdog] = UNKNOWN
    global_pause_rx: Known[bool] = UNKNOWN
    global_pause_tx: Known[bool] = UNKNOWN
    remark_dscp: Known[FrozenMap[int, int]] = UNKNOWN
    remark_pcp: Known[FrozenMap[int, int]] = UNKNOWN
    mtu_by_priority: Known[FrozenMap[int, int]] = UNKNOWN


@frozen
class DeviceQos:
    """What a device (or one of its ASICs) treats alike for all ports.

    Attributes:
        pools: ``pool name -> pool``.
        oversubscription: Ratio by which the shared headroom is over-subscribed;
            ABSENT or 0 where headroom is not shared.
        is_headroom_computed: The device computes headroom from cable and speed.
        headroom_table: Rows the device looks headroom up in.
        lossless_mtu_bytes, small_packet_percent: Traffic the device assumes
            when it computes headroom.
        lossless_alpha_exponent: n of the default threshold ``2**n`` for
            lossless accounts, where the device computes them.
        watchdog_poll_ms: Interval at which the watchdog looks.
        dscp_to_priority: Map for the whole device, where there is one.
        counters_enabled: Names of counter groups that are switched on.
        buffer_profiles: ``profile name -> its numbers``, bound to a port or not.
        ecn_profiles: ``profile name -> its numbers``, bound to a queue or not.
        mmu_bytes: Whole packet buffer of the device.
    """

    pools: Known[FrozenMap[str, BufferPool]] = UNKNOWN
    oversubscription: Known[int] = UNKNOWN
    is_headroom_computed: Known[bool] = UNKNOWN
    headroom_table: Known[tuple[HeadroomRow, ...]] = UNKNOWN
    lossless_mtu_bytes: Known[int] = UNKNOWN
    small_packet_percent: Known[int] = UNKNOWN
    lossless_alpha_exponent: Known[int] = UNKNOWN
    watchdog_poll_ms: Known[int] = UNKNOWN
    dscp_to_priority: Known[FrozenMap[int, int]] = UNKNOWN
    dcbx_mode: Known[DcbxMode] = UNKNOWN
    global_pause_rx: Known[bool] = UNKNOWN
    global_pause_tx: Known[bool] = UNKNOWN
    counters_enabled: Known[frozenset[str]] = UNKNOWN
    buffer_profiles: Known[FrozenMap[str, Buffer]] = UNKNOWN
    ecn_profiles: Known[FrozenMap[str, Ecn]] = UNKNOWN
    mmu_bytes: Known[int] = UNKNOWN
