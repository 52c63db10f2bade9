"""One session at the command line of an NX-OS switch.

Beside ``lab.devices.cli`` because NX-OS marks the refused word and names the range it
wants, edits several interfaces at once, and checks each line against all others.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from netcheck.lab.devices.cli.pipes import PipeError, filtered
from netcheck.lab.devices.nxos.configuring import OUTERMOST, Entered, Mode, enter
from netcheck.lab.devices.nxos.patterns import Kind, LineError, Match, best, furthest
from netcheck.lab.devices.nxos.refusals import said
from netcheck.lab.devices.nxos.tree import Block
from netcheck.lab.devices.shell import ShellExit, Streams

NO_JSON = "Error: cannot convert the output to json\n"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a command shows: text, and the data of ``| json`` (None: it has none)."""

    text: str
    data: object = None


Action = Callable[["Console", Match], Shown | str]


@dataclass(frozen=True, slots=True)
class Command:
    """An exec command."""

    pattern: str
    action: Action


class Switch(Protocol):
    """What a console needs of its switch."""

    root: Block
    kinds: dict[str, Kind]
    commands: Sequence[Command]

    @property
    def hostname(self) -> str:
        """Name in the prompt."""

    def change(self, root: Block) -> None:
        """Take another running configuration. Raises LineError when it is refused."""


@dataclass
class Console:
    """A session; ``modes`` are those it is in, none outside configuration."""

    switch: Switch
    modes: tuple[Mode, ...] = ()
    status: int = 0
    user: str = "admin"
    farewell: str = ""
    jobs: set[asyncio.Task[int]] = field(default_factory=set)

    @property
    def prompt(self) -> str:
        """What is printed when the switch waits."""
        mode = f"({self.modes[-1].name})" if self.modes else ""
        return f"{self.switch.hostname}{mode}# "

    async def run(self, text: str, streams: Streams) -> int:
        """Run a line; commands stand between ``;``. Gives 0, or 1 when one is refused."""
        self.status = 0
        for line in text.split(" ;"):
            self.status |= self._run_line(line.rstrip(), streams)
        return self.status

    def _run_line(self, line: str, streams: Streams) -> int:
        command, *pipes = [part.strip() for part in line.split(" | ")]
        if not command or command.startswith("!"):
            return 0
        try:
            shown = self._answer(command)
            streams.out(self._piped(shown, pipes))
        except LineError as error:
            indent = len(self.prompt) + len(line) - len(line.lstrip())
            streams.out(said(error, command, indent))
            return 1
        except (PipeError, re.error):
            place = LineError("invalid-command", len(command.split()))
            streams.out(said(place, command, len(self.prompt)))
            return 1
        return 0

    def _answer(self, line: str) -> Shown | str:
        words = tuple(line.split())
        if words[0] == "exit" and self.modes:
            self.modes = self.modes[:-1]
            return ""
        if words[0] == "end":
            self.modes = ()
            return ""
        if self.modes:
            return self._configure(line, words)
        return self._execute(words)

    def _configure(self, line: str, words: tuple[str, ...]) -> Shown | str:
        try:
            entered = self._entered(line)
        except LineError as error:
            if error.name not in ("invalid-command", "incomplete-command"):
                raise
            try:
                return self._execute(words[1:] if words[0] == "do" else words)
            except LineError as other:
                raise furthest(iter((error, other))) from None
        self.switch.change(entered.root)
        self.modes = entered.modes
        return ""

    def _entered(self, line: str) -> Entered:
        try:
            return enter(line, self.switch.root, self.modes)
        except KeyError:  # another session removed what this one was editing
            self.modes = (OUTERMOST,)
            raise LineError("invalid-command", 0) from None

    def _execute(self, words: tuple[str, ...]) -> Shown | str:
        patterns = ((command.pattern, command) for command in self.switch.commands)
        command, found = best(_joined(words), patterns, self.switch.kinds)
        return command.action(self, found)

    def configure(self) -> None:
        """Go to configuration mode."""
        self.modes = (OUTERMOST,)

    def log_out(self) -> None:
        """End the session.

        Raises:
            ShellExit: Always.
        """
        raise ShellExit(0)

    def _piped(self, answer: Shown | str, pipes: Sequence[str]) -> str:
        shown = answer if isinstance(answer, Shown) else Shown(answer)
        text = shown.text
        for pipe in pipes:
            if pipe in ("json", "json-pretty"):
                text = _as_json(shown.data, is_pretty=pipe == "json-pretty")
            else:
                text = filtered(text, pipe)
        return text if not text or text.endswith("\n") else text + "\n"


def _as_json(data: object, *, is_pretty: bool) -> str:
    if data is None:
        return NO_JSON
    return json.dumps(data, indent=4 if is_pretty else None) + "\n"


def _joined(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words in which ``ethernet 1/1`` is one, as the switch takes both."""
    found: list[str] = []
    for word in words:
        before = found[-1].lower() if found else ""
        if word[0].isdigit() and "/" in word and before and "ethernet".startswith(before):
            found[-1] += word
        else:
            found.append(word)
    return tuple(found)
