"""Which ports and paths of a subnet are read: all of them, or a stated sample."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, product, zip_longest
from typing import Final

from netcheck.compare.partitions import Membership, Memberships
from netcheck.compare.path_records import PathQuestion, Services
from netcheck.compare.subnet import adapter_ports
from netcheck.model.infiniband import IbNode, IbPort, IbSubnet, NodeKind
from netcheck.model.known import is_known

HOSTS: Final = 200
PATHS: Final = 1000
TRIES: Final = 500
SEED: Final = 7  # the same sample at every run

Where = tuple[str, int]


@dataclass(frozen=True)
class Sample:
    """What is read.

    Attributes:
        hosts: Ports of adapters; ``of`` is how many there are.
        leaf_ports: Ports of switches that they are plugged into; one of each switch in a sample.
        switch_ports: Ports of switches whose lanes are read; ``of_switch_ports`` how many
            are cabled.
    """

    hosts: tuple[Where, ...]
    of: int
    leaf_ports: tuple[Where, ...]
    switch_ports: tuple[Where, ...]
    of_switch_ports: int


def choose(
    seen: IbSubnet,
    memberships: Memberships,
    *,
    hosts: int | None = HOSTS,
    every_lane: bool = False,
) -> Sample:
    """Choose ports: every combination of leaf and partitions first, then the rest in turn.

    Args:
        hosts: At most so many adapter ports, and two ports of each switch; all if None.
        every_lane: All ports of switches all the same: loops are told by their lanes.
    """
    ports = [pair for pair in adapter_ports(seen) if is_known(pair[1].lid)]
    groups: dict[object, list[Where]] = {}
    for node, port in ports:
        leaf = port.peer.node if is_known(port.peer) else ""
        groups.setdefault((leaf, membership(memberships, node, port).table), []).append(
            (node.key, port.number)
        )
    in_turn = filter(None, chain.from_iterable(zip_longest(*groups.values())))
    chosen = tuple(islice(in_turn, hosts))
    far = (seen.nodes[key].ports[number].peer for key, number in chosen)
    ends = [(end.node, end.port) for end in far if is_known(end) and _is_switch(seen, end.node)]
    is_all = hosts is None or len(ports) <= hosts
    leaf_ports = ends if is_all else [*dict(reversed(ends)).items()]
    cabled = [*_switch_ports(seen)]
    switch_ports = cabled if hosts is None or every_lane else [*_one_of_each_side(seen, cabled)]
    return Sample(
        chosen,
        len(ports),
        tuple(leaf_ports),
        tuple(switch_ports),
        len(cabled),
    )


def membership(memberships: Memberships, node: IbNode, port: IbPort) -> Membership:
    """Partitions that a port is to be in."""
    kind = node.kind if is_known(node.kind) else NodeKind.ADAPTER
    return memberships.of(port.guid if is_known(port.guid) else 0, kind)


def _is_switch(seen: IbSubnet, key: str) -> bool:
    node = seen.nodes.get(key)
    return node is not None and node.kind is NodeKind.SWITCH


def _switch_ports(seen: IbSubnet) -> Iterator[Where]:
    for node in seen.nodes.values():
        if node.kind is NodeKind.SWITCH:
            yield from ((node.key, one.number) for one in node.ports.values() if is_known(one.peer))


def _one_of_each_side(seen: IbSubnet, ports: Iterable[Where]) -> Iterator[Where]:
    """The first port of each switch to a switch, and the first to a host."""
    had: set[tuple[str, bool]] = set()
    for key, number in ports:
        peer = seen.nodes[key].ports[number].peer
        side = (key, is_known(peer) and _is_switch(seen, peer.node))
        if side not in had:
            had.add(side)
            yield key, number


@dataclass(frozen=True)
class _End:
    node: IbNode
    port: IbPort
    membership: Membership


def questions(
    seen: IbSubnet,
    hosts: Sequence[Where],
    memberships: Memberships,
    services: Services,
    *,
    paths: int = PATHS,
) -> tuple[PathQuestion, ...]:
    """Choose pairs: for every match of a service, in every partition, and where none is shared.

    They are the same each run.
    """
    ends = [
        _End(node, port, membership(memberships, node, port))
        for node, port in ((seen.nodes[key], seen.nodes[key].ports[at]) for key, at in hosts)
        if is_known(port.lid) and is_known(port.guid)
    ]
    if len(ends) < 2:  # noqa: PLR2004 -- a pair
        return ()
    chooser = random.Random(SEED)  # noqa: S311 -- a sample that is the same at every run
    makers = [_of_services(ends, services)]
    makers += [_within(ends, key, chooser) for key in sorted(_keys(ends))]
    if memberships.subnet.partitions:
        makers.append(_apart(ends, memberships, chooser))
    else:
        makers.append(_any(ends, chooser))
    in_turn = filter(None, chain.from_iterable(zip_longest(*makers)))
    return tuple(islice(dict.fromkeys(islice(in_turn, 20 * paths)), paths))


def _keys(ends: Iterable[_End]) -> set[int]:
    return {key for end in ends for key in end.membership.keys}


def _pairs(
    left: Sequence[_End], right: Sequence[_End], chooser: random.Random
) -> Iterator[tuple[_End, _End]]:
    for _ in range(4 * PATHS if left and right else 0):
        one, other = chooser.choice(left), chooser.choice(right)
        if one is not other:
            yield one, other


def _within(ends: Sequence[_End], key: int, chooser: random.Random) -> Iterator[PathQuestion]:
    """Pairs of one partition that may talk; one of the two is a full member."""
    members = [end for end in ends if key in end.membership.keys]
    full = [end for end in members if end.membership.keys[key] != "limited"]
    for one, other in _pairs(full, members, chooser):
        pair = (one, other) if chooser.random() < 0.5 else (other, one)  # noqa: PLR2004 -- either
        yield _question(*pair, key, is_allowed=True)


def _of_services(ends: Sequence[_End], services: Services) -> Iterator[PathQuestion]:
    """For every match of a service a request that it may take, if some pair can make one."""
    for level in services.levels:
        for match in level.matches:
            named = services.request(match)
            pairs = product(
                _named(ends, services.ends(match.source)),
                _named(ends, services.ends(match.destination)),
            )
            wanted = services.partition_key(match)
            asked = islice(_requests(pairs, wanted, *named), TRIES)
            # a match before it may take the request
            yield from islice((one for one in asked if services.level(one) is level), 1)


def _named(ends: Sequence[_End], guids: frozenset[int] | None) -> list[_End]:
    return [end for end in ends if guids is None or end.port.guid in guids]


def _requests(
    pairs: Iterable[tuple[_End, _End]], wanted: int, service_id: int, qos_class: int
) -> Iterator[PathQuestion]:
    for one, other in pairs:
        shared = one.membership.talks_to(other.membership)
        if one is not other and shared and (not wanted or wanted in shared):
            asked = _question(one, other, wanted or min(shared), is_allowed=True)
            yield replace(asked, service_id=service_id, qos_class=qos_class)


def _apart(
    ends: Sequence[_End], memberships: Memberships, chooser: random.Random
) -> Iterator[PathQuestion]:
    """Pairs that share no partition in which they may talk."""
    for one, other in _pairs(ends, ends, chooser):
        manager = memberships.manager_guid in {one.port.guid, other.port.guid}
        if one.membership.talks_to(other.membership) or (manager and one.membership.silent):
            continue
        yield _question(one, other, 0, is_allowed=False)


def _any(ends: Sequence[_End], chooser: random.Random) -> Iterator[PathQuestion]:
    for one, other in _pairs(ends, ends, chooser):
        yield _question(one, other, 0, is_allowed=True)


def _question(one: _End, other: _End, pkey: int, *, is_allowed: bool) -> PathQuestion:
    return PathQuestion(
        (one.node.place(one.port.number), other.node.place(other.port.number)),
        (int(str(one.port.guid)), int(str(other.port.guid))),
        (int(str(one.port.lid)), int(str(other.port.lid))),
        pkey,
        is_allowed,
    )
