"""infiniband-diags on a simulated fabric, many calls at once."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from netcheck.lab.opensm import process
from netcheck.lab.opensm.process import Kept
from netcheck.lab.opensm.tools import PATH, Tools
from netcheck.model.errors import TransportError

# ibsim serves ten clients at once; two managers and a console tool leave these to spare.
WORKERS = max(2, min(6, os.cpu_count() or 2))
STALL_S = 60.0
POLL_S = 0.01
# These ask for one thing, and give up by themselves after some seconds.
QUERIES, QUERY_S = frozenset({"saquery", "sminfo", "smpquery"}), 20.0
HUNG_CALLS = 3
TIMED_OUT = 124  # as timeout(1) has it

Command = Sequence[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call printed; ``text`` carries standard error where it failed.

    A call that hangs is ended, with status 124.
    """

    command: str
    text: str
    status: int


@dataclass(frozen=True)
class Diags:
    """Where calls run: at one node of the fabric, in a private folder."""

    tools: Tools
    folder: Path
    environment: Mapping[str, str]
    node: str

    def run(self, *command: str) -> Answer:
        """Run one call.

        Raises:
            TransportError: Its shell was ended.
        """
        return self.run_all([command])[0]

    def run_all(self, commands: Sequence[Command]) -> list[Answer]:
        """Run calls, several at a time; answers are in the order of the calls.

        One shell runs many of them: a process of ours for each would cost more
        than the call itself.

        Raises:
            TransportError: Several hang one after another; the last is named.
        """
        if not commands:
            return []
        workers = min(WORKERS, len(commands))
        shares = [commands[first::workers] for first in range(workers)]
        is_over = threading.Event()
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(self._run_share, share, is_over) for share in shares]
            try:
                found = [future.result() for future in futures]
            finally:
                is_over.set()  # an interrupt does not wait for the calls to end
        answers: list[Answer] = [Answer("", "", 0)] * len(commands)
        for first, share in enumerate(found):
            answers[first::workers] = share
        return answers

    def _run_share(self, commands: Sequence[Command], is_over: threading.Event) -> list[Answer]:
        answers: list[Answer] = []
        for _ in range(HUNG_CALLS):
            answers += self._run_until_hung(commands[len(answers) :], is_over)
            if len(answers) == len(commands):
                return answers
        raise TransportError(f"{answers[-1].command}: no answer, nor to others before it")

    def _run_until_hung(
        self, commands: Sequence[Command], is_over: threading.Event
    ) -> list[Answer]:
        """Run calls up to the first that hangs; that one's answer says so."""
        mark = f"netcheck-{secrets.token_hex(6)}"
        folder = self.folder / mark
        folder.mkdir(mode=0o700)
        (folder / "script").write_text(_script(commands, mark), encoding="utf-8")
        kept = process.start(
            ["/bin/sh", str(folder / "script")],
            log=folder / "output",
            folder=folder,
            environment={
                **self.environment,
                "PATH": PATH,
                "SIM_HOST": self.node,
                "NETCHECK_PRELOAD": self.tools.preload,
            },
            remove=folder,
        )
        try:
            text = _await(kept, commands, mark, is_over)
        finally:
            kept.end()
        return list(_answers(text, commands, mark))


def _script(commands: Sequence[Command], mark: str) -> str:
    lines = ["export LD_PRELOAD=$NETCHECK_PRELOAD"]
    for command in commands:
        lines.append(f"{shlex.join(command)} 2>error; s=$?")
        lines.append('[ $s = 0 ] || while read -r l; do echo "$l"; done <error')
        lines.append(f'echo; echo "{mark} $s"')
    lines.append("read -r _")  # stay until the output has been read: the folder goes with us
    return "\n".join([*lines, ""])


def _await(kept: Kept, commands: Sequence[Command], mark: str, is_over: threading.Event) -> str:
    """Give what was printed until the last call ended, or until one hangs."""
    wanted = f"\n{mark} ".encode()
    held, grown = bytearray(), time.monotonic()

    def waited_for(count: int) -> Command:
        return commands[min(count, len(commands) - 1)]

    with kept.log.open("rb") as output:
        while (count := held.count(wanted)) < len(commands) or not held.endswith(b"\n"):
            data = output.read()
            held += data
            if data:
                grown = time.monotonic()
            elif is_over.is_set():
                raise TransportError("given up")
            elif not kept.is_running:
                raise TransportError(f"{shlex.join(waited_for(count))}: ended with its shell")
            elif time.monotonic() - grown > _patience_s(waited_for(count)):
                break
            else:
                time.sleep(POLL_S)
    return held.decode("utf-8", "replace")


def _patience_s(command: Command) -> float:
    return QUERY_S if command[0] in QUERIES else STALL_S


def _answers(text: str, commands: Sequence[Command], mark: str) -> Iterator[Answer]:
    """Read what was printed; the call after the last mark is the one that hangs."""
    parts = re.split(rf"\n{mark} (\d+)\n", text)
    for command, said, status in zip(commands, parts[::2], parts[1::2], strict=False):
        yield Answer(shlex.join(command), said, int(status))
    if (count := len(parts) // 2) < len(commands):
        hung = commands[count]
        said = f"{parts[-1]}timed out: no answer within {_patience_s(hung):g} s\n"
        yield Answer(shlex.join(hung), said, TIMED_OUT)
