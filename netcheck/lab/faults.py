"""Faults by name: what each changes on a device, in a cable, or unseen in the hardware.

Names, defaults and words stand in ``faults.yaml``; here is one function for
each kind of change. What a fault does to traffic is never said here.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from netcheck.lab.building import Building
from netcheck.lab.devices.linux.adapter import Adapter
from netcheck.lab.devices.linux.host import LinuxHost
from netcheck.lab.devices.sonic.checks import find_refused
from netcheck.lab.devices.sonic.keys import Row, Tables, by_index, integer, numbers, split_key
from netcheck.lab.devices.sonic.switch import SonicSwitch

Undo = Callable[[], None]


class FaultError(ValueError):
    """The fault does not exist or does not fit there."""


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One row of the registry.

    Attributes:
        change: Name of the function that makes it.
        on: Platform it is for, or ``cables``.
        role: Role that is preferred where no device is named; may be empty.
        values: Arguments of the function.
        says: Place and knob in words.
        is_silent: The device goes on showing the right thing.
    """

    change: str
    on: str
    says: str
    role: str = ""
    values: Mapping[str, Any] | None = None  # arguments differ by function
    is_silent: bool = False


@cache
def fault_kinds() -> Mapping[str, FaultKind]:
    """Give ``name -> kind``, in the order of the data file."""
    text = resources.files("netcheck.lab").joinpath("faults.yaml").read_text("utf-8")
    return {name: FaultKind(**row) for name, row in yaml.safe_load(text).items()}


class Faults:
    """The faults of one lab: put in, described, taken out."""

    def __init__(self, building: Building) -> None:
        self.building = building
        self.descriptions: list[str] = []
        self._undo: list[Undo] = []

    def inject(self, name: str, device: str | None, port: str | None) -> str:
        """Put a fault in; give its place and knob in words.

        Raises:
            FaultError: No such fault, device or port, or it does not fit there.
        """
        kind = fault_kinds().get(name)
        if kind is None:
            raise FaultError(f"fault {name}: unknown; expected one of {', '.join(fault_kinds())}")
        place = self._place(kind, device, port)
        shown, undo = _CHANGES[kind.change](self.building, place, dict(kind.values or {}))
        description = f"{name}: {kind.says.format(device=place[0], port=place[1], **shown)}"
        self.descriptions.append(description)
        self._undo.append(undo)
        return description

    def clear(self) -> list[str]:
        """Take all faults out, the last one first; give what they were."""
        while self._undo:
            self._undo.pop()()
        found, self.descriptions = self.descriptions, []
        return found

    def _place(self, kind: FaultKind, device: str | None, port: str | None) -> tuple[str, str]:
        devices = self.building.devices
        if device is not None and device not in devices:
            raise FaultError(
                f"device {device}: not in the lab; expected one of {', '.join(devices)}"
            )
        names = [device] if device is not None else list(devices)
        fitting = [name for name in names if kind.on in ("cables", devices[name].platform)]
        if not fitting:
            raise FaultError(f"device {device or 'any'}: the fault is for {kind.on} devices")
        roles = {built.name: built.role for built in self.building.topology.devices}
        preferred = [name for name in fitting if roles[name] == kind.role] or fitting
        found = (
            preferred[0] if device is not None or kind.role == "spine" else self._default(preferred)
        )
        return found, self._port(found, port, towards_spine=kind.role == "spine")

    def _default(self, names: list[str]) -> str:
        """The last device: no schedule begins with it."""
        return names[-1] if self.building.devices[names[0]].platform == "linux" else names[0]

    def _port(self, device: str, port: str | None, *, towards_spine: bool) -> str:
        ports = [
            end[1]
            for cable in self.building.cables
            for end in (cable.a, cable.b)
            if end[0] == device
        ]
        if port is not None and port not in ports:
            raise FaultError(f"{device} {port}: no cabled port of that name")
        if port is None and not ports:
            raise FaultError(f"{device}: has no cabled port")
        del towards_spine
        return port if port is not None else ports[-1]


Shown = dict[str, object]
Change = Callable[[Building, tuple[str, str], dict[str, Any]], tuple[Shown, Undo]]


def _switch(building: Building, place: tuple[str, str]) -> SonicSwitch:
    device = building.devices[place[0]]
    if not isinstance(device, SonicSwitch):
        raise FaultError(f"{place[0]}: the fault is for switches")
    return device


def _adapter(building: Building, place: tuple[str, str]) -> Adapter:
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


def _pfc_off(
    building: Building, place: tuple[str, str], values: dict[str, Any]
) -> tuple[Shown, Undo]:
    switch, port = _switch(building, place), place[1]
    was = _lossless(switch.config, port)

    def change(config: Tables) -> None:
        row = config.get("PORT_QOS_MAP", {}).get(port, {})
        for name in values["fields"]:
            row.pop(name, None)

    return {"was": ",".join(map(str, was))}, _edit(switch, change)


def _dscp_map(
    building: Building, place: tuple[str, str], values: dict[str, Any]
) -> tuple[Shown, Undo]:
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


def _ecn_off(
    building: Building, place: tuple[str, str], values: dict[str, Any]
) -> tuple[Shown, Undo]:
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


def _headroom(
    building: Building, place: tuple[str, str], values: dict[str, Any]
) -> tuple[Shown, Undo]:
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


def _mtu(building: Building, place: tuple[str, str], values: dict[str, Any]) -> tuple[Shown, Undo]:
    switch, port = _switch(building, place), place[1]
    was = switch.config.get("PORT", {}).get(port, {}).get("mtu", "")

    def change(config: Tables) -> None:
        config["PORT"][port]["mtu"] = str(values["mtu"])

    return {"was": was, "now": values["mtu"]}, _edit(switch, change)


def _weight(
    building: Building, place: tuple[str, str], values: dict[str, Any]
) -> tuple[Shown, Undo]:
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


def _watchdog(
    building: Building, place: tuple[str, str], values: dict[str, Any]
) -> tuple[Shown, Undo]:
    del values
    switch = _switch(building, place)

    def change(config: Tables) -> None:
        config.pop("PFC_WD", None)
        for row in config.get("PORT_QOS_MAP", {}).values():
            row.pop("pfcwd_sw_enable", None)

    return {}, _edit(switch, change)


def _cables(
    building: Building, place: tuple[str, str], values: dict[str, Any]
) -> tuple[Shown, Undo]:
    del values
    first = next(i for i, cable in enumerate(building.cables) if place in (cable.a, cable.b))
    mine = building.cables[first]
    shared = mine.b if mine.a == place else mine.a
    second = next(
        (
            i
            for i, cable in enumerate(building.cables)
            if i != first
            and shared[0] in (cable.a[0], cable.b[0])
            and place[0] not in (cable.a[0], cable.b[0])
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


def _trust(
    building: Building, place: tuple[str, str], values: dict[str, Any]
) -> tuple[Shown, Undo]:
    adapter = _adapter(building, place)
    before = (adapter.trust, dict(adapter.dscp_entries))

    def undo() -> None:
        adapter.trust, adapter.dscp_entries = before[0], dict(before[1])

    adapter.trust, adapter.dscp_entries = str(values["trust"]), {}
    return {"was": before[0]}, undo


def _cnp(building: Building, place: tuple[str, str], values: dict[str, Any]) -> tuple[Shown, Undo]:
    adapter = _adapter(building, place)
    was = adapter.cnp_dscp

    def undo() -> None:
        adapter.cnp_dscp = was

    adapter.cnp_dscp = int(values["dscp"])
    return {"was": was, "now": adapter.cnp_dscp}, undo


def _hardware_headroom(
    building: Building, place: tuple[str, str], values: dict[str, Any]
) -> tuple[Shown, Undo]:
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


def _hardware_map(
    building: Building, place: tuple[str, str], values: dict[str, Any]
) -> tuple[Shown, Undo]:
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


def _stuck(
    building: Building, place: tuple[str, str], values: dict[str, Any]
) -> tuple[Shown, Undo]:
    switch, port = _switch(building, place), place[1]
    kinds = [str(kind) for kind in values["kinds"]]
    keys = {(port, kind, index) for kind in kinds for index in range(8)}
    switch.deviation.stuck |= keys

    def undo() -> None:
        switch.deviation.stuck -= keys

    return {"kinds": ", ".join(kinds)}, undo


_CHANGES: dict[str, Change] = {
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
_ = Row
