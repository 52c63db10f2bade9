"""What faults do to an NX-OS switch: lines typed as an operator would, and odd hardware."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lab.devices.nxos.checks import QOS, QUEUING
from netcheck.lab.devices.nxos.configuring import OUTERMOST, Mode, enter
from netcheck.lab.devices.nxos.hardware import no_drop
from netcheck.lab.devices.nxos.objects import Interface, Policy
from netcheck.lab.devices.nxos.patterns import LineError, compact
from netcheck.lab.devices.nxos.refusals import said
from netcheck.lab.devices.nxos.state import NxosSwitch
from netcheck.lab.devices.nxos.tree import Block
from netcheck.lab.fault_changes import (
    Change,
    Done,
    FaultError,
    Undo,
    Values,
    stop_counters,
)


def _switch(device: SimulatedDevice) -> NxosSwitch:
    if not isinstance(device, NxosSwitch):
        raise FaultError(f"{device.name}: the fault is for NX-OS switches")
    return device


def _type(switch: NxosSwitch, lines: Sequence[str]) -> Undo:
    """Type lines in configuration mode; the way back brings the whole configuration back."""
    before = root = switch.root
    modes: tuple[Mode, ...] = (OUTERMOST,)
    for line in lines:
        try:
            entered = enter(line, root, modes)
            switch.change(entered.root)
        except LineError as error:
            switch.change(before)
            refused = said(error, line, 0).splitlines()[-1]
            raise FaultError(f"{switch.name}: {line.strip()}: {refused}") from error
        root, modes = entered.root, entered.modes
    return _back(switch, before)


def _back(switch: NxosSwitch, before: Block) -> Undo:
    if switch.root == before:
        raise FaultError(f"{switch.name}: nothing there that the fault could change")
    return lambda: switch.change(before)


def _interface(switch: NxosSwitch, port: str) -> Interface:
    if port not in switch.found.interfaces:
        raise FaultError(f"{switch.name} {port}: no such interface")
    return switch.found.interfaces[port]


def _policies(switch: NxosSwitch, kind: str, direction: str) -> list[Policy]:
    """Policies of a kind in force anywhere that an operator made."""
    found = {
        policy.name: policy
        for each in switch.found.interfaces.values()
        if (policy := switch.found.policy_of(each, kind, direction)) is not None
        and f"policy-map type {kind} {policy.name}" in switch.root
    }
    return list(found.values())


def _pfc_off(device: SimulatedDevice, port: str, values: Values) -> Done:
    del values
    switch = _switch(device)
    was = _interface(switch, port).pfc_mode
    undo = _type(switch, [f"interface {port}", "priority-flow-control mode off"])
    return Done(f"{switch.name} {port} priority-flow-control mode: off (was {was})", undo)


def _dscp_map(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port
    switch, group = _switch(device), int(values["priority"])
    lossless = set(no_drop(switch.found))
    moved: set[int] = set()
    lines = []
    for policy in _policies(switch, QOS, "input"):
        for each in policy.classes:
            if each.number("set qos-group") in lossless:
                class_map = switch.found.class_maps.get((QOS, each.name))
                moved |= class_map.numbers("dscp") if class_map else set()
                lines += [
                    f"policy-map type qos {policy.name}",
                    f"class {each.name}",
                    f"set qos-group {group}",
                ]
    undo = _type(switch, lines)
    says = f"{switch.name} policy-map type qos: DSCP {compact(moved)} set qos-group {group}"
    return Done(says, undo)


def _in_classes(
    switch: NxosSwitch, direction: str, change: Callable[[str, Policy], Sequence[str]]
) -> list[str]:
    """Lines for the classes of queuing policies; ``change`` gives those inside one class."""
    lines = []
    for policy in _policies(switch, QUEUING, direction):
        for each in policy.classes:
            inner = change(each.name, policy)
            if inner:
                begin = [f"policy-map type queuing {policy.name}"]
                lines += [*begin, f"class type queuing {each.name}", *inner]
    return lines


def _ecn_off(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port, values
    switch = _switch(device)

    def change(name: str, policy: Policy) -> Sequence[str]:
        each = next(found for found in policy.classes if found.name == name)
        return ["no random-detect"] if each.words("random-detect") else []

    undo = _type(switch, _in_classes(switch, "output", change))
    says = f"{switch.name} policy-map type queuing: random-detect removed from every class"
    return Done(says, undo)


def _headroom(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, divisor = _switch(device), int(values["divisor"])
    policy = switch.found.policy_of(_interface(switch, port), QUEUING, "input")
    changed: list[tuple[int, int]] = []
    lines = []
    for each in policy.classes if policy else ():
        pause = each.pause
        if pause is None or policy is None:
            continue
        headroom = pause.buffer_bytes - pause.pause_bytes
        size = pause.pause_bytes + headroom // divisor
        changed.append((headroom, headroom // divisor))
        ends = f"pause-threshold {pause.pause_bytes} resume-threshold {pause.resume_bytes}"
        lines += [
            f"policy-map type queuing {policy.name}",
            f"class type queuing {each.name}",
            f"pause buffer-size {size} {ends}",
        ]
    if policy is None or not changed:
        raise FaultError(
            f"{switch.name} {port}: no pause buffer-size there; the switch sizes headroom itself"
        )
    undo = _type(switch, lines)
    says = (
        f"{switch.name} policy-map type queuing {policy.name} pause buffer-size:"
        f" headroom {changed[0][1]} (was {changed[0][0]})"
    )
    return Done(says, undo)


def _mtu(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, mtu = _switch(device), int(values["mtu"])
    was = _interface(switch, port).mtu
    undo = _type(switch, [f"interface {port}", f"mtu {mtu}"])
    return Done(f"{switch.name} {port} mtu: {mtu} (was {was})", undo)


def _weight(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, weight = _switch(device), int(values["weight"])
    lossless = set(no_drop(switch.found))
    found = switch.found.policy_of(_interface(switch, port), QUEUING, "output")

    def change(name: str, policy: Policy) -> Sequence[str]:
        each = next(one for one in policy.classes if one.name == name)
        is_meant = policy is found and switch.found.groups(QUEUING, name) & lossless
        if not is_meant or each.is_strict:
            return []
        words = "remaining " if each.words("bandwidth remaining") else ""
        return [f"bandwidth {words}percent {weight}"]

    undo = _type(switch, _in_classes(switch, "output", change))
    name = found.name if found else ""
    says = f"{switch.name} {port} policy-map type queuing {name} lossless class: bandwidth {weight}"
    return Done(says, undo)


def _watchdog(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port, values
    switch = _switch(device)
    line = "priority-flow-control watch-dog-interval off"
    lines = [line]
    for name in switch.speeds:
        if switch.found.interfaces[name].is_watched:
            lines += [f"interface {name}", line]
    undo = _type(switch, lines)
    return Done(f"{switch.name} {line}: on the switch and on every interface", undo)


def _hardware_headroom(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port
    switch, size = _switch(device), int(values["bytes"])
    before = dict(switch.deviation.headroom)
    switch.deviation.headroom |= {
        (name, group): size for name in switch.speeds for group in no_drop(switch.found)
    }
    if switch.deviation.headroom == before:
        raise FaultError(f"{switch.name}: no no-drop class there")

    def undo() -> None:
        switch.deviation.headroom = before

    says = f"{switch.name}: hardware holds {size} bytes of headroom on all ports, whatever is shown"
    return Done(says, undo)


def _hardware_map(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port
    switch, group = _switch(device), int(values["priority"])
    before = dict(switch.deviation.class_of_dscp)
    lossless = set(no_drop(switch.found))
    moved: set[int] = set()
    for name, held in switch.hardware().ports.items():
        is_on = switch.is_pfc_on(name)
        changed = {
            dscp: group
            for dscp, found in enumerate(held.priority_of_dscp)
            if is_on and found in lossless
        }
        switch.deviation.class_of_dscp[name] = changed
        moved |= set(changed)

    def undo() -> None:
        switch.deviation.class_of_dscp = before

    if not moved:
        undo()
        raise FaultError(f"{switch.name}: no DSCP leads to a no-drop class there")
    says = (
        f"{switch.name}: hardware leads DSCP {compact(moved)} to qos-group {group},"
        " whatever is shown"
    )
    return Done(says, undo)


def _stuck(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch = _switch(device)
    _interface(switch, port)
    return stop_counters(switch.name, switch.deviation, port, values)


CHANGES: dict[str, Change] = {
    "pfc_off": _pfc_off,
    "dscp_map": _dscp_map,
    "ecn_off": _ecn_off,
    "headroom": _headroom,
    "mtu": _mtu,
    "weight": _weight,
    "watchdog": _watchdog,
    "hardware_headroom": _hardware_headroom,
    "hardware_map": _hardware_map,
    "stuck": _stuck,
}
