"""How a login is spoken to: what is typed, where an output ends, with which status.

A shell says its exit status when asked. A command line with modes says none:
a command ends at the prompt, and its output tells whether it was refused.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from netcheck.platforms.capabilities import SessionFacts

SHELL_KIND: Final = "shell"
_ESCAPE: Final = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_PASTE_END: Final = b"\x1b[?2004l\r"
_SHELL_PROMPT: Final = re.compile(rb"[^\r\n]*[$#>%] ?$")
_SUDO_ASKS: Final = re.compile(rb"\[sudo\] [^\r\n]*: ?$")
_CLI_NAME: Final = rb"([^\s#>()]+)"
_CLI_MODE: Final = r"(?:\([^()\r\n]*\))?[#>] ?"
_CLI_ASKS: Final = (
    (re.compile(rb"[Pp]assword: ?$"), "a password is asked for; the login needs more rights"),
    (re.compile(rb"--More--[^\r\n]*$"), "the output is paged; session.setup has to end paging"),
    (re.compile(rb"[\[(][yY](?:es)?/[nN]o?[\])][^\r\n]*[:?]? ?$"), "a yes or no is asked for"),
)
_TAIL: Final = 600
_STATUS: Final = re.compile(rb"=(\d+)\r?\n")
_MARK_LENGTH: Final = 48  # of a mark with the command that prints it, at most
_LONGEST_LINE: Final = 3500  # a terminal holds 4095 bytes of a line that the shell has not read


@dataclass(frozen=True, slots=True)
class Ending:
    """Where the output ends in what was received, and the command's status.

    ``after`` is where the next command's output begins, when several run in one line.
    """

    stop: int
    status: int
    after: int = 0


LoginStep = tuple[str, Callable[[bytearray], bool]]


class Dialect(Protocol):
    """One kind of login; keeps the state of one session's running command.

    Methods that take a ``buffer`` get everything received since the command
    was typed, its echo included.
    """

    idle: str
    """A line that does nothing."""

    def login(self) -> list[LoginStep]:
        """What to type after connecting, and what tells that it was answered."""

    def typed(self, line: str) -> str:
        """What is sent for a command line; the command runs from now on."""

    def ending(self, buffer: bytearray) -> Ending | None:
        """Where the running command ended; None while it runs."""

    def question(self, buffer: bytearray) -> str:
        """Why the device waits for an answer that nobody gives; empty when it does not."""

    def answer(self, buffer: bytearray) -> str:
        """What the platform answers to the question that is shown; empty where it is none.

        Each question gets its answer once.
        """

    def shown(self, buffer: bytearray) -> bytes:
        """The running command's output so far, without its echo."""

    def is_prompt_shown(self, buffer: bytearray) -> bool:
        """The device waits for a command."""

    def without_prompt(self, output: bytes) -> bytes:
        """Drop a prompt at the end."""


def dialect(facts: SessionFacts) -> Dialect:
    """Give a new dialect of the kind that a platform declares."""
    return ShellDialect() if facts.kind == SHELL_KIND else CliDialect(facts)


class ShellDialect:
    """A POSIX shell: every command is followed by a mark of its own with its exit status."""

    idle = "true"

    def __init__(self) -> None:
        self._name = f"netcheck-{secrets.token_hex(4)}"
        self._count = 0
        self._searched = 0
        self._prompt = b""
        self._next_mark()

    def login(self) -> list[LoginStep]:
        """Ask for a status; what is shown after it is the prompt.

        Commands stay in the shell's own process group: one that took the terminal just
        when Ctrl-C met the shell would leave the shell without it, and end the session.
        """
        return [(f'set +m; echo "{self._mark}=$?"\n', self._learn_prompt)]

    def typed(self, line: str) -> str:
        """Give the line with a request for its status."""
        self._next_mark()
        return f'{line}; echo "{self._mark}=$?"\n'

    def together(self, lines: Sequence[str]) -> Iterator[list[str]]:
        """Give commands in groups that a terminal takes as one line, in order."""
        group: list[str] = []
        length = 0
        for line in lines:
            length += len(line.encode()) + _MARK_LENGTH
            if group and length > _LONGEST_LINE:
                yield group
                group, length = [], len(line.encode()) + _MARK_LENGTH
            group.append(line)
        if group:
            yield group

    def typed_together(self, lines: Sequence[str]) -> str:
        """Give commands as one line with a mark before each, and one after the last."""
        self._next_mark()
        marked = (f'echo "{self._mark}.{place}=$?"; {line}; ' for place, line in enumerate(lines))
        return f'{"".join(marked)}echo "{self._mark}=$?"\n'

    def mark(self, place: int, buffer: bytearray) -> Ending | None:
        """Find the mark before a command: there ends what came before it."""
        found = _ending(f"{self._mark}.{place}", buffer, self._searched)
        self._searched = found.after if found else self._unsearched(buffer)
        return found

    def ending(self, buffer: bytearray) -> Ending | None:
        """Find the mark; the prompt has to follow it."""
        found = _ending(self._mark, buffer, self._searched)
        self._searched = found.stop if found else self._unsearched(buffer)
        is_whole = found is not None and self._is_prompt_after(buffer, found.after)
        return found if is_whole else None

    def _unsearched(self, buffer: bytearray) -> int:
        """Where the next search begins: a mark may have come in part."""
        return max(self._searched, len(buffer) - _MARK_LENGTH)

    def question(self, buffer: bytearray) -> str:
        """Tell whether sudo asks for a password."""
        if _SUDO_ASKS.search(buffer[-200:]):
            return "sudo asks for a password; the login needs NOPASSWD"
        return ""

    def answer(self, buffer: bytearray) -> str:  # noqa: ARG002 -- a shell asks nothing
        """Give no answer."""
        return ""

    def shown(self, buffer: bytearray) -> bytes:
        """Give what stands before the mark."""
        found = _ending(self._mark, buffer)
        return without_echo(bytes(buffer[: found.stop] if found else buffer))

    def is_prompt_shown(self, buffer: bytearray) -> bool:
        """Tell whether the prompt is the last thing shown."""
        return self._is_prompt_after(buffer, 0)

    def without_prompt(self, output: bytes) -> bytes:
        """Drop a prompt at the end."""
        shown = output.removesuffix(b" ")
        return shown.removesuffix(self._prompt) if shown.endswith(self._prompt) else output

    def _next_mark(self) -> None:
        self._count += 1
        self._mark = f"{self._name}-{self._count}"
        self._searched = 0

    def _is_prompt_after(self, buffer: bytearray, start: int) -> bool:
        shown = without_escapes(bytes(buffer[start:][-_TAIL:]))
        return shown.removesuffix(b" ").endswith(self._prompt)

    def _learn_prompt(self, buffer: bytearray) -> bool:
        found = _ending(self._mark, buffer)
        shown = without_escapes(bytes(buffer[found.after :])) if found else b""
        if not _SHELL_PROMPT.search(shown):
            return False
        self._prompt = shown.strip()
        return True


def _ending(mark: str, buffer: bytearray, start: int = 0) -> Ending | None:
    """Find a mark with its status; in the echo of a command stands one without."""
    name = mark.encode()
    place = buffer.find(name, start)
    while place >= 0:
        found = _STATUS.match(buffer, place + len(name))
        if found:
            return Ending(place, int(found.group(1)), found.end())
        place = buffer.find(name, place + 1)
    return None


class CliDialect:
    """A command line with modes: a command ends at the prompt.

    The prompt is the name that stood before ``#`` or ``>`` at the login, with
    any mode in parentheses after it, or with what the platform says of it.
    """

    idle = ""

    def __init__(self, facts: SessionFacts) -> None:
        self._refused = [re.compile(pattern.encode()) for pattern in facts.refused]
        self._answers = [(re.compile(asked.encode()), said) for asked, said in facts.answers]
        self._answered = 0
        self._mode = (facts.prompt or _CLI_MODE).encode()
        self._any_prompt = self._prompt = self._prompt_of(_CLI_NAME)

    def _prompt_of(self, name: bytes) -> re.Pattern[bytes]:
        return re.compile(rb"(?:^|[\r\n])" + name + self._mode + rb"$")

    def login(self) -> list[LoginStep]:
        """Wait for something like a prompt; an empty line has to give it once more."""
        return [("", self.is_prompt_shown), ("\n", self._learn_prompt)]

    def typed(self, line: str) -> str:
        """Give the line alone."""
        self._answered = 0
        return f"{line}\n"

    def ending(self, buffer: bytearray) -> Ending | None:
        """Find the prompt alone on the last line; without one the command still runs."""
        if b"\n" not in buffer[-_TAIL:] or not self.is_prompt_shown(buffer):
            return None
        stop = buffer.rindex(b"\n") + 1
        return Ending(stop, int(self._is_refused(bytes(buffer[:stop]))))

    def question(self, buffer: bytearray) -> str:
        """Tell whether a password, a key or a confirmation is asked for."""
        tail = without_escapes(bytes(buffer[-_TAIL:]))
        return next((reason for pattern, reason in _CLI_ASKS if pattern.search(tail)), "")

    def answer(self, buffer: bytearray) -> str:
        """Give what the platform says to a question, where it stands after the last one."""
        tail = without_escapes(bytes(buffer[self._answered :][-_TAIL:]))
        said = next((answer for asked, answer in self._answers if asked.search(tail)), "")
        if said:
            self._answered = len(buffer)
        return said

    def shown(self, buffer: bytearray) -> bytes:
        """Give everything after the echo."""
        return without_echo(bytes(buffer))

    def is_prompt_shown(self, buffer: bytearray) -> bool:
        """Tell whether the prompt is the last thing shown."""
        return self._prompt.search(without_escapes(bytes(buffer[-_TAIL:]))) is not None

    def without_prompt(self, output: bytes) -> bytes:
        """Drop a prompt at the end."""
        return self._prompt.sub(b"\n", output).removeprefix(b"\n")

    def _is_refused(self, output: bytes) -> bool:
        lines = without_escapes(without_echo(output)).replace(b"\r", b"").split(b"\n")
        return any(pattern.search(line) for line in lines for pattern in self._refused)

    def _learn_prompt(self, buffer: bytearray) -> bool:
        lines = [line.strip() for line in without_escapes(bytes(buffer)).split(b"\n")]
        found = self._any_prompt.search(lines[-1])
        if found is None or len(lines) < 2 or lines[-1] not in lines[:-1]:  # noqa: PLR2004 -- a pair
            return False
        self._prompt = self._prompt_of(re.escape(found.group(1)))
        return True


def without_escapes(data: bytes) -> bytes:
    """Drop what steers the terminal."""
    return _ESCAPE.sub(b"", data)


def without_echo(data: bytes) -> bytes:
    """Drop the echoed command line, and what the shell's line editor sends at its end."""
    _, _, output = data.partition(b"\n")
    return output.removeprefix(_PASTE_END)
