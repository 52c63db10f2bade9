"""The shell of a simulated device: runs parsed command lines, with exit statuses."""

from __future__ import annotations

import asyncio
import contextlib
import posixpath
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from netcheck.lab.devices.files import DeviceFileError, FileTree
from netcheck.lab.devices.words import Item, Quote, ShellSyntaxError, Simple, Word, parse

NOT_FOUND = 127
NOT_EXECUTABLE = 126
SYNTAX = 2
DEEPEST_SCRIPT = 8
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\\(.)|\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+)|([?#$!@*]))|(\$\()|(`)")
_GLOB = re.compile(r"[*?\[]")

Write = Callable[[str], None]


class ShellExit(Exception):  # noqa: N818 -- control flow, not an error
    """The shell ends with this status."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(status)


async def _nothing() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Streams:
    """Where a command reads and writes."""

    out: Write
    err: Write
    read: Callable[[], Awaitable[str]] = _nothing


@dataclass(frozen=True, slots=True)
class Call:
    """One command as it is run."""

    words: tuple[str, ...]
    streams: Streams
    shell: Shell

    @property
    def arguments(self) -> tuple[str, ...]:
        """Words after the command's name."""
        return self.words[1:]

    @property
    def is_root(self) -> bool:
        """It runs as root."""
        return self.shell.user == "root"

    def out(self, text: str) -> None:
        """Write to standard output."""
        self.streams.out(text)

    def err(self, text: str) -> None:
        """Write to standard error."""
        self.streams.err(text)

    def fail(self, text: str, status: int = 1) -> int:
        """Write a line to standard error; give the status."""
        self.streams.err(text + "\n")
        return status


Program = Callable[[Call], int | Awaitable[int]]


@dataclass
class Shell:
    """One shell session (or script): user, folder, variables, last status."""

    host: str
    files: FileTree
    programs: Mapping[str, Program]
    user: str = "admin"
    folder: str = "/home/admin"
    variables: dict[str, str] = field(default_factory=dict)
    status: int = 0
    stops_on_error: bool = False
    stops_on_unset: bool = False
    arguments: tuple[str, ...] = ()
    depth: int = 0
    users: list[str] = field(default_factory=list)
    jobs: set[asyncio.Task[int]] = field(default_factory=set)

    @property
    def prompt(self) -> str:
        """What the shell prints when it waits."""
        home = "/root" if self.user == "root" else f"/home/{self.user}"
        folder = self.folder
        if folder == home or folder.startswith(home + "/"):
            folder = "~" + folder[len(home) :]
        return f"{self.user}@{self.host}:{folder}{'#' if self.user == 'root' else '$'} "

    @property
    def farewell(self) -> str:
        """What the shell prints when it ends."""
        return "exit\n" if self.user == "root" else "logout\n"

    def path(self, name: str) -> str:
        """An absolute, clean path."""
        return posixpath.normpath(posixpath.join(self.folder, name))

    def child(self, *, user: str | None = None) -> Shell:
        """A shell below this one, with its own folder and variables."""
        return replace(
            self,
            user=user or self.user,
            variables=dict(self.variables),
            depth=self.depth + 1,
            users=[],
            jobs=set(),
            stops_on_error=False,
            stops_on_unset=False,
        )

    async def run(self, text: str, streams: Streams) -> int:
        """Run a text (a line or a script); give the last status. ``exit`` raises ShellExit."""
        try:
            items = parse(text)
        except ShellSyntaxError as error:
            streams.err(f"-bash: {error}\n")
            self.status = SYNTAX
            return SYNTAX
        return await self.run_items(items, streams)

    async def run_script(self, text: str, arguments: tuple[str, ...], streams: Streams) -> int:
        """Run a script in a shell of its own."""
        if self.depth >= DEEPEST_SCRIPT:
            streams.err("bash: too many levels of recursion\n")
            return NOT_EXECUTABLE
        shell = self.child()
        shell.arguments = arguments
        try:
            return await shell.run(text, streams)
        except ShellExit as end:
            return end.status

    async def run_items(self, items: list[Item], streams: Streams) -> int:
        """Run pipelines in order, as their connectors say."""
        for place, item in enumerate(items):
            if (item.connector == "&&" and self.status) or (
                item.connector == "||" and not self.status
            ):
                continue
            if item.in_background:
                self._start_job(item, streams)
                continue
            self.status = await self.run_pipeline(item, streams)
            is_tested = place + 1 < len(items) and items[place + 1].connector in ("&&", "||")
            if self.status and self.stops_on_error and not is_tested and not item.negated:
                raise ShellExit(self.status)
        return self.status

    def _start_job(self, item: Item, streams: Streams) -> None:
        job = asyncio.ensure_future(self.child().run_pipeline(item, streams))
        self.jobs.add(job)
        job.add_done_callback(self.jobs.discard)
        self.status = 0

    async def run_pipeline(self, item: Item, streams: Streams) -> int:
        """Run the commands of one pipeline; the last one's status counts."""
        status = 0
        reading = streams.read
        for simple in item.pipeline[:-1]:
            held: list[str] = []
            await self._run_simple(simple, replace(streams, out=held.append, read=reading))
            reading = _given("".join(held))
        status = await self._run_simple(item.pipeline[-1], replace(streams, read=reading))
        return int(not status) if item.negated else status

    async def _run_simple(self, simple: Simple, streams: Streams) -> int:
        try:
            words = await self._expand_all(simple.words)
            streams, writers = await self._redirected(simple, streams)
        except DeviceFileError as error:
            streams.err(f"-bash: {error}\n")
            return 1
        if simple.group is not None:
            status = await self._run_group(simple.group, streams)
        else:
            status = await self._run_words(words, streams)
        for writer in writers:
            try:
                writer()
            except DeviceFileError as error:
                streams.err(f"-bash: echo: write error: {error}\n")
                status = 1
        return status

    async def _run_group(self, items: list[Item], streams: Streams) -> int:
        try:
            return await self.child().run_items(items, streams)
        except ShellExit as end:
            return end.status

    async def _redirected(
        self, simple: Simple, streams: Streams
    ) -> tuple[Streams, list[Callable[[], None]]]:
        writers: list[Callable[[], None]] = []
        for operator, target in simple.redirections:
            if operator == "2>&1":
                streams = replace(streams, err=streams.out)
                continue
            name = "".join(await self._expand(target))
            path = self.path(name)
            if operator == "<":
                streams = replace(streams, read=_given(self._open(path, name)))
                continue
            held: list[str] = []
            self._check_target(path, name)
            appends = operator.endswith(">>")
            writers.append(self._writer(path, held, appends=appends))
            if operator.startswith("2"):
                streams = replace(streams, err=held.append)
            else:
                streams = replace(streams, out=held.append)
                if operator == "&>":
                    streams = replace(streams, err=held.append)
        return streams, writers

    def _open(self, path: str, name: str) -> str:
        try:
            return self.files.read(path)
        except DeviceFileError as error:
            raise DeviceFileError(f"{name}: {error}") from None

    def _check_target(self, path: str, name: str) -> None:
        try:
            self.files.check_writable(path, self.user)
            if self.files.is_folder(path):
                raise DeviceFileError("Is a directory")  # noqa: TRY301 -- one message for all
            if path != "/dev/null" and not self.files.is_folder(posixpath.dirname(path)):
                raise DeviceFileError("No such file or directory")  # noqa: TRY301 -- as above
        except DeviceFileError as error:
            raise DeviceFileError(f"{name}: {error}") from None

    def _writer(self, path: str, held: list[str], *, appends: bool) -> Callable[[], None]:
        def write() -> None:
            self.files.write(path, "".join(held), user=self.user, appends=appends)

        return write

    async def _run_words(self, words: list[str], streams: Streams) -> int:
        while words and (found := _ASSIGNMENT.fullmatch(words[0])):
            if len(words) == 1:
                self.variables[found[1]] = found[2]
                return 0
            words = words[1:]
        if not words:
            return self.status
        return await self.call(words, streams)

    async def call(self, words: list[str], streams: Streams) -> int:
        """Run one command by its words."""
        name = posixpath.basename(words[0]) if words[0].startswith("/") else words[0]
        program = self.programs.get(name)
        is_file = "/" in words[0] and self.files.exists(self.path(words[0]))
        if is_file and program is None:
            return await self._run_file(words, streams)
        if program is None:
            if "/" in words[0]:
                streams.err(f"-bash: {words[0]}: No such file or directory\n")
            else:
                streams.err(f"-bash: {words[0]}: command not found\n")
            return NOT_FOUND
        result = program(Call(tuple(words), streams, self))
        return result if isinstance(result, int) else await result

    async def _run_file(self, words: list[str], streams: Streams) -> int:
        path = self.path(words[0])
        real = self.files.real(path)
        if not real.is_file() or not real.stat().st_mode & 0o111:
            streams.err(f"-bash: {words[0]}: Permission denied\n")
            return NOT_EXECUTABLE
        return await self.run_script(self.files.read(path), tuple(words[1:]), streams)

    # Expansion

    async def _expand_all(self, words: list[Word]) -> list[str]:
        found: list[str] = []
        for word in words:
            found += await self._expand(word)
        return found

    async def _expand(self, word: Word) -> list[str]:
        fields = [""]
        is_quoted = False
        can_match = False
        for quote, text in word:
            if quote is Quote.SINGLE:
                fields[-1] += text
                is_quoted = True
                continue
            value = await self._substitute(text)
            if quote is Quote.DOUBLE:
                fields[-1] += value
                is_quoted = True
                continue
            can_match = can_match or bool(_GLOB.search(value))
            if text.startswith(("$", "`")) and value.split() != [value]:
                parts = value.split()
                fields[-1] += parts[0] if parts else ""
                fields += parts[1:]
            else:
                fields[-1] += self._home(value) if not fields[-1] else value
        if can_match and not is_quoted:
            fields = [match for name in fields for match in self._matches(name)]
        return [name for name in fields if name or is_quoted]

    def _home(self, text: str) -> str:
        home = "/root" if self.user == "root" else f"/home/{self.user}"
        return home + text[1:] if text == "~" or text.startswith("~/") else text

    def _matches(self, name: str) -> list[str]:
        found = self.files.glob(self.path(name)) if _GLOB.search(name) else []
        return found or [name]

    async def _substitute(self, text: str) -> str:
        found = ""
        place = 0
        while match := _VARIABLE.search(text, place):
            found += text[place : match.start()]
            place = match.end()
            if match[6] or match[7]:
                inner, place = _inner(text, match.start())
                found += await self._captured(inner)
            else:
                found += self._variable(match)
        return found + text[place:]

    async def _captured(self, text: str) -> str:
        held: list[str] = []
        with contextlib.suppress(ShellExit):
            await self.child().run(text, Streams(held.append, lambda _: None))
        return "".join(held).rstrip("\n")

    def _variable(self, match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1]
        if match[5]:
            special = {"?": str(self.status), "#": str(len(self.arguments)), "$": "4242"}
            return special.get(match[5], " ".join(self.arguments))
        name = match[2] or match[4]
        if name.isdigit():
            index = int(name) - 1
            return self.arguments[index] if 0 <= index < len(self.arguments) else "-bash"[index:]
        known = {"USER": self.user, "HOME": self._home("~"), "PWD": self.folder, **self.variables}
        value = known.get(name, match[3])
        if value is None and self.stops_on_unset:
            raise DeviceFileError(f"{name}: unbound variable")
        return value or ""


def _given(text: str) -> Callable[[], Awaitable[str]]:
    async def read() -> str:
        return text

    return read


def _inner(text: str, start: int) -> tuple[str, int]:
    """Text of the substitution that begins at ``start``, and where it ends."""
    if text[start] == "`":
        end = text.index("`", start + 1)
        return text[start + 1 : end], end + 1
    depth = 0
    for end in range(start + 1, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return text[start + 2 : end], end + 1
    return text[start + 2 :], len(text)
