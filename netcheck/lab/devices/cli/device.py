"""A simulated device with a command line; platforms give commands, grammar and hardware."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from netcheck.lab.devices.cli.config import Section
from netcheck.lab.devices.cli.console import Command, Console, Grammar
from netcheck.lab.devices.cli.grammar import Kinds, LineError
from netcheck.lab.devices.device import SimulatedDevice, Surroundings


class CliDevice(SimulatedDevice):
    """A device whose login is a command line.

    A platform sets ``commands`` (exec), ``grammar`` (``mode -> rules``; the
    outermost mode is ``config``) and ``kinds``, and may override what its
    vendor prints differently.

    Attributes:
        running: The running configuration; consoles edit it in place.
    """

    commands: Sequence[Command] = ()
    grammar: Grammar = {}  # noqa: RUF012 -- each platform sets its own
    kinds: Kinds = {}  # noqa: RUF012 -- as above

    def __init__(self, name: str, folder: Path, surroundings: Surroundings) -> None:
        super().__init__(name, folder, surroundings)
        self.running = Section()

    @property
    def hostname(self) -> str:
        """Name in the prompt."""
        return self.name

    def new_shell(self) -> Console:
        """A console for one session."""
        return Console(self)

    def has_port(self, name: str) -> bool:
        """There is a port of that name."""
        raise NotImplementedError(name)

    def words(self, line: str) -> list[str]:
        """Cut a line into words."""
        return line.split()

    def complaint(self, error: LineError) -> str:
        """What is printed for a line that nothing takes."""
        words = {
            "invalid": "% Invalid input",
            "incomplete": "% Incomplete command",
            "ambiguous": "% Ambiguous command",
        }
        return f"{words[error.reason]}\n"

    def as_json(self, data: object | None) -> str:
        """What ``| json`` prints."""
        return json.dumps(data, indent=4) + "\n"

    def edited(self, console: Console) -> None:
        """React to a changed line. Raises RefusedError to undo it."""
