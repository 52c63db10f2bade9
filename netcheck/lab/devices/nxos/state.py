"""A switch with NX-OS as it stands: running and startup configuration, counters, hardware."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from netcheck.lab.devices.deviation import Deviation
from netcheck.lab.devices.device import SimulatedDevice, Surroundings
from netcheck.lab.devices.nxos.checkpoints import Checkpoints
from netcheck.lab.devices.nxos.checks import check
from netcheck.lab.devices.nxos.configuring import interface_names
from netcheck.lab.devices.nxos.console import Command, Console
from netcheck.lab.devices.nxos.grammar import KINDS
from netcheck.lab.devices.nxos.hardware import read_node
from netcheck.lab.devices.nxos.objects import Configuration, read_configuration
from netcheck.lab.devices.nxos.patterns import Kind, LineError
from netcheck.lab.devices.nxos.tallies import Tallies
from netcheck.lab.devices.nxos.tree import Block, arranged, read_tree, write_tree
from netcheck.lab.topology import LabDevice
from netcheck.lossless.dataplane.network import Node
from netcheck.lossless.dataplane.result import PortCounters

RELEASE = "10.4(3)"
MODEL = "C93600CD-GX"
_FACTORY = """version {release} Bios:version 05.50
hostname {name}
feature lldp
vdc {name} id 1
  limit-resource vlan minimum 16 maximum 4094
no password strength-check
username admin role network-admin
ip domain-lookup
snmp-server user admin network-admin
ntp server 10.255.{index}.1 use-vrf management
vlan 1
vrf context management
  ip route 0.0.0.0/0 10.254.{index}.1
interface mgmt0
  vrf member management
line console
line vty
boot nxos bootflash:/nxos64-cs.10.4.3.F.bin
"""


class NxosSwitch(SimulatedDevice):
    """A switch; it boots with its factory configuration. Its commands come in ``build.py``.

    Attributes:
        root: Lines of the running configuration.
        startup: Lines of the startup configuration.
        found: What the switch makes of ``root``.
        deviation: Where the hardware differs from that, unseen.
        agrees: Tells that the peer of a port agreed to its PFC by DCBX.
    """

    platform = "nxos"

    def __init__(self, built: LabDevice, folder: Path, surroundings: Surroundings) -> None:
        super().__init__(built.name, folder, surroundings)
        self.model = built.model.removeprefix("N9K-") or MODEL
        self.speeds = {port.name: port.speed_bps for port in built.ports}
        self.tallies = Tallies()
        self.deviation = Deviation()
        self.checkpoints = Checkpoints()
        self.saved: dict[str, Block] = {}
        self.started = time.monotonic()
        self.agrees: Callable[[str], bool] = lambda _: False
        self.commands: Sequence[Command] = ()
        self.kinds: dict[str, Kind] = {**KINDS, "port": self._port}
        self.root = self._factory()
        self.found: Configuration = read_configuration(self.root)
        self.startup = self.root.copy()

    def _factory(self) -> Block:
        index = zlib.crc32(self.name.encode()) % 250
        root = read_tree(_FACTORY.format(release=RELEASE, name=self.name, index=index))
        for port in self.speeds:
            root[f"interface {port}"] = Block()
        return root

    def new_shell(self) -> Console:
        """A console for one session."""
        return Console(self)

    @property
    def hostname(self) -> str:
        """Name in the prompt."""
        return self.found.hostname or "switch"

    def _port(self, word: str) -> str:
        """The kind of a word that names one port."""
        try:
            return interface_names(word, self.root)[0]
        except LineError:
            raise LineError("no-such-interface") from None

    def change(self, root: Block) -> None:
        """Take another running configuration.

        Raises:
            LineError: Something in it is refused; nothing changes.
        """
        self.found = check(self.found, root)
        self.root = root

    def text(self, root: Block) -> str:
        """Give a configuration as the switch shows it."""
        return write_tree(arranged(root))

    def is_link_up(self, port: str) -> bool:
        """Both ends of the port's cable are up."""
        return self.surroundings.is_link_up(self.name, port)

    def is_up(self, port: str) -> bool:
        """The port is administratively up."""
        return self.found.interfaces[port].is_up

    @property
    def age_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def uptime(self) -> tuple[int, int, int, int]:
        """Days, hours, minutes and seconds since the start."""
        seconds = int(self.age_s)
        return seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60, seconds % 60

    def is_pfc_on(self, port: str) -> bool:
        """PFC works at a port: forced on, or agreed with the peer by DCBX."""
        mode = self.found.interfaces[port].pfc_mode
        return mode == "on" or (mode == "auto" and self.agrees(port))

    def hardware(self) -> Node:
        """What the hardware holds."""
        pfc_on = frozenset(port for port in self.speeds if self.is_pfc_on(port))
        return read_node(self.name, self.found, self.speeds, pfc_on, self.deviation)

    def count(self, port: str, counters: PortCounters) -> None:
        """Add what a run of traffic counted at a port."""
        self.tallies.add(port, counters, self.deviation.stuck)
