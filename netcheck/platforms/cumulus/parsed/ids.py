"""Names and numbers as lists and ranges: ``swp1-4,swp6``, ``swp1-swp3``, ``swp1s0-3``, ``0-7``.

Source: CumulusNetworks/docs cumulus-linux-514 NVUE CLI (command ranges) and
Quality of Service (port_set of qos_features.conf).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

MOST: Final = 4096
_RANGE: Final = re.compile(
    r"(?P<stem>\D*|.*\D)(?P<low>\d{1,18})-(?P<again>\D*|.*\D)(?P<high>\d{1,18})"
)


@lru_cache(maxsize=4096)
def expand(text: str) -> tuple[str, ...]:
    """Give each name of a list; what is no range stands for itself.

    Example:
        >>> expand("swp1-3,swp5")
        ('swp1', 'swp2', 'swp3', 'swp5')
        >>> expand("swp1s0-1")
        ('swp1s0', 'swp1s1')
        >>> expand("backend-1")
        ('backend-1',)
    """
    return tuple(one for part in text.split(",") if part.strip() for one in _one(part.strip()))


def _one(part: str) -> tuple[str, ...]:
    match = _RANGE.fullmatch(part)
    if match is None or (match["again"] not in ("", match["stem"])):
        return (part,)
    stem = match["stem"]
    if stem and not re.fullmatch(r"(?:swp|eth|bond|vlan|peerlink|swp\d+s)", stem):
        return (part,)
    low, high = int(match["low"]), int(match["high"])
    if not low <= high < low + MOST:
        return (part,)
    return tuple(f"{stem}{number}" for number in range(low, high + 1))


@lru_cache(maxsize=4096)
def port_order(name: str) -> tuple[tuple[str, int], ...]:
    """Sort key under which swp2 comes before swp10 and swp1s1 after swp1s0.

    Example:
        >>> sorted(["swp10", "swp2", "swp1s1"], key=port_order)
        ['swp1s1', 'swp2', 'swp10']
    """
    return tuple((word, int(number or -1)) for word, number in re.findall(r"(\D*)(\d*)", name)[:-1])
