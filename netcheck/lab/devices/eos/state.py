"""An EOS switch as it stands: configurations, files, sessions, counters, hardware."""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from netcheck.lab.devices.cli.config import Section, write
from netcheck.lab.devices.cli.console import Console
from netcheck.lab.devices.cli.device import CliDevice
from netcheck.lab.devices.cli.grammar import Kinds, LineError
from netcheck.lab.devices.deviation import Deviation
from netcheck.lab.devices.device import Surroundings
from netcheck.lab.devices.eos import hardware
from netcheck.lab.devices.eos.grammar import GRAMMAR, KINDS, interface
from netcheck.lab.devices.eos.reader import Reader, read_node
from netcheck.lab.devices.eos.refusals import says
from netcheck.lab.devices.eos.tallies import Tallies
from netcheck.lab.topology import LabDevice
from netcheck.lossless.dataplane.network import Node
from netcheck.lossless.dataplane.result import PortCounters

_RANKS = {rule.pattern.text: place for place, rule in enumerate(GRAMMAR["config"])}
INTERFACE_RANK = _RANKS["interface PORT"]
_WORDS = {"ethernet", "management", "loopback", "port-channel", "et", "eth"}


@dataclass
class ConfigSession:
    """A configuration session: a candidate, and what became of it.

    Attributes:
        state: ``pending``, ``pendingCommitTimer``, ``completed`` or ``aborted``.
        before: Running configuration that a commit timer brings back.
        timer: Brings it back.
        end: When, by the clock of the event loop.
    """

    name: str
    candidate: Section
    state: str = "pending"
    before: Section | None = None
    timer: asyncio.TimerHandle | None = None
    end: float = 0.0


@dataclass
class Store:
    """What outlives a change: files in flash, checkpoints in order, sessions by name."""

    files: dict[str, str] = field(default_factory=dict)
    checkpoints: dict[str, Section] = field(default_factory=dict)
    sessions: dict[str, ConfigSession] = field(default_factory=dict)


class EosSwitch(CliDevice):
    """A switch with EOS; its commands come in ``build.py``.

    It boots as an operator leaves it before QoS is configured: named, its
    ports routed and up, everything else as in the factory.

    Attributes:
        speeds: ``port -> bit/s``.
        startup: Configuration that a reload would bring back.
        deviation: Where the hardware differs from the running configuration, unseen.
    """

    platform = "eos"
    grammar = GRAMMAR
    kinds: Kinds = KINDS
    model = hardware.MODEL
    version = hardware.VERSION

    def __init__(self, built: LabDevice, folder: Path, surroundings: Surroundings) -> None:
        super().__init__(built.name, folder, surroundings)
        self.speeds = {port.name: port.speed_bps for port in built.ports}
        self.tallies = Tallies()
        self.deviation = Deviation()
        self.store = Store()
        self.booted = time.time()
        self.running = self.factory()
        for port in built.ports:
            block = self.running.block(f"interface {port.name}", rank=INTERFACE_RANK)
            block.set("switchport", "no switchport", rank=7)
            if port.address:
                block.set("ip address", f"ip address {port.address}", rank=13)
        self.running.set("ip routing", "ip routing", rank=INTERFACE_RANK + 1)
        self.startup = self.running.copy()

    def factory(self) -> Section:
        """Give the configuration of a switch out of its box, named."""
        section = Section()
        section.set("hostname", f"hostname {self.name}", rank=0)
        for port in self.speeds:
            section.block(f"interface {port}", rank=INTERFACE_RANK)
        address = f"ip address 192.0.2.{zlib.crc32(self.name.encode()) % 250 + 1}/24"
        management = section.block("interface Management1", rank=INTERFACE_RANK)
        management.set("ip address", address, rank=13)
        return section

    @property
    def hostname(self) -> str:
        """Name in the prompt."""
        return self.running.value("hostname") or "localhost"

    @property
    def reader(self) -> Reader:
        """The reading of the running configuration."""
        return Reader(self.running)

    def new_shell(self) -> Console:
        """A console for one session; as without AAA, it begins without privilege."""
        return Console(self, is_privileged=False)

    def has_port(self, name: str) -> bool:
        """There is a port of that name."""
        return name in self.speeds

    def words(self, line: str) -> list[str]:
        """Cut a line into words; ``Ethernet 1/1`` is one."""
        words = line.split()
        joined: list[str] = []
        for word in words:
            if joined and joined[-1].lower() in _WORDS and interface(joined[-1] + word):
                joined[-1] += word
            else:
                joined.append(word)
        return joined

    def complaint(self, error: LineError) -> str:
        """What is printed for a line that nothing takes."""
        if error.reason == "invalid":
            word = error.words[error.at] if error.at < len(error.words) else ""
            return f"% Invalid input (at token {error.at}: '{word}')\n"
        return super().complaint(error)

    def as_json(self, data: object | None) -> str:
        """What ``| json`` prints."""
        return f"{says('no-json')}\n" if data is None else json.dumps(data, indent=4) + "\n"

    def edited(self, console: Console) -> None:
        """Keep a block for every port, as the running-config has."""
        for port in self.speeds:
            console.root.block(f"interface {port}", rank=INTERFACE_RANK)

    def text(self, section: Section) -> list[str]:
        """Give the lines of a configuration without its heading."""
        return [*write(section), "!", "end"]

    def is_link_up(self, port: str) -> bool:
        """Both ends of the port's cable are up."""
        return self.surroundings.is_link_up(self.name, port)

    def is_up(self, port: str) -> bool:
        """The port is not shut down."""
        return port in self.speeds and not self.reader.interface(port).line("shutdown")

    def hardware(self) -> Node:
        """What the hardware holds."""
        return read_node(self.name, self.running, self.speeds, self.deviation)

    def count(self, port: str, counters: PortCounters) -> None:
        """Add what a run of traffic counted at a port."""
        self.tallies.add(port, counters, self.deviation.stuck)
