"""Everything that EOS cannot express, by the limit's name in ``capabilities.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from netcheck.model.device import Port
from netcheck.model.known import UNKNOWN, Known, Missing, first_known, is_known, known_or
from netcheck.model.qos import (
    Buffer,
    DeviceQos,
    Ecn,
    PfcMode,
    PortQos,
    Scheduler,
    SchedulerKind,
    Watchdog,
)
from netcheck.platforms.eos import defaults
from netcheck.platforms.eos.quirks import polling_is_substituted
from netcheck.platforms.eos.rendered.refuse import outside, refuse
from netcheck.platforms.platform import Refusal
from netcheck.platforms.switch import Switch, bare

_NAME: Final = re.compile(r"Ethernet\d+(?:/\d+){0,3}")
_ANY_PORT: Final = "Ethernet1"
_OWN: Final = Buffer(is_lossless=True, is_computed=True)
_STEP_MS: Final = 10
_KBPS: Final = 1000
# map of the switch -> limits of its keys and of its values, and how many keys are all
MAPS: Final = {
    "dscp_to_priority": ("dscp", "switch-priority", 64),
    "pcp_to_priority": ("pcp", "switch-priority", 8),
    "priority_to_queue": ("switch-priority", "queue", 8),
    "remark_dscp": ("switch-priority", "dscp", 8),
    "remark_pcp": ("switch-priority", "pcp", 8),
}
_DEVICE_OWN: Final = (
    "pools",
    "headroom_table",
    "lossless_mtu_bytes",
    "small_packet_percent",
    "lossless_alpha_exponent",
    "counters_enabled",
    "buffer_profiles",
    "ecn_profiles",
)


def find_refusals(switch: Switch) -> Iterator[Refusal]:
    """Give everything that is said of the switch and cannot be expressed, in a fixed order.

    What is alike is judged once, here or on another switch; only where something is
    refused is each place named.
    """
    is_named = all(_NAME.fullmatch(port.name) for port in switch.ports)
    is_shared = next(_shared_refusals(switch, switch.kinds), None) is None
    kinds = with_shared_queues(switch.kinds)
    if is_named and is_shared and all(_is_clean(bare(port), switch.qos) for port in kinds):
        return
    ports = tuple(switch.device.ports.values())
    yield from _shared_refusals(switch, ports)
    for port in with_shared_queues(ports):
        yield from _port_refusals(f"{switch.name} {port.name}", port, switch.qos)


@lru_cache(maxsize=4096)
def _is_clean(port: Port, switch: DeviceQos) -> bool:
    """Nothing of a port is refused, whichever port it is; many ports are like it."""
    return next(_port_refusals("", replace(port, name=_ANY_PORT), switch), None) is None


def _shared_refusals(switch: Switch, ports: Iterable[Port]) -> Iterator[Refusal]:
    """Refuse what holds for the whole switch and what its ports have to agree on."""
    asics = len(switch.device.qos)
    if asics > 1:
        yield refuse("multi-asic", switch.name, f"{asics} ASICs")
    yield from _device_refusals(switch.name, switch.qos)
    for fact in MAPS:
        held = [(port.name, getattr(port.qos, fact)) for port in ports]
        if fact == "dscp_to_priority":
            held.append(("", switch.qos.dscp_to_priority))
        yield from _one_map(switch.name, fact, held)


def with_shared_queues(ports: Sequence[Port]) -> list[Port]:
    """Give the ports with the queue map of the switch, whichever of them says it."""
    shared = first_known(*(port.qos.priority_to_queue for port in ports))
    return [
        port
        if port.qos.priority_to_queue == shared
        else replace(port, qos=replace(port.qos, priority_to_queue=shared))
        for port in ports
    ]


def _device_refusals(place: str, qos: DeviceQos) -> Iterator[Refusal]:
    for fact in _DEVICE_OWN:
        value = getattr(qos, fact)
        if is_known(value) and value:
            yield refuse("buffers-own", f"{place} {fact}", value)
    if qos.is_headroom_computed is False or known_or(qos.oversubscription, 0):
        yield refuse("headroom-own", place, "headroom that the switch does not size")
    if is_known(qos.dcbx_mode) or qos.global_pause_rx is True or qos.global_pause_tx is True:
        yield refuse("device-wide", place, f"DCBX {qos.dcbx_mode}, pause {qos.global_pause_rx}")
    yield from outside("watchdog-poll", place, [qos.watchdog_poll_ms])


def _one_map(
    device: str, fact: str, held: list[tuple[str, Known[Mapping[int, int]]]]
) -> Iterator[Refusal]:
    """A map has to be whole, in range, and the same for every port that says it."""
    said = [(name, value) for name, value in held if value is not UNKNOWN]
    if not said:
        return
    keys, values, count = MAPS[fact]
    name, first = said[0]
    place = f"{device} {name} {fact}"
    for other, value in said[1:]:
        if value != first:
            yield refuse("map-device-wide", f"{device} {other} {fact}", f"another than {name}")
            return
    if isinstance(first, Missing):
        if fact not in {"remark_dscp", "remark_pcp"}:
            yield refuse("map-whole", place, "no map at all")
        return
    yield from outside(keys, place, sorted(first))
    yield from outside(values, place, sorted(set(first.values())))
    if len(first) < count:
        yield refuse("map-whole", place, f"{len(first)} of {count}")
    if fact == "priority_to_queue":
        yield from _control_refusals(place, first)


def _control_refusals(place: str, queues: Mapping[int, int]) -> Iterator[Refusal]:
    """Class 7 keeps queue 7, and no other class goes there."""
    control = defaults.CONTROL_PRIORITY
    for priority, queue in sorted(queues.items()):
        if (priority == control) != (queue == control):
            yield refuse("control-class", f"{place} {priority}", f"queue {queue}")


def _port_refusals(place: str, port: Port, switch: DeviceQos) -> Iterator[Refusal]:
    qos = port.qos
    if not _NAME.fullmatch(port.name):
        yield refuse("port-name", place, port.name)
    if is_known(port.cable_m):
        yield refuse("cable-length", place, f"{port.cable_m} m")
    yield from _mtu_refusals(place, port)
    yield from outside("trust", place, [_text(qos.trust)])
    yield from _pfc_refusals(place, qos)
    yield from _buffer_refusals(place, qos)
    yield from outside("dcbx", place, [_text(qos.dcbx_mode)])
    if qos.dcbx_willing is True:
        yield refuse("dcbx", place, "willing")
    if is_known(qos.mtu_by_priority) and qos.mtu_by_priority:
        yield refuse("mtu-by-priority", place, dict(qos.mtu_by_priority))
    for queue, scheduler in _items(qos.scheduler):
        yield from _scheduler_refusals(f"{place} queue {queue}", queue, scheduler)
    for queue, ecn in _items(qos.ecn):
        yield from _ecn_refusals(f"{place} queue {queue}", queue, ecn)
    if is_known(qos.watchdog):
        yield from _watchdog_refusals(place, qos, qos.watchdog, switch.watchdog_poll_ms)


def _items(value: Known[Mapping[int, object]]) -> list[tuple[int, object]]:
    return sorted(value.items()) if is_known(value) else []


def _text(value: object) -> Known[str]:
    return value if isinstance(value, Missing) else str(value)


def ip_mtu_of(port: Port) -> Known[int]:
    """Give the MTU to configure: that of the largest frame where it is said."""
    if is_known(port.l2_mtu):
        return port.l2_mtu - defaults.ETHERNET_BYTES
    return port.ip_mtu


def _mtu_refusals(place: str, port: Port) -> Iterator[Refusal]:
    mtu = ip_mtu_of(port)
    yield from outside("ip-mtu", place, [mtu])
    if is_known(port.ip_mtu) and is_known(mtu) and mtu < port.ip_mtu:
        yield refuse("mtu-frame", place, f"frame {port.l2_mtu} bytes, packet {port.ip_mtu} bytes")


def _pfc_refusals(place: str, qos: PortQos) -> Iterator[Refusal]:
    rx, tx = qos.pfc_rx, qos.pfc_tx
    if rx != tx and {rx, tx} != {frozenset(), Missing.ABSENT}:
        yield refuse("pfc-asymmetric", place, f"rx {rx}, tx {tx}")
        return
    pfc = tx if is_known(tx) else frozenset()
    yield from outside("pfc-priority", place, sorted(pfc))
    is_odd = qos.pfc_mode is PfcMode.OFF and pfc
    if is_odd or qos.pfc_mode is PfcMode.AUTO or (is_known(qos.pfc_mode) and tx is UNKNOWN):
        yield refuse("pfc-mode", place, f"{qos.pfc_mode} with priorities {sorted(pfc)}")
    queues = known_or(qos.priority_to_queue, defaults.PRIORITY_TO_QUEUE)
    for limit, said, own in (
        ("groups-follow-pfc", qos.priority_to_priority_group, defaults.priority_groups(pfc)),
        ("queues-follow-pfc", qos.pfc_priority_to_queue, defaults.paused_queues(pfc, queues)),
        (
            "groups-follow-pfc",
            qos.pfc_priority_to_priority_group,
            defaults.PFC_PRIORITY_TO_GROUP,
        ),
    ):
        if is_known(said) and said != own:
            yield refuse(limit, place, dict(said))


def _buffer_refusals(place: str, qos: PortQos) -> Iterator[Refusal]:
    pfc = qos.pfc_tx if is_known(qos.pfc_tx) else frozenset()
    accounts = qos.ingress_buffer
    if is_known(accounts) and (frozenset(accounts) != pfc or set(accounts.values()) - {_OWN}):
        yield refuse("headroom-own", place, f"accounts of priority groups {sorted(accounts)}")
    if accounts is Missing.ABSENT and pfc:
        yield refuse("headroom-own", place, "no account for a no-drop priority")
    if is_known(qos.egress_buffer):
        yield refuse("buffers-own", place, f"accounts of queues {sorted(qos.egress_buffer)}")


def _scheduler_refusals(place: str, queue: int, scheduler: object) -> Iterator[Refusal]:
    if not isinstance(scheduler, Scheduler):
        return
    yield from outside("queue", place, [queue])
    yield from outside("scheduler-kind", place, [scheduler.kind.value])
    weight, shaper = scheduler.weight_percent, scheduler.shaper_bps
    is_weighted = scheduler.kind is SchedulerKind.WEIGHTED
    if is_weighted != is_known(weight):
        yield refuse("scheduler-weight", place, f"{scheduler.kind.value}, weight {weight}")
    yield from outside("scheduler-weight", place, [weight])
    if is_known(shaper) and (shaper < _KBPS or shaper % _KBPS):
        yield refuse("scheduler-shaper", place, f"{shaper} bit/s")


def _ecn_refusals(place: str, queue: int, ecn: object) -> Iterator[Refusal]:
    if not isinstance(ecn, Ecn):
        return
    yield from outside("queue", place, [queue])
    facts = (ecn.kmin_bytes, ecn.kmax_bytes, ecn.pmax_percent, ecn.action)
    if not all(is_known(fact) for fact in facts):
        yield refuse("ecn-incomplete", place, facts)
        return
    yield from outside("ecn-threshold", place, [ecn.kmin_bytes, ecn.kmax_bytes])
    if known_or(ecn.kmin_bytes, 0) > known_or(ecn.kmax_bytes, 0):
        yield refuse("ecn-threshold", place, f"kmin {ecn.kmin_bytes}, kmax {ecn.kmax_bytes}")
    yield from outside("ecn-probability", place, [ecn.pmax_percent])
    if ecn.is_active is False:
        yield refuse("ecn-inactive", place, "inactive thresholds")


def _watchdog_refusals(
    place: str, qos: PortQos, watchdog: Watchdog, poll_ms: Known[int]
) -> Iterator[Refusal]:
    for time in (watchdog.detection_ms, watchdog.restoration_ms):
        if not is_known(time) or time % _STEP_MS:
            yield refuse("watchdog-time", place, f"{time} ms")
        yield from outside("watchdog-time", place, [time])
    times = (poll_ms, watchdog.detection_ms, watchdog.restoration_ms)
    poll, detection, restoration = (known_or(time, 0) for time in times)
    if all(map(is_known, times)) and polling_is_substituted(
        poll_ms=poll, detection_ms=detection, restoration_ms=restoration
    ):
        yield refuse("watchdog-poll", place, f"{poll} ms for {min(detection, restoration)} ms")
    yield from outside("watchdog-action", place, [_text(watchdog.action)])
    pfc = qos.pfc_tx if is_known(qos.pfc_tx) else frozenset()
    guarded = watchdog.priorities
    if not is_known(guarded):
        return
    queues = known_or(qos.priority_to_queue, defaults.PRIORITY_TO_QUEUE)
    held = {queues.get(one, one) for one in guarded}
    if guarded - pfc or any(queues.get(one, one) in held for one in pfc - guarded):
        yield refuse("watchdog-priorities", place, sorted(guarded))
