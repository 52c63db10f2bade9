"""Faults by name: put in, described, taken out.

Names and defaults stand in ``faults.yaml``, the ways of each platform in its
own ``faults.py``; those of InfiniBand subnets in ``subnet_faults.yaml`` and
``subnets/faults.py``. What a fault does to traffic is said nowhere; the data plane
shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import yaml

from netcheck.lab.building import Building
from netcheck.lab.cabling import CABLING
from netcheck.lab.fault_changes import Done, FaultError, Undo, changes_of
from netcheck.lab.subnets.faults import inject, subnet_faults
from netcheck.model.shortened import compress

HOST: Final = "host"


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One row of the registry.

    Attributes:
        change: What is done, a key of the platforms' ``CHANGES`` or of ``CABLING``.
        role: Role that is preferred where no device is named; may be empty.
        values: Arguments of the change.
        is_silent: The device goes on showing the right thing.
    """

    change: str
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
        done = self._done(name, device, port)
        description = f"{name}: {done.says}"
        self.descriptions.append(description)
        self._undo.append(done.undo)
        return description

    def _done(self, name: str, device: str | None, port: str | None) -> Done:
        if name in subnet_faults():
            return inject(self.building, name, device, port)
        kind = fault_kinds().get(name)
        if kind is None:
            known = ", ".join((*fault_kinds(), *subnet_faults()))
            raise FaultError(f"fault {name}: unknown; expected one of {known}")
        return self._make(kind, self._place(kind, device, port))

    def _make(self, kind: FaultKind, place: tuple[str, str]) -> Done:
        if kind.change in CABLING:
            return CABLING[kind.change](self.building, place, dict(kind.values or {}))
        device = self.building.devices[place[0]]
        return changes_of(device.platform)[kind.change](device, place[1], dict(kind.values or {}))

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
        fitting = [
            name
            for name in names
            if kind.change in CABLING or kind.change in changes_of(devices[name].platform)
        ]
        if not fitting:
            who = f"device {device}: {devices[device].platform}" if device else "lab: its devices"
            having = [name for name in devices if kind.change in changes_of(devices[name].platform)]
            where = f"; there is one at {compress(having)}" if having else ""
            raise FaultError(f"{who}: no such knob ({kind.change}){where}")
        roles = {built.name: built.role for built in self.building.topology.devices}
        preferred = [name for name in fitting if roles[name] == kind.role] or fitting
        # the last host, so that it sends as well as receives in most schedules
        found = preferred[-1] if kind.role == HOST else preferred[0]
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
        return found is not None and self.building.is_host(found.device)
