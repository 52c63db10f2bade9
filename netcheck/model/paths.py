"""The hops a class may take between two ends: valley-free by tier.

Deadlock, MTU and perf all use ``paths``. Forwarding read from devices
(``Fabric.forwarding``) takes precedence over the tiers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from netcheck.model.device import Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.known import is_known

ROLE_TIER = {
    Role.HOST: 0,
    Role.LEAF: 1,
    Role.BORDER: 1,
    Role.GATEWAY: 1,
    Role.SPINE: 2,
    Role.SUPERSPINE: 3,
    Role.ROUTER: 3,
}


class Hop(NamedTuple):
    """One link on a path: it leaves at ``egress`` and enters at ``ingress``."""

    egress: PortRef
    ingress: PortRef


Path = tuple[Hop, ...]


class _Same:
    """A fabric as the key of a cache: the same object, for to compare two takes as long as both."""

    __slots__ = ("fabric",)

    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric

    def __hash__(self) -> int:
        return id(self.fabric)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.fabric is self.fabric


def links_by_device(fabric: Fabric) -> dict[str, tuple[Link, ...]]:
    """Give ``device -> its links``, in declared order."""
    return _by_device(_Same(fabric))


@lru_cache(maxsize=8)
def _by_device(same: _Same) -> dict[str, tuple[Link, ...]]:
    found: dict[str, list[Link]] = {}
    for link in same.fabric.links:
        for end in {link.a.device, link.b.device}:
            found.setdefault(end, []).append(link)
    return {device: tuple(links) for device, links in found.items()}


def tier_of(fabric: Fabric, device: str) -> int:
    """Give the tier of a device: stated, else by its role; 1 where neither is known."""
    known = fabric.devices.get(device)
    if known is None:
        return 1
    if is_known(known.tier):
        return known.tier
    return ROLE_TIER[known.role] if is_known(known.role) else 1


def paths(fabric: Fabric, a: PortRef, b: PortRef) -> Iterator[Path]:
    """Yield every shortest valley-free path from host port ``a`` to host port ``b``.

    Tiers strictly rise and then strictly fall. Hosts do not forward. Nothing
    is yielded where the links do not connect the two.
    """
    by_device = links_by_device(fabric)
    layer: list[tuple[Path, bool]] = [
        ((Hop(a, link.other(a)),), False)
        for link in by_device.get(a.device, ())
        if a in (link.a, link.b)
    ]
    above = _above(_Same(fabric), b)
    while layer:
        done = [path for path, _ in layer if path[-1].ingress == b]
        if done:
            yield from done
            return
        layer = list(_extend_all(fabric, layer, above))


@lru_cache(maxsize=1 << 12)
def _above(same: _Same, end: PortRef) -> frozenset[str]:
    """Devices from which a path that only falls leads to a host port, its host with them."""
    fabric = same.fabric
    by_device = links_by_device(fabric)
    found = {end.device}
    todo = [
        link.other(end).device for link in by_device.get(end.device, ()) if end in (link.a, link.b)
    ]
    while todo:
        here = todo.pop()
        if here in found:
            continue
        found.add(here)
        tier = tier_of(fabric, here)
        for link in by_device.get(here, ()):
            far = link.b.device if link.a.device == here else link.a.device
            if tier_of(fabric, far) > tier:
                todo.append(far)
    return frozenset(found)


def _extend_all(
    fabric: Fabric, layer: list[tuple[Path, bool]], above: frozenset[str]
) -> Iterator[tuple[Path, bool]]:
    by_device = links_by_device(fabric)
    for path, is_falling in layer:
        here = path[-1].ingress.device
        tier = tier_of(fabric, here)
        if tier == 0:
            continue
        for link in by_device.get(here, ()):
            egress = link.a if link.a.device == here else link.b
            hop = Hop(egress, link.other(egress))
            next_tier = tier_of(fabric, hop.ingress.device)
            falls = next_tier < tier
            if next_tier == tier or (is_falling and not falls):
                continue
            if falls and hop.ingress.device not in above:
                continue  # nothing below it leads there
            yield (*path, hop), falls
