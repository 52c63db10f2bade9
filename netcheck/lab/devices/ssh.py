"""SSH to the simulated devices: a shell with a terminal, single commands, SFTP."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import asyncssh

from netcheck.lab.devices.files import ENCODING, WRITABLE_BY_ALL, FileTree
from netcheck.lab.devices.shell import ShellExit, Streams

INTERRUPTED = 130
CTRL_C, CTRL_D, CTRL_U, BACKSPACES = 3, 4, 21, (8, 127)
CR, LF = 13, 10
_CONTROL = re.compile(rb"([\x00-\x1f\x7f])")
NO_FILES_READ = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class LoginShell(Protocol):
    """What a login talks to: a POSIX shell or a device's own command line."""

    status: int
    jobs: set[asyncio.Task[int]]

    @property
    def prompt(self) -> str:
        """What is printed when it waits."""

    @property
    def farewell(self) -> str:
        """What is printed when it ends at the user's word."""

    async def run(self, text: str, streams: Streams) -> int:
        """Run a line; give its status. Raises ShellExit to end."""


class LoginServer(asyncssh.SSHServer):
    """Takes one user name with one password."""

    def __init__(self, username: str, password: str) -> None:
        self._username = username
        self._password = password

    def begin_auth(self, username: str) -> bool:
        """Ask everybody for the password."""
        del username
        return True

    def password_auth_supported(self) -> bool:
        """Passwords are taken."""
        return True

    def validate_password(self, username: str, password: str) -> bool:
        """Whether the login is right."""
        is_right = secrets.compare_digest(password.encode(), self._password.encode())
        return is_right and username == self._username


class RootedFiles(asyncssh.SFTPServer):
    """SFTP within a device's root; writing only where its user may."""

    def __init__(self, channel: asyncssh.SSHServerChannel[bytes], files: FileTree) -> None:
        super().__init__(channel, chroot=os.fsencode(files.root))

    def _check(self, path: bytes) -> None:
        place = os.path.normpath(b"/" + path.lstrip(b"/")).decode(*ENCODING)
        if not place.startswith(WRITABLE_BY_ALL):
            raise asyncssh.SFTPPermissionDenied("Permission denied")

    def open(self, path: bytes, pflags: int, attrs: asyncssh.SFTPAttrs) -> object:
        """Open a file; writing needs a place the user may write to."""
        if pflags & ~asyncssh.FXF_READ:
            self._check(path)
        return super().open(path, pflags, attrs)

    def remove(self, path: bytes) -> None:
        """Remove a file of the user's own."""
        self._check(path)
        super().remove(path)

    def rename(self, oldpath: bytes, newpath: bytes) -> None:
        """Rename a file of the user's own."""
        self._check(oldpath)
        self._check(newpath)
        super().rename(oldpath, newpath)

    def mkdir(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        """Make a folder of the user's own."""
        self._check(path)
        super().mkdir(path, attrs)

    def symlink(self, oldpath: bytes, newpath: bytes) -> None:
        """Refuse: a device needs no links, and links can lead out of its root."""
        del oldpath, newpath
        raise asyncssh.SFTPPermissionDenied("Permission denied")


Process = asyncssh.SSHServerProcess[bytes]


class Gathered:
    """Writes what is printed at one moment as one packet, as a terminal's reader does.

    A packet for each line costs both ends as much as the line itself.
    """

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._held: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Print; it goes out when the loop comes round, or with ``flush``."""
        if not self._held:
            asyncio.get_running_loop().call_soon(self.flush)
        self._held.append(data)

    def flush(self) -> None:
        """Send what is held."""
        data, self._held = b"".join(self._held), []
        if data:
            with contextlib.suppress(OSError, BrokenPipeError):
                self._write(data)


@dataclass
class Terminal:
    """One session on a terminal: echoes, keeps what is typed ahead, obeys Ctrl-C."""

    process: Process
    shell: LoginShell
    lines: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    partial: bytearray = field(default_factory=bytearray)
    last: int = 0
    running: asyncio.Task[int] | None = None

    def __post_init__(self) -> None:
        self.screen = Gathered(self.process.stdout.write)

    async def serve(self) -> int:
        """Run line after line until the session ends; give its status."""
        reader = asyncio.ensure_future(self._read())
        try:
            return await self._run_lines()
        finally:
            self.screen.flush()
            reader.cancel()
            for job in self.shell.jobs:
                job.cancel()

    async def _run_lines(self) -> int:
        while True:
            self._write(self.shell.prompt)
            line = await self.lines.get()
            if line is None:
                return self.shell.status
            try:
                await self._run_line(line)
            except ShellExit as end:
                self._write(self.shell.farewell)
                return end.status

    async def _run_line(self, line: str) -> None:
        streams = Streams(self._write, self._write, self._typed)
        self.running = asyncio.ensure_future(self.shell.run(line, streams))
        try:
            await self.running
        except asyncio.CancelledError:
            if not self.running.cancelled():
                raise
            self.shell.status = INTERRUPTED
        finally:
            self.running = None

    async def _typed(self) -> str:
        """Standard input of a command at the terminal, up to Ctrl-D."""
        held = []
        while (line := await self.lines.get()) is not None:
            held.append(line + "\n")
        return "".join(held)

    async def _read(self) -> None:
        while data := await self._received():
            for place, typed in enumerate(_CONTROL.split(data)):
                if place % 2:
                    self._take(typed[0])
                else:
                    self.partial += typed
                self.last = typed[-1] if typed else self.last
        self.lines.put_nowait(None)
        if self.running is not None:
            self.running.cancel()

    async def _received(self) -> bytes:
        while True:
            try:
                return await self.process.stdin.read(65536)
            except asyncssh.TerminalSizeChanged:
                continue
            except (asyncssh.BreakReceived, asyncssh.SignalReceived):
                self._interrupt()

    def _take(self, byte: int) -> None:
        if byte in (CR, LF):
            if byte == LF and self.last == CR:
                return
            text = bytes(self.partial).decode(*ENCODING)
            self.partial.clear()
            self._write(text + "\n")
            self.lines.put_nowait(text)
        elif byte == CTRL_C:
            self._interrupt()
        elif byte == CTRL_D and not self.partial:
            self.lines.put_nowait(None)
        elif byte == CTRL_U:
            self.partial.clear()
        elif byte in BACKSPACES:
            del self.partial[-1:]
        else:
            self.partial.append(byte)

    def _interrupt(self) -> None:
        self.partial.clear()
        self._write("^C\n")
        if self.running is not None:
            self.running.cancel()
        else:
            self.lines.put_nowait("")

    def _write(self, text: str) -> None:
        self.screen.write(text.replace("\n", "\r\n").encode(*ENCODING))


async def _run_command(process: Process, shell: LoginShell, command: str) -> int:
    async def read() -> str:
        data: bytes = await process.stdin.read()
        return data.decode(*ENCODING)

    streams = Streams(
        lambda text: process.stdout.write(text.encode(*ENCODING)),
        lambda text: process.stderr.write(text.encode(*ENCODING)),
        read,
    )
    try:
        return await shell.run(command, streams)
    except ShellExit as end:
        return end.status


async def _handle(process: Process, new_shell: Callable[[], LoginShell]) -> None:
    shell = new_shell()
    try:
        if process.command is not None:
            status = await _run_command(process, shell, process.command)
        else:
            status = await Terminal(process, shell).serve()
        process.exit(status & 0xFF)
    except (OSError, asyncssh.Error):
        process.close()


@dataclass(frozen=True, slots=True)
class Login:
    """Who may log in, and the key the server shows."""

    username: str
    password: str
    host_key: asyncssh.SSHKey


async def listen(
    host: str, port: int, login: Login, new_shell: Callable[[], LoginShell], files: FileTree
) -> asyncssh.SSHAcceptor:
    """Serve one device at an address of its own.

    Raises:
        OSError: The address is taken.
    """
    return await asyncssh.create_server(
        lambda: LoginServer(login.username, login.password),
        host,
        port,
        server_host_keys=[login.host_key],
        process_factory=lambda process: _handle(process, new_shell),
        sftp_factory=lambda channel: RootedFiles(channel, files),
        encoding=None,
        line_editor=False,
        allow_scp=False,
        login_timeout=30,
    )
