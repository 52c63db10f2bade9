"""ibsim: the fabric without hardware, and what can be broken in it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from netcheck.lab.opensm import process
from netcheck.lab.opensm.process import Kept, wait_until
from netcheck.lab.opensm.tools import Tools
from netcheck.model.errors import InputError, TransportError

READY = "Network simulator ready"
READY_S = 60.0
ANSWER_S = 15.0
LEAST_NODES, LEAST_SWITCHES, LEAST_PORTS = 64, 16, 512


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
        self.marks += 1
        mark = f"netcheck-mark-{self.marks}"
        before = self.kept.log.stat().st_size
        self.kept.send(f"{line}\n{mark}")
        found = ""

        def is_answered() -> bool:
            nonlocal found
            found = self._since(before)
            return f"'{mark}' unknown" in found or not self.kept.is_running

        if not wait_until(is_answered, ANSWER_S) or not self.kept.is_running:
            raise TransportError(f"simulated fabric {self.name}: no answer to {line!r}")
        return _told(found.partition(f"command '{mark}'")[0])

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
        self._do("Unlink", node, port)

    def relink(self, node: str, port: int | None = None) -> None:
        """Put back what ``unlink`` took out.

        Raises:
            InputError: There is no such node, or nothing was linked there.
        """
        self._do("ReLink", node, port)

    def count(self, node: str, port: int, counter: str, value: int) -> None:
        """Set a counter, such as ``PortCounters.SymbolErrorCounter``.

        Raises:
            InputError: There is no such node, port or counter.
        """
        answer = self.say(f'PerformanceSet "{node}"[{port}] {counter}={value}')
        if "has been set" not in answer:
            raise InputError(f"{node} port {port} {counter}: {answer}")

    def _do(self, verb: str, node: str, port: int | None) -> None:
        place = f'"{node}"' if port is None else f'"{node}"[{port}]'
        answer = self.say(f"{verb} {place}")
        if answer:
            raise InputError(f"{verb} {place}: {answer}")


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
