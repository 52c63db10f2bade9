"""Names of QoS profiles, and the order of ports.

A profile is named for the policy that asks for it, so that tuning a policy
changes the profile in place. Where one policy leads to several contents on one
switch, the port's speed tells them apart, else a digest of the content.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final, TypeVar

from netcheck.model.device import Port
from netcheck.model.known import is_known

DEFAULT_NAME: Final = "netcheck"
_GBPS: Final = 1_000_000_000
ContentT = TypeVar("ContentT", bound=Hashable)


@lru_cache(maxsize=4096)
def port_order(name: str) -> tuple[int | str, ...]:
    """Sort key under which Ethernet2/1 comes before Ethernet10/1."""
    return tuple(int(one) if one.isdigit() else one for one in re.findall(r"\d+|\D+", name))


def profile_names(uses: Mapping[ContentT, Sequence[Port]]) -> dict[ContentT, str]:
    """Give each content its name; the same uses give the same names, in any order."""
    by_base: dict[str, list[ContentT]] = {}
    for content, ports in uses.items():
        by_base.setdefault(_base(ports), []).append(content)
    names: dict[ContentT, str] = {}
    for base, contents in by_base.items():
        for content in contents:
            names[content] = base if len(contents) == 1 else base + _mark(content, contents, uses)
    held = Counter(names.values())
    for content in [each for each, name in names.items() if held[name] > 1]:
        # a policy is called what another one's mark leads to
        names[content] = f"{_base(uses[content])}_{_digest(content)}"
    return names


def _base(ports: Sequence[Port]) -> str:
    policies = sorted(port.policy for port in ports if is_known(port.policy))
    if not policies:
        return DEFAULT_NAME
    clean = re.sub(r"[^-A-Za-z0-9_]", "_", policies[0])
    return clean if clean == policies[0] else f"{clean}_{_digest(policies[0])}"


def _mark(
    content: ContentT, contents: Sequence[ContentT], uses: Mapping[ContentT, Sequence[Port]]
) -> str:
    own = {port.speed_bps for port in uses[content]}
    others = {port.speed_bps for each in contents if each != content for port in uses[each]}
    speed = next(iter(own)) if len(own) == 1 else None
    if isinstance(speed, int) and speed not in others and speed % _GBPS == 0:
        return f"_{speed // _GBPS}g"
    return f"_{_digest(content)}"


def _digest(content: Hashable) -> str:
    return sha256(repr(content).encode()).hexdigest()[:8]
