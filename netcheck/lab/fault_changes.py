"""What a fault does: one function for each kind of change, with the way back.

Visible ones change what a device holds, as an operator's own command would, or
the cabling; silent ones make hardware differ from what its device shows.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from netcheck.lab.building import Building
from netcheck.lab.devices.linux.adapter import Adapter
from netcheck.lab.devices.linux.host import LinuxHost
from netcheck.lab.devices.sonic.checks import find_refused
from netcheck.lab.devices.sonic.keys import Tables, by_index, integer, numbers, split_key
from netcheck.lab.devices.sonic.state import SonicSwitch

Undo = Callable[[], None]


class FaultError(ValueError):
    """The fault does not exist or does not fit there."""


Shown = dict[str, object]
Place = tuple[str, str]
Values = dict[str, Any]  # arguments differ by function
Done = tuple[Shown, Undo]
Change = Callable[[Building, Place, Values], Done]


def _switch(building: Building, place: Place) -> SonicSwitch:
    device = building.devices[place[0]]
    if not isinstance(device, SonicSwitch):
        raise FaultError(f"{place[0]}: the fault is for switches")
    return device


def _adapter(building: Building, place: Place) -> Adapter:
    device = building.devices[place[0]]
    if not isinstance(device, LinuxHost) or place[1] not in device.adapters:
        raise FaultError(f"{place[0]} {place[1]}: the fault is for RDMA ports of hosts")
    return device.adapters[place[1]]


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


def _pfc_off(building: Building, place: Place, values: Values) -> Done:
    switch, port = _switch(building, place), place[1]
    was = _lossless(switch.config, port)

    def change(config: Tables) -> None:
        row = config.get("PORT_QOS_MAP", {}).get(port, {})
        for name in values["fields"]:
            row.pop(name, None)

    return {"was": ",".join(map(str, was))}, _edit(switch, change)


def _dscp_map(building: Building, place: Place, values: Values) -> Done:
    switch = _switch(building, place)
    moved: list[str] = []

    def change(config: Tables) -> None:
        lossless = {str(p) for port in config.get("PORT", {}) for p in _lossless(config, port)}
        for row in config.get("DSCP_TO_TC_MAP", {}).values():
            for dscp, priority in row.items():
                if priority in lossless:
                    row[dscp] = str(values["priority"])
                    moved.append(dscp)

    undo = _edit(switch, change)
    return {"dscps": ",".join(sorted(set(moved))), "priority": values["priority"]}, undo


def _ecn_off(building: Building, place: Place, values: Values) -> Done:
    switch = _switch(building, place)

    def change(config: Tables) -> None:
        for row in config.get("QUEUE", {}).values():
            row.pop(values["field"], None)

    return {}, _edit(switch, change)


def _profiles_in_use(config: Tables, port: str) -> set[str]:
    groups = set(_lossless(config, port))
    return {
        row.get("profile", "")
        for index, row in by_index(config.get("BUFFER_PG", {}), port)
        if index in groups
    }


def _headroom(building: Building, place: Place, values: Values) -> Done:
    switch = _switch(building, place)
    shown: Shown = {}

    def change(config: Tables) -> None:
        for name in _profiles_in_use(config, place[1]):
            row = config.get("BUFFER_PROFILE", {}).get(name, {})
            headroom = integer(row, "xoff") // int(values["divisor"])
            shown.update(profile=name, was=row.get("xoff", ""), now=headroom)
            size = integer(row, "size") - integer(row, "xoff") + headroom
            row.update(xoff=str(headroom), size=str(max(size, 0)))

    undo = _edit(switch, change)
    return shown, undo


def _mtu(building: Building, place: Place, values: Values) -> Done:
    switch, port = _switch(building, place), place[1]
    was = switch.config.get("PORT", {}).get(port, {}).get("mtu", "")

    def change(config: Tables) -> None:
        config["PORT"][port]["mtu"] = str(values["mtu"])

    return {"was": was, "now": values["mtu"]}, _edit(switch, change)


def _weight(building: Building, place: Place, values: Values) -> Done:
    switch, port = _switch(building, place), place[1]
    name = str(values["name"])

    def change(config: Tables) -> None:
        queues = config.get("QUEUE", {})
        touched = False
        for key, row in queues.items():
            owner, rest = split_key(key)
            if owner == port and set(numbers(rest)) & set(_lossless(config, port)):
                row["scheduler"] = name
                touched = True
        if touched:
            config.setdefault("SCHEDULER", {})[name] = {
                "type": "DWRR",
                "weight": str(values["weight"]),
            }

    return {"weight": values["weight"]}, _edit(switch, change)


def _watchdog(building: Building, place: Place, values: Values) -> Done:
    del values
    switch = _switch(building, place)

    def change(config: Tables) -> None:
        config.pop("PFC_WD", None)
        for row in config.get("PORT_QOS_MAP", {}).values():
            row.pop("pfcwd_sw_enable", None)

    return {}, _edit(switch, change)


def _cables(building: Building, place: Place, values: Values) -> Done:
    del values
    first = next(i for i, cable in enumerate(building.cables) if place in (cable.a, cable.b))
    mine = building.cables[first]
    shared = mine.b if mine.a == place else mine.a
    second = next(
        (
            i
            for i, cable in enumerate(building.cables)
            if shared[0] in (cable.a[0], cable.b[0]) and place[0] not in (cable.a[0], cable.b[0])
        ),
        None,
    )
    if second is None:
        second = next((i for i in range(len(building.cables)) if i != first), None)
    if second is None:
        raise FaultError("fewer than two cables: nothing to swap")
    other = building.cables[second]
    building.swap_cables(first, second)
    return (
        {"first": " ".join(mine.b), "second": " ".join(other.b)},
        lambda: building.swap_cables(first, second),
    )


def _trust(building: Building, place: Place, values: Values) -> Done:
    adapter = _adapter(building, place)
    before = (adapter.trust, dict(adapter.dscp_entries))

    def undo() -> None:
        adapter.trust, adapter.dscp_entries = before[0], dict(before[1])

    adapter.trust, adapter.dscp_entries = str(values["trust"]), {}
    return {"was": before[0]}, undo


def _cnp(building: Building, place: Place, values: Values) -> Done:
    adapter = _adapter(building, place)
    was = adapter.cnp_dscp

    def undo() -> None:
        adapter.cnp_dscp = was

    adapter.cnp_dscp = int(values["dscp"])
    return {"was": was, "now": adapter.cnp_dscp}, undo


def _hardware_headroom(building: Building, place: Place, values: Values) -> Done:
    switch, port = _switch(building, place), place[1]
    groups = _lossless(switch.config, port)
    if not groups:
        raise FaultError(f"{switch.name} {port}: no lossless priority group there")
    before = dict(switch.deviation.headroom)
    for name in switch.config["PORT"]:
        for group in groups:
            switch.deviation.headroom[name, group] = int(values["bytes"])

    def undo() -> None:
        switch.deviation.headroom = before

    return {"now": values["bytes"]}, undo


def _hardware_map(building: Building, place: Place, values: Values) -> Done:
    switch = _switch(building, place)
    before = dict(switch.deviation.priority_of_dscp)
    node = switch.hardware()
    moved: set[int] = set()
    for name, port in node.ports.items():
        changed = {
            dscp: int(values["priority"])
            for dscp, priority in enumerate(port.priority_of_dscp)
            if priority in port.pauses_sent
        }
        switch.deviation.priority_of_dscp[name] = changed
        moved |= set(changed)
    if not moved:
        raise FaultError(f"{switch.name}: no DSCP maps to a lossless priority there")

    def undo() -> None:
        switch.deviation.priority_of_dscp = before

    return {"dscps": ",".join(map(str, sorted(moved)))}, undo


def _stuck(building: Building, place: Place, values: Values) -> Done:
    switch, port = _switch(building, place), place[1]
    kinds = [str(kind) for kind in values["kinds"]]
    keys = {(port, kind, index) for kind in kinds for index in range(8)}
    switch.deviation.stuck |= keys

    def undo() -> None:
        switch.deviation.stuck -= keys

    return {"kinds": ", ".join(kinds)}, undo


CHANGES: dict[str, Change] = {
    "pfc_off": _pfc_off,
    "dscp_map": _dscp_map,
    "ecn_off": _ecn_off,
    "headroom": _headroom,
    "mtu": _mtu,
    "weight": _weight,
    "watchdog": _watchdog,
    "cables": _cables,
    "trust": _trust,
    "cnp": _cnp,
    "hardware_headroom": _hardware_headroom,
    "hardware_map": _hardware_map,
    "stuck": _stuck,
}
