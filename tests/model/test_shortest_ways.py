"""Paths are all shortest ways that rise and then fall, and no others."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from netcheck.model.device import Device, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.paths import Hop, Path, paths, tier_of

SIZES = {Role.HOST: 8, Role.LEAF: 4, Role.SPINE: 3, Role.SUPERSPINE: 2}


def fabric_of(seed: int) -> Fabric:
    """Three tiers of switches with links drawn at random; hosts have one or two ports."""
    draw = random.Random(seed)  # noqa: S311 -- reproducible, no secret
    names = {role: [f"{role}{n}" for n in range(count)] for role, count in SIZES.items()}
    links = []
    for low, high in (
        (Role.HOST, Role.LEAF),
        (Role.LEAF, Role.SPINE),
        (Role.SPINE, Role.SUPERSPINE),
    ):
        for name in names[low]:
            for number in range(draw.randint(1, 2)):
                far = draw.choice(names[high])
                links.append(Link(PortRef(name, f"up{number}"), PortRef(far, f"{name} {number}")))
    devices = {name: Device(name, role=role) for role, own in names.items() for name in own}
    return Fabric("drawn", devices=FrozenMap(devices), links=tuple(links))


def every_way(fabric: Fabric, here: Path, end: PortRef) -> Iterator[Path]:
    """All ways that go on from here, rising and then falling."""
    last = here[-1].ingress
    if last == end:
        yield here
    tier = tier_of(fabric, last.device)
    is_falling = tier_of(fabric, here[-1].egress.device) > tier
    for link in fabric.links if tier else ():
        for egress in (link.a, link.b):
            ingress = link.other(egress)
            up = tier_of(fabric, ingress.device) > tier
            if egress.device == last.device and not (up and is_falling):
                yield from every_way(fabric, (*here, Hop(egress, ingress)), end)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_given_is_what_trying_every_way_gives(seed: int) -> None:
    fabric = fabric_of(seed)
    ends = [link.a for link in fabric.links if link.a.device.startswith(Role.HOST)]
    for first in ends:
        (start,) = (Hop(link.a, link.b) for link in fabric.links if link.a == first)
        for last in ends:
            ways = list(every_way(fabric, (start,), last)) if first.device != last.device else []
            shortest = min(map(len, ways), default=0)
            expected = {way for way in ways if len(way) == shortest}
            if first.device != last.device:
                assert set(paths(fabric, first, last)) == expected


def test_a_fabric_that_was_changed_has_its_own_ways() -> None:
    fabric = fabric_of(1)
    a, b = (link.a for link in fabric.links[:2])
    assert list(paths(Fabric("empty", devices=fabric.devices), a, b)) == []
