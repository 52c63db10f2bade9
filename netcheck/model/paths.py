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


@lru_cache(maxsize=8)
def links_by_device(fabric: Fabric) -> dict[str, tuple[Link, ...]]:
    """Give ``device -> its links``, in declared order."""
    found: dict[str, list[Link]] = {}
    for link in fabric.links:
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
    while layer:
        done = [path for path, _ in layer if path[-1].ingress == b]
        if done:
            yield from done
            return
        layer = list(_extend_all(fabric, layer))


def _extend_all(fabric: Fabric, layer: list[tuple[Path, bool]]) -> Iterator[tuple[Path, bool]]:
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
            yield (*path, hop), falls
