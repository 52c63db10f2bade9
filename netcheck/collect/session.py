"""One session on one device: commands with exact text and status, files, servers.

Netmiko connects and owns the channel; reading is done here, in bytes, so that
nothing of an output is lost (Netmiko drops bytes that a packet boundary cuts
and trims blank lines) and nothing waits longer than the device does.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from netcheck.collect.atomic import checkpoint
from netcheck.collect.connection import connect, disconnect, transfer_errors
from netcheck.collect.dialects import (
    SHELL_KIND,
    Dialect,
    Ending,
    ShellDialect,
    dialect,
    without_echo,
    without_escapes,
)
from netcheck.collect.target import Target
from netcheck.model.errors import TransportError

if TYPE_CHECKING:
    import paramiko

_LOGIN_S: Final = 15.0
_INTERRUPTED: Final = 130
_COME_S = 0.01  # for what has come to be read
_INTERRUPT_AGAIN_S: Final = 0.25
_SHOWN_LAST: Final = 200
_INTERRUPT_SHOWN: Final = re.compile(r"(?:\^C\n?)+\Z")
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_CHUNK: Final = 65536


@dataclass(frozen=True, slots=True)
class Output:
    """What a command printed, exactly, and its exit status."""

    text: str
    status: int

    @property
    def is_ok(self) -> bool:
        """The command exited with 0."""
        return self.status == 0


class DeviceRefusedError(TransportError):
    """The device answered, and with a failure; the session goes on."""


class EndedEarlyError(TransportError):
    """A command ended before it showed what was waited for.

    Attributes:
        printed: All that it showed.
    """

    def __init__(self, message: str, printed: str) -> None:
        super().__init__(message)
        self.printed = printed


class Session:
    """An open session; close it, or use it in a ``with`` statement.

    Every failure is a TransportError that names the device. After one that is
    no DeviceRefusedError, the session is closed, because nobody knows what the
    device is still doing.
    """

    def __init__(self, target: Target, *, deadline_s: float | None = None) -> None:
        """Connect; everything in the session together may take ``deadline_s``.

        Raises:
            TransportError: The device does not answer or refuses the login.
            InputError: The login's secret cannot be fetched.
        """
        self.target = target
        self._end = time.monotonic() + deadline_s if deadline_s is not None else None
        self._dialect: Dialect = dialect(target.session)
        self._buffer = bytearray()
        self._running = ""
        self._connection = connect(target)
        self._channel: paramiko.Channel = self._connection.remote_conn
        self._log_in()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the session; safe to repeat."""
        self._channel.close()
        disconnect(self._connection)

    def run(self, line: str, timeout: float = 60.0, *, shown: str = "") -> Output:
        """Run a command to its end; after ``timeout`` seconds the session is given up.

        Args:
            line: The command.
            timeout: How long it may take.
            shown: What messages call it, where it holds a secret.

        Raises:
            TransportError: The command does not end in time, or the session broke.
            ValueError: The line holds a line break or another control character.
        """
        self._type(shown or line, line, self._dialect.typed(line))
        return self.finish(timeout)

    def run_each(self, lines: Sequence[str], timeout: float = 60.0) -> Iterator[Output]:
        """Run commands one after the other; give each output as soon as it is whole.

        A shell gets as many at a time as fit in one line: that spares a round trip
        and a prompt for each. Every command has ``timeout`` seconds of its own.

        Raises:
            TransportError: One does not end in time, or the session broke; what those
                before it printed has been given.
            ValueError: As for ``run``.
        """
        if not isinstance(self._dialect, ShellDialect):
            yield from (self.run(line, timeout) for line in lines)
            return
        for together in self._dialect.together(lines):
            yield from self._run_together(self._dialect, together, timeout)

    def _run_together(
        self, shell: ShellDialect, lines: Sequence[str], timeout: float
    ) -> Iterator[Output]:
        """Start commands in one line, and take their outputs apart by the marks between them."""
        self._type(lines[0], "".join(lines), shell.typed_together(lines))
        start = self._await(partial(shell.mark, 0), timeout).after
        for place, line in enumerate(lines[1:], 1):
            mark = self._await(partial(shell.mark, place), timeout)
            yield Output(_text(bytes(self._buffer[start : mark.stop])), mark.status)
            self._running, start = line, mark.after
        ending = self._await(shell.ending, timeout)
        self._running = ""
        yield Output(_text(bytes(self._buffer[start : ending.stop])), ending.status)

    def start(self, line: str) -> None:
        """Start a command in the foreground; ``wait_for`` and ``finish`` follow it.

        Raises:
            TransportError: The session broke, or another command still runs.
            ValueError: As for ``run``.
        """
        self._type(line, line, self._dialect.typed(line))

    def _type(self, first: str, said: str, typed: str) -> None:
        """Send what is typed; ``said`` is what of it the caller gave, ``first`` runs now."""
        if _CONTROL.search(said):
            raise ValueError(f"{self.target.device}: command holds a control character: {first!r}")
        if self._running:
            raise self._broken(f"{self._running} still runs")
        self._running = first
        self._buffer.clear()
        self._send(typed)

    def wait_for(self, pattern: str, timeout: float) -> str:
        """Wait until the running command's output matches; give the output so far.

        Raises:
            EndedEarlyError: It ended without a match.
            TransportError: The time passed without a match, or the session broke.
        """
        wanted = re.compile(pattern)
        end = self._end_of(timeout)
        while True:
            text = _text(self._dialect.shown(self._buffer))
            if wanted.search(text):
                return text
            if self._dialect.ending(self._buffer) is not None:
                broken = self._broken(f"{self._running} ended without {pattern!r}: {_last(text)}")
                raise EndedEarlyError(str(broken), text)
            self._receive(end, self._running)

    def finish(self, timeout: float) -> Output:
        """Wait for the running command's end.

        Raises:
            TransportError: It does not end in time, or the session broke.
        """
        ending = self._await(self._dialect.ending, timeout)
        output = bytes(self._buffer[: ending.stop])
        self._running = ""
        return Output(_text(without_echo(output)), ending.status)

    def ended_within(self, seconds: float) -> bool:
        """Whether the running command ends in that time; ``finish`` follows in any case.

        Without time it is what has come so far that tells.

        Raises:
            TransportError: The session broke.
        """
        if seconds <= 0 and not self._channel.recv_ready():
            return self._dialect.ending(self._buffer) is not None
        patience = max(seconds, _COME_S)
        return self._comes(self._dialect.ending, patience, self._end_of(patience))

    def _await(self, find: Callable[[bytearray], Ending | None], timeout: float) -> Ending:
        """Receive until the running command's end is there."""
        end = self._end_of(timeout)
        while (ending := find(self._buffer)) is None:
            if answer := self._dialect.answer(self._buffer):
                self._send(f"{answer}\n")
            if question := self._dialect.question(self._buffer):
                raise self._broken(f"{self._running}: {question}")
            self._receive(end, self._running)
        return ending

    def interrupt(self, timeout: float = 30.0) -> Output:
        """Stop the running command as with Ctrl-C; give what it printed.

        Raises:
            TransportError: It does not end in time, or the session broke.
        """
        end = self._end_of(timeout)
        shown: str | None = None
        patience = _INTERRUPT_AGAIN_S
        while True:
            self._send("\x03")
            if self._comes(self._dialect.is_prompt_shown, patience, end):
                shown = self._interrupted() if shown is None else shown
                self._buffer.clear()
                self._send(self._dialect.typed(self._dialect.idle))
                if self._comes(self._dialect.ending, patience, end):
                    self._running = ""
                    return Output(shown, _INTERRUPTED)
            if time.monotonic() >= end:
                shown_last = _text(bytes(self._buffer))[-_SHOWN_LAST:]
                raise self._broken(f"{self._running}: does not stop; it showed {shown_last!r}")
            # Once may not do: a shell that is starting the next command of the line waits on,
            # and with each Ctrl-C the terminal drops what it has not passed on, such as a
            # prompt or what was typed next. So again, each time after a longer wait.
            patience *= 2

    def _interrupted(self) -> str:
        """Give what an interrupted command printed."""
        shown = without_escapes(self._dialect.shown(self._buffer)).rstrip(b"\r")
        return _INTERRUPT_SHOWN.sub("", _text(self._dialect.without_prompt(shown)))

    def _comes(self, what: Callable[[bytearray], object], patience: float, end: float) -> bool:
        """Receive until something is there, for at most ``patience`` seconds."""
        limit = min(end, time.monotonic() + patience)
        while not (found := what(self._buffer)):
            if not self._receive_until(limit, self._running):
                break
        return bool(found)

    def upload(self, path: str, text: str, mode: int = 0o644) -> None:
        """Put a text on the device as root: whole, or not at all.

        It goes by SFTP to a temporary file, from there beside ``path``, and is
        renamed over it.

        Raises:
            DeviceRefusedError: The device does not let it be written there.
            TransportError: The transfer failed, or the session broke.
        """
        if self.target.session.kind != SHELL_KIND:
            raise DeviceRefusedError(f"{self.target.device}: {path}: its login takes no files")
        digest = hashlib.sha256(path.encode()).hexdigest()[:12]
        temporary = f"/tmp/netcheck-{self.target.username}-{digest}"  # noqa: S108 -- opened exclusively; see _put
        checkpoint(f"device {self.target.device} upload {path}")
        self._put(temporary, text.encode("utf-8", "surrogateescape"))
        checkpoint(f"device {self.target.device} uploaded {path}")
        source, beside, final = (shlex.quote(p) for p in (temporary, f"{path}.netcheck-new", path))
        line = (
            f"sudo install -m {mode:o} {source} {beside} && sudo mv -f {beside} {final}"
            f" && rm -f {source}"
        )
        output = self.run(line)
        if not output.is_ok:
            place = f"{self.target.device} {self.target.host}"
            raise DeviceRefusedError(f"{place}: {path}: cannot be written: {_last(output.text)}")
        checkpoint(f"device {self.target.device} renamed {path}")

    def _put(self, path: str, data: bytes) -> None:
        client = self._connection.remote_conn_pre
        try:
            with client.open_sftp() as transfer:
                with suppress(FileNotFoundError):
                    transfer.remove(path)  # of a run that was cut off
                # Exclusively: a link that somebody else put there is not followed.
                with transfer.open(path, "wx") as stream:
                    stream.chmod(0o600)
                    stream.write(data)
        except transfer_errors() as error:
            raise self._broken(f"{path}: transfer failed: {error}") from error

    def _log_in(self) -> None:
        self._running = "login"
        end = self._end_of(_LOGIN_S)
        for text, is_shown in self._dialect.login():
            if text:
                self._send(text)
            while not is_shown(self._buffer):
                self._receive(end, "login")
        self._running = ""
        for line in self.target.session.setup:
            output = self.run(line, _LOGIN_S)
            if not output.is_ok:
                raise self._broken(f"{line}: {_last(output.text)}")

    def _end_of(self, timeout: float) -> float:
        end = time.monotonic() + timeout
        return end if self._end is None else min(end, self._end)

    def _send(self, text: str) -> None:
        try:
            self._channel.settimeout(_LOGIN_S)
            self._channel.sendall(text.encode("utf-8", "surrogateescape"))
        except OSError as error:
            raise self._broken(f"{text.strip()}: connection lost ({error})") from error

    def _receive(self, end: float, line: str) -> None:
        if not self._receive_until(end, line):
            raise self._broken(f"{line}: no end within its time")

    def _receive_until(self, end: float, line: str) -> bool:
        """Add what comes next to the buffer; False when nothing comes in time."""
        left = end - time.monotonic()
        if left <= 0:
            return False
        self._channel.settimeout(left)
        try:
            data = self._channel.recv(_CHUNK)
        except TimeoutError:
            return False
        except OSError as error:
            raise self._broken(f"{line}: connection lost ({error})") from error
        if not data:
            raise self._broken(f"{line}: the device closed the connection")
        self._buffer += data
        return True

    def _broken(self, reason: str) -> TransportError:
        self.close()
        return TransportError(f"{self.target.device} {self.target.host}: {reason}")


def _text(data: bytes) -> str:
    """Undo the terminal's line ends; keep every other byte."""
    return data.replace(b"\r\n", b"\n").decode("utf-8", "surrogateescape")


def _last(text: str) -> str:
    """Give the last line that says something, for a message."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "no output")
