"""Ways through the lab: shortest paths over links that are up, one of the equal for each flow."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from netcheck.lab.topology import LabCable
from netcheck.lossless.dataplane.network import Hop

End = tuple[str, str]


class Routes:
    """Routing over a set of cables; hosts do not forward."""

    def __init__(
        self,
        cables: Sequence[LabCable],
        hosts: frozenset[str],
        is_up: Callable[[str, str], bool],
        spreads: Mapping[str, bool] = MappingProxyType({}),
    ) -> None:
        self.hosts = hosts
        self.spreads = spreads
        self.far: dict[End, End] = {}
        for cable in cables:
            if is_up(*cable.a) and is_up(*cable.b):
                self.far[cable.a], self.far[cable.b] = cable.b, cable.a
        self.ports: dict[str, list[End]] = {}
        for end in sorted(self.far):
            self.ports.setdefault(end[0], []).append(end)
        self._distances: dict[End, Mapping[str, int]] = {}

    def path(self, source: End, target: End, key: str) -> tuple[Hop, ...] | None:
        """Hops from one host port to another; ``key`` picks among equal ways. None: no way."""
        if source not in self.far or target not in self.far:
            return None
        distances = self._distances_to(target)
        hops = [Hop(source[0], "", source[1])]
        here = self.far[source]
        while here != target:
            node, ingress = here
            exits = self._exits(node, target, distances)
            if not exits:
                return None
            # each node adds its own name, so that hashes of successive tiers do not polarise
            hashed = key if self.spreads.get(node, True) else ""
            chosen = exits[zlib.crc32(f"{node} {hashed}".encode()) % len(exits)]
            hops.append(Hop(node, ingress, chosen[1]))
            here = self.far[chosen]
        return (*hops, Hop(target[0], target[1], ""))

    def _exits(self, node: str, target: End, distances: Mapping[str, int]) -> list[End]:
        if node not in distances:
            return []
        last = self.far[target]
        if node == last[0]:
            return [last]
        return [
            end
            for end in self.ports.get(node, ())
            if distances.get(self.far[end][0]) == distances[node] - 1
        ]

    def _distances_to(self, target: End) -> Mapping[str, int]:
        if target not in self._distances:
            first = self.far[target][0]
            found = {first: 0}
            queue = deque([first])
            while queue:
                node = queue.popleft()
                for end in self.ports.get(node, ()):
                    peer = self.far[end][0]
                    if peer not in found and peer not in self.hosts:
                        found[peer] = found[node] + 1
                        queue.append(peer)
            self._distances[target] = found
        return self._distances[target]
