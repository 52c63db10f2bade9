"""What NX-OS cannot express, port by port and for the whole switch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import lru_cache

from netcheck.model.device import Port
from netcheck.model.known import ABSENT, UNKNOWN, is_known
from netcheck.model.qos import DcbxMode, DeviceQos, PfcMode, Trust, WatchdogAction
from netcheck.platforms.nxos.rendered.accounts import account_refusals
from netcheck.platforms.nxos.rendered.facts import (
    IDENTITY,
    MARKS,
    NoDrop,
    classes_of,
    distinct_ports,
    expected_groups,
    expected_pfc_map,
    no_drop,
    watchdogs,
)
from netcheck.platforms.nxos.rendered.queues import queue_refusals
from netcheck.platforms.nxos.rendered.refuse import outside, refuse
from netcheck.platforms.platform import Refusal
from netcheck.platforms.switch import Switch, bare

_NO_KNOB = tuple(
    each.name
    for each in fields(DeviceQos)
    if each.name not in {"watchdog_poll_ms", "is_headroom_computed"}
)


def find_refusals(switch: Switch) -> Iterator[Refusal]:
    """Yield everything in the switch's policy that a running-config cannot express."""
    asics = len(switch.device.qos)
    if asics > 1:
        yield refuse("multi-asic", switch.name, f"{asics} ASICs")
    yield from _device_refusals(switch)
    if next(_watchdog_refusals(switch, switch.kinds), None) is not None:
        yield from _watchdog_refusals(switch, switch.ports)
    yield from _network_refusals(switch)
    ports = distinct_ports(switch)
    paused = no_drop(ports)
    for port in ports:
        if not _is_clean(bare(port), paused):
            yield from _port_refusals(paused, port, f"{switch.name} {port.name}")


@lru_cache(maxsize=4096)
def _is_clean(port: Port, paused: NoDrop) -> bool:
    """Nothing of a port is refused, whatever it is called; many ports are like it."""
    return next(_port_refusals(paused, port, ""), None) is None


def _device_refusals(switch: Switch) -> Iterator[Refusal]:
    qos, name = switch.qos, switch.name
    for fact in _NO_KNOB:
        if getattr(qos, fact) is not UNKNOWN:
            yield refuse("device-buffers", name, f"{fact} said")
    if qos.watchdog_poll_ms is ABSENT:
        yield refuse("watchdog-interval", name, "none")
    yield from outside("watchdog-interval", name, [qos.watchdog_poll_ms])
    if is_known(qos.is_headroom_computed):
        accounts = [
            one
            for port in switch.kinds
            if is_known(port.qos.ingress_buffer)
            for one in port.qos.ingress_buffer.values()
        ]
        if qos.is_headroom_computed != any(one.is_computed is True for one in accounts):
            yield refuse("headroom-computed", name, qos.is_headroom_computed)


def _watchdog_refusals(switch: Switch, ports: Iterable[Port]) -> Iterator[Refusal]:
    poll = switch.qos.watchdog_poll_ms
    times = set()
    for port, watchdog in watchdogs(ports):
        place = f"{switch.name} {port.name} watchdog"
        if watchdog.action is WatchdogAction.FORWARD:
            yield refuse("watchdog-action", place, "forward")
        if watchdog.priorities is not UNKNOWN and watchdog.priorities != port.qos.pfc_tx:
            yield refuse("watchdog-priorities", place, watchdog.priorities)
        if not is_known(port.qos.pfc_tx):
            yield refuse("watchdog-priorities", place, "no PFC said")
        pair = (watchdog.detection_ms, watchdog.restoration_ms)
        times.add(pair)
        if not (is_known(poll) and is_known(pair[0]) and is_known(pair[1])):
            yield refuse("watchdog-incomplete", place, f"interval {poll}, {pair[0]}, {pair[1]}")
        elif pair[0] % poll or pair[1] % poll:
            yield refuse("watchdog-multiple", place, f"{pair[0]}, {pair[1]} ms at {poll} ms")
        else:
            yield from outside("watchdog-detection", place, [pair[0] // poll])
            yield from outside("watchdog-restoration", place, [pair[1] // poll])
    if len(times) > 1:
        yield refuse("watchdog-device-wide", switch.name, f"{len(times)} different ones")


def _network_refusals(switch: Switch) -> Iterator[Refusal]:
    sets = {
        port.qos.pfc_tx for port in switch.kinds if is_known(port.qos.pfc_tx) and port.qos.pfc_tx
    }
    if len(sets) > 1:
        found = " and ".join(sorted(str(sorted(each)) for each in sets))
        yield refuse("pfc-device-wide", switch.name, found)
    said = {
        port.qos.mtu_by_priority for port in switch.kinds if port.qos.mtu_by_priority is not UNKNOWN
    }
    if len(said) > 1 or ABSENT in said:
        yield refuse("class-mtu", switch.name, f"{len(said)} maps")
    for each in said:
        if is_known(each):
            yield from outside("class-mtu", switch.name, each.values())
            yield from outside("qos-group", f"{switch.name} MTU", each)
            if not each:
                yield refuse("class-mtu", switch.name, "an empty map")


def _port_refusals(paused: NoDrop, port: Port, place: str) -> Iterator[Refusal]:
    if is_known(port.cable_m):
        yield refuse("cable-length", place, f"{port.cable_m} m")
    yield from outside("port-mtu", place, [port.l2_mtu])
    yield from _mark_refusals(port, place)
    yield from _pfc_refusals(paused, port, place)
    yield from _dcbx_refusals(port, place)
    yield from _pause_refusals(port, place)
    yield from queue_refusals(port, place)
    yield from account_refusals(port, paused, place)


def _mark_refusals(port: Port, place: str) -> Iterator[Refusal]:
    qos = port.qos
    found = classes_of(qos)
    if is_known(qos.dscp_to_priority) and is_known(qos.pcp_to_priority):
        yield refuse("trust", place, "maps of DSCP and of PCP")
    if qos.trust is not UNKNOWN and (found is None or qos.trust is not found.trust):
        yield refuse("trust", place, qos.trust)
    if found is None:
        facts = ("dscp_to_priority", "pcp_to_priority", "remark_dscp", "remark_pcp")
        yield from (
            refuse("map-absent", place, f"{fact} said")
            for fact in facts
            if getattr(qos, fact) is not UNKNOWN
        )
        return
    other = qos.pcp_to_priority if found.trust is Trust.DSCP else qos.dscp_to_priority
    mapped = qos.dscp_to_priority if found.trust is Trust.DSCP else qos.pcp_to_priority
    if is_known(mapped) and set(mapped) != set(MARKS[found.trust]):
        yield refuse("map-whole", place, f"{len(mapped)} marks")
    if is_known(mapped):
        yield from outside("qos-group", place, mapped.values())
        used = frozenset(mapped.values())
        for fact, top in (("remark_dscp", 63), ("remark_pcp", 7)):
            said = getattr(qos, fact)
            if is_known(said) and (not said or not used >= set(said)):
                yield refuse("remark-unused", place, sorted(said))
            if is_known(said) and any(not 0 <= each <= top for each in said.values()):
                yield refuse("remark-unused", place, sorted(said.values()))
    if found.trust is Trust.DSCP and other is not UNKNOWN and is_known(other):
        yield refuse("trust", place, "a map of PCP as well")


def _pfc_refusals(paused: NoDrop, port: Port, place: str) -> Iterator[Refusal]:
    qos = port.qos
    if qos.pfc_rx != qos.pfc_tx:
        yield refuse("pfc-asymmetric", place, f"rx {qos.pfc_rx}, tx {qos.pfc_tx}")
    if qos.pfc_tx is ABSENT:
        yield refuse("pfc-mode", place, "absent")
    if is_known(qos.pfc_tx):
        yield from outside("qos-group", place, qos.pfc_tx)
    if qos.pfc_mode is not UNKNOWN:
        wanted = PfcMode.ON if is_known(qos.pfc_tx) and qos.pfc_tx else PfcMode.OFF
        if not is_known(qos.pfc_tx) or qos.pfc_mode is not wanted:
            yield refuse("pfc-mode", place, qos.pfc_mode)
    expected = {
        "priority_to_queue": IDENTITY,
        "priority_to_priority_group": expected_groups(paused, qos),
        "pfc_priority_to_queue": expected_pfc_map(paused, qos),
        "pfc_priority_to_priority_group": expected_pfc_map(paused, qos),
    }
    limits = {"priority_to_queue": "queue"}
    for fact, value in expected.items():
        said = getattr(qos, fact)
        if said is not UNKNOWN and said != value:
            yield refuse(limits.get(fact, "priority-group"), place, f"{fact} {said}")


def _dcbx_refusals(port: Port, place: str) -> Iterator[Refusal]:
    qos = port.qos
    is_forced = is_known(qos.pfc_tx)
    if qos.dcbx_willing is not UNKNOWN and (qos.dcbx_willing is not False or not is_forced):
        yield refuse("dcbx", place, f"willing {qos.dcbx_willing}")
    if qos.dcbx_mode is UNKNOWN:
        return
    if qos.dcbx_mode not in {DcbxMode.DISABLED, DcbxMode.IEEE} or not is_forced:
        yield refuse("dcbx", place, qos.dcbx_mode)
    elif qos.dcbx_mode is DcbxMode.IEEE and not qos.pfc_tx:
        yield refuse("dcbx", place, "ieee without PFC")


def _pause_refusals(port: Port, place: str) -> Iterator[Refusal]:
    said = (port.qos.global_pause_rx, port.qos.global_pause_tx)
    if ABSENT in said:
        yield refuse("global-pause", place, "absent")
    if True in said and is_known(port.qos.pfc_tx) and port.qos.pfc_tx:
        yield refuse("global-pause", place, "global pause and PFC")
