"""Credit loops: cycles of channels that wait for each other's buffers.

A channel is one lane of the link that leaves a switch by a port. A packet that
holds a channel and wants another makes the first depend on the second; where
such dependencies close a ring, the ring can fill up and stand still for ever,
because lossless links drop nothing.

Source: W. Dally, C. Seitz, Deadlock-Free Message Routing in Multiprocessor
    Interconnection Networks, IEEE Transactions on Computers C-36 (1987).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

NO_ROUTE: Final = 255
PORTS: Final = 256
LANES: Final = 16
DROPS: Final = 15  # a packet that is to leave by the lane of management is thrown away

Lanes = Mapping[tuple[int, int], Sequence[int]]
Graph = dict[int, set[int]]


@dataclass(frozen=True, slots=True)
class Network:
    """Switches by number, with what they know.

    Attributes:
        exits: For each switch: ``port -> (next switch, port it comes in at)``; ports
            to hosts are left out.
        routes: For each switch: port by LID, 255 where there is none.
        sources: ``(switch, port)`` at which packets of hosts come in.
        destinations: LIDs of hosts.
        lanes: For each switch: ``(port in, port out) -> lane of each service level``;
            empty where all levels share one lane.
        homes: Shape: ``LID -> (switch, port)`` that its host is plugged into, where known.
    """

    exits: tuple[Mapping[int, tuple[int, int]], ...]
    routes: tuple[bytes, ...]
    sources: tuple[tuple[int, int], ...]
    destinations: tuple[int, ...]
    lanes: tuple[Lanes, ...] = ()
    homes: Mapping[int, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Channel:
    """One lane of the link that leaves a switch by a port."""

    switch: int
    port: int
    lane: int


def find_loops(
    network: Network,
    levels: Sequence[int] = (0,),
    pairs: Iterable[tuple[int, int, int]] | None = None,
) -> list[tuple[Channel, ...]]:
    """Give one shortest loop of each set of channels that wait for each other.

    Args:
        levels: Service levels that packets may have, each between all hosts.
        pairs: Number of the source in ``network.sources``, LID and service level of each
            path, where the level depends on who talks to whom; ``levels`` is then not used.
    """
    graph = dependencies(network, levels) if pairs is None else of_pairs(network, pairs)
    return [tuple(map(_channel, _shortest(graph, part))) for part in _rings(graph)]


def dependencies(network: Network, levels: Sequence[int] = (0,)) -> Graph:
    """Give ``channel -> channels it waits for``, for packets between all hosts."""
    graph: Graph = {}
    if not any(network.lanes):
        starts = sorted({switch for switch, _ in network.sources})
        for lid in network.destinations:
            _follow_all(network, starts, lid, graph)
        return graph
    entries = _unlike(network)
    for level in levels:
        for lid in network.destinations:
            done: set[tuple[int, int]] = set()
            for entry in entries:
                _follow(network, entry, lid, level, graph, done)
    return graph


def _unlike(network: Network) -> list[tuple[int, int]]:
    """One of each set of sources at a switch whose packets get the same lanes there.

    Tens of hosts at a leaf go the same ways.
    """
    found: dict[object, tuple[int, int]] = {}
    for switch, port in network.sources:
        own = network.lanes[switch]
        lanes = tuple(tuple(own.get((port, out), ())) for out in network.exits[switch])
        found.setdefault((switch, lanes), (switch, port))
    return [*found.values()]


def of_pairs(network: Network, pairs: Iterable[tuple[int, int, int]]) -> Graph:
    """Give the dependencies of some pairs of hosts, each with its service level."""
    graph: Graph = {}
    for source, lid, level in pairs:
        _follow(network, network.sources[source], lid, level, graph, set())
    return graph


def unreachable(network: Network) -> Iterator[tuple[int, int]]:
    """Yield ``(LID, switch)`` where packets of some host to another end without arriving.

    They do where a switch has no route, or one to a port at which that host is not.
    Routes that never arrive end at the switch at which they pass a second time.
    """
    starts = sorted({switch for switch, _ in network.sources})
    for lid in network.destinations:
        arrives: dict[int, bool] = {}
        for start in starts:
            if start not in arrives:
                end = _walk(network, start, lid, arrives)
                if end >= 0:
                    yield lid, end


def _walk(network: Network, start: int, lid: int, arrives: dict[int, bool]) -> int:
    """Switch at which a packet is newly found to be lost, else -1."""
    exits, routes = network.exits, network.routes
    trail: dict[int, None] = {}
    here = start
    while here not in arrives:
        table = routes[here]
        port = table[lid] if lid < len(table) else NO_ROUTE
        if here in trail or port == NO_ROUTE:
            arrives.update(dict.fromkeys((*trail, here), False))
            return here
        trail[here] = None
        onward = exits[here].get(port)
        if onward is None:
            arrives[here] = network.homes.get(lid, (here, port)) == (here, port)
            if not arrives[here]:
                arrives.update(dict.fromkeys(trail, False))
                return here
            break
        here = onward[0]
    arrives.update(dict.fromkeys(trail, arrives[here]))
    return -1


def _follow_all(network: Network, starts: Sequence[int], lid: int, graph: Graph) -> None:
    """Follow packets to one host from all switches with hosts; all levels share a lane."""
    exits, routes = network.exits, network.routes
    seen: set[int] = set()
    for start in starts:
        here, before = start, -1
        while True:
            table = routes[here]
            port = table[lid] if lid < len(table) else NO_ROUTE
            onward = exits[here].get(port)
            if onward is None:
                break
            channel = (here * PORTS + port) * LANES
            if before >= 0:
                graph.setdefault(before, set()).add(channel)
            if here in seen:
                break
            seen.add(here)
            here, before = onward[0], channel


def _follow(
    network: Network,
    source: tuple[int, int],
    lid: int,
    level: int,
    graph: Graph,
    done: set[tuple[int, int]],
) -> None:
    """Follow packets of one service level to one host, lane by lane."""
    here, entry = source
    before = -1
    while True:
        table = network.routes[here]
        port = table[lid] if lid < len(table) else NO_ROUTE
        onward = network.exits[here].get(port)
        if onward is None:
            return
        lanes = network.lanes[here].get((entry, port)) if network.lanes else None
        lane = lanes[level] if lanes else 0
        if lane == DROPS:
            return
        channel = (here * PORTS + port) * LANES + lane
        if before >= 0:
            graph.setdefault(before, set()).add(channel)
        if (here, entry) in done:
            return
        done.add((here, entry))
        before = channel
        here, entry = onward


def _channel(number: int) -> Channel:
    link, lane = divmod(number, LANES)
    return Channel(*divmod(link, PORTS), lane)


def _rings(graph: Graph) -> list[list[int]]:
    """Sets of channels that wait for each other (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    held: set[int] = set()
    stack: list[int] = []
    found: list[list[int]] = []
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        held.add(root)
        work = [(root, iter(graph.get(root, ())))]
        while work:
            node, later = work[-1]
            for other in later:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    held.add(other)
                    work.append((other, iter(graph.get(other, ()))))
                    break
                if other in held:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found += _popped(stack, held, node, graph)
    return sorted(found)


def _popped(stack: list[int], held: set[int], node: int, graph: Graph) -> list[list[int]]:
    """Take one set off the stack; a single channel is a ring only where it waits for itself."""
    part = []
    while True:
        top = stack.pop()
        held.discard(top)
        part.append(top)
        if top == node:
            break
    is_ring = len(part) > 1 or node in graph.get(node, ())
    return [sorted(part)] if is_ring else []


def _shortest(graph: Graph, part: Sequence[int]) -> list[int]:
    """Give a shortest way from the first channel of a ring back to itself."""
    inside, start = set(part), part[0]
    back = {start: start}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for other in sorted(graph.get(node, ())):
            if other == start:
                way = [node]
                while way[-1] != start:
                    way.append(back[way[-1]])
                return way[::-1]
            if other in inside and other not in back:
                back[other] = node
                waiting.append(other)
    return [start]
