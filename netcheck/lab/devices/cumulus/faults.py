"""What faults do to a Cumulus switch: revisions of an operator, and hardware that differs."""

from __future__ import annotations

import copy
from collections.abc import Callable

from netcheck.lab.devices.cumulus import defaults
from netcheck.lab.devices.cumulus.headroom import wire_bytes
from netcheck.lab.devices.cumulus.state import CumulusSwitch
from netcheck.lab.devices.cumulus.tree import Tree, difference, drop, put, subtree
from netcheck.lab.devices.cumulus.words import switch as word_for
from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lab.fault_changes import (
    Change,
    Done,
    FaultError,
    Undo,
    Values,
    move_lossless,
    stop_counters,
)

XOFF_BYTES = 1_000_000
ODD = "odd"


def _switch(device: SimulatedDevice) -> CumulusSwitch:
    if not isinstance(device, CumulusSwitch):
        raise FaultError(f"{device.name}: the fault is for Cumulus switches")
    return device


def _edit(switch: CumulusSwitch, change: Callable[[Tree], None]) -> Undo:
    """Apply another revision, as an operator's own commands would."""
    before = copy.deepcopy(switch.applied)
    target = copy.deepcopy(before)
    change(target)
    if difference(before, target) == ({}, {}):
        raise FaultError(f"{switch.name}: nothing there that the fault could change")
    refused = switch.refused(target)
    if refused:
        raise FaultError(f"{switch.name}: {refused[0]}")
    switch.apply(target, user="admin", message="Config update by admin")

    def undo() -> None:
        switch.apply(before, user="admin", message="Config update by admin")

    return undo


def _lossless(switch: CumulusSwitch, port: str) -> list[str]:
    found = sorted(map(str, switch.port(port).lossless))
    if not found:
        raise FaultError(f"{switch.name} {port}: PFC is on for no priority there")
    return found


def _pfc_off(device: SimulatedDevice, port: str, values: Values) -> Done:
    del values
    switch = _switch(device)
    was = ",".join(_lossless(switch, port))
    name = defaults.profile_of(switch.applied, port, "pfc")
    row = {**defaults.pfc(switch.applied, name), "rx": "disable", "tx": "disable"}

    def change(tree: Tree) -> None:
        put(tree, ("qos", "pfc", ODD), row)
        put(tree, ("interface", port, "qos", "pfc", "profile"), ODD)

    says = (
        f"{switch.name} interface {port} qos pfc profile: {ODD}, rx and tx disable"
        f" (was {name}, switch-priority {was})"
    )
    return Done(says, _edit(switch, change))


def _dscp_map(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, priority = _switch(device), int(values["priority"])
    lossless = {int(number) for number in _lossless(switch, port)}
    name = defaults.profile_of(switch.applied, port, "mapping")
    rows = defaults.mapping(switch.applied, name)["dscp"]
    moved = [dscp for dscp, row in rows.items() if row["switch-priority"] in lossless]

    def change(tree: Tree) -> None:
        for dscp in moved:
            path = ("qos", "mapping", name, "dscp", dscp, "switch-priority")
            put(tree, path, priority)

    undo = _edit(switch, change)
    shown = ",".join(moved)
    return Done(f"{switch.name} qos mapping {name} dscp {shown}: switch-priority {priority}", undo)


def _ecn_off(device: SimulatedDevice, port: str, values: Values) -> Done:
    del values
    switch = _switch(device)
    name = defaults.profile_of(switch.applied, port, "congestion-control")
    classes = [
        number
        for number, row in defaults.congestion(switch.applied, name).items()
        if defaults.is_on(row["ecn"])
    ]

    def change(tree: Tree) -> None:
        for number in classes:
            path = ("qos", "congestion-control", name, "traffic-class", number, "ecn")
            put(tree, path, word_for(switch.release, on=False))

    undo = _edit(switch, change)
    shown = ",".join(classes)
    return Done(f"{switch.name} qos congestion-control {name} traffic-class {shown} ecn: off", undo)


def _headroom(device: SimulatedDevice, port: str, values: Values) -> Done:
    """Sizes that the switch would compute are set by hand: too little for what is on the wire."""
    switch = _switch(device)
    _lossless(switch, port)
    held = switch.port(port)
    name = defaults.profile_of(switch.applied, port, "pfc")
    wire = wire_bytes(
        speed_bps=held.speed_bps,
        cable_m=float(held.pfc["cable-length"]),
        mtu_bytes=held.mtu,
    )
    now, was = wire // int(values["divisor"]), held.headroom

    def change(tree: Tree) -> None:
        path = ("qos", "pfc", name)
        put(tree, (*path, "xoff-threshold"), XOFF_BYTES)
        put(tree, (*path, "port-buffer"), XOFF_BYTES + now)

    says = (
        f"{switch.name} qos pfc {name} port-buffer: {XOFF_BYTES + now} with xoff-threshold"
        f" {XOFF_BYTES}, which leaves {now} (the switch itself took {was})"
    )
    return Done(says, _edit(switch, change))


def _mtu(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, now = _switch(device), int(values["mtu"])
    was = switch.port(port).mtu

    def change(tree: Tree) -> None:
        put(tree, ("interface", port, "link", "mtu"), now)

    undo = _edit(switch, change)
    return Done(f"{switch.name} interface {port} link mtu: {now} (was {was})", undo)


def _weight(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, weight = _switch(device), int(values["weight"])
    queues = defaults.queue_mapping(switch.applied)
    classes = {str(queues[number]["traffic-class"]) for number in _lossless(switch, port)}
    name = defaults.profile_of(switch.applied, port, "egress-scheduler")
    rows = defaults.scheduler(switch.applied, name)
    kept = {number: row for number, row in rows.items() if row["mode"] == "strict"} | {
        number: row for number, row in rows.items() if row["bw-percent"]
    }

    def change(tree: Tree) -> None:
        for number, row in kept.items():
            percent = weight if number in classes else row["bw-percent"]
            path = ("qos", "egress-scheduler", ODD, "traffic-class", number)
            put(tree, (*path, "mode"), row["mode"])
            if row["mode"] == "dwrr":
                put(tree, (*path, "bw-percent"), percent)
        put(tree, ("interface", port, "qos", "egress-scheduler", "profile"), ODD)

    undo = _edit(switch, change)
    shown = ",".join(sorted(classes))
    says = (
        f"{switch.name} interface {port} qos egress-scheduler profile: {ODD},"
        f" traffic-class {shown} bw-percent {weight}"
    )
    return Done(says, undo)


def _watchdog(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port, values
    switch = _switch(device)

    def change(tree: Tree) -> None:
        for name in list(subtree(tree, "interface")):
            drop(tree, ("interface", name, "qos", "pfc-watchdog"))

    undo = _edit(switch, change)
    return Done(f"{switch.name} interface qos pfc-watchdog: unset on every port", undo)


def _hardware_headroom(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, now = _switch(device), int(values["bytes"])
    _lossless(switch, port)
    before = dict(switch.deviation.headroom)
    for name in switch.speeds:
        held = switch.port(name)
        for priority in held.lossless:
            switch.deviation.headroom[name, held.group_of[priority]] = now

    def undo() -> None:
        switch.deviation.headroom = before

    says = f"{switch.name}: hardware holds {now} bytes of headroom on all ports, whatever is shown"
    return Done(says, undo)


def _hardware_map(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port
    switch = _switch(device)
    return move_lossless(switch.hardware(), switch.deviation, int(values["priority"]), "priority")


def _stuck(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch = _switch(device)
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
