"""A switch with Cumulus Linux as it stands: its revisions, files, counters, hardware."""

from __future__ import annotations

import asyncio
import copy
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from netcheck.lab.devices.cumulus.checks import find_refused
from netcheck.lab.devices.cumulus.reader import PortReader, read_node
from netcheck.lab.devices.cumulus.refusals import Refused
from netcheck.lab.devices.cumulus.schema import release_of, typed
from netcheck.lab.devices.cumulus.tallies import Tallies
from netcheck.lab.devices.cumulus.tree import Tree, commands, dump
from netcheck.lab.devices.deviation import Deviation
from netcheck.lab.devices.device import SimulatedDevice, Surroundings
from netcheck.lab.topology import LabDevice
from netcheck.lossless.dataplane.network import Node
from netcheck.lossless.dataplane.result import PortCounters

VERSION = "5.15.0"
MODEL = "SN5600"
STARTUP = "/etc/nvue.d/startup.yaml"
MTU = 9216


@dataclass
class Revision:
    """One revision: its configuration and what became of it."""

    number: int
    tree: Tree
    state: str = "pending"
    user: str = "root"
    message: str = ""
    date: str = ""
    applies: int = 0


@dataclass
class Revisions:
    """All revisions of a switch; the pending one is no revision yet."""

    kept: dict[int, Revision] = field(default_factory=dict)
    applied: int = 0
    pending: Revision | None = None


class CumulusSwitch(SimulatedDevice):
    """A switch; it boots with its factory configuration. Its programs come in ``build.py``.

    Attributes:
        revisions: What was applied, and what waits to be.
        startup: Configuration that a boot would apply.
        deviation: Where the hardware differs from the applied revision, unseen.
    """

    platform = "cumulus"

    def __init__(self, built: LabDevice, folder: Path, surroundings: Surroundings) -> None:
        super().__init__(built.name, folder, surroundings)
        self.version = built.version or VERSION
        self.model = built.model or MODEL
        self.speeds = {port.name: port.speed_bps for port in built.ports}
        self.tallies = Tallies()
        self.deviation = Deviation()
        self.revisions = Revisions()
        self.startup: Tree = {}
        self.rollback: asyncio.TimerHandle | None = None
        for part in ("etc/nvue.d", "etc/cumulus"):
            (self.files.root / part).mkdir(parents=True, exist_ok=True)
        self._write_files()
        self.apply(_factory(built), user="root", message="Config update by root")

    @property
    def release(self) -> tuple[int, int]:
        """Release of the operating system."""
        return release_of(self.version)

    @property
    def applied(self) -> Tree:
        """The applied configuration."""
        return self.revisions.kept[self.revisions.applied].tree

    def _write_files(self) -> None:
        text = (
            f'NAME="Cumulus Linux"\nVERSION_ID={self.version}\n'
            f'VERSION="Cumulus Linux {self.version}"\n'
            f'PRETTY_NAME="Cumulus Linux"\nID=cumulus-linux\nID_LIKE=debian\n'
        )
        (self.files.root / "etc/os-release").write_text(text, "utf-8")
        (self.files.root / "etc/lsb-release").write_text(
            f'DISTRIB_ID="Cumulus Linux"\nDISTRIB_RELEASE={self.version}\n', "utf-8"
        )
        (self.files.root / "etc/hostname").write_text(self.name + "\n", "utf-8")

    def is_link_up(self, port: str) -> bool:
        """Both ends of the port's cable are up."""
        return self.surroundings.is_link_up(self.name, port)

    def is_up(self, port: str) -> bool:
        """The port is configured and up."""
        return self.port(port).is_up

    def port(self, name: str) -> PortReader:
        """A port of the applied revision."""
        return PortReader(self.applied, name, self.speeds.get(name, 0), self.deviation)

    def refused(self, tree: Tree) -> list[Refused]:
        """Everything in a configuration that the switch does not take."""
        return find_refused(tree, self.release, self.speeds)

    def apply(self, tree: Tree, *, user: str, message: str) -> Revision:
        """Make a configuration the applied revision, and save it: auto-save is on.

        Source: NVUE command reference, ``nv config apply``: on by default from 5.9.
        """
        number = max(self.revisions.kept, default=0) + 1
        found = Revision(number, typed(copy.deepcopy(tree)), user=user, message=message)
        self.revisions.kept[number] = found
        self.take(number)
        return found

    def take(self, number: int) -> Revision:
        """Apply a revision that is there."""
        found = self.revisions.kept[number]
        for other in self.revisions.kept.values():
            if other.state == "applied_and_saved":
                other.state = "saved"
        found.state = "applied_and_saved"
        found.applies += 1
        found.date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        self.revisions.applied = number
        self.save()
        return found

    def save(self) -> None:
        """Write the applied configuration to the startup file."""
        self.startup = copy.deepcopy(self.applied)
        beside = f"{STARTUP}.new"
        self.files.write(beside, self.as_yaml(self.startup), user="root")
        self.files.move(beside, STARTUP, user="root")

    def header(self) -> Tree:
        """What stands before a configuration."""
        return {
            "model": self.model,
            "nvue-api-version": "nvue_v1",
            "rev-id": 1.0,
            "version": f"Cumulus Linux {self.version}",
        }

    def as_yaml(self, tree: Tree) -> str:
        """Give a configuration as ``nv config show`` prints it."""
        return dump([{"header": self.header()}, {"set": tree}])

    def as_commands(self, tree: Tree) -> str:
        """Give a configuration as ``nv config show -o commands`` prints it."""
        return "\n".join(commands(tree)) + "\n"

    def hardware(self) -> Node:
        """What the hardware holds."""
        return read_node(self.name, self.applied, self.speeds, self.deviation)

    def count(self, port: str, counters: PortCounters) -> None:
        """Add what a run of traffic counted at a port."""
        self.tallies.add(port, counters, self.deviation.stuck)


def _factory(built: LabDevice) -> Tree:
    """What an operator set up before anybody spoke of RDMA: names, addresses, ports that are up."""
    index = zlib.crc32(built.name.encode()) % 250
    interfaces: Tree = {
        "eth0": {"ip": {"address": {"dhcp": {}}, "vrf": "mgmt"}, "type": "eth"},
        "lo": {"ip": {"address": {f"10.254.{index}.1/32": {}}}, "type": "loopback"},
    }
    for port in built.ports:
        interfaces[port.name] = {"link": {"state": {"up": {}}}, "type": "swp"}
    return {
        "interface": interfaces,
        "router": {"bgp": {"autonomous-system": 65000 + index, "enable": "on"}},
        "system": {"hostname": built.name, "timezone": "Etc/UTC"},
    }
