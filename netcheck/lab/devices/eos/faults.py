"""What faults do to an EOS switch: lines as an operator types them, and hardware that differs.

EOS reserves headroom of its own accord and has no knob for it, so a fault of
the headroom is a silent one alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from netcheck.lab.devices.cli.console import Console
from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lab.devices.eos.reader import WATCHDOG
from netcheck.lab.devices.eos.sessions import set_running
from netcheck.lab.devices.eos.state import EosSwitch
from netcheck.lab.fault_changes import (
    Change,
    Done,
    FaultError,
    Undo,
    Values,
    stop_counters,
)


def _switch(device: SimulatedDevice) -> EosSwitch:
    if not isinstance(device, EosSwitch):
        raise FaultError(f"{device.name}: the fault is for EOS switches")
    return device


def _type(switch: EosSwitch, lines: Sequence[str]) -> Undo:
    """Type lines into the running configuration."""
    before = switch.running.copy()
    after = switch.running.copy()
    refused = Console(switch).load(lines, after)
    if refused:
        raise FaultError(f"{switch.name}: {refused[0]}")
    if switch.text(after) == switch.text(before):
        raise FaultError(f"{switch.name}: nothing there that the fault could change")
    set_running(switch, after)
    return lambda: set_running(switch, before)


def _pfc_off(device: SimulatedDevice, port: str, values: Values) -> Done:
    """Take the port out of its profile's hands: its own lines win."""
    del values
    switch = _switch(device)
    was = sorted(switch.reader.paused(port))
    lines = [f"priority-flow-control priority {number} drop" for number in was]
    undo = _type(switch, [f"interface {port}", *lines])
    return Done(f"{switch.name} interface {port}: {', '.join(lines)}", undo)


def _dscp_map(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port
    switch = _switch(device)
    to = int(values["priority"])
    moved = _lossless_dscps(switch)
    line = f"qos map dscp {' '.join(map(str, moved))} to traffic-class {to}"
    if not moved:
        raise FaultError(f"{switch.name}: no DSCP maps to a lossless priority there")
    return Done(f"{switch.name} {line}", _type(switch, [line]))


def _lossless_dscps(switch: EosSwitch) -> list[int]:
    reader = switch.reader
    lossless = {number for port in switch.speeds for number in reader.paused(port)}
    classes = reader.classes_of_dscp()
    return [dscp for dscp, number in enumerate(classes) if number in lossless]


def _ecn_off(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port, values
    switch = _switch(device)
    lines: list[str] = []
    for owner, entry in switch.running.entries.items():
        for name, inner in entry.section.entries.items() if entry.section else ():
            if inner.section is not None and inner.section.line("random-detect ecn"):
                lines += [owner, name, "no random-detect ecn"]
    says = f"{switch.name}: no random-detect ecn on every queue"
    return Done(says, _type(switch, lines))


def _mtu(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, now = _switch(device), int(values["mtu"])
    was = switch.reader.mtu(port)
    undo = _type(switch, [f"interface {port}", f"mtu {now}"])
    return Done(f"{switch.name} interface {port} mtu: {now} (was {was})", undo)


def _weight(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, weight = _switch(device), int(values["weight"])
    reader = switch.reader
    queues = sorted({reader.queues_of_class()[number] for number in reader.paused(port)})
    lines = [f"interface {port}"]
    for queue in queues:
        lines += [f"uc-tx-queue {queue}", "no priority", f"bandwidth percent {weight}"]
    names = ", ".join(f"uc-tx-queue {queue}" for queue in queues)
    undo = _type(switch, lines)
    return Done(f"{switch.name} interface {port} {names}: bandwidth percent {weight}", undo)


def _watchdog(device: SimulatedDevice, port: str, values: Values) -> Done:
    """Take every timer away: without a timeout nothing is watched."""
    del port, values
    switch = _switch(device)
    lines = [f"no {WATCHDOG} default {what}" for what in ("timeout", "recovery-time")]
    for owner, entry in switch.running.entries.items():
        if entry.section is not None and entry.section.line(f"{WATCHDOG} port timer"):
            lines += [owner, f"no {WATCHDOG} port timer"]
    return Done(f"{switch.name} {WATCHDOG}: no timeout", _type(switch, lines))


def _hardware_headroom(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, now = _switch(device), int(values["bytes"])
    if not switch.reader.paused(port):
        raise FaultError(f"{switch.name} {port}: no lossless priority there")
    before = dict(switch.deviation.headroom)
    for name in switch.speeds:
        for number in switch.reader.paused(name):
            switch.deviation.headroom[name, number] = now

    def undo() -> None:
        switch.deviation.headroom = before

    says = f"{switch.name}: hardware holds {now} bytes of headroom on all ports, whatever is shown"
    return Done(says, undo)


def _hardware_map(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port
    switch, to = _switch(device), int(values["priority"])
    moved = _lossless_dscps(switch)
    if not moved:
        raise FaultError(f"{switch.name}: no DSCP maps to a lossless priority there")
    before = dict(switch.deviation.class_of_dscp)
    for name in switch.speeds:
        switch.deviation.class_of_dscp[name] = dict.fromkeys(moved, to)

    def undo() -> None:
        switch.deviation.class_of_dscp = before

    dscps = ",".join(map(str, moved))
    says = f"{switch.name}: hardware maps DSCP {dscps} to traffic class {to}, whatever is shown"
    return Done(says, undo)


def _stuck(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch = _switch(device)
    return stop_counters(switch.name, switch.deviation, port, values)


CHANGES: dict[str, Change] = {
    "pfc_off": _pfc_off,
    "dscp_map": _dscp_map,
    "ecn_off": _ecn_off,
    "mtu": _mtu,
    "weight": _weight,
    "watchdog": _watchdog,
    "hardware_headroom": _hardware_headroom,
    "hardware_map": _hardware_map,
    "stuck": _stuck,
}
