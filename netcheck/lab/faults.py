"""Faults by name: put in, described, taken out.

Names, defaults and words stand in ``faults.yaml``. What a fault does to
traffic is said nowhere; the data plane shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from netcheck.lab.building import Building
from netcheck.lab.fault_changes import CHANGES, FaultError, Undo


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One row of the registry.

    Attributes:
        change: Name of the function that makes it.
        platform: Platform it is for, or ``cables``.
        role: Role that is preferred where no device is named; may be empty.
        values: Arguments of the function.
        says: Place and knob in words.
        is_silent: The device goes on showing the right thing.
    """

    change: str
    platform: str
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
        shown, undo = CHANGES[kind.change](self.building, place, dict(kind.values or {}))
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
            known = ", ".join(devices)
            raise FaultError(f"device {device}: not in the lab; expected one of {known}")
        names = [device] if device is not None else list(devices)
        fitting = [name for name in names if kind.platform in ("cables", devices[name].platform)]
        if not fitting:
            raise FaultError(f"device {device or 'any'}: the fault is for {kind.platform} devices")
        roles = {built.name: built.role for built in self.building.topology.devices}
        preferred = [name for name in fitting if roles[name] == kind.role] or fitting
        # the last host, so that it sends as well as receives in most schedules
        found = preferred[-1] if kind.role == "host" else preferred[0]
        return found, self._port(found, port)

    def _port(self, device: str, port: str | None) -> str:
        ports = [
            end[1]
            for cable in self.building.cables
            for end in (cable.a, cable.b)
            if end[0] == device
        ]
        if port is not None and port not in ports:
            raise FaultError(f"{device} {port}: no cabled port of that name")
        if not ports:
            raise FaultError(f"{device}: has no cabled port")
        if port is not None:
            return port
        to_hosts = [name for name in ports if self._is_to_host(device, name)]
        return (to_hosts or ports)[-1]

    def _is_to_host(self, device: str, port: str) -> bool:
        found = self.building.neighbour(device, port)
        return found is not None and self.building.devices[found.device].platform == "linux"
