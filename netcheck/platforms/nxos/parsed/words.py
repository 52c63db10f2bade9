"""Numbers, lists, units and interface names as NX-OS writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from netcheck.model.digits import is_whole, number_of

_AF: Final = {f"af{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)}
_CS: Final = {f"cs{number}": 8 * number for number in range(8)}
DSCP_NAMES: Final = {**_AF, **_CS, "ef": 46, "default": 0}
PRECEDENCE_NAMES: Final = {
    "routine": 0,
    "priority": 1,
    "immediate": 2,
    "flash": 3,
    "flash-override": 4,
    "critical": 5,
    "internet": 6,
    "network": 7,
}
# 1 kbyte is taken for 1000 bytes; no public document says 1024.
BYTES_OF: Final = {"bytes": 1, "kbytes": 1000, "mbytes": 1_000_000}
_RANGE: Final = re.compile(r"(\S+?)-(\d+)")
# A group of ports: Ethernet1/1, Eth1/1-4, Ethernet 1/1-1/54, Ethernet1/3/1
_PORTS: Final = re.compile(
    r"(?P<kind>ethernet|eth|port-channel|po) ?(?P<first>[\d/]+)(?:-(?P<last>[\d/]+))?",
    re.IGNORECASE,
)
_KINDS: Final = {
    "eth": "Ethernet",
    "ethernet": "Ethernet",
    "po": "port-channel",
    "port-channel": "port-channel",
}
MOST_PORTS: Final = 2048


def numbers(text: str, top: int, names: dict[str, int] | None = None) -> frozenset[int] | None:
    """Give the numbers of a list such as ``24,26-31`` or ``af31``; None when it is no such list.

    Example:
        >>> sorted(numbers("24,26-28,ef", 63, DSCP_NAMES))
        [24, 26, 27, 28, 46]
    """
    found: set[int] = set()
    for part in text.replace(" ", "").split(","):
        low = _number(part, names or {})
        high = low
        if low is None:
            match = _RANGE.fullmatch(part)
            low, high = (
                (_number(match[1], names or {}), number_of(match[2])) if match else (None, None)
            )
        if low is None or high is None or not 0 <= low <= high <= top:
            return None
        found.update(range(low, high + 1))
    return frozenset(found)


def _number(text: str, names: dict[str, int]) -> int | None:
    if text.isascii() and text.isdigit() and len(text) < 20:  # noqa: PLR2004 -- wider than 64 bits
        return int(text)
    return names.get(text.lower())


def number_list(values: frozenset[int]) -> str:
    """Write numbers as NX-OS does: ``24,26-28``.

    Example:
        >>> number_list(frozenset({28, 24, 26, 27}))
        '24,26-28'
    """
    parts: list[str] = []
    rest = sorted(values)
    while rest:
        run = [value for place, value in enumerate(rest) if value == rest[0] + place]
        parts.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
        rest = rest[len(run) :]
    return ",".join(parts)


@lru_cache(maxsize=4096)
def port_name(text: str) -> str | None:
    """Give the one port that a name stands for, written in full; None when it is none.

    Example:
        >>> port_name("Eth1/1"), port_name("Ethernet 1/3/2"), port_name("Vlan7")
        ('Ethernet1/1', 'Ethernet1/3/2', None)
    """
    names = port_names(text)
    return names[0] if names is not None and len(names) == 1 else None


def port_names(text: str) -> list[str] | None:
    """Give all ports of a name, range or list of ranges; None when it is none.

    Example:
        >>> port_names("Ethernet 1/1-1/3")
        ['Ethernet1/1', 'Ethernet1/2', 'Ethernet1/3']
    """
    found: list[str] = []
    for part in text.split(","):
        match = _PORTS.fullmatch(part.strip())
        if match is None:
            return None
        numbered = list(_span(match["first"], match["last"] or match["first"]))
        if not numbered or len(found) + len(numbered) > MOST_PORTS:
            return None
        found += (f"{_KINDS[match['kind'].lower()]}{number}" for number in numbered)
    return found


def _span(first: str, last: str) -> Iterator[str]:
    """Numbers from ``1/1`` to ``4`` or to ``1/4``."""
    head, slash, low = first.rpartition("/")
    last_head, _, high = last.rpartition("/")
    if not is_whole(low) or not is_whole(high) or (last_head and last_head != head):
        return
    for number in range(int(low), min(int(high), int(low) + MOST_PORTS) + 1):
        yield f"{head}{slash}{number}"


@lru_cache(maxsize=4096)
def port_order(name: str) -> tuple[object, ...]:
    """Sort key of a port: by its numbers."""
    return tuple(number_of(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name))
