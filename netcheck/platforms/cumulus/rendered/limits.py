"""Everything that NVUE cannot express, by the limit's name in ``capabilities.yaml``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from netcheck.model.device import Port
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing, is_known, known_or
from netcheck.model.qos import (
    CongestionAction,
    DcbxMode,
    DeviceQos,
    Ecn,
    PfcMode,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
)
from netcheck.platforms.cumulus.rendered.account_limits import account_refusals, pool_refusals
from netcheck.platforms.cumulus.rendered.refuse import outside, refuse
from netcheck.platforms.cumulus.rendered.watchdog_limits import (
    ANY_PORT,
    detection_refusals,
    is_switch_port,
    watchdog_refusals,
)
from netcheck.platforms.platform import Refusal
from netcheck.platforms.switch import Switch, bare

PRIORITIES: Final = range(8)
DSCPS: Final = range(64)
IntMap = FrozenMap[int, int]
# fact -> its keys, limit of the keys, limit of the values
_MAPS: Final = (
    ("dscp_to_priority", DSCPS, "dscp", "switch-priority"),
    ("pcp_to_priority", PRIORITIES, "pcp", "switch-priority"),
    ("priority_to_queue", PRIORITIES, "switch-priority", "queue"),
)
_NOTHING: frozenset[int] = frozenset()


def find_refusals(switch: Switch) -> Iterator[Refusal]:
    """Give everything that is said of the switch and cannot be expressed, in a fixed order.

    What is alike is judged once, here or on another switch; only where something is
    refused is each place named.
    """
    is_refused = next(_shared_refusals(switch), None) is not None or any(
        is_known(one.qos.watchdog) for one in switch.ports if not is_switch_port(one)
    )
    if is_refused or not all(_is_clean(bare(port), switch.qos) for port in switch.kinds):
        yield from _shared_refusals(switch)
        for port in switch.ports:
            yield from _refusals_of(f"{switch.name} {port.name}", port, switch.qos)


@lru_cache(maxsize=4096)
def _is_clean(port: Port, switch: DeviceQos) -> bool:
    """Nothing of a port is refused, whichever port of a switch it is; many ports are like it."""
    return next(_refusals_of("", replace(port, name=ANY_PORT), switch), None) is None


def _refusals_of(place: str, port: Port, switch: DeviceQos) -> Iterator[Refusal]:
    yield from _port_refusals(place, port)
    yield from watchdog_refusals(place, port, switch)
    yield from account_refusals(place, port.qos, switch)


def _shared_refusals(switch: Switch) -> Iterator[Refusal]:
    name, asics = switch.name, len(switch.device.qos)
    if asics > 1:
        yield refuse("multi-asic", name, f"{asics} ASICs")
    yield from _device_refusals(name, switch.qos)
    yield from pool_refusals(name, switch.qos)
    yield from _queue_map_refusals(name, switch.kinds)
    yield from detection_refusals(name, switch.qos, switch.kinds)


def _device_refusals(place: str, qos: DeviceQos) -> Iterator[Refusal]:
    if is_known(qos.dscp_to_priority):
        yield refuse("dscp-device-wide", place, "a map for the whole switch")
    if is_known(qos.dcbx_mode):
        yield from outside("dcbx", place, [qos.dcbx_mode.value])
    for fact in (qos.global_pause_rx, qos.global_pause_tx):
        if fact is True:
            yield refuse("global-pause", place, "global pause on")
    if is_known(qos.counters_enabled):
        yield refuse("counters", place, ", ".join(sorted(qos.counters_enabled)) or "none")


def _queue_map_refusals(place: str, ports: Iterable[Port]) -> Iterator[Refusal]:
    """Refuse maps to queues that differ between ports."""
    maps: set[Hashable] = {
        port.qos.priority_to_queue for port in ports if is_known(port.qos.priority_to_queue)
    }
    if len(maps) > 1:
        yield refuse("queue-map-device-wide", place, f"{len(maps)} different maps")


def _port_refusals(place: str, port: Port) -> Iterator[Refusal]:
    qos = port.qos
    yield from outside("port-mtu", place, [port.l2_mtu])
    yield from _trust_refusals(place, qos)
    for fact, keys, key_limit, value_limit in _MAPS:
        yield from _map_refusals(f"{place} {fact}", getattr(qos, fact), keys)
        if is_known(getattr(qos, fact)):
            yield from outside(key_limit, f"{place} {fact}", sorted(getattr(qos, fact)))
            values = sorted(set(getattr(qos, fact).values()))
            yield from outside(value_limit, f"{place} {fact}", values)
    yield from _pfc_refusals(place, port)
    yield from _pause_refusals(place, qos)
    yield from _remark_refusals(place, qos)
    if qos.scheduler is ABSENT or (is_known(qos.scheduler) and not qos.scheduler):
        yield refuse("scheduler-none", place, "no service of any queue")
    if is_known(qos.scheduler):
        yield from _scheduler_refusals(place, qos.scheduler)
    if is_known(qos.ecn):
        for queue, ecn in sorted(qos.ecn.items()):
            yield from outside("queue", f"{place} ecn", [queue])
            yield from _ecn_refusals(f"{place} queue {queue}", ecn)
    if is_known(qos.mtu_by_priority) and qos.mtu_by_priority:
        yield refuse("mtu-by-priority", place, dict(qos.mtu_by_priority))


def _trust_refusals(place: str, qos: PortQos) -> Iterator[Refusal]:
    has_map = is_known(qos.dscp_to_priority) or is_known(qos.pcp_to_priority)
    if is_known(qos.trust):
        yield from outside("trust", place, [qos.trust.value])
    elif has_map or qos.trust is ABSENT:
        yield refuse("trust-unsaid", place, "no trust")
    believed = {"dscp", "pcp"} if qos.trust is Trust.BOTH else {str(qos.trust)}
    for mark in ("dscp", "pcp"):
        if getattr(qos, f"{mark}_to_priority") is ABSENT and mark in believed:
            yield refuse("trust", place, f"trust {qos.trust} without a map for it")


def _map_refusals(place: str, value: Known[IntMap], keys: range) -> Iterator[Refusal]:
    if value is ABSENT and "trust" not in place and "queue" in place:
        yield refuse("map-partial", place, "no map")
    if is_known(value) and not set(keys) <= set(value):
        missing = sorted(set(keys) - set(value))
        yield refuse("map-partial", place, f"nothing for {', '.join(map(str, missing))}")


def _pfc_refusals(place: str, port: Port) -> Iterator[Refusal]:
    qos = port.qos
    if (qos.pfc_rx is UNKNOWN) != (qos.pfc_tx is UNKNOWN):
        yield refuse("pfc-asymmetric", place, f"rx {qos.pfc_rx}, tx {qos.pfc_tx}")
        return
    rx, tx = known_or(qos.pfc_rx, _NOTHING), known_or(qos.pfc_tx, _NOTHING)
    yield from outside("switch-priority", f"{place} pfc", sorted(rx | tx))
    if rx and tx and rx != tx:
        yield refuse("pfc-asymmetric", place, f"rx {sorted(rx)}, tx {sorted(tx)}")
    is_on = bool(rx | tx)
    if is_known(qos.pfc_mode) and (
        qos.pfc_mode is PfcMode.AUTO or (qos.pfc_mode is PfcMode.ON) != is_on
    ):
        yield refuse("pfc-mode", place, qos.pfc_mode)
    if is_on:
        yield from outside("cable-length", place, [port.cable_m])
    yield from _pfc_map_refusals(place, qos, rx | tx)


def _pfc_map_refusals(place: str, qos: PortQos, paused: frozenset[int]) -> Iterator[Refusal]:
    queues = known_or(qos.priority_to_queue, FrozenMap())
    by_pfc = known_or(qos.pfc_priority_to_queue, FrozenMap())
    for priority in sorted(paused & set(by_pfc)):
        if by_pfc[priority] != queues.get(priority, priority):
            found = f"PFC priority {priority} pauses queue {by_pfc[priority]}"
            yield refuse("pfc-priority-is-switch-priority", place, found)
    groups = known_or(qos.priority_to_priority_group, FrozenMap())
    for priority, group in sorted(groups.items()):
        if group != (priority if priority in paused else 0) or not paused or 0 in paused:
            yield refuse("priority-group", place, f"priority {priority} in group {group}")
    own = known_or(qos.pfc_priority_to_priority_group, FrozenMap())
    for priority in sorted(paused & set(own)):
        if own[priority] != priority:
            yield refuse("priority-group", place, f"PFC priority {priority} in {own[priority]}")


def _pause_refusals(place: str, qos: PortQos) -> Iterator[Refusal]:
    if True in {qos.global_pause_rx, qos.global_pause_tx}:
        is_paused = bool(known_or(qos.pfc_rx, _NOTHING) | known_or(qos.pfc_tx, _NOTHING))
        limit = "global-pause-with-pfc" if is_paused else "global-pause"
        yield refuse(limit, place, "global pause on")
    if is_known(qos.dcbx_mode):
        yield from outside("dcbx", place, [qos.dcbx_mode.value])
    if qos.dcbx_willing is True or qos.dcbx_mode is ABSENT:
        yield refuse("dcbx", place, "willing" if qos.dcbx_willing is True else "no DCBX")
    if qos.dcbx_willing is False and qos.dcbx_mode not in {
        DcbxMode.DISABLED,
        DcbxMode.IEEE,
        UNKNOWN,
    }:
        yield refuse("dcbx", place, qos.dcbx_mode)


def _remark_refusals(place: str, qos: PortQos) -> Iterator[Refusal]:
    for fact, limit in (("remark_dscp", "dscp"), ("remark_pcp", "pcp")):
        marks = getattr(qos, fact)
        if not is_known(marks):
            continue
        if not marks:
            yield refuse("remark", f"{place} {fact}", "an empty map")
        yield from outside("switch-priority", f"{place} {fact}", sorted(marks))
        yield from outside(limit, f"{place} {fact}", sorted(set(marks.values())))


def _scheduler_refusals(place: str, services: FrozenMap[int, Scheduler]) -> Iterator[Refusal]:
    yield from outside("queue", f"{place} scheduler", sorted(services))
    total = 0
    for queue, one in sorted(services.items()):
        at = f"{place} queue {queue}"
        yield from outside("scheduler-kind", at, [one.kind.value])
        if is_known(one.shaper_bps):
            yield refuse("scheduler-shaper", at, f"{one.shaper_bps} b/s")
        if one.kind is not SchedulerKind.WEIGHTED:
            if is_known(one.weight_percent):
                yield refuse("scheduler-weight", at, f"{one.weight_percent} on a strict queue")
        elif isinstance(one.weight_percent, Missing):
            yield refuse("scheduler-weight", at, "no weight")
        else:
            yield from outside("scheduler-weight", at, [one.weight_percent])
            total += one.weight_percent
    yield from outside("scheduler-weight-sum", place, [total])


def _ecn_refusals(place: str, ecn: Ecn) -> Iterator[Refusal]:
    kmin, kmax, pmax = ecn.kmin_bytes, ecn.kmax_bytes, ecn.pmax_percent
    if not (is_known(kmin) and is_known(kmax) and is_known(pmax)):
        yield refuse("ecn-incomplete", place, f"kmin {kmin}, kmax {kmax}, pmax {pmax}")
        return
    if not 0 <= kmin <= kmax:
        yield refuse("ecn-thresholds", place, f"kmin {kmin}, kmax {kmax}")
    yield from outside("ecn-probability", place, [pmax])
    if ecn.is_active is False and ecn.action is CongestionAction.MARK:
        yield refuse("ecn-inactive", place, "marking that is off")
