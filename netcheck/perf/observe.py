"""What one round of tests showed: results of flows and movements of counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from netcheck.model.device import Port, Role
from netcheck.model.fabric import Carries, Delivery, Fabric, Policy, PortRef, TrafficClass
from netcheck.model.known import ABSENT, Known, is_known
from netcheck.model.paths import paths, tier_of
from netcheck.perf.collectives import CollectiveResult
from netcheck.perf.deltas import Deltas
from netcheck.perf.host_answer import HostAnswer
from netcheck.perf.perftest import PerftestResult, Tool
from netcheck.perf.sampling import Sample
from netcheck.perf.schedule import Endpoint, Pattern, Round

CODE_POINTS = 64
PROVABLE = frozenset({Delivery.LOSSLESS, Delivery.ECN})


@dataclass(frozen=True, slots=True)
class FlowResult:
    """One flow and what its client printed."""

    sender: Endpoint
    receiver: Endpoint
    result: PerftestResult


@dataclass(frozen=True)
class RoundResult:
    """One round of one traffic class: flows, and how far each device's counters moved.

    Attributes:
        probes: Tests of latency beside an incast, into the ports that it fills.
        samples: What moved while the test ran.
        collective: What a collective test printed that was run instead of flows.
        hosts: What hosts that may hold a NIC back said after all rounds, with the last of them.
        queue_pairs: Of each flow; each may take another path.
        left_out: Rounds that had no time after this one.
        reasons: Why devices did not answer, where that is known.
    """

    round: Round
    tool: str
    traffic_class: str
    flows: tuple[FlowResult, ...]
    deltas: Mapping[str, Deltas]
    unreachable: tuple[str, ...] = ()
    victims: tuple[FlowResult, ...] = ()
    background: tuple[FlowResult, ...] = ()
    probes: tuple[FlowResult, ...] = ()
    samples: tuple[Sample, ...] = ()
    hosts: Mapping[PortRef, HostAnswer] = field(default_factory=dict)
    collective: CollectiveResult | None = None
    queue_pairs: int = 1
    left_out: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClassAt:
    """Where a traffic class lives on one port."""

    priority: int
    queue: int
    priority_group: int
    pfc_priority: int


@dataclass(frozen=True)
class Footprint:
    """The ports that one round may touch, from the cable plan and the tiers alone.

    Which of several equal paths a flow takes is not known here, so all count.
    """

    fabric: Fabric
    round: Round

    @cached_property
    def _hops(self) -> tuple[frozenset[PortRef], frozenset[PortRef]]:
        egress: set[PortRef] = set()
        ingress: set[PortRef] = set()
        joined: dict[tuple[str, str, int, int], bool] = {}
        for a, b in set(self.round.every):
            tiers = tier_of(self.fabric, a.host), tier_of(self.fabric, b.host)
            alike = (a.leaf.device, b.leaf.device, *tiers)
            if alike not in joined:
                ways = list(paths(self.fabric, a.ref, b.ref))
                joined[alike] = bool(ways)
                egress.update(hop.egress for way in ways for hop in way)
                ingress.update(hop.ingress for way in ways for hop in way)
            elif joined[alike]:  # from leaf to leaf it goes as others do
                egress.update((a.ref, b.leaf))
                ingress.update((a.leaf, b.ref))
        return frozenset(egress), frozenset(ingress)

    @property
    def switch_egress(self) -> list[PortRef]:
        """Switch ports that packets may leave by."""
        return sorted(ref for ref in self._hops[0] if not is_host(self.fabric, ref.device))

    @property
    def switch_ingress(self) -> list[PortRef]:
        """Switch ports that packets may enter by."""
        return sorted(ref for ref in self._hops[1] if not is_host(self.fabric, ref.device))

    @property
    def senders(self) -> list[Endpoint]:
        """NICs that send."""
        return sorted({sender for sender, _ in (*self.round.flows, *self.round.victims)})

    @property
    def receivers(self) -> list[Endpoint]:
        """NICs that receive."""
        return sorted({receiver for _, receiver in (*self.round.flows, *self.round.victims)})

    @property
    def links(self) -> Iterator[tuple[PortRef, PortRef]]:
        """Every touched link in the direction of travel: ``(egress, ingress)``."""
        egress, ingress = self._hops
        for link in self.fabric.links:
            for a, b in ((link.a, link.b), (link.b, link.a)):
                if a in egress and b in ingress:
                    yield a, b


def with_ways(fabric: Fabric, one: Round, known: dict[tuple[str, str], bool]) -> Round:
    """The round without flows that no path by tiers joins; ``known`` keeps what was found.

    Of such a flow nobody knows which counters to read.
    """

    def is_joined(flow: tuple[Endpoint, Endpoint]) -> bool:
        leaves = (flow[0].leaf.device, flow[1].leaf.device)
        if leaves not in known:
            known[leaves] = any(paths(fabric, flow[0].ref, flow[1].ref))
        return known[leaves]

    kept = [tuple(filter(is_joined, some)) for some in (one.flows, one.victims, one.background)]
    return replace(one, flows=kept[0], victims=kept[1], background=kept[2])


def is_host(fabric: Fabric, device: str) -> bool:
    """The device ends paths instead of forwarding."""
    found = fabric.devices.get(device)
    return found is not None and found.role is Role.HOST


def policy_at(fabric: Fabric, ref: PortRef) -> Policy | None:
    """The policy in effect on a port; None where RDMA ends or none is said."""
    device = fabric.devices.get(ref.device)
    port = device.ports.get(ref.port) if device else None
    name: Known[str] = fabric.policy if port is None else port.policy
    if name is ABSENT:
        return None
    if is_known(name):
        return fabric.policies.get(name)
    return next(iter(fabric.policies.values())) if len(fabric.policies) == 1 else None


def tested_classes(fabric: Fabric) -> list[TrafficClass]:
    """Classes of all policies whose delivery can be proven, each once.

    A class that several policies declare alike is one; where a name stands for
    different marks or promises, the policy's name goes before it.
    """
    found: dict[tuple[object, ...], tuple[str, TrafficClass]] = {}
    for policy in fabric.policies.values():
        for item in policy.classes.values():
            if item.delivery in PROVABLE and item.carries is not Carries.CNP:
                found.setdefault(_identity(item), (policy.name, item))
    names = Counter(item.name for _, item in found.values())
    return [
        item if names[item.name] == 1 else replace(item, name=f"{policy}/{item.name}")
        for policy, item in found.values()
    ]


def _identity(item: TrafficClass) -> tuple[object, ...]:
    """What makes classes of two policies one: name, marks, PFC priority, promise."""
    name = item.name.rpartition("/")[2]
    return name, item.dscp, item.pcp, item.priority, pfc_priority(item), item.delivery


def carries(fabric: Fabric, ref: PortRef, item: TrafficClass) -> bool:
    """Whether the policy in effect on a port has the class."""
    policy = policy_at(fabric, ref)
    wanted = _identity(item)
    return policy is not None and any(_identity(c) == wanted for c in policy.classes.values())


def lossless_pfc_priorities(fabric: Fabric, ref: PortRef) -> frozenset[int]:
    """PFC priorities of the classes that are declared lossless on a port."""
    policy = policy_at(fabric, ref)
    return frozenset(
        pfc_priority(item)
        for item in (policy.classes.values() if policy else ())
        if item.delivery is Delivery.LOSSLESS and is_known(item.priority)
    )


def pfc_priority(item: TrafficClass) -> int:
    """PFC priority of a class: stated, else its switch priority."""
    if is_known(item.pfc_priority):
        return item.pfc_priority
    return item.priority if is_known(item.priority) else -1


def droppable_dscp(fabric: Fabric, ref: PortRef) -> int | None:
    """A mark of traffic that may be dropped on a port; None where every mark is promised.

    Where no class that may be dropped says its marks, it is the lowest that no class claims.
    """
    policy = policy_at(fabric, ref)
    classes = list(policy.classes.values()) if policy else []
    lossy = [c for c in classes if c.delivery not in PROVABLE and c.carries is not Carries.CNP]
    said = [min(c.dscp) for c in lossy if is_known(c.dscp) and c.dscp]
    claimed = {dscp for c in classes if is_known(c.dscp) for dscp in c.dscp}
    free = (dscp for dscp in range(CODE_POINTS) if dscp not in claimed)
    return said[0] if said else next(free, None)


def class_at(fabric: Fabric, ref: PortRef, item: TrafficClass) -> ClassAt:
    """Queue and priority group of a class on one intended port."""
    priority = item.priority if is_known(item.priority) else -1
    port = fabric.devices[ref.device].ports.get(ref.port, Port(ref.port))
    qos = port.qos
    queue = item.queue if is_known(item.queue) else priority
    group = item.priority_group if is_known(item.priority_group) else priority
    if is_known(qos.priority_to_queue):
        queue = qos.priority_to_queue.get(priority, queue)
    if is_known(qos.priority_to_priority_group):
        group = qos.priority_to_priority_group.get(priority, group)
    return ClassAt(priority, queue, group, pfc_priority(item))


def is_incast(result: RoundResult) -> bool:
    """The round was meant to congest."""
    return result.round.pattern in (Pattern.INCAST, Pattern.MIXED)


def is_pulled(result: RoundResult) -> bool:
    """Data was asked for by the end that receives it."""
    return any(tool.pulls for tool in Tool if tool == result.tool)
