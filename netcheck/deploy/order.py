"""In which order devices change: who is paused before who pauses, one failure domain at a time.

A port that sends PFC to a peer that does not honour it yet loses packets; a
peer that honours what nobody sends loses nothing. Traffic enters at hosts, so
pauses travel from spines to leaves to hosts: hosts change first, spines last.
Devices that stand in for each other, which have a neighbour below in common,
never change in one batch, nor do managers of one subnet: the standby first, then
the master. Each tier begins with one device, the canary.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from netcheck.model.device import Device, Role
from netcheck.model.fabric import Fabric
from netcheck.model.known import is_known

BATCH_SIZE: Final = 32

_TIER_OF_ROLE: Final = {
    Role.HOST: 0,
    Role.LEAF: 1,
    Role.SPINE: 2,
    Role.SUPERSPINE: 3,
    Role.GATEWAY: 4,
    Role.ROUTER: 4,
    Role.BORDER: 4,
}


def batches(
    fabric: Fabric, names: Iterable[str], *, size: int = BATCH_SIZE
) -> tuple[tuple[str, ...], ...]:
    """Give the batches of at most ``size`` in which these devices change, each in one."""
    tiers: dict[int, list[str]] = defaultdict(list)
    places = _places_of_managers(fabric)
    for name in sorted(names, key=lambda name: places.get(name, 0)):
        tiers[tier_of(fabric.devices[name])].append(name)
    below = _shared(fabric)
    return tuple(
        batch for tier in sorted(tiers) for batch in _tier_batches(tiers[tier], below, size)
    )


def tier_of(device: Device) -> int:
    """Give the tier: as said, else by role; a device of no known role comes last."""
    if is_known(device.tier):
        return device.tier
    return _TIER_OF_ROLE[device.role] if is_known(device.role) else max(_TIER_OF_ROLE.values())


def _places_of_managers(fabric: Fabric) -> dict[str, int]:
    """Subnet managers change after other devices of their tier, the master last."""
    return {
        name: place
        for subnet in fabric.subnets.values()
        for place, name in enumerate(reversed(subnet.by_preference), 1)
    }


def _shared(fabric: Fabric) -> dict[str, frozenset[str]]:
    """Give ``device -> what it serves``; of two that serve the same one has to stay up."""
    found = _neighbours_below(fabric)
    for subnet in fabric.subnets.values():
        for name in subnet.by_preference:
            found[name] = found.get(name, frozenset()) | {f"subnet {subnet.name}"}
    return found


def _neighbours_below(fabric: Fabric) -> dict[str, frozenset[str]]:
    """Give ``device -> neighbours of a lower tier``, by the fabric's links."""
    found: dict[str, set[str]] = defaultdict(set)
    for link in fabric.links:
        ends = (link.a.device, link.b.device)
        if all(end in fabric.devices for end in ends):
            low, high = sorted(ends, key=lambda end: tier_of(fabric.devices[end]))
            if tier_of(fabric.devices[low]) < tier_of(fabric.devices[high]):
                found[high].add(low)
    return {name: frozenset(lower) for name, lower in found.items()}


def _tier_batches(
    names: Sequence[str], below: Mapping[str, frozenset[str]], size: int
) -> Iterator[tuple[str, ...]]:
    if not names:
        return
    yield (names[0],)
    waiting = list(names[1:])
    while waiting:
        batch = _independent(waiting, below, size)
        yield tuple(batch)
        waiting = [name for name in waiting if name not in batch]


def _independent(names: Sequence[str], below: Mapping[str, frozenset[str]], size: int) -> list[str]:
    """Give the first devices that have no neighbour below in common."""
    batch: list[str] = []
    taken: set[str] = set()
    for name in names:
        if len(batch) == size:
            break
        if taken.isdisjoint(below.get(name, frozenset())):
            batch.append(name)
            taken |= below.get(name, frozenset())
    return batch
