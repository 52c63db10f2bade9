"""What an incast does to a fabric: when marks and pauses start, how far they go, what is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

from netcheck.lossless.asics import find_asic
from netcheck.lossless.dataplane.engine import Engine
from netcheck.lossless.dataplane.network import Flow, Hop
from netcheck.lossless.dataplane.ports import DATA, GroupState, QueueState
from netcheck.lossless.filled import Filling
from netcheck.lossless.incast import Incast
from netcheck.model.device import Device, Role
from netcheck.model.errors import InputError
from netcheck.model.fabric import Delivery, Fabric, PortRef, TrafficClass
from netcheck.model.known import is_known, known_or
from netcheck.model.paths import Path, paths

STEP_S = 200e-9
SLICE_S = 1e-6
LONGEST_S = 0.1
SAMPLES = 400
QUEUE_PAIRS = 4
PAYLOAD_BYTES = 4096
MESSAGE_BYTES = 65_536
AROUND_BYTES = 62  # of a frame, besides the payload


@dataclass(frozen=True)
class Question:
    """An incast of NICs to one, for a time; ``name`` is a class, else the lossless one."""

    senders: int
    receiver: PortRef
    duration_s: float
    name: str = ""


@dataclass(frozen=True, order=True)
class Event:
    """Something that started at a place: ``number`` is a queue or a PFC priority."""

    at_s: float
    device: str
    port: str
    number: int
    amount: int = 0


@dataclass(frozen=True)
class Sample:
    """The hot queue and the fabric at one moment."""

    at_s: float
    queue_bytes: int
    paused_ports: int
    dropped: int


@dataclass(frozen=True)
class Prediction:
    """What the data plane did.

    Attributes:
        marking, pausing, dropping: First events by place, in order of time;
            the amount of a drop is packets.
        paused: Senders that were stopped at least once.
        closed_form: Seconds to the first mark and the first pause if no sender
            slows down; None where the class has no such threshold.
        assumed: ``what -> value`` of all that the fabric does not say.
    """

    senders: tuple[PortRef, ...]
    receiver: PortRef
    traffic_class: str
    duration_s: float
    marking: tuple[Event, ...]
    pausing: tuple[Event, ...]
    dropping: tuple[Event, ...]
    paused: tuple[PortRef, ...]
    closed_form: tuple[float | None, float | None]
    samples: tuple[Sample, ...]
    assumed: tuple[tuple[str, str], ...]

    @property
    def dropped(self) -> int:
        """Packets lost."""
        return sum(event.amount for event in self.dropping)


def predict(fabric: Fabric, question: Question) -> Prediction:
    """Run the data plane over a completed fabric.

    Raises:
        InputError: No such port or class, too few NICs that reach it, or an
            impossible duration.
    """
    if not 0 < question.duration_s <= LONGEST_S:
        raise InputError(
            f"duration {question.duration_s:g} s: expected more than 0 and at most {LONGEST_S:g} s"
        )
    traffic = _class_of(fabric, question)
    ways = dict(_ways(fabric, question))
    if len(ways) < question.senders:
        count = f"{len(ways)} NICs of other hosts reach {question.receiver}"
        raise InputError(f"incast {question.senders}:1: {count}")
    filling = Filling(fabric)
    devices = dict.fromkeys(
        hop.ingress.device for path in chain(*ways.values()) for hop in path
    ) | {end.device: None for end in ways}
    network = filling.network(devices)
    flows = [flow for end, found in ways.items() for flow in _flows(end, found, traffic)]
    watch = _Watch(Engine(network, flows, step_s=STEP_S), question.receiver)
    watch.run(question.duration_s)
    return Prediction(
        tuple(ways),
        question.receiver,
        traffic.name,
        question.duration_s,
        tuple(sorted(watch.marking)),
        tuple(sorted(watch.pausing)),
        tuple(sorted(watch.dropping())),
        tuple(end for end in ways if watch.was_paused(end)),
        _closed_form(filling, watch),
        tuple(watch.samples),
        tuple(sorted(filling.assumed.items())),
    )


def receiver_of(fabric: Fabric, device: str, port: str = "") -> PortRef:
    """Give the port of a NIC by the name of host and port, or of host and RDMA device.

    Raises:
        InputError: There is none; the message names those that there are.
    """
    host = fabric.devices.get(device)
    if host is None or host.role is not Role.HOST:
        raise InputError(f"incast: {device}: no host of the intent")
    ends = _nics(host)
    for name, one in ends.items():
        if port in {"", name, one}:
            return PortRef(device, one)
    raise InputError(f"incast: {device} {port}: expected one of {', '.join(ends)}")


def _nics(host: Device) -> dict[str, str]:
    """Give ``RDMA device -> its first port``."""
    return {name: one.ports[0] for name, one in host.rdma.items() if one.ports}


def _class_of(fabric: Fabric, question: Question) -> TrafficClass:
    host = fabric.devices[question.receiver.device]
    port = host.ports.get(question.receiver.port)
    name = port.policy if port and is_known(port.policy) else fabric.policy
    policy = fabric.policies.get(known_or(name, next(iter(fabric.policies), "")))
    if policy is None:
        raise InputError(f"incast: {question.receiver}: no policy there")
    if question.name:
        if question.name not in policy.classes:
            raise InputError(f"class {question.name}: expected one of {', '.join(policy.classes)}")
        return policy.classes[question.name]
    lossless = (one for one in policy.classes.values() if one.delivery is Delivery.LOSSLESS)
    found = next(lossless, None)
    if found is None:
        raise InputError(f"policy {policy.name}: no lossless class")
    return found


def _ways(fabric: Fabric, question: Question) -> Iterator[tuple[PortRef, tuple[Path, ...]]]:
    """Yield senders with their paths: first NICs of the same name as the receiver's."""
    others = [
        PortRef(name, port)
        for name, device in fabric.devices.items()
        if device.role is Role.HOST and name != question.receiver.device
        for port in _nics(device).values()
    ]
    others.sort(key=lambda end: end.port != question.receiver.port)
    found = 0
    for end in others:
        if found == question.senders:
            return
        ways = tuple(paths(fabric, end, question.receiver))
        if ways:
            found += 1
            yield end, ways


def _flows(sender: PortRef, ways: tuple[Path, ...], traffic: TrafficClass) -> Iterator[Flow]:
    """Yield the queue pairs of one sender, spread over its paths in turn."""
    dscps = sorted(traffic.dscp) if is_known(traffic.dscp) else []
    pcps = sorted(traffic.pcp) if is_known(traffic.pcp) else []
    shift = sum(map(ord, sender.device))
    for number in range(QUEUE_PAIRS):
        way = ways[(shift + number) % len(ways)]
        yield Flow(
            f"{sender} {number}",
            _hops(way),
            _hops(tuple(type(hop)(hop.ingress, hop.egress) for hop in reversed(way))),
            dscp=dscps[0] if dscps else 0,
            pcp=None if dscps or not pcps else pcps[0],
            is_ecn_capable=True,
            payload_bytes=PAYLOAD_BYTES,
            message_bytes=MESSAGE_BYTES,
        )


def _hops(way: Path) -> tuple[Hop, ...]:
    first, last = way[0].egress, way[-1].ingress
    between = (
        Hop(here.ingress.device, here.ingress.port, there.egress.port)
        for here, there in pairwise(way)
    )
    return (Hop(first.device, "", first.port), *between, Hop(last.device, last.port, ""))


class _Watch:
    """Steps the data plane and writes down what starts where."""

    def __init__(self, engine: Engine, receiver: PortRef) -> None:
        self.engine = engine
        self.marking: list[Event] = []
        self.pausing: list[Event] = []
        self.samples: list[Sample] = []
        self._first_drop: dict[tuple[str, str, int], float] = {}
        stops = [stop for flow in engine.flows for stop in flow.stops[DATA]]
        self._queues: dict[QueueState, tuple[str, str]] = {}
        self._groups: dict[GroupState, tuple[str, str]] = {}
        for stop in stops:
            if stop.ingress and stop.egress and stop.queue and stop.group:
                self._queues[stop.queue] = stop.egress.key
                self._groups[stop.group] = stop.ingress.key
        self.hot = engine.flows[0].stops[DATA][-2]
        self.priority = self.hot.priority
        self._silent_queues, self._silent_groups = dict(self._queues), dict(self._groups)
        self.receiver = receiver

    def run(self, duration_s: float) -> None:
        """Step for that long, looking once in a microsecond."""
        slices = max(1, round(duration_s / SLICE_S))
        every = max(1, slices // SAMPLES)
        for number in range(1, slices + 1):
            self.engine.run_until(number * SLICE_S)
            self._look()
            if number % every == 0:
                self._sample()

    def _look(self) -> None:
        now = self.engine.now
        for queue, key in list(self._silent_queues.items()):
            if queue.marks:
                self.marking.append(Event(now, *key, queue.number))
                del self._silent_queues[queue]
        for group, key in list(self._silent_groups.items()):
            counts = group.port.pfc_out
            sent = [one for one in sorted(group.paused_priorities) if counts[one]]
            if sent:
                first = not self.pausing
                at = self.engine.first_pause_s if first else now
                self.pausing.append(Event(at, *key, sent[0]))
                del self._silent_groups[group]
        for key, number, drops in self._drops():
            if drops:
                self._first_drop.setdefault((*key, number), now)

    def _drops(self) -> Iterator[tuple[tuple[str, str], int, int]]:
        for queue, key in self._queues.items():
            yield key, queue.number, queue.drops
        for group, key in self._groups.items():
            yield key, group.number, group.drops
        for key, port in self.engine.ports.items():
            yield key, self.priority, port.oversize_in + port.oversize_out

    def dropping(self) -> list[Event]:
        """First drops by place, with all that was dropped there."""
        totals: dict[tuple[str, str, int], int] = {}
        for key, number, drops in self._drops():
            place = (*key, number)
            totals[place] = totals.get(place, 0) + drops
        return [Event(at, *place, totals[place]) for place, at in self._first_drop.items()]

    def _sample(self) -> None:
        queue = self.hot.queue
        self.samples.append(
            Sample(
                self.engine.now,
                queue.bytes if queue else 0,
                sum(bool(group.account and group.account.is_pausing) for group in self._groups),
                sum(drops for _, _, drops in self._drops()),
            )
        )

    def was_paused(self, end: PortRef) -> bool:
        """The NIC got pause frames."""
        return any(self.engine.ports[end.device, end.port].pfc_in)


def _closed_form(filling: Filling, watch: _Watch) -> tuple[float | None, float | None]:
    """Seconds to the first mark and the first pause at the last switch, if all send on."""
    hot = watch.hot
    if hot.egress is None or hot.group is None or hot.group.account is None:
        return None, None
    switch = filling.fabric.devices[hot.egress.node]
    ways = {flow.stops[DATA][-2].ingress for flow in watch.engine.flows}
    account = hot.group.account
    shape = Incast(
        len(ways),
        hot.egress.port.speed_bps,
        account.pool.size,
        account.alpha or 0.0,
        PAYLOAD_BYTES + AROUND_BYTES,
        find_asic(filling.asic(switch)).cell_bytes,
        hot.ingress.delay_s / 5e-9 if hot.ingress else 0.0,
    )
    if len(ways) < 2 or account.alpha is None:  # noqa: PLR2004 -- one way in fills no queue
        return None, None
    curve = hot.queue.ecn if hot.queue else None
    marks = shape.marking_starts_s(curve.kmin_bytes) if curve else None
    return marks, shape.first_pause_s()
