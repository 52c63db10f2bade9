"""Ports that a round may touch: those of all its flows, worked out once for each two leaves."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from netcheck.model.device import Device, Port, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.paths import Path, paths
from netcheck.perf import observe
from netcheck.perf.observe import Footprint
from netcheck.perf.schedule import Endpoint, Pattern, Round

TIERS = (Role.LEAF, Role.LEAF, Role.SPINE, Role.SUPERSPINE)


class Net:
    """Switches of any tier, cabled at random, with hosts of one to three NICs."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)  # noqa: S311 -- cables, no secret
        self.ports: dict[str, list[str]] = {}
        roles = {f"sw{n}": draw.choice(TIERS) for n in range(draw.randint(2, 9))}
        names = list(roles)
        links: list[Link] = []
        ends: list[Endpoint] = []
        for host in (f"gpu{n}" for n in range(draw.randint(2, 6))):
            roles[host] = Role.HOST
            for number in range(draw.randint(1, 3)):
                links.append(Link(self._port(host), self._port(draw.choice(names))))
                ends.append(Endpoint(host, links[-1].a.port, f"mlx5_{number}", links[-1].b))
        trunks = [draw.sample(names, 2) for _ in range(draw.randint(0, 20))]
        links += (Link(self._port(a), self._port(b)) for a, b in trunks)
        devices = {
            name: Device(
                name, role=roles[name], ports=FrozenMap({port: Port(port) for port in own})
            )
            for name, own in self.ports.items()
        }
        self.fabric = Fabric("net", devices=FrozenMap(devices), links=tuple(links))
        pairs = [(a, b) for a in ends for b in ends if a.host != b.host]
        self.flows = tuple(flow for flow in pairs if draw.random() < 0.5)

    def _port(self, name: str) -> PortRef:
        own = self.ports.setdefault(name, [])
        own.append(f"port{len(own)}")
        return PortRef(name, own[-1])


@pytest.mark.parametrize("seed", range(100))
def test_every_port_of_every_way_is_touched_and_each_two_leaves_are_asked_once(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = Net(seed)
    asked: list[tuple[str, str]] = []
    leaf_of = {end.ref: end.leaf.device for flow in net.flows for end in flow}

    def once(fabric: Fabric, a: PortRef, b: PortRef) -> Iterator[Path]:
        asked.append((leaf_of[a], leaf_of[b]))
        return paths(fabric, a, b)

    monkeypatch.setattr(observe, "paths", once)
    links = set(Footprint(net.fabric, Round("all", Pattern.ACROSS, net.flows)).links)
    hops = {hop for a, b in net.flows for way in paths(net.fabric, a.ref, b.ref) for hop in way}
    assert links == {(hop.egress, hop.ingress) for hop in hops}
    assert len(asked) == len(set(asked))
