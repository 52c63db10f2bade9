"""Everything that CONFIG_DB cannot express, by the limit's name in ``capabilities.yaml``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from netcheck.model.device import Port
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.qos import (
    DcbxMode,
    DeviceQos,
    Ecn,
    PfcMode,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
)
from netcheck.platforms.platform import Refusal
from netcheck.platforms.sonic.rendered.buffer_limits import (
    account_refusals,
    group_refusals,
    name_refusals,
    pool_refusals,
)
from netcheck.platforms.sonic.rendered.maps import ALL_PRIORITIES, MAP_KINDS, IntMap
from netcheck.platforms.sonic.rendered.refuse import outside, refuse
from netcheck.platforms.switch import Switch, bare

# fact of the map -> limits of its keys and of its values
_MAP_LIMITS = {
    "dscp_to_priority": ("dscp", "switch-priority"),
    "pcp_to_priority": ("pcp", "switch-priority"),
    "priority_to_queue": ("switch-priority", "queue"),
    "priority_to_priority_group": ("switch-priority", "priority-group"),
    "pfc_priority_to_queue": ("pfc-priority", "pfc-queue"),
    "pfc_priority_to_priority_group": ("pfc-priority", "priority-group"),
    "remark_dscp": ("switch-priority", "dscp"),
}

# (DSCP map, PCP map) -> trust
_TRUST_BY_MAPS: dict[tuple[bool, ...], Known[Trust]] = {
    (True, False): Trust.DSCP,
    (False, True): Trust.PCP,
    (True, True): Trust.BOTH,
    (False, False): ABSENT,
}


def find_refusals(switch: Switch) -> Iterator[Refusal]:
    """Give everything that is said of the switch and cannot be expressed, in a fixed order.

    What is alike is judged once, here or on another switch; only where something is
    refused is each place named.
    """
    is_clean = _is_switch_clean(switch.qos) and len(switch.device.qos) <= 1
    if not is_clean or not all(_is_clean(bare(port), switch.qos) for port in switch.kinds):
        yield from _refusals(switch)
    elif next(name_refusals(switch.reduced()), None) is not None:
        yield from name_refusals(switch)


def _refusals(switch: Switch) -> Iterator[Refusal]:
    name = switch.name
    asics = len(switch.device.qos)
    if asics > 1:
        yield refuse("multi-asic", name, f"{asics} ASICs")
    yield from _switch_refusals(name, switch.qos)
    for port in switch.ports:
        yield from _port_refusals(f"{name} {port.name}", port, switch.qos)
    found = [
        refusal
        for port in switch.ports
        for refusal in account_refusals(f"{name} {port.name}", port, switch.qos)
    ]
    yield from found
    for port in switch.ports:
        yield from group_refusals(f"{name} {port.name}", port, switch.qos)
    if not found:
        yield from name_refusals(switch)


@lru_cache(maxsize=1024)
def _is_switch_clean(qos: DeviceQos) -> bool:
    return next(_switch_refusals("", qos), None) is None


@lru_cache(maxsize=4096)
def _is_clean(port: Port, switch: DeviceQos) -> bool:
    """Nothing of a port is refused, whatever it is called; many ports are like it."""
    checks = (_port_refusals, account_refusals, group_refusals)
    return all(next(check("", port, switch), None) is None for check in checks)


def _switch_refusals(place: str, qos: DeviceQos) -> Iterator[Refusal]:
    yield from _device_refusals(place, qos)
    yield from pool_refusals(place, qos)


def _device_refusals(place: str, qos: DeviceQos) -> Iterator[Refusal]:
    yield from _map_refusals(place, "dscp_to_priority", qos.dscp_to_priority)
    yield from _dcbx_refusals(place, qos.dcbx_mode, UNKNOWN)
    yield from _pause_refusals(place, qos.global_pause_rx, qos.global_pause_tx)
    yield from outside("watchdog-poll", place, [qos.watchdog_poll_ms])
    if is_known(qos.counters_enabled):
        yield from outside("counter-group", place, sorted(qos.counters_enabled))


def _port_refusals(place: str, port: Port, switch: DeviceQos) -> Iterator[Refusal]:
    qos = port.qos
    yield from outside("port-mtu", place, [port.l2_mtu])
    yield from _trust_refusals(place, qos, switch)
    for kind in MAP_KINDS:
        yield from _map_refusals(place, kind.fact, kind.of(qos))
    yield from _pfc_refusals(place, qos)
    yield from _dcbx_refusals(place, qos.dcbx_mode, qos.dcbx_willing)
    yield from _pause_refusals(place, qos.global_pause_rx, qos.global_pause_tx)
    for limit, value in (
        ("remark-pcp", qos.remark_pcp),
        ("mtu-by-priority", qos.mtu_by_priority),
    ):
        if is_known(value) and value:
            yield refuse(limit, place, dict(value))
    if is_known(qos.scheduler):
        for queue, scheduler in sorted(qos.scheduler.items()):
            yield from _scheduler_refusals(f"{place} queue {queue}", queue, scheduler)
    if is_known(qos.ecn):
        for queue, ecn in sorted(qos.ecn.items()):
            yield from _ecn_refusals(f"{place} queue {queue}", queue, ecn)
    if is_known(qos.watchdog):
        yield from _watchdog_refusals(place, qos.watchdog, switch.watchdog_poll_ms)


def _trust_refusals(place: str, qos: PortQos, switch: DeviceQos) -> Iterator[Refusal]:
    if is_known(switch.dscp_to_priority) and qos.dscp_to_priority is ABSENT:
        yield refuse("dscp-device-wide", place, "a map for the switch and none for the port")
    if qos.trust is UNKNOWN:
        return
    maps = tuple(is_known(one) and bool(one) for one in (qos.dscp_to_priority, qos.pcp_to_priority))
    by_maps = _TRUST_BY_MAPS[maps]
    if qos.trust is not by_maps:
        yield refuse("trust", place, f"trust {qos.trust} with maps for {by_maps}")


def _map_refusals(place: str, fact: str, value: Known[IntMap]) -> Iterator[Refusal]:
    if not is_known(value):
        return
    keys, values = _MAP_LIMITS[fact]
    yield from outside(keys, f"{place} {fact}", sorted(value))
    yield from outside(values, f"{place} {fact}", sorted(set(value.values())))


def _pfc_refusals(place: str, qos: PortQos) -> Iterator[Refusal]:
    rx, tx = qos.pfc_rx, qos.pfc_tx
    if (rx is UNKNOWN) != (tx is UNKNOWN):
        yield refuse("pfc-asymmetric", place, f"rx {_shown(rx)}, tx {_shown(tx)}")
        return
    received = rx if is_known(rx) else frozenset()
    sent = tx if is_known(tx) else frozenset()
    yield from outside("pfc-priority", place, sorted(received | sent))
    if received not in (sent, ALL_PRIORITIES):
        yield refuse("pfc-asymmetric", place, f"rx {_shown(rx)}, tx {_shown(tx)}")
    if is_known(qos.pfc_mode):
        by_list = UNKNOWN if tx is UNKNOWN else PfcMode.ON if sent else PfcMode.OFF
        if qos.pfc_mode is not by_list:
            yield refuse("pfc-mode", place, f"{qos.pfc_mode.value} with priorities {_shown(tx)}")


def _shown(priorities: Known[frozenset[int]]) -> str:
    return str(sorted(priorities) if is_known(priorities) else priorities)


def _dcbx_refusals(place: str, mode: Known[DcbxMode], willing: Known[bool]) -> Iterator[Refusal]:
    if is_known(mode) and mode is not DcbxMode.DISABLED:
        yield refuse("dcbx", place, f"DCBX {mode.value}")
    if willing is True:
        yield refuse("dcbx", place, "willing")


def _pause_refusals(place: str, rx: Known[bool], tx: Known[bool]) -> Iterator[Refusal]:
    if rx is True or tx is True:
        yield refuse("global-pause", place, f"rx {rx}, tx {tx}")


def _scheduler_refusals(place: str, queue: int, scheduler: Scheduler) -> Iterator[Refusal]:
    yield from outside("queue", place, [queue])
    yield from outside("scheduler-kind", place, [scheduler.kind.value])
    if is_known(scheduler.shaper_bps):
        yield refuse("scheduler-shaper", place, f"{scheduler.shaper_bps} bit/s")
    if scheduler.kind is not SchedulerKind.WEIGHTED:
        return
    if not is_known(scheduler.weight_percent):
        yield refuse("scheduler-weight", place, f"weight {scheduler.weight_percent}")
    yield from outside("scheduler-weight", place, [scheduler.weight_percent])


def _ecn_refusals(place: str, queue: int, ecn: Ecn) -> Iterator[Refusal]:
    yield from outside("queue", place, [queue])
    kmin, kmax, pmax = ecn.kmin_bytes, ecn.kmax_bytes, ecn.pmax_percent
    if not (is_known(kmin) and is_known(kmax) and is_known(pmax)):
        yield refuse("ecn-incomplete", place, f"kmin {kmin}, kmax {kmax}, pmax {pmax}")
        return
    if kmin < 0 or kmax < kmin:
        yield refuse("ecn-thresholds", place, f"kmin {kmin}, kmax {kmax}")
    yield from outside("ecn-probability", place, [pmax])


def _watchdog_refusals(place: str, watchdog: Watchdog, poll_ms: Known[int]) -> Iterator[Refusal]:
    if not is_known(watchdog.detection_ms):
        yield refuse("watchdog-detection", place, f"detection {watchdog.detection_ms}")
    yield from outside("watchdog-detection", place, [watchdog.detection_ms])
    yield from outside("watchdog-restoration", place, [watchdog.restoration_ms])
    if is_known(watchdog.priorities):
        yield from outside("pfc-priority", place, sorted(watchdog.priorities))
    for time in (watchdog.detection_ms, watchdog.restoration_ms):
        if is_known(time) and is_known(poll_ms) and time < poll_ms:
            yield refuse("watchdog-below-poll", place, f"{time} ms with a poll of {poll_ms} ms")
