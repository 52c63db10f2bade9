"""The network file that ibsim reads: what ``ibnetdiscover`` prints, made fit for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from netcheck.model.errors import InputError
from netcheck.model.infiniband import NodeKind, names_in

NODE = re.compile(r'^(Ca|Hca|Switch|Rt)\s+(\d+)\s+"([^"]+)"(?:\s*#\s*"([^"]*)")?')
PORT = re.compile(r'^\[(\d+)\](?:\(([0-9a-fA-F]+)\))?\s+"([^"]+)"\[(\d+)\]')
HEXADECIMAL = re.compile(r"[SHR]-[0-9a-fA-F]+$")
WIDTH_SPEED = re.compile(r"\b(\d+)x(\w+)\s*$")
# What ibnetdiscover prints; ibsim's files may also hold commands and names of other files.
KNOWN = re.compile(r"#|\s*$|(?:vendid|devid|sysimgguid|caguid|switchguid|rtguid)=")
MOST_PORTS = 254
AGGREGATION = "Aggregation Node"  # inside a switch; it carries no jobs
# ibsim 0.10 knows these; what is faster runs as the fastest of them.
SPEEDS = frozenset({"SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR"})
FASTEST = "HDR"

End = tuple[str, int]


@dataclass(frozen=True)
class Network:
    """A network file.

    Attributes:
        text: What ibsim gets.
        ports: Shape: ``node -> number of its ports``.
        cables: Shape: ``(node, port) -> (node, port)``, both ways.
        names: Shape: ``node -> its description``.
        guids: Shape: ``(node, port) -> port GUID``, where the file says one.
        notes: What was changed to fit ibsim, in words.
    """

    text: str
    ports: dict[str, int] = field(default_factory=dict)
    cables: dict[End, End] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    guids: dict[End, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def device(self, node: str) -> str:
        """Name of the device that a node is of, as its description tells."""
        kind = NodeKind.SWITCH if node.startswith("S-") else NodeKind.ADAPTER
        return names_in(self.names.get(node, node), kind)[0]

    @property
    def node_guids(self) -> dict[str, int]:
        """Shape: ``node -> its GUID in the simulated fabric``."""
        found = {node: int(f"0x{node[2:]}", 0) for node in self.ports if HEXADECIMAL.match(node)}
        adapters = {n: guid - port for (n, port), guid in self.guids.items() if n[:2] == "H-"}
        return found | adapters

    def part(self, node: str) -> frozenset[str]:
        """Nodes that cables lead to from a node, itself included."""
        near: dict[str, list[str]] = {}
        for (here, _), (far, _) in self.cables.items():
            near.setdefault(here, []).append(far)
        found, waiting = {node}, [node]
        while waiting:
            fresh = set(near.get(waiting.pop(), ())) - found
            found |= fresh
            waiting += fresh
        return frozenset(found)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Nodes, switches and ports, with the switches' port 0."""
        switches = sum(node.startswith("S-") for node in self.ports)
        return len(self.ports), switches, sum(self.ports.values()) + switches

    @property
    def hosts(self) -> list[str]:
        """Adapters of hosts, in the order of the file."""
        adapters = (node for node in self.ports if not node.startswith("S-"))
        return [node for node in adapters if AGGREGATION not in self.names.get(node, "")]

    @property
    def switches(self) -> list[str]:
        """Switches, in the order of the file."""
        return [node for node in self.ports if node.startswith("S-")]


def read_network(text: str, name: str = "network") -> Network:
    """Read a network file and make it fit for ibsim.

    Args:
        text: Output of ``ibnetdiscover``, or a file in its form.
        name: File name for messages.

    Raises:
        InputError: It holds no node, a node twice, or cables that do not agree.
    """
    reader = _Reader(name)
    lines = [reader.line(number, line) for number, line in enumerate(text.splitlines(), 1)]
    if not reader.ports:
        raise InputError(f"{name}: no node in it; expected the output of ibnetdiscover")
    for complaint in reader.mismatches():
        raise InputError(complaint)
    reader.keep_port_guids(lines)
    notes = tuple(
        f"{name}: {count} ends of {speed} run as {FASTEST}: ibsim knows nothing faster"
        for speed, count in sorted(reader.slowed.items())
    )
    if reader.moved:
        node = f"{name}: {reader.moved} adapters have another node GUID here; ports keep theirs"
        notes = (*notes, node)
    if reader.odd:
        odd = f"{reader.odd} ports have another GUID here, since ibsim counts them up"
        notes = (*notes, f"{name}: {odd}: memberships that name them are not rehearsed")
    if reader.left_out:
        notes = (*notes, f"{name}: {reader.left_out} lines left out: not of ibnetdiscover")
    text_of_all = "\n".join([*lines, ""])
    return Network(text_of_all, reader.ports, reader.cables, reader.names, reader.guids, notes)


class _Reader:
    """Lines of a network file, one after the other."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.node = ""
        self.ports: dict[str, int] = {}
        self.cables: dict[End, End] = {}
        self.names: dict[str, str] = {}
        self.at: dict[End, int] = {}
        self.guids: dict[End, int] = {}
        self.slowed: dict[str, int] = {}
        self.guid_at = -1
        self.guid_line: dict[str, int] = {}
        self.moved = 0
        self.odd = 0
        self.left_out = 0

    def line(self, number: int, line: str) -> str:
        """Take a line; give it as ibsim takes it."""
        if line.startswith("["):
            return self._port(number, line)
        if line.startswith("caguid="):
            self.guid_at = number - 1
        node = NODE.match(line)
        if node:
            self.guid_line[node[3]] = self.guid_at
            self.node = node[3]
            if self.node in self.ports:
                raise InputError(f"{self.name}:{number}: {self.node} is there twice")
            self.ports[self.node] = int(node[2])
            self.names[self.node] = node[4] or self.node
            if self.ports[self.node] > MOST_PORTS:
                raise InputError(
                    f"{self.name}:{number}: {self.node} has {node[2]} ports;"
                    f" expected at most {MOST_PORTS}"
                )
            return line
        if KNOWN.match(line):
            return line
        self.left_out += 1
        return ""

    def keep_port_guids(self, lines: list[str]) -> None:
        """Change node GUIDs so that ports have those of the file: ibsim counts them up.

        Partitions name ports. Adapters with one port often have its GUID themselves.
        """
        first: dict[str, int] = {}
        for (node, port), guid in self.guids.items():
            at = self.guid_line.get(node, -1)
            if not node.startswith("H-") or at < 0:
                continue
            own = first.setdefault(node, guid - port)
            if own + port != guid:
                self.guids[node, port] = own + port
                self.odd += 1
            if lines[at] != (wanted := f"caguid={own:#x}"):
                lines[at] = wanted
                self.moved += 1

    def _port(self, number: int, line: str) -> str:
        port = PORT.match(line)
        if not port or not self.node:
            raise InputError(f"{self.name}:{number}: not a port of a node: {line[:60]!r}")
        here = (self.node, int(port[1]))
        self.cables[here] = (port[3], int(port[4]))
        self.at[here] = number
        if port[2]:
            self.guids[here] = int(f"0x{port[2]}", 0)
        return WIDTH_SPEED.sub(self._known_speed, line)

    def _known_speed(self, found: re.Match[str]) -> str:
        if found[2] in SPEEDS:
            return found[0]
        self.slowed[found[2]] = self.slowed.get(found[2], 0) + 1
        return f"{found[1]}x{FASTEST}"

    def mismatches(self) -> Iterator[str]:
        """Cables of which the two ends tell different things; ibsim would end itself."""
        for here, there in self.cables.items():
            place = f"{self.name}:{self.at[here]}: {here[0]} port {here[1]}"
            if there[0] not in self.ports:
                yield f"{place} leads to {there[0]}, which is not in the file (cut short?)"
            elif self.cables.get(there) != here:
                yield f"{place} leads to {there[0]} port {there[1]}, which does not lead back"
