"""What every simulated device has: a name, files, a shell, hardware, counters."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from netcheck.lab.devices import filetools, sessiontools, texttools
from netcheck.lab.devices.files import FileTree, MadeUp
from netcheck.lab.devices.shell import Program, Shell
from netcheck.lab.devices.ssh import LoginShell
from netcheck.lossless.dataplane.network import Node
from netcheck.lossless.dataplane.result import FlowCounters, PortCounters

COMMON: Mapping[str, Program] = {
    **texttools.PROGRAMS,
    **filetools.PROGRAMS,
    **sessiontools.PROGRAMS,
}
FOLDERS = ("etc", "home/admin", "root", "tmp", "var/tmp", "var/log", "proc", "sys", "dev", "usr")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Who is cabled to a port: device, port, and the far end's MAC and management address."""

    device: str
    port: str
    mac: str = ""
    mgmt: str = ""


class Surroundings(Protocol):
    """What a device learns from outside: its neighbours, and whether a link is up."""

    def neighbour(self, device: str, port: str) -> Neighbour | None:
        """Who is cabled to a port."""

    def is_link_up(self, device: str, port: str) -> bool:
        """Both ends of the port's cable are up."""


class SimulatedDevice:
    """A device in the lab; platforms add programs, files and hardware."""

    platform = ""

    def __init__(self, name: str, folder: Path, surroundings: Surroundings) -> None:
        self.name = name
        self.surroundings = surroundings
        self.boot_id = str(uuid.uuid4())
        root = folder / "root"
        for part in FOLDERS:
            (root / part).mkdir(parents=True, exist_ok=True)
        self.files = FileTree(root)
        self.files.add("/proc/sys/kernel/random/boot_id", MadeUp(lambda: self.boot_id + "\n"))
        self.programs: dict[str, Program] = dict(COMMON)

    def new_shell(self) -> LoginShell:
        """A shell for one session."""
        return Shell(self.name, self.files, self.programs)

    def mac(self, port: str) -> str:
        """MAC address of a port, the same in every run."""
        return mac_of(self.name, port)

    def is_up(self, port: str) -> bool:
        """The port is switched on at this end."""
        raise NotImplementedError(port)

    def spreads(self) -> bool:
        """Flows are spread over equal exits by what differs between them."""
        return True

    def hardware(self) -> Node:
        """What the hardware holds, as this device's own reader says."""
        raise NotImplementedError

    def count(self, port: str, counters: PortCounters) -> None:
        """Add what a run of traffic counted at a port."""
        raise NotImplementedError

    def count_flows(
        self, port: str, *, requested: Sequence[FlowCounters], answered: Sequence[FlowCounters]
    ) -> None:
        """Add what a run of traffic counted for the flows that start or end at a port."""


def mac_of(device: str, port: str) -> str:
    """A locally administered MAC address made of names."""
    digest = uuid.uuid5(uuid.NAMESPACE_DNS, f"{device} {port}").bytes
    return ":".join(f"{byte:02x}" for byte in (0x02, *digest[:5]))
