"""What traffic shows of a fabric: run through the data plane, three times.

- *reacting*: applications send as they do, adapters slow down for marks;
- *stubborn*: nothing slows down, so that pauses alone must hold;
- *stuck*: one host takes nothing any more, so that the watchdog must act.

What is wrong is told beside the fabric before it was changed, in the words of
``Harm``; no threshold here is a limit of a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TypeVar, cast

from netcheck.lab.devices.linux.adapter import Adapter
from netcheck.lab.devices.linux.host import LinuxHost
from netcheck.lossless.dataplane.engine import Engine
from netcheck.lossless.dataplane.network import (
    PRIORITIES,
    Account,
    Cable,
    Flow,
    Hop,
    Network,
    Node,
    Port,
)
from netcheck.lossless.dataplane.ports import CNP, DATA
from netcheck.lossless.dataplane.stops import FlowState
from tests.mutation.world import Held

T = TypeVar("T")
STEP_S = 500e-9
REACTING_S, STUBBORN_S, STUCK_S = 0.3e-3, 0.4e-3, 0.6
STUCK_STEP_S, STUCK_LOOK_S, STUCK_DEPTH = 100e-6, 10e-3, 16
RAIL = "rail0"
PAIRS = (("gpu02", "gpu01"), ("gpu03", "gpu01"), ("gpu01", "gpu03"), ("gpu02", "gpu03"))
STUCK_HOST = "gpu01"
SINK = "sink"
LEAST_SHARE = 0.6
PAUSABLE = 1_000_000
SLOWER = 100
SLOW = 4


class Harm(StrEnum):
    """What a change does to traffic."""

    UNREACHABLE = "no way"
    DROP = "lossless drops"
    MTU = "MTU too small"
    MIXED = "classes mixed"
    PAUSE = "wrong pause"
    ECN = "ECN does not act"
    STARVED = "lossless starved"
    STORM = "watchdog drops in good traffic"
    STUCK = "stuck pause not broken"


@dataclass(frozen=True)
class Stream:
    """A flow and what it is for: ``data`` (lossless) or ``other``."""

    flow: Flow
    kind: str


@dataclass(frozen=True)
class Paths:
    """Where packets would go: payload by flow, kinds of traffic by ``node port queue``."""

    payloads: Mapping[str, int]
    queues: Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Load:
    """What one loaded run showed.

    Attributes:
        dropped: Lost packets by lossless flow.
        goodput: Payload bytes that reached each receiving host.
        slowed: Pairs of hosts of which the sender slowed down for marks.
        paused: PFC priorities on which anybody sent a pause.
        storms: How often a watchdog acted.
    """

    dropped: Mapping[str, int]
    goodput: Mapping[str, float]
    slowed: frozenset[str]
    paused: frozenset[int]
    storms: int


def streams(held: Held) -> list[Stream] | None:
    """Applications as they mark and as packets travel; None where there is no way."""
    found: list[Stream] = []
    for place, (source, target) in enumerate(PAIRS):
        sender, receiver = (_adapter(held, name) for name in (source, target))
        routes = held.routes
        path = routes.path((source, RAIL), (target, RAIL), "a")
        back = routes.path((target, RAIL), (source, RAIL), "a")
        if path is None or back is None:
            return None
        # one application makes its connections by rdma_cm, one says nothing, one is no RDMA
        marks = {"cm": sender.traffic_class or sender.cm_tos, "plain": sender.traffic_class}
        for name, tos in marks.items():
            flow = Flow(
                f"{source}>{target} {name}",
                path,
                back,
                dscp=tos >> 2,
                is_ecn_capable=(tos & 3) in (1, 2),
                payload_bytes=min(sender.active_mtu, receiver.active_mtu),
                depth=256,
            )
            found.append(Stream(flow, "data"))
        if place in (0, 3):
            name = f"{source}>{target} other"
            found.append(Stream(Flow(name, path, back, payload_bytes=4096, depth=64), "other"))
    return found


def _adapter(held: Held, name: str) -> Adapter:
    device = held.devices[name]
    assert isinstance(device, LinuxHost)
    return device.adapters[RAIL]


@dataclass
class Look:
    """A fabric under traffic; each run is made when it is asked for, equal ones once."""

    network: Network
    given: list[Stream]
    memory: dict[object, object]

    @classmethod
    def at(cls, held: Held, memory: dict[object, object]) -> Look | None:
        """Look at what devices hold; None where there is no way for the traffic."""
        given = streams(held)
        return None if given is None else cls(trimmed(held.network, given), given, memory)

    @cached_property
    def flows(self) -> list[Flow]:
        """All flows."""
        return [stream.flow for stream in self.given]

    @cached_property
    def paths(self) -> Paths:
        """Where packets would go, without sending any."""
        engine = Engine(self.network, self.flows, step_s=STEP_S)
        payloads = {flow.name: flow.payload_bytes for flow in self.flows}
        return Paths(payloads, _queues(engine, self.given))

    @cached_property
    def stubborn(self) -> Load:
        """Nobody slows down for marks; packets say that they can be marked as before."""
        engine = Engine(self.network, self.flows, step_s=STEP_S)
        flows = [
            replace(state.sender.flow, is_ecn_capable=state.stops[DATA][0].is_ecn_capable)
            for state in engine.flows
        ]
        return self._loaded(_stubborn(self.network), flows, STUBBORN_S)

    @cached_property
    def reacting(self) -> Load:
        """Adapters do what they are set to."""
        return self._loaded(self.network, self.flows, REACTING_S)

    @cached_property
    def slow(self) -> Load:
        """One host takes packets at a quarter of the speed; nobody slows down for marks."""
        network = _with_slow_memory(_stubborn(self.network))
        flows = [_into_memory(stream.flow) for stream in self.given]
        return self._loaded(network, flows, STUBBORN_S)

    @cached_property
    def broken(self) -> int:
        """How often the watchdog at a host acted while that host took nothing."""
        network = _slow(_with_sink(_stubborn(_pauses_only(self.network))))
        flows = [stuck for s in self.given if (stuck := _to_sink(s.flow)) is not None]
        return self._kept(("stuck", network, flows), lambda: _broken(network, flows))

    def _loaded(self, network: Network, flows: list[Flow], seconds: float) -> Load:
        given = [replace(stream, flow=flow) for stream, flow in zip(self.given, flows, strict=True)]
        return self._kept((seconds, network, flows), lambda: _load(network, given, seconds))

    def _kept(self, key: object, made: Callable[[], T]) -> T:
        name = repr(key)
        if name not in self.memory:
            self.memory[name] = made()
        return cast("T", self.memory[name])


def _load(network: Network, given: list[Stream], seconds: float) -> Load:
    engine = Engine(network, [stream.flow for stream in given], step_s=STEP_S)
    engine.run_until(seconds)
    pairs = zip(engine.flows, given, strict=True)
    data = [state for state, stream in pairs if stream.kind == "data"]
    ports = engine.ports.values()
    return Load(
        dropped={state.sender.flow.name: state.sender.dropped for state in data},
        goodput=_goodput(data),
        slowed=frozenset(state.sender.flow.name.split()[0] for state in data if state.cnp_handled),
        paused=frozenset(
            priority for port in ports for priority, sent in enumerate(port.pfc_out) if sent
        ),
        storms=sum(queue.storms for port in ports for queue in port.queues),
    )


def _broken(network: Network, flows: list[Flow]) -> int:
    engine = Engine(network, flows, step_s=STUCK_STEP_S)
    peer = engine.ports[STUCK_HOST, RAIL].peer
    assert peer is not None
    storms = 0
    while engine.now < STUCK_S and not storms:
        engine.run_until(engine.now + STUCK_LOOK_S)
        storms = sum(queue.storms for queue in peer.queues)
    return storms


def _goodput(states: list[FlowState]) -> dict[str, float]:
    """Payload bytes that reached each receiving host."""
    found: dict[str, float] = {}
    for state in states:
        name = state.stops[DATA][-1].ingress
        host = name.node if name is not None else ""
        bytes_taken = state.sender.expected * state.sender.flow.payload_bytes
        found[host] = found.get(host, 0.0) + bytes_taken
    return found


def _queues(engine: Engine, given: list[Stream]) -> dict[str, frozenset[str]]:
    """Shape: ``node port queue -> kinds of traffic in it``; ``cnp`` is one of them."""
    found: dict[str, set[str]] = {}
    for state, stream in zip(engine.flows, given, strict=True):
        answers = () if stream.kind == "other" else ((CNP, "cnp"),)
        for way, kind in ((DATA, stream.kind), *answers):
            for stop in state.stops[way]:
                if stop.egress is not None and stop.queue is not None:
                    name = f"{' '.join(stop.egress.key)} {stop.queue.number}"
                    found.setdefault(name, set()).add(kind)
    return {name: frozenset(kinds) for name, kinds in found.items()}


def _stubborn(network: Network) -> Network:
    """Adapters that send at line rate whatever happens."""
    nodes = {
        name: replace(
            node,
            nics={
                port: replace(nic, reaction_priorities=frozenset())
                for port, nic in node.nics.items()
            },
        )
        for name, node in network.nodes.items()
    }
    return replace(network, nodes=nodes)


def _slow(network: Network) -> Network:
    """Speeds and bytes of buffers by a hundredth, so that long pauses take few packets."""
    nodes = {
        name: replace(
            node,
            pools={pool: size // SLOWER for pool, size in node.pools.items()},
            ports={key: _slow_port(port) for key, port in node.ports.items()},
        )
        for name, node in network.nodes.items()
    }
    return replace(network, nodes=nodes)


def _slow_port(port: Port) -> Port:
    queues = {
        number: replace(queue, account=queue.account and _small(queue.account))
        for number, queue in port.queues.items()
    }
    return replace(
        port,
        speed_bps=max(port.speed_bps // SLOWER, 1000),
        groups={number: _small(account) for number, account in port.groups.items()},
        queues=queues,
    )


def _small(account: Account) -> Account:
    static = account.static_bytes
    return replace(
        account,
        reserved_bytes=account.reserved_bytes // SLOWER,
        static_bytes=None if static is None else static // SLOWER,
        xon_bytes=account.xon_bytes // SLOWER,
        xon_offset_bytes=account.xon_offset_bytes // SLOWER,
    )


def _to_sink(flow: Flow) -> Flow | None:
    last = flow.path[-1]
    if last.node != STUCK_HOST or "other" in flow.name:
        return None
    path = (*flow.path[:-1], replace(last, egress=SINK), Hop(SINK, SINK, ""))
    back = (Hop(SINK, "", SINK), Hop(STUCK_HOST, SINK, flow.back[0].egress), *flow.back[1:])
    return replace(flow, path=path, back=back, depth=STUCK_DEPTH)


def _with_sink(network: Network) -> Network:
    """One host's memory is behind a link that is as good as dead; it pauses as it is set to."""
    host = network.nodes[STUCK_HOST]
    rail = host.ports[RAIL]
    groups = {
        group: Account("memory", headroom_bytes=PAUSABLE if rail.pauses_sent else 0, alpha=1.0)
        for group in range(PRIORITIES)
    }
    ports = {
        RAIL: replace(rail, groups=groups),
        SINK: Port(speed_bps=1000, mtu_bytes=16384, trust="dscp"),
    }
    stuck = replace(host, ports=ports, pools={"memory": PAUSABLE})
    sink = Node(SINK, {SINK: Port(speed_bps=1000, mtu_bytes=16384)})
    cable = Cable((STUCK_HOST, SINK), (SINK, SINK), 1.0)
    nodes = {**network.nodes, STUCK_HOST: stuck, SINK: sink}
    return Network(nodes, (*network.cables, cable))


def _with_slow_memory(network: Network) -> Network:
    """Behind one host's port is a slow bus; a group without a pause has no room to wait in."""
    host = network.nodes[STUCK_HOST]
    rail = host.ports[RAIL]
    groups = {
        group: Account("memory", headroom_bytes=PAUSABLE if rail.pfc_of_group.get(group) else 0)
        for group in range(PRIORITIES)
    }
    bus = replace(rail, speed_bps=rail.speed_bps // SLOW, groups={}, watchdog=None)
    ports = {RAIL: replace(rail, groups=groups), SINK: bus}
    slow = replace(host, ports=ports, pools={"memory": PAUSABLE})
    sink = Node(SINK, {SINK: bus})
    nodes = {**network.nodes, STUCK_HOST: slow, SINK: sink}
    return Network(nodes, (*network.cables, Cable((STUCK_HOST, SINK), (SINK, SINK), 1.0)))


def _into_memory(flow: Flow) -> Flow:
    last = flow.path[-1]
    if last.node != STUCK_HOST:
        return flow
    path = (*flow.path[:-1], replace(last, egress=SINK), Hop(SINK, SINK, ""))
    back = (Hop(SINK, "", SINK), Hop(STUCK_HOST, SINK, flow.back[0].egress), *flow.back[1:])
    return replace(flow, path=path, back=back)


def _pauses_only(network: Network) -> Network:
    """What a stuck pause depends on: everything but marking and scheduling."""
    nodes = {
        name: replace(
            node,
            nics={},
            ports={
                key: replace(
                    port,
                    queues={
                        number: replace(queue, ecn=None, is_strict=False, weight=1.0)
                        for number, queue in port.queues.items()
                    },
                )
                for key, port in node.ports.items()
            },
        )
        for name, node in network.nodes.items()
    }
    return replace(network, nodes=nodes)


def trimmed(network: Network, given: list[Stream]) -> Network:
    """The network without what none of the streams can meet, so that equals are equal."""
    marks = {stream.flow.dscp for stream in given}
    marks |= {nic.cnp_dscp for node in network.nodes.values() for nic in node.nics.values()}
    cabled = {end for cable in network.cables for end in (cable.a, cable.b)}
    nodes = {
        name: replace(
            node,
            ports=_ports({k: p for k, p in node.ports.items() if (name, k) in cabled}, marks),
        )
        for name, node in network.nodes.items()
    }
    return replace(network, nodes=nodes)


def _ports(ports: Mapping[str, Port], marks: set[int]) -> dict[str, Port]:
    found = {key: _trimmed(port, marks) for key, port in ports.items()}
    # the port that a packet came in by says which queue it leaves through
    met = {queue for port in found.values() for queue in port.queue_of}
    return {
        key: replace(port, queues={n: queue for n, queue in port.queues.items() if n in met})
        for key, port in found.items()
    }


def _trimmed(port: Port, marks: set[int]) -> Port:
    dscps = tuple(to if dscp in marks else 0 for dscp, to in enumerate(port.priority_of_dscp))
    coses = port.priority_of_pcp if port.trust == "pcp" else (0,) * PRIORITIES
    met = set(dscps) | {port.default_priority}
    queue_of = tuple(to if n in met else 0 for n, to in enumerate(port.queue_of))
    group_of = tuple(to if n in met else 0 for n, to in enumerate(port.group_of))
    pauses = {
        group: common
        for group, pfc in port.pfc_of_group.items()
        if (common := pfc & port.pauses_sent) and group in group_of
    }
    return replace(
        port,
        priority_of_dscp=dscps,
        priority_of_pcp=coses,
        queue_of=queue_of,
        group_of=group_of,
        pfc_of_group=pauses,
        queue_of_pfc=tuple(
            to if n in port.pauses_honoured else 0 for n, to in enumerate(port.queue_of_pfc)
        ),
        groups={n: account for n, account in port.groups.items() if n in group_of},
    )


def harms(before: Look, after: Look | None) -> list[Harm]:
    """What became worse: the first look that shows something is enough."""
    if after is None:
        return [Harm.UNREACHABLE]
    for shown in (_in_paths, _in_loads, _in_pauses):
        found = list(dict.fromkeys(shown(before, after)))
        if found:
            return found
    return []


def _in_paths(before: Look, after: Look) -> Iterator[Harm]:
    old, new = before.paths, after.paths
    if any(new.payloads[name] < size for name, size in old.payloads.items()):
        yield Harm.MTU
    if any(len(kinds) > 1 for kinds in new.queues.values()):
        yield Harm.MIXED


def _in_loads(before: Look, after: Look) -> Iterator[Harm]:
    calm, now = before.stubborn, after.stubborn
    yield from _in_load(calm, now)
    # while adapters react, shares swing
    if any(rate < LEAST_SHARE * calm.goodput[host] for host, rate in now.goodput.items()):
        yield Harm.STARVED
    old, new = before.reacting, after.reacting
    yield from _in_load(old, new)
    if old.slowed - new.slowed:
        yield Harm.ECN


def _in_load(old: Load, new: Load) -> Iterator[Harm]:
    if any(lost and not old.dropped[name] for name, lost in new.dropped.items()):
        yield Harm.DROP
    if new.paused - old.paused:
        yield Harm.PAUSE
    if new.storms > old.storms:
        yield Harm.STORM


def _in_pauses(before: Look, after: Look) -> Iterator[Harm]:
    if before.broken and not after.broken:
        yield Harm.STUCK
