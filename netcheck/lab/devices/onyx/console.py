"""One session at the command line of an MLNX-OS switch.

Beside ``lab.devices.cli`` because the prompt names the system's role, commands that need
more rights are unknown without them, and what changes the partition Default is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from netcheck.lab.devices.cli.config import Entry, Section
from netcheck.lab.devices.cli.console import Answer, Command, Console
from netcheck.lab.devices.onyx.grammar import DEFAULT
from netcheck.lab.devices.onyx.refusals import says
from netcheck.lab.devices.shell import Streams

QUESTION = "Type 'yes' to continue: "
_FORCE = " force"


@dataclass
class OnyxConsole(Console):
    """A session.

    Attributes:
        line: What was typed last.
        asked: Line that waits for a yes; empty while none does.
        is_sure: The line that runs was meant.
    """

    line: str = ""
    asked: str = ""
    is_sure: bool = False

    @property
    def prompt(self) -> str:
        """What is printed when the switch waits: for a command, or for a yes."""
        if self.asked:
            return QUESTION
        mode = " (config)" if self.frames else ""
        sign = "#" if self.is_privileged else ">"
        return f"{self.device.hostname} [standalone: master]{mode} {sign} "

    async def run(self, text: str, streams: Streams) -> int:
        """Run a line, or take it for the answer to what was asked."""
        if self.asked:
            return await self._answered(text.strip(), streams)
        self.line = text.strip()
        self.is_sure = self.line.endswith(_FORCE)
        return await super().run(text, streams)

    async def _answered(self, answer: str, streams: Streams) -> int:
        line, self.asked = self.asked, ""
        if answer != "yes":
            streams.out(f"{says('not-sure')}\n")
            self.status = 1
            return self.status
        self.is_sure = True
        return await super().run(line, streams)

    async def _exec(self, words: Sequence[str], commands: Sequence[Command]) -> Answer:
        known = [one for one in commands if self.is_privileged or one.is_open]
        return await super()._exec(words, known)

    def _edit(self, change: Callable[[Section], object]) -> None:
        """Change the configuration; ask first where Default is not what it was."""
        section = self.section
        before: dict[str, Entry] = dict(section.entries)
        super()._edit(change)
        if not self.is_sure and _default(before) != _default(section.entries):
            section.entries = before
            self.asked = self.line


def _default(entries: dict[str, Entry]) -> list[tuple[str, str]]:
    start = f"ib partition {DEFAULT} "
    return sorted((key, entry.text) for key, entry in entries.items() if key.startswith(start))
