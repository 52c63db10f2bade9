"""ibsim: the fabric without hardware, and what can be broken in it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from netcheck.lab.opensm import process
from netcheck.lab.opensm.process import Kept, wait_until
from netcheck.lab.opensm.tools import Tools
from netcheck.model.errors import InputError, TransportError

READY = "Network simulator ready"
READY_S = 60.0
ANSWER_S = 15.0
DONE = "has been set"
MOST_LINES = 200
LEAST_NODES, LEAST_SWITCHES, LEAST_PORTS = 64, 16, 512


@dataclass(frozen=True, slots=True)
class Asked:
    """A command that the console was given: its log's length then, and the mark that ends it."""

    line: str
    mark: str
    position: int

    @property
    def end(self) -> str:
        """What the console says of the mark: that it is no command."""
        return f"'{self.mark}' unknown"


@dataclass
class Simulator:
    """A running ibsim; commands of its console put faults in.

    Attributes:
        name: Name of its sockets; two simulators on one machine do not meet.
    """

    kept: Kept
    name: str
    marks: int = field(default=0)

    def say(self, line: str) -> str:
        """Give a command to the console and what it answered.

        Raises:
            TransportError: The simulator has ended or does not answer.
        """
        return self.answer(self.begin(line))

    def begin(self, line: str) -> Asked:
        """Give a command to the console; its answer is for ``answer`` to await.

        Raises:
            TransportError: The simulator has ended.
        """
        self.marks += 1
        asked = Asked(line, f"netcheck-mark-{self.marks}", self.kept.log.stat().st_size)
        self.kept.send(f"{line}\n{asked.mark}")
        return asked

    def is_answered(self, asked: Asked) -> bool:
        """Whether a command has been carried out, or never will be."""
        return asked.end in self._since(asked.position) or not self.kept.is_running

    def answer(self, asked: Asked) -> str:
        """Wait for what the console answers to a command.

        Raises:
            TransportError: The simulator has ended or does not answer.
        """
        came = wait_until(lambda: self.is_answered(asked), ANSWER_S)
        if not came or not self.kept.is_running:
            raise TransportError(f"simulated fabric {self.name}: no answer to {asked.line!r}")
        return _told(self._since(asked.position).partition(f"command '{asked.mark}'")[0])

    def _since(self, position: int) -> str:
        with self.kept.log.open("rb") as log:
            log.seek(position)
            return log.read().decode("utf-8", "replace")

    def unlink(self, node: str, port: int | None = None) -> None:
        """Take a cable out, or all cables of a node.

        Args:
            node: Node as the network file names it (``S-0002c90200200000``).

        Raises:
            InputError: There is no such node, or nothing is linked there.
        """
        self.finish(self.begin(f"Unlink {place(node, port)}"))

    def relink(self, node: str, port: int | None = None) -> None:
        """Put back what ``unlink`` took out.

        Raises:
            InputError: There is no such node, or nothing was linked there.
        """
        self.finish(self.begin(f"ReLink {place(node, port)}"))

    def finish(self, asked: Asked) -> None:
        """Wait for a command that answers nothing when all is well.

        Raises:
            InputError: It answers something.
        """
        answer = self.answer(asked)
        if answer:
            raise InputError(f"{asked.line}: {answer}")

    def count(self, node: str, port: int, counter: str, value: int) -> None:
        """Set a counter, such as ``PortCounters.SymbolErrorCounter``.

        Raises:
            InputError: There is no such node, port or counter.
        """
        answer = self.say(f'PerformanceSet "{node}"[{port}] {counter}={value}')
        if DONE not in answer:
            raise InputError(f"{node} port {port} {counter}: {answer}")

    def count_all(self, counters: Sequence[tuple[str, int, str, int]]) -> None:
        """Set many counters: node, port, counter, value of each.

        Raises:
            InputError: There is no such node, port or counter; the first is named.
        """
        lines = [f'PerformanceSet "{n}"[{p}] {name}={value}' for n, p, name, value in counters]
        for first in range(0, len(lines), MOST_LINES):
            batch = lines[first : first + MOST_LINES]
            told = self.say("\n".join(batch)).splitlines()
            if sum(DONE in line for line in told) != len(batch):
                wrong = next((line for line in told if DONE not in line), "no answer")
                raise InputError(f"{self.name}: counters not set: {wrong}")


def place(node: str, port: int | None) -> str:
    """A node, or one of its ports, as the console names it."""
    return f'"{node}"' if port is None else f'"{node}"[{port}]'


def _told(text: str) -> str:
    """What the console answered, without what the simulator meanwhile said of packets."""
    lines = text.replace("sim> ", "").splitlines()
    return "\n".join(line for line in lines if not line.startswith("ibwarn:")).strip()


def start(
    tools: Tools,
    network: Path,
    folder: Path,
    environment: Mapping[str, str],
    sizes: tuple[int, int, int],
) -> Simulator:
    """Start ibsim on a network file; it is ready when this returns.

    Args:
        sizes: Nodes, switches and ports in the file.

    Raises:
        InputError: The network file is refused; the message carries ibsim's own.
    """
    name = f"netcheck-{secrets.token_hex(6)}"
    nodes, switches, ports = sizes
    limits = (
        f"-N{max(nodes + 1, LEAST_NODES)}",
        f"-S{max(switches + 1, LEAST_SWITCHES)}",
        f"-P{max(ports + 1, LEAST_PORTS)}",
    )
    kept = process.start(
        # -I: a GUID that is there twice is for the subnet manager to find
        [tools.ibsim, "-s", "-I", *limits, str(network)],
        log=folder / "ibsim.log",
        folder=folder,
        environment={**environment, "IBSIM_SOCKNAME": name},
        remove=folder,
    )
    wait_until(lambda: READY in kept.output() or not kept.is_running, READY_S)
    if READY not in kept.output() or not kept.is_running:
        text = kept.output()
        kept.end()
        raise InputError(f"{network.name}: ibsim does not take it: {_last_words(text)}")
    return Simulator(kept, name)


def _last_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or "panic" in line.lower()]
    return "; ".join((telling or lines)[-3:]) or "no output"
