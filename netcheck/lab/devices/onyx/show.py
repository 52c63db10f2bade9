"""What a switch shows, and the commands outside configuration.

Formats: ``show ib partition`` as captured in Teradata/stacki (releases since 3.6.8010);
``show ib sm`` and ``show version`` as in the NVIDIA MLNX-OS user manual.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from netcheck.lab.devices.cli.console import Answer, Command, Console, RefusedError
from netcheck.lab.devices.cli.grammar import Match, Pattern
from netcheck.lab.devices.onyx.grammar import DEFAULT, pkeys
from netcheck.lab.devices.onyx.refusals import says
from netcheck.lab.devices.onyx.switch import VERSION, OnyxSwitch, partition

FACTORY_DEFAULT = ("pkey 0x7fff", "ipoib", "member ALL type full")


class Shows:
    """Commands outside configuration of one switch."""

    def __init__(self, switch: OnyxSwitch) -> None:
        self.switch = switch

    def commands(self) -> Sequence[Command]:
        """Give all of them."""
        return (
            Command(Pattern("enable"), self._enable, is_open=True),
            Command(Pattern("disable"), self._disable, is_open=True),
            Command(Pattern("configure terminal"), self._configure, in_config=True),
            Command(Pattern("exit"), self._exit, in_config=True, is_open=True),
            Command(Pattern("quit"), self._quit, in_config=True, is_open=True),
            Command(Pattern("no cli session paging enable"), _nothing, in_config=True),
            Command(Pattern("terminal (length|width) NUMBER"), _nothing, is_open=True),
            Command(Pattern("configuration write"), self._write, in_config=True),
            Command(Pattern("write memory"), self._write, in_config=True),
            Command(Pattern("show version"), self._version, in_config=True, is_open=True),
            Command(Pattern("show running-config"), self._running, in_config=True),
            Command(Pattern("show configuration"), self._saved, in_config=True),
            Command(Pattern("show ib sm"), self._manager, in_config=True),
            Command(Pattern("show ib sm WORD"), self._option, in_config=True),
            Command(Pattern("show ib smnode NAME WORD"), self._node, in_config=True),
            Command(Pattern("show ib partition"), self._partitions, in_config=True),
            Command(Pattern("show ib partition NAME [member]"), self._one, in_config=True),
        )

    def _enable(self, console: Console, match: Match) -> Answer:
        del match
        console.is_privileged = True
        return ""

    def _disable(self, console: Console, match: Match) -> Answer:
        del match
        console.is_privileged = False
        return ""

    def _configure(self, console: Console, match: Match) -> Answer:
        del match
        console.enter(self.switch.running)
        return ""

    def _exit(self, console: Console, match: Match) -> Answer:
        if not console.frames:
            return self._quit(console, match)
        console.leave()
        return ""

    def _quit(self, console: Console, match: Match) -> Answer:
        del match
        console.log_out()
        return ""

    def _write(self, console: Console, match: Match) -> Answer:
        del console, match
        self.switch.startup = self.switch.running.copy()
        return ""

    def _version(self, console: Console, match: Match) -> Answer:
        del console, match
        minutes = int(time.time() - self.switch.booted) // 60
        return (
            "Product name:      MLNX-OS\n"
            f"Product release:   {VERSION}\n"
            "Target arch:       x86_64\n"
            f"Product model:     {self.switch.model}\n"
            f"Uptime:            {minutes}m\n"
        )

    def _running(self, console: Console, match: Match) -> Answer:
        del console, match
        return self._text(self.switch.running.sorted(), "Running database")

    def _saved(self, console: Console, match: Match) -> Answer:
        del console, match
        return self._text(self.switch.startup.sorted(), "Active saved database")

    def _text(self, entries: Sequence[tuple[str, object]], title: str) -> str:
        """A configuration without what every switch has of itself."""
        held = [getattr(entry, "text", "") for _, entry in entries]
        own = {f"ib partition {DEFAULT} {rest}" for rest in FACTORY_DEFAULT}
        names = [line for line in held if line.startswith("hostname ")]
        manager = [line for line in held if line.startswith("ib ") and line not in own]
        lines = ["##", f'## {title} "initial"', "##", ""]
        lines += ["##", "## Other IP configuration", "##", *(f"   {line}" for line in names), ""]
        if manager:
            lines += ["##", "## Subnet Manager configuration", "##"]
            lines += [f"   {line}" for line in manager]
        return "".join(f"{line}\n" for line in lines)

    def _manager(self, console: Console, match: Match) -> Answer:
        del console, match
        return "enable\n" if self.switch.is_managing else "disable\n"

    def _option(self, console: Console, match: Match) -> Answer:
        del console
        word = match.values[0]
        rules = self.switch.grammar["config"]
        patterns = (rule.pattern.text.split() for rule in rules)
        if word not in {words[2] for words in patterns if words[:2] == ["ib", "sm"] and words[2:]}:
            raise RefusedError(f'% Unrecognized command "{word}".')
        value = self.switch.running.value(f"ib sm {word}")
        return f"{value or 'default'}\n"

    def _node(self, console: Console, match: Match) -> Answer:
        del console
        name, word = match.values
        if name != self.switch.hostname:
            raise RefusedError(f'% Unrecognized command "{name}".')
        is_on, is_licensed = self.switch.is_managing, self.switch.is_licensed
        texts = {
            "sm-running": "active" if is_on and is_licensed else "not active",
            "sm-state": "enable" if is_on else "disable",
            "sm-licensed": "yes" if is_licensed else "no",
            "sm-priority": self.switch.running.value("ib sm sm-priority") or "0",
        }
        if word not in texts:
            raise RefusedError(f'% Unrecognized command "{word}".')
        return f"{texts[word]}\n"

    def _partitions(self, console: Console, match: Match) -> Answer:
        del console, match
        return "".join(f"\n{self._shown(name)}" for name in pkeys(self.switch.running))

    def _one(self, console: Console, match: Match) -> Answer:
        del console
        name = match.values[0]
        if name not in pkeys(self.switch.running):
            raise RefusedError(says("no-partition-shown", name))
        if match.words[-1] != "member":
            return f"\n{self._shown(name)}"
        _, _, members = self._shown(name).partition("  members:\n")
        return f"  members:\n{members}"

    def _shown(self, name: str) -> str:
        held = partition(self.switch.running, name)
        members = held["members"]
        lines = [f"{name}:", f"  PKey : 0x{held['pkey']:04X}"]
        lines += [f"  ipoib: {'yes' if held['ipoib'] else 'no'}", "", "  members:"]
        if isinstance(members, dict):
            lines += [f"    GUID='{one}' member='{kind}'" for one, kind in members.items()]
        return "".join(f"{line}\n" for line in lines)


def _nothing(console: Console, match: Match) -> Answer:
    del console, match
    return ""
