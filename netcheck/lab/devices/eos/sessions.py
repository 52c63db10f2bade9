"""Configuration sessions, commit timers, checkpoints, files: how EOS changes and goes back.

Source: arista.com/en/um-eos, Configure Session, Configuration Checkpoints, File Management.
"""

from __future__ import annotations

import asyncio
import difflib
import itertools
from collections.abc import Sequence

from netcheck.lab.devices.cli.config import Section, write
from netcheck.lab.devices.cli.console import (
    TOP,
    Answer,
    Command,
    Console,
    Frame,
    RefusedError,
    Rule,
    Shown,
)
from netcheck.lab.devices.cli.grammar import LineError, Match, Pattern
from netcheck.lab.devices.eos.refusals import says
from netcheck.lab.devices.eos.state import ConfigSession, EosSwitch

MOST_PENDING = 5
_PENDING = ("pending", "pendingCommitTimer")
_RUNNING, _STARTUP = "running-config", "startup-config"


class Sessions:
    """Commands that change configurations as a whole."""

    def __init__(self, switch: EosSwitch) -> None:
        self.switch = switch
        self._numbers = itertools.count(1)

    def commands(self) -> tuple[Command, ...]:
        """Exec commands; EOS takes them in configuration modes as well."""
        pairs = (
            ("configure [terminal]", self._terminal),
            ("configure session [NAME]", self._session),
            ("configure session NAME commit", self._commit_named),
            ("configure session NAME abort", self._abort_named),
            ("configure replace FILE [ignore-errors]", self._replace),
            ("configure checkpoint save [NAME]", self._checkpoint),
            ("configure checkpoint restore NAME", self._restore),
            ("configure checkpoint delete NAME", self._delete_checkpoint),
            ("no configure checkpoint NAME", self._delete_checkpoint),
            ("no configure session NAME", self._delete_session),
            ("copy FILE FILE", self._copy),
            ("write [memory]", self._write),
            ("delete FILE", self._delete_file),
            ("show running-config", self._show_running),
            ("show running-config interfaces PORT", self._show_block),
            ("show startup-config", self._show_startup),
            ("show session-config [diffs]", self._show_session),
            ("show session-config named NAME [diffs]", self._show_session),
            ("show configuration sessions [detail]", self._show_sessions),
            ("show configuration checkpoints", self._show_checkpoints),
            ("more FILE", self._more),
            ("dir [FILE]", self._dir),
        )
        return tuple(Command(Pattern(text), action, in_config=True) for text, action in pairs)

    def rules(self) -> tuple[Rule, ...]:
        """Lines of configuration mode that are no configuration."""
        return (
            Rule(Pattern("commit"), action=self._commit),
            Rule(Pattern("commit timer DURATION"), action=self._commit),
            Rule(Pattern("abort"), action=self._abort),
            Rule(Pattern("rollback clean-config"), action=self._clean),
            Rule(Pattern("end"), action=_end),
            Rule(Pattern("exit"), action=_exit),
        )

    # Sessions

    def _terminal(self, console: Console, match: Match) -> None:
        del match
        console.enter(self.switch.running)

    def _session(self, console: Console, match: Match) -> None:
        name = match.values[0] if match.values else f"sess-{next(self._numbers)}"
        sessions = self.switch.store.sessions
        if name not in sessions or sessions[name].state not in _PENDING:
            pending = [one for one in sessions.values() if one.state in _PENDING]
            if len(pending) >= MOST_PENDING:
                raise RefusedError(says("session-pending"))
            sessions[name] = ConfigSession(name, self.switch.running.copy())
        console.enter(sessions[name].candidate, name)

    def _named(self, name: str) -> ConfigSession:
        found = self.switch.store.sessions.get(name)
        if found is None or found.state not in _PENDING:
            raise RefusedError(f"% Session {name} does not exist or is not pending")
        return found

    def _commit_named(self, console: Console, match: Match) -> None:
        del console
        self._make(self._named(match.values[0]), 0.0)

    def _abort_named(self, console: Console, match: Match) -> None:
        del console
        self._give_up(self._named(match.values[0]))

    def _commit(self, console: Console, match: Match) -> None:
        if not console.session:
            raise LineError("invalid", 0, match.words)
        delay = _seconds(match.values[0]) if match.values else 0.0
        self._make(self._named(console.session), delay)
        console.leave()

    def _abort(self, console: Console, match: Match) -> None:
        if not console.session:
            raise LineError("invalid", 0, match.words)
        self._give_up(self._named(console.session))
        console.leave()

    def _clean(self, console: Console, match: Match) -> None:
        if not console.session:
            raise LineError("invalid", 0, match.words)
        session = self._named(console.session)
        session.candidate.entries = self.switch.factory().entries
        console.enter(session.candidate, session.name)

    def _make(self, session: ConfigSession, delay: float) -> None:
        """Commit: with a delay, what was running comes back unless it is confirmed by then."""
        if session.timer is not None:
            session.timer.cancel()
            session.timer = None
            if not delay:
                session.state = "completed"
                return
        elif any(one.timer is not None for one in self.switch.store.sessions.values()):
            raise RefusedError(says("timer-pending"))
        if session.before is None:
            session.before = self.switch.running.copy()
            self.switch.store.checkpoints[f"ckp-{session.name}"] = session.before.copy()
            set_running(self.switch, session.candidate)
        session.state = "completed"
        if delay:
            loop = asyncio.get_running_loop()
            session.state = "pendingCommitTimer"
            session.end = loop.time() + delay
            session.timer = loop.call_later(delay, self._give_up, session)

    def _give_up(self, session: ConfigSession) -> None:
        """Abort: what a timer waits for is taken back."""
        if session.timer is not None:
            session.timer.cancel()
            session.timer = None
            if session.before is not None:
                set_running(self.switch, session.before)
        session.state = "aborted"

    def _delete_session(self, console: Console, match: Match) -> None:
        del console
        self._give_up(self._named(match.values[0]))
        del self.switch.store.sessions[match.values[0]]

    # Checkpoints and files

    def _checkpoint(self, console: Console, match: Match) -> None:
        del console
        name = match.values[0] if match.values else f"ckp-{next(self._numbers)}"
        self.switch.store.checkpoints[name] = self.switch.running.copy()

    def _restore(self, console: Console, match: Match) -> None:
        del console
        set_running(self.switch, self._held_checkpoint(match.values[0]))

    def _delete_checkpoint(self, console: Console, match: Match) -> None:
        del console
        self._held_checkpoint(match.values[0])
        del self.switch.store.checkpoints[match.values[0]]

    def _held_checkpoint(self, name: str) -> Section:
        found = self.switch.store.checkpoints.get(name)
        if found is None:
            raise RefusedError(says("checkpoint-missing"))
        return found

    def _replace(self, console: Console, match: Match) -> None:
        """Take the configuration of a file; one line that is refused keeps what runs."""
        section = self._read(match.values[0])
        if isinstance(section, str):
            made = self.switch.factory()
            made.entries.clear()
            refused = console.load(section.splitlines(), made)
            if refused and "ignore-errors" not in match.words:
                raise RefusedError("\n".join([*refused, "% Failed to replace configuration"]))
            self.switch.edited(Console(self.switch, frames=[Frame(TOP, made)]))
            section = made
        set_running(self.switch, section)

    def _read(self, name: str) -> Section | str:
        """What a file, a checkpoint or a configuration of the switch holds."""
        if name == _RUNNING:
            return self.switch.running
        if name == _STARTUP:
            return self.switch.startup
        kind, _, rest = name.partition(":")
        if kind == "checkpoint":
            return self._held_checkpoint(rest.lstrip("/"))
        text = self.switch.store.files.get(rest.lstrip("/")) if kind in ("flash", "file") else None
        if text is None:
            raise RefusedError(f"% Error opening {name} (No such file or directory)")
        return text

    def _copy(self, console: Console, match: Match) -> str:
        source, target = match.values
        found = self._read(source)
        text = found if isinstance(found, str) else "\n".join(self.switch.text(found)) + "\n"
        if target in (_RUNNING, _STARTUP):
            section = Section() if target == _STARTUP else self.switch.running
            refused = console.load(text.splitlines(), section)
            if target == _STARTUP:
                self.switch.startup = section
            if refused:
                raise RefusedError("\n".join(refused))
        elif target.startswith("flash:"):
            self.switch.store.files[target.removeprefix("flash:").lstrip("/")] = text
        else:
            raise RefusedError(f"% Error copying to {target} (Invalid argument)")
        return "Copy completed successfully.\n"

    def _write(self, console: Console, match: Match) -> str:
        del console, match
        self.switch.startup = self.switch.running.copy()
        return "Copy completed successfully.\n"

    def _delete_file(self, console: Console, match: Match) -> None:
        del console
        name = match.values[0]
        self._read(name)
        self.switch.store.files.pop(name.partition(":")[2].lstrip("/"), None)

    def _more(self, console: Console, match: Match) -> str:
        del console
        found = self._read(match.values[0])
        return found if isinstance(found, str) else "\n".join(self.switch.text(found)) + "\n"

    def _dir(self, console: Console, match: Match) -> str:
        del console, match
        names = sorted(self.switch.store.files)
        return "Directory of flash:/\n\n" + "".join(f"       -rw-  {name}\n" for name in names)

    # What is shown

    def _show_running(self, console: Console, match: Match) -> Shown:
        del console, match
        return self._config(_RUNNING, self.switch.running)

    def _show_block(self, console: Console, match: Match) -> str:
        del console
        key = f"interface {match.values[0]}"
        entry = self.switch.running.entries.get(key)
        return "\n".join(write(Section({key: entry}))[1:]) + "\n" if entry else ""

    def _show_startup(self, console: Console, match: Match) -> Shown:
        del console, match
        return self._config(_STARTUP, self.switch.startup)

    def _config(self, name: str, section: Section) -> Shown:
        release = f"{self.switch.hostname} ({self.switch.model}, EOS-{self.switch.version})"
        head = [f"! Command: show {name}", f"! device: {release}", "!"]
        text = "\n".join([*head, *self.switch.text(section)]) + "\n"
        return Shown(text, {"cmds": as_commands(section)})

    def _show_session(self, console: Console, match: Match) -> Answer:
        name = match.values[0] if match.values else console.session
        session = self._named(name)
        lines = self.switch.text(session.candidate)
        if "diffs" not in match.words:
            return "\n".join(lines) + "\n"
        return difference(self.switch.text(self.switch.running), lines, session.name)

    def _show_sessions(self, console: Console, match: Match) -> Shown:
        del match
        sessions = self.switch.store.sessions.values()
        rows = [
            f"{'*' if one.name == console.session else ' '} {one.name:<20} {one.state}"
            for one in sessions
        ]
        head = [f"Maximum number of pending sessions: {MOST_PENDING}", ""]
        data = {
            "maxOpenSessions": MOST_PENDING,
            "sessions": {one.name: {"state": one.state, "instances": {}} for one in sessions},
        }
        return Shown("\n".join([*head, "  Name                 State", *rows]) + "\n", data)

    def _show_checkpoints(self, console: Console, match: Match) -> Shown:
        del console, match
        names = list(self.switch.store.checkpoints)
        text = "Maximum number of checkpoints: 20\n  Filename\n"
        text += "".join(f"  {name}\n" for name in names)
        return Shown(text, {"maxCheckpoints": 20, "checkpoints": {name: {} for name in names}})


def set_running(switch: EosSwitch, section: Section) -> None:
    """Take another running configuration; consoles that edit it go on with it."""
    switch.running.entries = section.copy().entries


def difference(before: Sequence[str], after: Sequence[str], session: str) -> str:
    """Give the lines that a session changes, with their surroundings; empty where none."""
    names = ("system:/running-config", f"session:/{session}-session-config")
    return "".join(
        line if line.endswith("\n") else line + "\n"
        for line in difflib.unified_diff(list(before), list(after), *names, lineterm="")
    )


def as_commands(section: Section) -> dict[str, object]:
    """Give a configuration as ``| json`` shows it: lines, each with those below it or null."""
    return {
        entry.text: {"cmds": as_commands(entry.section), "comments": []}
        if entry.section is not None
        else None
        for _, entry in section.sorted()
    }


def _seconds(text: str) -> float:
    hours, minutes, seconds = (int(part) for part in text.split(":"))
    return float(hours * 3600 + minutes * 60 + seconds)


def _end(console: Console, match: Match) -> None:
    del match
    console.leave()


def _exit(console: Console, match: Match) -> None:
    del match
    console.up()
