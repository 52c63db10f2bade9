"""One session on a device with a command line: exec commands, configuration modes, output filters.

The interface that ``lab.devices.ssh`` uses is that of a shell: ``prompt``,
``run``, ``status``, ``jobs``, ``farewell``. A line is first cut at ``|`` into
command and filters. Outside configuration the device's exec ``commands`` take
it. Inside, the rules of the mode take it, else those of an outer mode (which
ends the inner one, as typing an outer command does), else exec commands that
the device also takes there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from netcheck.lab.devices.cli.config import Entry, Section
from netcheck.lab.devices.cli.grammar import Kinds, LineError, Match, Pattern
from netcheck.lab.devices.cli.pipes import PipeError, filtered
from netcheck.lab.devices.shell import ShellExit, Streams


class RefusedError(Exception):
    """The device understood a line and refuses it; the text is what it prints."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a command shows: text, and data for ``| json`` (None: the device has no JSON for it)."""

    text: str
    data: object | None = None


Answer = Shown | str | None
Action = Callable[["Console", Match], Answer | Awaitable[Answer]]
Edit = Callable[[Section, Match], None]
Check = Callable[["Console", Match], str]


@dataclass(frozen=True)
class Command:
    """An exec command.

    Attributes:
        in_config: Configuration modes take it as well.
        is_open: It needs no privilege (``enable``).
    """

    pattern: Pattern
    action: Action
    in_config: bool = False
    is_open: bool = False


@dataclass(frozen=True)
class Rule:
    """A line that a configuration mode takes.

    Without more, a line is held under its key; ``no`` or ``default`` before
    what it sets forgets it.

    Attributes:
        opens: Mode whose block the line opens.
        suffix: What the prompt shows for that mode; ``{}`` stands for the values.
        key: Another key than the pattern's; lines with one key replace each other.
        is_default: The line brings back the default, so it is not held.
        keeps, drops: Hold and forget in another way.
        check: Gives the text of a refusal, or nothing.
        action: Do this instead of holding a line.
    """

    pattern: Pattern
    opens: str = ""
    suffix: str = ""
    key: str = ""
    is_default: bool = False
    keeps: Edit | None = None
    drops: Edit | None = None
    check: Check | None = None
    action: Action | None = None


Grammar = Mapping[str, Sequence[Rule]]
TOP = "config"
T = TypeVar("T")


class CliModel(Protocol):
    """What a console needs of its device; ``CliDevice`` has it."""

    commands: Sequence[Command]
    grammar: Grammar
    kinds: Kinds

    @property
    def hostname(self) -> str:
        """Name in the prompt."""

    def has_port(self, name: str) -> bool:
        """There is a port of that name."""

    def words(self, line: str) -> list[str]:
        """Cut a line into words."""

    def complaint(self, error: LineError) -> str:
        """What is printed for a line that nothing takes."""

    def as_json(self, data: object | None) -> str:
        """What ``| json`` prints."""

    def edited(self, console: Console) -> None:
        """A line changed the configuration that a console edits. Raises RefusedError to undo it."""


@dataclass
class Frame:
    """A configuration mode that a console is in."""

    mode: str
    section: Section
    suffix: str = ""


@dataclass
class Console:
    """One session.

    Attributes:
        frames: Modes, outermost first; none outside configuration.
        session: Name of the configuration session that is edited; empty for the running one.
        is_privileged: All commands are taken; else those that are open, and the prompt is ``>``.
    """

    device: CliModel
    frames: list[Frame] = field(default_factory=list)
    session: str = ""
    status: int = 0
    jobs: set[asyncio.Task[int]] = field(default_factory=set)
    farewell: str = ""
    is_privileged: bool = True

    @property
    def prompt(self) -> str:
        """What is printed when the console waits."""
        return f"{self.device.hostname}{self.mode_shown}{'#' if self.is_privileged else '>'}"

    @property
    def mode_shown(self) -> str:
        """The mode in parentheses, as the prompt has it."""
        if not self.frames:
            return ""
        suffixes = [frame.suffix for frame in self.frames[1:] if frame.suffix]
        first = f"config-s-{self.session[:6]}" if self.session else "config"
        return f"({'-'.join([first, *suffixes[-1:]])})"

    @property
    def section(self) -> Section:
        """The block that is edited."""
        return self.frames[-1].section

    @property
    def root(self) -> Section:
        """The configuration that is edited."""
        return self.frames[0].section

    def enter(self, section: Section, session: str = "") -> None:
        """Begin to edit a configuration."""
        self.frames = [Frame(TOP, section)]
        self.session = session

    def leave(self) -> None:
        """End editing; what a session holds stays there."""
        self.frames = []
        self.session = ""

    def up(self) -> None:
        """Leave one mode, as ``exit`` does."""
        self.frames.pop()
        if not self.frames:
            self.leave()

    async def run(self, text: str, streams: Streams) -> int:
        """Run a line; give 0, or 1 when it is refused. ``exit`` at the outside raises ShellExit."""
        command, *pipes = [part.strip() for part in text.split(" | ")]
        self.status = 0
        if command and not command.startswith(("!", "#")):
            try:
                answer = await self._answer(self.device.words(command))
                streams.out(self._text(answer, pipes))
            except LineError as error:
                streams.out(self.device.complaint(error))
                self.status = 1
            except RefusedError as error:
                streams.out(f"{error}\n")
                self.status = 1
            except PipeError:
                streams.out(self.device.complaint(LineError("invalid", len(command.split()))))
                self.status = 1
        return self.status

    def load(self, lines: Sequence[str], section: Section) -> list[str]:
        """Type lines into a configuration; give what was printed for those that were refused."""
        scratch = Console(self.device, session=self.session or "load")
        scratch.frames = [Frame(TOP, section)]
        refused = []
        for line in lines:
            words = self.device.words(line)
            if not words or words[0].startswith(("!", "#")):
                continue
            try:
                scratch.configure(words)
            except (LineError, RefusedError) as error:
                said = str(error)
                if isinstance(error, LineError):
                    said = self.device.complaint(error).strip()
                refused.append(f"{line.strip()}: {said}")
        return refused

    async def _answer(self, words: list[str]) -> Answer:
        if not self.frames:
            return await self._exec(words, self.device.commands)
        if words[0] == "do" and len(words) > 1:
            return await self._exec(words[1:], self.device.commands)
        inside = [command for command in self.device.commands if command.in_config]
        try:
            answer = self.configure(words)
        except LineError as error:
            if error.reason == "ambiguous":
                raise
            try:
                return await self._exec(words, inside)
            except LineError as other:
                raise max(error, other, key=lambda found: found.at) from None
        return answer if isinstance(answer, Shown | str) or answer is None else await answer

    async def _exec(self, words: Sequence[str], commands: Sequence[Command]) -> Answer:
        found, match = best([(c.pattern, c) for c in commands], words, self.device.kinds)
        if not (self.is_privileged or found.is_open):
            raise RefusedError("% Invalid input (privileged mode required)")
        answer = found.action(self, match)
        return answer if isinstance(answer, Shown | str) or answer is None else await answer

    def configure(self, words: Sequence[str]) -> Answer | Awaitable[Answer]:
        """Take a line in the mode that the console is in, or in an outer one.

        Raises:
            LineError: No mode takes it.
            RefusedError: The device refuses it.
        """
        worst = LineError("invalid", 0, words)
        for depth in range(len(self.frames), 0, -1):
            frames = self.frames[:depth]
            try:
                return self._take(words, frames)
            except LineError as error:
                if error.reason == "ambiguous":
                    raise
                worst = max(worst, error, key=lambda found: found.at)
        raise worst

    def _take(self, words: Sequence[str], frames: list[Frame]) -> Answer | Awaitable[Answer]:
        rules = self.device.grammar[frames[-1].mode]
        pairs = [(rule.pattern, rule) for rule in rules]
        try:
            rule, match = best(pairs, words, self.device.kinds)
        except LineError:
            if words[0] in ("no", "default") and len(words) > 1:
                self._forget(words[1:], frames)
                return None
            raise
        self.frames = frames
        refusal = rule.check(self, match) if rule.check else ""
        if refusal:
            raise RefusedError(refusal)
        if rule.action:
            return rule.action(self, match)
        self._edit(lambda section: self._hold(section, rule, match))
        if rule.opens:
            key = rule.key or match.key
            suffix = rule.suffix.format(*match.values)
            self.frames = [*frames, Frame(rule.opens, self.section.block(key), suffix)]
        return None

    def _hold(self, section: Section, rule: Rule, match: Match) -> None:
        key = rule.key or match.key
        rank = list(self.device.grammar[self.frames[-1].mode]).index(rule)
        if rule.keeps:
            rule.keeps(section, match)
        elif rule.opens:
            section.block(key, match.line, rank)
        elif rule.is_default:
            section.drop(key)
        else:
            section.set(key, match.line, rank)

    def _forget(self, words: Sequence[str], frames: list[Frame]) -> None:
        rules = self.device.grammar[frames[-1].mode]
        found = [
            (rule, match)
            for rule in rules
            if not rule.action
            and (match := rule.pattern.match_setting(words, self.device.kinds)) is not None
        ]
        if not found:
            reach = [rule.pattern.attempt(words, self.device.kinds)[1] for rule in rules]
            at = max(reach, default=0)
            raise LineError("incomplete" if at >= len(words) else "invalid", at + 1, words)
        rule, match = max(found, key=lambda pair: pair[1].exact)
        self.frames = frames
        if rule.drops:
            drops = rule.drops
            self._edit(lambda section: drops(section, match))
        else:
            self._edit(lambda section: section.drop(rule.key or match.key))

    def _edit(self, change: Callable[[Section], object]) -> None:
        """Change the block; bring it back when the device refuses the whole."""
        section = self.section
        before: dict[str, Entry] = dict(section.entries)
        change(section)
        try:
            self.device.edited(self)
        except RefusedError:
            section.entries = before
            raise

    def _text(self, answer: Answer, pipes: Sequence[str]) -> str:
        shown = answer if isinstance(answer, Shown) else Shown(answer or "")
        text = shown.text
        for pipe in pipes:
            if pipe and "json".startswith(pipe):
                text = self.device.as_json(shown.data)
            else:
                text = filtered(text, pipe)
        return text if not text or text.endswith("\n") else text + "\n"

    def log_out(self) -> None:
        """End the session.

        Raises:
            ShellExit: Always.
        """
        raise ShellExit(0)


def best(pairs: Sequence[tuple[Pattern, T]], words: Sequence[str], kinds: Kinds) -> tuple[T, Match]:
    """Give what belongs to the pattern that takes a line with most keywords in full.

    Raises:
        LineError: None does, or several do equally well and read it differently.
    """
    found: list[tuple[T, Match]] = []
    furthest = 0
    for pattern, item in pairs:
        match, reach = pattern.attempt(words, kinds)
        furthest = max(furthest, reach)
        if match is not None:
            found.append((item, match))
    if not found:
        raise LineError("incomplete" if furthest >= len(words) else "invalid", furthest, words)
    top = max(match.exact for _, match in found)
    chosen = [pair for pair in found if pair[1].exact == top]
    if len({pair[1].words for pair in chosen}) > 1:
        raise LineError("ambiguous", 0, words)
    return chosen[0]
