"""A completed policy expanded into what each port of a switch holds."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import NamedTuple

from netcheck.intent.defaults import (
    PRIORITIES,
    default_class,
    lossless_classes,
    marked_classes,
)
from netcheck.intent.notes import Notes
from netcheck.lossless.asics import asic_of_model
from netcheck.lossless.ecn import ecn_thresholds
from netcheck.lossless.headroom import Headroom, HeadroomQuestion, headroom
from netcheck.model.device import Device, Port
from netcheck.model.fabric import EcnIntent, HeadroomBy, Policy, Scheduling, TrafficClass
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, first_known, is_known, known_or
from netcheck.model.qos import (
    Buffer,
    CongestionAction,
    DeviceQos,
    Dynamic,
    Ecn,
    PortQos,
    Scheduler,
    SchedulerKind,
    Static,
    Trust,
    Watchdog,
)
from netcheck.platforms.knobs import Knobs, knobs

PLAIN_KNOBS = Knobs()
DSCPS = range(64)
UNKNOWN_ASIC = "unknown"
LOSSLESS_POOL = "ingress_lossless_pool"
LOSSLESS_ALPHA = 1.0
DEFAULT_POLL_MS = 200
# serdes speed by ASIC: a port of eight lanes has twice the pipeline latency
# Source: sonic-net/sonic-buildimage device/mellanox platform.json, lanes of each port.
LANE_BPS = {
    "spectrum-1": 25_000_000_000,
    "spectrum-2": 50_000_000_000,
    "spectrum-3": 50_000_000_000,
    "spectrum-4": 100_000_000_000,
    "spectrum-5": 100_000_000_000,
    "spectrum-6": 200_000_000_000,
}
KMAX_OVER_KMIN = 4  # as in the computed thresholds


@frozen
class Surroundings:
    """What the numbers of a port depend on besides its policy.

    Attributes:
        l2_mtu: The larger frame of both ends, in bytes.
        has_shared_headroom: The device shares headroom between its ports.
        pool_bytes: Pool of lossless accounts, where the intent says it; else 0.
        knobs: What kinds of numbers the device's platform takes.
    """

    asic: str
    speed_bps: int
    lanes: int
    cable_m: float
    extra_delay_ns: float
    l2_mtu: int
    has_shared_headroom: bool
    knobs: Knobs = PLAIN_KNOBS
    pool_bytes: int = 0


class SwitchFacts(NamedTuple):
    """What ports of a switch need to know of it, and what holds for all of them."""

    asic: Known[str]
    qos: FrozenMap[str, DeviceQos]
    has_shared_headroom: bool


def switch_facts(device: Device, policies: list[Policy], notes: Notes) -> SwitchFacts:
    """Give a switch's ASIC and QoS as a whole; without policies, what is said of it."""
    asic, whole = device.asic, device.qos
    if policies:
        asic, whole = _completed(device, policies, notes)
    return SwitchFacts(asic, whole, _shares_headroom(whole.get("", DeviceQos())))


def _completed(
    device: Device, policies: list[Policy], notes: Notes
) -> tuple[str, FrozenMap[str, DeviceQos]]:
    asic = _asic(device, notes)
    qos = device.qos.get("", DeviceQos())
    watchdogs = [policy for policy in policies if is_known(policy.watchdog)]
    if watchdogs:
        is_poll_own = knobs(device.platform).is_poll_own
        qos = replace(qos, watchdog_poll_ms=_poll(watchdogs, notes, is_own=is_poll_own))
    is_own = knobs(device.platform).is_headroom_own
    if is_own or any(policy.headroom is HeadroomBy.DEVICE for policy in policies):
        qos = replace(qos, is_headroom_computed=True)
    if known_or(qos.oversubscription, 0):
        # SONiC's model wants the default threshold wherever the ratio stands: 2**0
        qos = replace(qos, lossless_alpha_exponent=first_known(qos.lossless_alpha_exponent, 0))
    return asic, device.qos.with_items({"": qos})


def _asic(device: Device, notes: Notes) -> str:
    if is_known(device.asic):
        return device.asic
    found = asic_of_model(device.model) if is_known(device.model) else UNKNOWN
    asic = known_or(found, UNKNOWN_ASIC)
    notes.derive(f"model {device.model} asic", f"{asic}, from the table of models")
    return asic


def _poll(policies: list[Policy], notes: Notes, *, is_own: bool) -> Known[int]:
    """Interval of the watchdog: as said, else the device's own or 200 ms, below any detection."""
    said = [one.watchdog_poll_ms for one in policies if is_known(one.watchdog_poll_ms)]
    if said:
        return min(said)
    if is_own:
        return UNKNOWN
    times = [
        one.watchdog.detection_ms
        for one in policies
        if is_known(one.watchdog) and is_known(one.watchdog.detection_ms)
    ]
    poll = min([DEFAULT_POLL_MS, *times])
    names = ", ".join(one.name for one in policies)
    notes.default(f"roce.policies.{names}.watchdog.poll_ms", poll)
    return poll


def lanes_of(port: Port, asic: str, speed_bps: int, notes: Notes) -> int:
    """Give the number of lanes of a port: as said, else by its ASIC's fastest lane."""
    if is_known(port.lanes):
        return port.lanes
    lanes = -(-speed_bps // LANE_BPS.get(asic, speed_bps))
    notes.default(f"lanes of {speed_bps / 1e9:g}G ports of {asic}", lanes)
    return lanes


def _shares_headroom(qos: DeviceQos) -> bool:
    """Whether the intent says that the device shares headroom between its ports."""
    pools = qos.pools.values() if is_known(qos.pools) else ()
    if any(known_or(pool.shared_headroom_bytes, 0) for pool in pools):
        return True
    return bool(known_or(qos.oversubscription, 0))


def lossless_pool_bytes(device: Device) -> int:
    """Size of the pool of lossless accounts, where the intent says it; else 0."""
    pools = device.qos.get("", DeviceQos()).pools
    if not is_known(pools) or LOSSLESS_POOL not in pools:
        return 0
    return known_or(pools[LOSSLESS_POOL].size_bytes, 0)


def closed_qos(port: Port) -> PortQos:
    """Give what a port holds where RDMA ends: it pauses nothing."""
    return replace(port.qos, pfc_rx=frozenset(), pfc_tx=frozenset(), watchdog=ABSENT)


def switch_qos(policy: Policy, around: Surroundings, notes: Notes) -> PortQos:
    """Give what a port of a switch holds under a completed policy.

    Every DSCP (or PCP) that no class claims goes to the default class, so that
    nothing strays into a lossless queue. Priorities that no class uses keep
    the queue of their number.
    """
    pfc = frozenset(known_or(one.pfc_priority, 0) for one in lossless_classes(policy))
    is_pcp = policy.trust is Trust.PCP
    return PortQos(
        trust=policy.trust,
        dscp_to_priority=UNKNOWN if is_pcp else _marks(policy, "dscp", DSCPS),
        pcp_to_priority=_marks(policy, "pcp", PRIORITIES) if has_pcp(policy) else UNKNOWN,
        priority_to_queue=_priority_to_queue(policy),
        priority_to_priority_group=_asked_groups(policy, around.knobs),
        pfc_rx=pfc,
        pfc_tx=pfc,
        pfc_priority_to_queue=_by_pfc_priority(policy, "queue"),
        pfc_priority_to_priority_group=_by_pfc_priority(policy, "priority_group"),
        dcbx_mode=policy.dcbx,
        scheduler=schedulers(policy),
        ecn=_ecn(policy, around, notes),
        ingress_buffer=_ingress(policy, around, notes),
        watchdog=_watchdog(policy, pfc, around.knobs, notes),
        global_pause_rx=policy.global_pause,
        global_pause_tx=policy.global_pause,
    )


def has_pcp(policy: Policy) -> bool:
    """Whether ports of the policy believe the PCP."""
    return policy.trust in {Trust.PCP, Trust.BOTH}


def class_marks(policy: Policy, field: str) -> dict[int, int]:
    """Give ``mark -> switch priority`` for the marks that classes claim."""
    return {
        mark: known_or(one.priority, 0)
        for one in policy.classes.values()
        for mark in sorted(known_or(getattr(one, field), frozenset()))
    }


def _marks(policy: Policy, field: str, marks: range) -> FrozenMap[int, int]:
    default = known_or(default_class(policy).priority, 0)
    claimed = class_marks(policy, field)
    return FrozenMap({mark: claimed.get(mark, default) for mark in marks})


def _priority_to_queue(policy: Policy) -> FrozenMap[int, int]:
    stated = {known_or(one.priority, 0): known_or(one.queue, 0) for one in policy.classes.values()}
    default = known_or(default_class(policy).queue, 0)
    used = set(stated.values())
    free = {number: default if number in used else number for number in PRIORITIES}
    return FrozenMap({number: stated.get(number, free[number]) for number in PRIORITIES})


def _asked_groups(policy: Policy, own: Knobs) -> Known[FrozenMap[int, int]]:
    """Map to priority groups; not asked of a device that assigns them as the policy has them."""
    lossless = lossless_classes(policy)
    shared = default_class(policy).priority_group
    is_plain = all(
        one.priority_group == one.priority or (one not in lossless and one.priority_group == shared)
        for one in policy.classes.values()
    )
    return UNKNOWN if own.are_groups_own and is_plain else _priority_to_group(policy)


def _priority_to_group(policy: Policy) -> FrozenMap[int, int]:
    stated = {
        known_or(one.priority, 0): known_or(one.priority_group, 0)
        for one in policy.classes.values()
    }
    default = known_or(default_class(policy).priority_group, 0)
    return FrozenMap({number: stated.get(number, default) for number in PRIORITIES})


def _by_pfc_priority(policy: Policy, field: str) -> FrozenMap[int, int]:
    """Map of PFC priorities 0 to 7: of lossless classes as they say, else to the same number."""
    stated = {
        known_or(one.pfc_priority, 0): known_or(getattr(one, field), 0)
        for one in lossless_classes(policy)
    }
    return FrozenMap({number: stated.get(number, number) for number in PRIORITIES})


def schedulers(policy: Policy) -> FrozenMap[int, Scheduler]:
    """Give ``queue -> scheduler`` for the queues of the policy's classes."""
    return FrozenMap(
        {
            known_or(one.queue, 0): _scheduler(one)
            for one in sorted(policy.classes.values(), key=lambda one: known_or(one.queue, 0))
        }
    )


def _scheduler(one: TrafficClass) -> Scheduler:
    if one.scheduling is Scheduling.STRICT:
        return Scheduler(SchedulerKind.STRICT)
    return Scheduler(SchedulerKind.WEIGHTED, one.bandwidth_percent)


def _ecn(policy: Policy, around: Surroundings, notes: Notes) -> FrozenMap[int, Ecn]:
    return FrozenMap(
        {
            known_or(one.queue, 0): _marking(policy, one, around, notes)
            for one in marked_classes(policy)
        }
    )


def _marking(policy: Policy, one: TrafficClass, around: Surroundings, notes: Notes) -> Ecn:
    speed_bps = around.speed_bps
    computed = ecn_thresholds(speed_bps, pool_bytes=around.pool_bytes, alpha=LOSSLESS_ALPHA)
    said = known_or(one.ecn, EcnIntent())
    kmax = known_or(said.kmax_bytes, max(computed.kmax_bytes, known_or(said.kmin_bytes, 0)))
    kmin = known_or(said.kmin_bytes, min(computed.kmin_bytes, kmax // KMAX_OVER_KMIN))
    pmax = known_or(said.pmax_percent, computed.pmax_percent)
    if not all(map(is_known, (said.kmin_bytes, said.kmax_bytes, said.pmax_percent))):
        path = f"roce.policies.{policy.name}.classes.{one.name}.ecn at {speed_bps / 1e9:g}G"
        how = f"kmin {kmin}B, kmax {kmax}B, pmax {pmax}%: {computed.derivation}"
        notes.derive(path, how)
    return Ecn(kmin, kmax, pmax, CongestionAction.MARK, is_active=True)


def _ingress(policy: Policy, around: Surroundings, notes: Notes) -> Known[FrozenMap[int, Buffer]]:
    groups = sorted({known_or(one.priority_group, 0) for one in lossless_classes(policy)})
    if not groups:
        return UNKNOWN
    if policy.headroom is HeadroomBy.DEVICE or around.knobs.is_headroom_own:
        account = Buffer(is_lossless=True, is_computed=True)
    else:
        account = _account(policy, around, notes)
    return FrozenMap(dict.fromkeys(groups, account))


def _account(policy: Policy, around: Surroundings, notes: Notes) -> Buffer:
    """Ingress account of a lossless priority group.

    Raises:
        InputError: Headroom cannot be computed for this ASIC, speed or cable.
    """
    found = headroom(
        HeadroomQuestion(
            asic=around.asic,
            speed_bps=around.speed_bps,
            cable_m=around.cable_m,
            lanes=around.lanes,
            l2_mtu=around.l2_mtu,
            extra_delay_ns=around.extra_delay_ns,
        )
    )
    terms = ", ".join(f"{name} {value}" for name, value in found.terms)
    delay = f" +{around.extra_delay_ns:g}ns" if around.extra_delay_ns else ""
    path = (
        f"roce.policies.{policy.name} headroom at {around.speed_bps / 1e9:g}G"
        f" {ceil(around.cable_m)}m{delay} {around.asic} {around.lanes} lanes"
        f" MTU {around.l2_mtu}B"
    )
    notes.derive(path, f"{found.headroom_bytes}B by {found.model}: {terms} bytes")
    if around.knobs.has_static_thresholds:
        return _static_account(found, around.speed_bps)
    return Buffer(
        size_bytes=found.xon_bytes if around.has_shared_headroom else found.size_bytes,
        headroom_bytes=found.headroom_bytes,
        xon_bytes=found.xon_bytes,
        threshold=Dynamic(LOSSLESS_ALPHA),
        pool=LOSSLESS_POOL,
        is_lossless=True,
    )


def _static_account(found: Headroom, speed_bps: int) -> Buffer:
    """Account limited in bytes: it pauses where marking starts, so that marks come first.

    Resuming close below keeps the peer from running dry while XON travels.

    Source: derived: one ingress port alone fills the egress queue to the limit.
    """
    limit = max(ecn_thresholds(speed_bps).kmin_bytes, 2 * found.xon_bytes)
    return Buffer(
        size_bytes=limit + found.headroom_bytes,
        headroom_bytes=found.headroom_bytes,
        xon_bytes=limit - found.xon_bytes,
        threshold=Static(limit),
        is_lossless=True,
    )


def _watchdog(policy: Policy, pfc: frozenset[int], around: Knobs, notes: Notes) -> Known[Watchdog]:
    if not pfc or not is_known(policy.watchdog):
        return ABSENT
    found = replace(policy.watchdog, priorities=pfc)
    if around.is_restoration_own and is_known(found.restoration_ms):
        path = f"roce.policies.{policy.name}.watchdog.restoration"
        notes.derive(path, "left to devices whose watchdog restores by a time of its own")
        found = replace(found, restoration_ms=UNKNOWN)
    return found
