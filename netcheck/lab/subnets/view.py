"""A running subnet as infiniband-diags show it: what traffic and host programs go by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from netcheck.lab.devices.linux.hca import HcaState
from netcheck.lab.opensm.diags import Answer, Command, Diags
from netcheck.lab.opensm.network import Network
from netcheck.lossless.credits.fabric import ADAPTER_INGRESS, End, Node, Port
from netcheck.model.document import Document
from netcheck.model.infiniband import IbNode, IbPort, IbSubnet, NodeKind, PortState
from netcheck.model.known import is_known, known_or
from netcheck.platforms.infiniband.parse import parse

WHOLE: tuple[Command, ...] = (
    ("ibnetdiscover",),
    ("sminfo",),
    ("iblinkinfo", "-l"),
    ("dump_fts", "-n"),
)
STATES = {PortState.DOWN: 1, PortState.INIT: 2, PortState.ARMED: 3, PortState.ACTIVE: 4}
# Head-of-queue lifetime: 4.096 us times 2 to the code; from 20 on without end.
# Source: InfiniBand Architecture Specification volume 1, 14.2.5.6 (HOQLife).
LIFE_UNIT_S, ENDLESS_LIFE = 4.096e-6, 20
USUAL_RATE_BPS = 10_000_000_000


@dataclass(frozen=True)
class View:
    """One reading of a subnet, by the names of the network file.

    Attributes:
        lids: Shape: ``port -> address it is asked for at``.
        hosts: Shape: ``port GUID of an adapter -> its port``.
        states: Shape: ``port GUID of an adapter -> what its firmware holds``, without counters.
        widths: Shape: ``port -> lanes that its link runs on``.
        master: GUID of the port that the master runs at, 0 where there is none.
    """

    nodes: Mapping[str, Node] = field(default_factory=dict)
    lids: Mapping[End, int] = field(default_factory=dict)
    hosts: Mapping[int, End] = field(default_factory=dict)
    states: Mapping[int, HcaState] = field(default_factory=dict)
    widths: Mapping[End, int] = field(default_factory=dict)
    master: int = 0


def read_view(diags: Diags, network: Network) -> View:
    """Read a subnet: who is there, routes, and every active port's tables.

    Raises:
        TransportError: The calls hang.
    """
    answers = diags.run_all(WHOLE)
    seen = _seen(answers)
    calls = list(_calls(seen))
    return _Reader(_seen([*answers, *diags.run_all(calls)]), network).view()


def with_high_limit(nodes: Mapping[str, Node], limit: int) -> dict[str, Node]:
    """Give nodes whose ports have that high limit, which the simulator does not keep."""
    return {
        name: replace(
            node, ports={n: replace(port, high_limit=limit) for n, port in node.ports.items()}
        )
        for name, node in nodes.items()
    }


def _seen(answers: Sequence[Answer]) -> IbSubnet:
    """What answers say together; those that failed say nothing."""
    documents = [Document(one.command, one.text, one.command) for one in answers if not one.status]
    seen = parse(documents, name="subnet").seen_subnet
    return seen if is_known(seen) else IbSubnet()


def _calls(seen: IbSubnet) -> Iterator[Command]:
    for node in seen.nodes.values():
        for number, port in node.ports.items():
            lid = _address(node, port)
            if not number or not lid or not is_known(port.peer):
                continue
            for operation in ("portinfo", "pkeys", "sl2vl", "vlarb"):
                yield ("smpquery", operation, str(lid), str(number))


def _address(node: IbNode, port: IbPort) -> int:
    """LID that a port is asked for at; ports of a switch tell whatever was written to them."""
    own = 0 if node.kind is NodeKind.SWITCH else known_or(port.lid, 0)
    return own or known_or(node.lid, 0)


class _Reader:
    """Makes a view of what was seen."""

    def __init__(self, seen: IbSubnet, network: Network) -> None:
        self.seen = seen
        self.by_port = {guid: end for end, guid in network.guids.items()}
        self.names = {key: self._name(node) for key, node in seen.nodes.items()}

    def _name(self, node: IbNode) -> str:
        if node.kind is NodeKind.SWITCH:
            return f"S-{known_or(node.guid, 0):016x}"
        ends = [self.by_port[p.guid] for p in node.ports.values() if p.guid in self.by_port]
        return ends[0][0] if ends else node.key

    def view(self) -> View:
        nodes, lids, hosts, states, widths = {}, {}, {}, {}, {}
        for key, node in self.seen.nodes.items():
            name = self.names[key]
            ports = {n: self._port(port) for n, port in node.ports.items() if n}
            is_switch = node.kind is NodeKind.SWITCH
            nodes[name] = Node(name, ports, known_or(node.routes, b""), is_switch)
            for number, port in node.ports.items():
                lids[name, number] = _address(node, port)
                if is_known(port.width):
                    widths[name, number] = port.width
                if not is_switch and is_known(port.guid):
                    hosts[port.guid] = (name, number)
                    states[port.guid] = _state(node, port)
        return View(nodes, lids, hosts, states, widths, self._master())

    def _master(self) -> int:
        managers = known_or(self.seen.managers, ())
        return next((known_or(one.guid, 0) for one in managers), 0)

    def _port(self, port: IbPort) -> Port:
        peer = port.peer if is_known(port.peer) else None
        life = known_or(port.hoq_life, ENDLESS_LIFE)
        return Port(
            float(known_or(port.rate_bps, USUAL_RATE_BPS)),
            (self.names[peer.node], peer.port) if peer and peer.node in self.names else None,
            is_active=known_or(port.state, PortState.ACTIVE) is PortState.ACTIVE,
            lanes=dict(known_or(port.sl_to_vl, {ADAPTER_INGRESS: (0,) * 16})),
            high=known_or(port.vlarb_high, ()),
            low=known_or(port.vlarb_low, ((0, 1),)),
            high_limit=known_or(port.vl_high_limit, 0),
            keys=known_or(port.pkeys, ()),
            hoq_life_s=LIFE_UNIT_S * 2**life if life < ENDLESS_LIFE else None,
            mtu_bytes=known_or(port.mtu, 4096),
        )


def _state(node: IbNode, port: IbPort) -> HcaState:
    rate = known_or(port.rate_bps, USUAL_RATE_BPS)
    return HcaState(
        STATES[known_or(port.state, PortState.DOWN)],
        known_or(port.lid, known_or(node.lid, 0)),
        known_or(port.sm_lid, 0),
        known_or(port.lmc, 0),
        rate // 1_000_000_000,
        known_or(port.width, 4),
        known_or(port.mtu, 4096),
        known_or(port.subnet_prefix, 0xFE80000000000000),
        known_or(port.pkeys, ()),
    )
