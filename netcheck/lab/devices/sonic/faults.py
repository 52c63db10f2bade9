"""What faults do to a SONiC switch: edits of CONFIG_DB, and hardware that differs from it."""

from __future__ import annotations

import copy
from collections.abc import Callable

from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lab.devices.sonic.checks import find_refused
from netcheck.lab.devices.sonic.keys import Tables, by_index, integer, numbers, split_key
from netcheck.lab.devices.sonic.state import SonicSwitch
from netcheck.lab.fault_changes import (
    Change,
    Done,
    FaultError,
    Undo,
    Values,
    hash_constant,
    lose_in_chip,
    move_lossless,
    stop_counters,
)
from netcheck.lossless.dataplane.network import Wear


def _switch(device: SimulatedDevice) -> SonicSwitch:
    if not isinstance(device, SonicSwitch):
        raise FaultError(f"{device.name}: the fault is for SONiC switches")
    return device


def _edit(switch: SonicSwitch, change: Callable[[Tables], None]) -> Undo:
    """Change the running configuration as an operator's own command would."""
    before = copy.deepcopy(switch.config)
    target = copy.deepcopy(before)
    change(target)
    if target == before:
        raise FaultError(f"{switch.name}: nothing there that the fault could change")
    refused = find_refused(target)
    if refused:
        raise FaultError(f"{switch.name}: {refused[0].place}: {refused[0].text}")
    switch.change(target)
    return lambda: switch.change(before)


def _lossless(config: Tables, port: str) -> list[int]:
    return numbers(config.get("PORT_QOS_MAP", {}).get(port, {}).get("pfc_enable", ""))


def _pfc_off(device: SimulatedDevice, port: str, values: Values) -> Done:
    del values
    switch = _switch(device)
    was = ",".join(map(str, _lossless(switch.config, port)))

    def change(config: Tables) -> None:
        config.get("PORT_QOS_MAP", {}).get(port, {}).pop("pfc_enable", None)

    undo = _edit(switch, change)
    return Done(f"{switch.name} PORT_QOS_MAP|{port} pfc_enable: removed (was {was})", undo)


def _dscp_map(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port
    switch, priority = _switch(device), str(values["priority"])
    moved: set[str] = set()

    def change(config: Tables) -> None:
        lossless = {str(p) for port in config.get("PORT", {}) for p in _lossless(config, port)}
        for row in config.get("DSCP_TO_TC_MAP", {}).values():
            for dscp, found in row.items():
                if found in lossless:
                    row[dscp] = priority
                    moved.add(dscp)

    undo = _edit(switch, change)
    dscps = ",".join(sorted(moved))
    return Done(f"{switch.name} DSCP_TO_TC_MAP: DSCP {dscps} to TC {priority}", undo)


def _ecn_off(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port, values
    switch = _switch(device)

    def change(config: Tables) -> None:
        for row in config.get("QUEUE", {}).values():
            row.pop("wred_profile", None)

    undo = _edit(switch, change)
    return Done(f"{switch.name} QUEUE: wred_profile removed from every queue", undo)


def _profiles_in_use(config: Tables, port: str) -> set[str]:
    groups = set(_lossless(config, port))
    return {
        row.get("profile", "")
        for index, row in by_index(config.get("BUFFER_PG", {}), port)
        if index in groups
    }


def _headroom(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch = _switch(device)
    said: list[str] = []

    def change(config: Tables) -> None:
        for name in _profiles_in_use(config, port):
            row = config.get("BUFFER_PROFILE", {}).get(name, {})
            headroom = integer(row, "xoff") // int(values["divisor"])
            said.append(f"BUFFER_PROFILE|{name} xoff: {headroom} (was {row.get('xoff', '')})")
            size = integer(row, "size") - integer(row, "xoff") + headroom
            row.update(xoff=str(headroom), size=str(max(size, 0)))

    undo = _edit(switch, change)
    return Done(f"{switch.name} {', '.join(said)}", undo)


def _mtu(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, now = _switch(device), str(values["mtu"])
    was = switch.config.get("PORT", {}).get(port, {}).get("mtu", "")

    def change(config: Tables) -> None:
        config["PORT"][port]["mtu"] = now

    undo = _edit(switch, change)
    return Done(f"{switch.name} PORT|{port} mtu: {now} (was {was})", undo)


def _weight(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, weight = _switch(device), str(values["weight"])
    name = f"dwrr_{weight}"

    def change(config: Tables) -> None:
        queues = config.get("QUEUE", {})
        touched = False
        for key, row in queues.items():
            owner, rest = split_key(key)
            if owner == port and set(numbers(rest)) & set(_lossless(config, port)):
                row["scheduler"] = name
                touched = True
        if touched:
            config.setdefault("SCHEDULER", {})[name] = {"type": "DWRR", "weight": weight}

    undo = _edit(switch, change)
    return Done(f"{switch.name} QUEUE|{port} lossless queue: DWRR weight {weight}", undo)


def _watchdog(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port, values
    switch = _switch(device)

    def change(config: Tables) -> None:
        config.pop("PFC_WD", None)
        for row in config.get("PORT_QOS_MAP", {}).values():
            row.pop("pfcwd_sw_enable", None)

    undo = _edit(switch, change)
    return Done(f"{switch.name} PFC_WD: removed, pfcwd_sw_enable removed", undo)


def _hardware_headroom(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, now = _switch(device), int(values["bytes"])
    groups = _lossless(switch.config, port)
    if not groups:
        raise FaultError(f"{switch.name} {port}: no lossless priority group there")
    before = dict(switch.deviation.headroom)
    for name in switch.config["PORT"]:
        for group in groups:
            switch.deviation.headroom[name, group] = now

    def undo() -> None:
        switch.deviation.headroom = before

    says = f"{switch.name}: hardware holds {now} bytes of headroom on all ports, whatever is shown"
    return Done(says, undo)


def _hardware_map(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port
    switch = _switch(device)
    return move_lossless(switch.hardware(), switch.deviation, int(values["priority"]), "TC")


def _stuck(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch = _switch(device)
    return stop_counters(switch.name, switch.deviation, port, values)


def _pfc_more(device: SimulatedDevice, port: str, values: Values) -> Done:
    switch, more = _switch(device), int(values["priority"])
    was = _lossless(switch.config, port)
    now = ",".join(map(str, sorted({*was, more})))

    def change(config: Tables) -> None:
        config.get("PORT_QOS_MAP", {}).get(port, {})["pfc_enable"] = now

    undo = _edit(switch, change)
    says = f"{switch.name} PORT_QOS_MAP|{port} pfc_enable: {now} (was {','.join(map(str, was))})"
    return Done(says, undo)


def _port_down(device: SimulatedDevice, port: str, values: Values) -> Done:
    del values
    switch = _switch(device)

    def change(config: Tables) -> None:
        config["PORT"][port]["admin_status"] = "down"

    return Done(f"{switch.name} PORT|{port} admin_status: down (was up)", _edit(switch, change))


def _hardware_loss(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port
    switch = _switch(device)
    wear = Wear(float(values["loss_share"]), dscps=frozenset(values.get("dscps", ())))
    return lose_in_chip(switch.name, switch.deviation, switch.config["PORT"], wear)


def _hardware_hash(device: SimulatedDevice, port: str, values: Values) -> Done:
    del port, values
    switch = _switch(device)
    return hash_constant(switch.name, switch.deviation)


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
    "pfc_more": _pfc_more,
    "port_down": _port_down,
    "hardware_loss": _hardware_loss,
    "hardware_hash": _hardware_hash,
}
