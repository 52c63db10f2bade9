"""Which NIC sends to which, and when: pairs over every link, and incasts.

Pairs within a leaf load every host link in both directions with nothing shared,
so they can be held to line rate. Pairs across leaves load the links between
switches; hashing puts several of them on one cable, which is no fault. An
incast is what exercises headroom. Two local incasts for each leaf make every
host port of it a paused sender once; a ring of incasts from leaf to leaf does
the same for the links between switches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from netcheck.model.device import Device, LinkLayer, RdmaDevice, Role
from netcheck.model.fabric import Fabric, PortRef
from netcheck.model.known import ABSENT

INCASTS = (2, 4, 8, 16)
DROPPABLE = " and traffic that may be dropped"


class Depth(StrEnum):
    """How much is measured; each holds what the one before it holds.

    ``quick`` loads every host link and congests every leaf once; ``standard`` makes
    every host port a paused sender and crosses the cables between switches;
    ``exhaustive`` takes every pair of leaves, incasts of 2, 4, 8 and 16 senders,
    the shares of queues at every host port, and half of the fabric against the other half.
    """

    QUICK = "quick"
    STANDARD = "standard"
    EXHAUSTIVE = "exhaustive"


class Pattern(StrEnum):
    """What a round is for."""

    PAIRS = "pairs"
    ACROSS = "across"
    INCAST = "incast"
    MIXED = "mixed"
    SPREAD = "spread"


@dataclass(frozen=True, slots=True, order=True)
class Endpoint:
    """One NIC that takes part: host, netdev, RDMA device, and the leaf port it is cabled to."""

    host: str
    port: str
    rdma: str
    leaf: PortRef

    @property
    def ref(self) -> PortRef:
        """The host's end of the cable."""
        return PortRef(self.host, self.port)


@dataclass(frozen=True, slots=True)
class Round:
    """Flows that run at the same time: ``(sender, receiver)``.

    Attributes:
        victims: Flows of the class that share switches with the rest and no host port's
            direction: they should not be slowed down.
        background: Flows of a class that may be dropped.
    """

    name: str
    pattern: Pattern
    flows: tuple[tuple[Endpoint, Endpoint], ...]
    victims: tuple[tuple[Endpoint, Endpoint], ...] = ()
    background: tuple[tuple[Endpoint, Endpoint], ...] = ()

    @property
    def every(self) -> tuple[tuple[Endpoint, Endpoint], ...]:
        """All flows of all kinds."""
        return (*self.flows, *self.victims, *self.background)

    @property
    def is_beside(self) -> bool:
        """It says something only while traffic runs that may be dropped."""
        return self.pattern is Pattern.MIXED and len(self.flows) == len(self.receivers)

    @property
    def receivers(self) -> frozenset[Endpoint]:
        """NICs that flows of the class go to."""
        return frozenset(receiver for _, receiver in self.flows)

    @property
    def probes(self) -> tuple[tuple[Endpoint, Endpoint], ...]:
        """Pairs whose latency is measured meanwhile: into each port that an incast fills."""
        if self.pattern is not Pattern.INCAST:
            return ()
        first = {receiver: sender for sender, receiver in reversed(self.flows)}
        return tuple((sender, receiver) for receiver, sender in sorted(first.items()))


def endpoints(fabric: Fabric, *, limit: frozenset[str] | None = None) -> list[Endpoint]:
    """Every Ethernet RDMA port of a host that is cabled to a switch and carries RDMA.

    ``limit`` keeps the named hosts only.
    """
    ends = {end: link.other(end) for link in fabric.links for end in (link.a, link.b)}
    found = []
    for device in fabric.devices.values():
        if limit is not None and device.name not in limit:
            continue
        found += [
            Endpoint(device.name, port, rdma.name, ends[PortRef(device.name, port)])
            for rdma, port in _rdma_ports(device)
            if PortRef(device.name, port) in ends
        ]
    return sorted(found)


def _rdma_ports(device: Device) -> Iterator[tuple[RdmaDevice, str]]:
    if device.role is not Role.HOST:
        return
    for rdma in device.rdma.values():
        if rdma.link_layer is LinkLayer.INFINIBAND:
            continue
        for name in rdma.ports:
            port = device.ports.get(name)
            if port is None or port.policy is not ABSENT:
                yield rdma, name


def by_leaf(ends: Sequence[Endpoint]) -> Mapping[str, list[Endpoint]]:
    """Give ``leaf -> its endpoints``, both in order."""
    found: dict[str, list[Endpoint]] = {}
    for end in ends:
        found.setdefault(end.leaf.device, []).append(end)
    return dict(sorted(found.items()))


def rounds(
    ends: Sequence[Endpoint],
    islands: Mapping[str, str] = MappingProxyType({}),
    depth: Depth = Depth.STANDARD,
) -> list[Round]:
    """Every round of a schedule, in the order in which to run them.

    ``islands`` gives ``leaf -> what it is connected with``: nothing is sent
    between leaves of different islands (the rails of a rail-only fabric).
    """
    leaves = by_leaf(ends)
    rings = list(_leaf_rings(leaves, islands))
    first, turned = _local_incasts(leaves)
    if depth is Depth.QUICK:
        found = [_pairs_within(leaves), first, *_ring_incast(rings)]
    else:
        found = [
            _pairs_within(leaves),
            _pairs_across(rings),
            first,
            turned,
            *_ring_incast(rings),
            mixed(leaves),
            _spread(rings),
        ]
    if depth is Depth.EXHAUSTIVE:
        found += _every_pair_of_leaves(leaves, islands)
        found += [_sized_incast(leaves, size) for size in INCASTS]
        found += _shares(leaves)
        found.append(_bisection(leaves, islands))
    return [item for item in found if item.flows]


def _island_of(leaf: str, islands: Mapping[str, str]) -> str:
    """What a leaf is connected with; itself alone where islands are given and name it not."""
    return islands.get(leaf, leaf if islands else "")


def islands_of(fabric: Fabric) -> dict[str, str]:
    """Give ``switch -> its island``: switches that cables between switches join have one name."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for link in fabric.links:
        ends = [fabric.devices.get(end.device) for end in (link.a, link.b)]
        if all(device is not None and device.role is not Role.HOST for device in ends):
            parent[root(link.a.device)] = root(link.b.device)
    return {name: root(name) for name in list(parent)}


def _pairs_within(leaves: Mapping[str, list[Endpoint]]) -> Round:
    """Each NIC sends to the one half the leaf further on: every host link, both directions."""
    flows: list[tuple[Endpoint, Endpoint]] = []
    for ends in leaves.values():
        half = max(1, len(ends) // 2)
        pairs = ((end, ends[(place + half) % len(ends)]) for place, end in enumerate(ends))
        flows += (pair for pair in pairs if pair[0].host != pair[1].host)
    return Round("pairs within each leaf", Pattern.PAIRS, tuple(flows))


Ring = tuple[Sequence[Endpoint], Sequence[Endpoint]]


def _pairs_across(rings: Sequence[Ring]) -> Round:
    """Each NIC sends to the NIC at the same place of the next leaf, over the spines."""
    flows: list[tuple[Endpoint, Endpoint]] = []
    for ends, target in rings:
        # one sender a receiver: where the next leaf has fewer NICs, the rest stays quiet
        flows += (pair for pair in zip(ends, target, strict=False) if _is_apart(*pair))
    return Round("pairs from leaf to leaf", Pattern.ACROSS, tuple(flows))


def _spread(rings: Sequence[Ring]) -> Round:
    """Pairs across of many queue pairs and few packets: a cable that loses a few flows has some."""
    return Round("many flows from leaf to leaf", Pattern.SPREAD, _pairs_across(rings).flows)


def _is_apart(sender: Endpoint, receiver: Endpoint) -> bool:
    return sender.host != receiver.host


def leaves_by_island(
    leaves: Mapping[str, list[Endpoint]], islands: Mapping[str, str]
) -> list[list[str]]:
    """Names of leaves that are connected with each other, together."""
    found: dict[str, list[str]] = {}
    for name in leaves:
        found.setdefault(_island_of(name, islands), []).append(name)
    return list(found.values())


def _leaf_rings(
    leaves: Mapping[str, list[Endpoint]], islands: Mapping[str, str], step: int = 1
) -> Iterator[Ring]:
    """Each leaf's endpoints with those of the leaf ``step`` further on in its island."""
    for names in leaves_by_island(leaves, islands):
        if len(names) > step:
            for place, name in enumerate(names):
                yield leaves[name], leaves[names[(place + step) % len(names)]]


def _every_pair_of_leaves(
    leaves: Mapping[str, list[Endpoint]], islands: Mapping[str, str]
) -> Iterator[Round]:
    """Rings of every step but the first: each leaf has sent to each other one by the end."""
    largest = max(map(len, leaves_by_island(leaves, islands)), default=0)
    for step in range(2, largest):
        pairs = _pairs_across(list(_leaf_rings(leaves, islands, step)))
        yield Round(f"{pairs.name}, {step} further on", pairs.pattern, pairs.flows)


def _sized_incast(leaves: Mapping[str, list[Endpoint]], size: int) -> Round:
    """Within each leaf, as many incasts of that many senders as its NICs are enough for."""
    flows: list[tuple[Endpoint, Endpoint]] = []
    for ends in leaves.values():
        for start in range(0, len(ends) - size, size + 1):
            group = ends[start : start + size + 1]
            flows += _onto(group[1:], receiver=group[0])
    return Round(f"incast of {size} senders within each leaf", Pattern.INCAST, tuple(flows))


def _bisection(leaves: Mapping[str, list[Endpoint]], islands: Mapping[str, str]) -> Round:
    """The first half of an island's leaves against the second, in both directions."""
    flows: list[tuple[Endpoint, Endpoint]] = []
    for names in leaves_by_island(leaves, islands):
        half = len(names) // 2
        low = [end for name in names[:half] for end in leaves[name]]
        high = [end for name in names[half : 2 * half] for end in leaves[name]]
        pairs = [pair for pair in zip(low, high, strict=False) if _is_apart(*pair)]
        flows += [*pairs, *((b, a) for a, b in pairs)]
    return Round("half of the leaves with the other half", Pattern.ACROSS, tuple(flows))


def _local_incasts(leaves: Mapping[str, list[Endpoint]]) -> Iterator[Round]:
    """Twice, so that the receiver of the first round is a sender in the second."""
    for turn, name in enumerate(("incast within each leaf", "incast within each leaf, turned")):
        flows: list[tuple[Endpoint, Endpoint]] = []
        for ends in leaves.values():
            flows += _onto(ends, receiver=ends[-1] if turn else ends[0])
        yield Round(name, Pattern.INCAST, tuple(flows))


def mixed(leaves: Mapping[str, list[Endpoint]]) -> Round:
    """Within each leaf an incast, as much traffic beside it that may be dropped, and a victim."""
    flows: list[tuple[Endpoint, Endpoint]] = []
    victims: list[tuple[Endpoint, Endpoint]] = []
    for ends in leaves.values():
        receiver = ends[0]
        senders = [end for end in ends if end.host != receiver.host]
        idle = [end for end in ends[1:] if end not in senders] or senders[2:][-1:]
        own = _onto([end for end in senders if end not in idle[:1]], receiver)
        flows += own
        victims += [(end, own[0][0]) for end in idle[:1] if own and end.host != own[0][0].host]
    name = f"incast within each leaf beside a victim{DROPPABLE}"
    return Round(name, Pattern.MIXED, tuple(flows), tuple(victims), tuple(flows))


def with_background(one: Round, background: tuple[tuple[Endpoint, Endpoint], ...]) -> Round:
    """The round with these of its flows that may be dropped, and a name that is still true."""
    name = one.name if background else one.name.removesuffix(DROPPABLE)
    return replace(one, name=name, background=background)


def _shares(leaves: Mapping[str, list[Endpoint]]) -> Iterator[Round]:
    """Each NIC receives once from two others: the class, and traffic that may be dropped."""
    left = {name: list(ends) for name, ends in leaves.items()}
    turn = 0
    while any(left.values()):
        turn += 1
        own: list[tuple[Endpoint, Endpoint]] = []
        beside: list[tuple[Endpoint, Endpoint]] = []
        for name, ends in leaves.items():
            chosen, left[name] = _with_two_senders(ends, left[name])
            own += ((first, receiver) for receiver, first, _ in chosen)
            beside += ((second, receiver) for receiver, _, second in chosen)
        if own:
            title = f"shares of host ports, {turn}"
            yield Round(title, Pattern.MIXED, tuple(own), (), tuple(beside))


Trio = tuple[Endpoint, Endpoint, Endpoint]


def _with_two_senders(
    ends: Sequence[Endpoint], receivers: Sequence[Endpoint]
) -> tuple[list[Trio], list[Endpoint]]:
    """Receivers that two free NICs of other hosts can fill, each NIC once; and who has to wait.

    Nobody waits where no round could have two senders.
    """
    busy: set[Endpoint] = set()
    chosen: list[Trio] = []
    waiting = []
    for receiver in receivers:
        free = (end for end in ends if end.host != receiver.host and end not in busy)
        first = None if receiver in busy else next(free, None)
        second = next(free, None)
        if first is None or second is None:
            waiting.append(receiver)
            continue
        busy |= {receiver, first, second}
        chosen.append((receiver, first, second))
    return chosen, waiting if chosen else []


def _onto(senders: Sequence[Endpoint], receiver: Endpoint) -> list[tuple[Endpoint, Endpoint]]:
    """Flows of all senders on other hosts; a single sender congests nothing and gives none."""
    flows = [(end, receiver) for end in senders if end.host != receiver.host]
    return flows if len(flows) > 1 else []


def _ring_incast(rings: Sequence[Ring]) -> Iterator[Round]:
    """Each leaf's NICs onto one NIC of the next leaf, over the spines."""
    flows: list[tuple[Endpoint, Endpoint]] = []
    for ends, target in rings:
        flows += _onto(ends, receiver=target[0])
    yield Round("incast from leaf to leaf", Pattern.INCAST, tuple(flows))
