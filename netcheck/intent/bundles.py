"""Links between aggregates: one cable for each pair of members, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from netcheck.intent.complaint import Complaints
from netcheck.model.fabric import Aggregate, Link, PortRef


def by_members(
    links: Iterable[Link], aggregates: Iterable[Aggregate], complaints: Complaints
) -> list[Link]:
    """Give the links with those between aggregates written out by their members."""
    members = {PortRef(one.device, one.name): one.members for one in aggregates}
    if not members:
        return list(links)
    return [one for link in links for one in _cables(link, members, complaints)]


def _cables(
    link: Link, members: dict[PortRef, tuple[str, ...]], complaints: Complaints
) -> Iterator[Link]:
    ends = [
        [PortRef(end.device, port) for port in members.get(end, (end.port,))]
        for end in (link.a, link.b)
    ]
    if len(ends[0]) != len(ends[1]):
        words = [
            f"{end} has {len(ports)}" for end, ports in zip((link.a, link.b), ends, strict=True)
        ]
        message = f"members expected as many at both ends, found {' and '.join(words)}"
        complaints.add(link.evidence, f"{message}; name the members in links of their own")
        return
    for a, b in zip(*ends, strict=True):
        yield replace(link, a=a, b=b)
