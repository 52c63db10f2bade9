"""An MLNX-OS switch as it stands: configurations, the subnet manager's view, ports."""

from __future__ import annotations

import time
from pathlib import Path

from netcheck.lab.devices.cli.config import Section
from netcheck.lab.devices.cli.console import Console
from netcheck.lab.devices.cli.device import CliDevice
from netcheck.lab.devices.cli.grammar import Kinds, LineError, Match
from netcheck.lab.devices.device import Surroundings
from netcheck.lab.devices.onyx.console import OnyxConsole
from netcheck.lab.devices.onyx.grammar import KINDS, grammar, number, pkeys, set_default
from netcheck.lab.devices.onyx.refusals import says
from netcheck.lab.topology import LabDevice
from netcheck.lossless.dataplane.network import Node
from netcheck.lossless.dataplane.result import PortCounters

MODEL = "MQM8700"
VERSION = "3.11.3002"


class OnyxSwitch(CliDevice):
    """A switch for InfiniBand as it comes, named; its commands come in ``build.py``.

    Attributes:
        startup: Configuration that a reload would bring back.
        is_licensed: Its subnet manager may be started.
    """

    platform = "onyx"
    kinds: Kinds = KINDS

    def __init__(self, built: LabDevice, folder: Path, surroundings: Surroundings) -> None:
        super().__init__(built.name, folder, surroundings)
        self.ports = tuple(port.name for port in built.ports)
        self.model = built.model or MODEL
        self.is_licensed = True
        self.booted = time.time()
        self.grammar = grammar(self._may_start)
        self.running.set("hostname", f"hostname {self.name}")
        set_default(self.running)
        self.startup = self.running.copy()

    def _may_start(self, console: Console, match: Match) -> str:
        del console, match
        return "" if self.is_licensed else says("not-licensed")

    @property
    def hostname(self) -> str:
        """Name in the prompt."""
        return self.running.value("hostname")

    def new_shell(self) -> OnyxConsole:
        """A console for one session; it begins without privilege."""
        return OnyxConsole(self, is_privileged=False)

    def has_port(self, name: str) -> bool:
        """There is a port of that name."""
        return name in self.ports

    def complaint(self, error: LineError) -> str:
        """What is printed for a line that nothing takes."""
        word = error.words[error.at] if error.at < len(error.words) else ""
        texts = {
            "invalid": f'% Unrecognized command "{word}".\nType "?" for help.\n',
            "incomplete": f"{says('incomplete')}\n",
            "ambiguous": f'% Ambiguous command "{" ".join(error.words)}".\n',
        }
        return texts[error.reason]

    @property
    def is_managing(self) -> bool:
        """Its subnet manager is switched on."""
        return bool(self.running.line("ib sm"))

    def managed(self) -> dict[str, object]:
        """Give what the subnet manager was told, as plain values.

        Shape: ``enabled``; ``options``: ``word -> value``; ``roots``: GUIDs as typed;
        ``partitions``: ``name -> {pkey, members: GUID or ALL or SELF -> membership, ipoib, ...}``.
        """
        options: dict[str, str] = {}
        roots: list[str] = []
        for line in self.running.lines("ib sm"):
            word, _, value = line.removeprefix("ib sm").strip().partition(" ")
            if word == "root-guid":
                roots.append(value)
            elif word:
                options[word] = value
        names = pkeys(self.running)
        return {
            "enabled": self.is_managing,
            "options": options,
            "roots": roots,
            "partitions": {name: partition(self.running, name) for name in names},
        }

    def is_up(self, port: str) -> bool:
        """Ports are up; none can be shut down here."""
        return port in self.ports

    def hardware(self) -> Node:
        """Nothing: Ethernet does not pass through it."""
        return Node(self.name, {})

    def count(self, port: str, counters: PortCounters) -> None:
        """Count nothing: Ethernet does not pass through it."""


def partition(section: Section, name: str) -> dict[str, object]:
    """Give what a configuration says of one partition."""
    members: dict[str, str] = {}
    found: dict[str, object] = {"members": members, "ipoib": False}
    start = f"ib partition {name}"
    default = section.value(f"{start} defmember") or "full"
    for line in section.lines(start):
        word, *rest = line.removeprefix(start).split()
        if word == "member":
            members[rest[0]] = rest[2] if len(rest) > 1 else default
        elif word == "pkey":
            found["pkey"] = number(rest[0])
        else:
            found[word] = rest[0] if rest else True
    return found
