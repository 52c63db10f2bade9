"""What traffic shows of a fabric: run through the data plane, three times.

- *reacting*: applications send as they do, adapters slow down for marks;
- *stubborn*: nothing slows down, so that pauses alone must hold;
- *stuck*: one host takes nothing any more, so that the watchdog must act.

What is wrong is told beside the fabric before it was changed, in the words of
``Harm``; no threshold here is a limit of a rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from netcheck.lab.devices.linux.adapter import Adapter
from netcheck.lab.devices.linux.host import LinuxHost
from netcheck.lossless.dataplane.engine import Engine, FlowState
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
from tests.mutation.world import Held

STEP_S = 500e-9
REACTING_S, STUBBORN_S, STUCK_S = 0.3e-3, 0.4e-3, 0.6
STUCK_STEP_S, STUCK_LOOK_S, STUCK_DEPTH = 100e-6, 10e-3, 16
RAIL = "rail0"
PAIRS = (("gpu02", "gpu01"), ("gpu03", "gpu01"), ("gpu01", "gpu03"), ("gpu02", "gpu03"))
STUCK_HOST = "gpu01"
SINK = "sink"
LEAST_SHARE = 0.6
PAUSABLE = 1_000_000


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
class Seen:
    """What three runs showed: by flow, by receiving host (``goodput``) or by pair (``slowed``)."""

    payloads: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    goodput: Mapping[str, float] = field(default_factory=dict)
    slowed: frozenset[str] = frozenset()
    queues: Mapping[str, frozenset[str]] = field(default_factory=dict)
    paused: frozenset[int] = frozenset()
    storms: int = 0
    broken: int = 0


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


def see(held: Held, memory: dict[object, object] | None = None) -> Seen:
    """Run everything; ``memory`` keeps runs of what is equal."""
    memory = {} if memory is None else memory
    given = streams(held)
    if given is None:
        return Seen()
    network = trimmed(held.network, given)
    flows = tuple(stream.flow for stream in given)
    key = (_frozen(network), flows)
    if key not in memory:
        memory[key] = _see(network, given, memory)
    found = memory[key]
    assert isinstance(found, Seen)
    return found


def _see(network: Network, given: list[Stream], memory: dict[object, object]) -> Seen:
    flows = [stream.flow for stream in given]
    data = [stream.flow.name for stream in given if stream.kind == "data"]
    first = Engine(network, flows, step_s=STEP_S)
    first.run_until(REACTING_S)
    second = Engine(_stubborn(network), flows, step_s=STEP_S)
    second.run_until(STUBBORN_S)
    by_name = {state.sender.flow.name: state for state in first.flows}
    later = {state.sender.flow.name: state for state in second.flows}
    return Seen(
        payloads={flow.name: flow.payload_bytes for flow in flows},
        dropped={n: by_name[n].sender.dropped + later[n].sender.dropped for n in data},
        goodput=_goodput([later[n] for n in data]),
        slowed=frozenset(n.split()[0] for n in data if by_name[n].cnp_handled),
        queues=_queues(first, given),
        paused=frozenset(
            priority
            for engine in (first, second)
            for port in engine.ports.values()
            for priority, sent in enumerate(port.pfc_out)
            if sent
        ),
        storms=sum(
            queue.storms
            for engine in (first, second)
            for port in engine.ports.values()
            for queue in port.queues
        ),
        broken=_broken(network, given, memory),
    )


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


def _broken(network: Network, given: list[Stream], memory: dict[object, object]) -> int:
    """How often the watchdog at a host acted while that host took nothing."""
    key = ("stuck", _frozen(_pauses_only(network)), tuple(s.flow for s in given))
    if key not in memory:
        flows = [stuck for s in given if (stuck := _to_sink(s.flow)) is not None]
        engine = Engine(_with_sink(_stubborn(network)), flows, step_s=STUCK_STEP_S)
        peer = engine.ports[STUCK_HOST, RAIL].peer
        assert peer is not None
        storms = 0
        while engine.now < STUCK_S and not storms:
            engine.run_until(engine.now + STUCK_LOOK_S)
            storms = sum(queue.storms for queue in peer.queues)
        memory[key] = storms
    found = memory[key]
    assert isinstance(found, int)
    return found


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


def _frozen(value: object) -> object:
    """A key that is equal for equal values."""
    return repr(value)


def harms(before: Seen, after: Seen) -> Iterator[Harm]:
    """What became worse."""
    if not after.payloads:
        yield Harm.UNREACHABLE
        return
    if any(after.payloads[name] < size for name, size in before.payloads.items()):
        yield Harm.MTU
    if any(lost and not before.dropped[name] for name, lost in after.dropped.items()):
        yield Harm.DROP
    if any(len(kinds) > 1 for kinds in after.queues.values()):
        yield Harm.MIXED
    if after.paused - before.paused:
        yield Harm.PAUSE
    if before.slowed - after.slowed:
        yield Harm.ECN
    if any(rate < LEAST_SHARE * before.goodput[name] for name, rate in after.goodput.items()):
        yield Harm.STARVED
    if after.storms > before.storms:
        yield Harm.STORM
    if before.broken and not after.broken:
        yield Harm.STUCK
