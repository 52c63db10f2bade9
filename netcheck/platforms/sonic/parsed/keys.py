"""Keys that name ports and indices: ``Ethernet0|3-4``, ``Ethernet0,Ethernet4|3``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from netcheck.model.digits import number_of

_INDEX = re.compile(r"(\d{1,3})(?:-(\d{1,3}))?")
_PORT_INDEX_PARTS = 2
_VOQ_PARTS = 4


class PortIndices(NamedTuple):
    """Ports and indices of one key; ``is_remote`` for a port of another line card."""

    ports: tuple[str, ...]
    indices: tuple[int, ...]
    is_remote: bool = False


def read_ports(key: str) -> tuple[str, ...]:
    """Give the ports of a key that lists them.

    Example:
        >>> read_ports("Ethernet0,Ethernet4")
        ('Ethernet0', 'Ethernet4')
    """
    return tuple(part.strip() for part in key.split(",") if part.strip())


def read_indices(text: str, high: int) -> tuple[int, ...]:
    """Give the numbers of ``3`` or ``3-4``; none when it is no such range up to ``high``.

    Example:
        >>> read_indices("3-5", 7), read_indices("5-3", 7), read_indices("8", 7)
        ((3, 4, 5), (), ())
    """
    match = _INDEX.fullmatch(text)
    if match is None:
        return ()
    first, last = int(match[1]), int(match[2] or match[1])
    return tuple(range(first, last + 1)) if first <= last <= high else ()


@lru_cache(maxsize=1 << 16)
def read_port_index(key: str, high: int) -> PortIndices | None:
    """Give ports and indices of a key, or None when it names none.

    Keys of a chassis (``host|asic|port|index``) are told apart as remote: they
    may name ports of other line cards.

    Example:
        >>> read_port_index("Ethernet0,Ethernet4|3-4", 7)
        PortIndices(ports=('Ethernet0', 'Ethernet4'), indices=(3, 4), is_remote=False)
    """
    parts = key.split("|")
    indices = read_indices(parts[-1], high)
    if not indices or len(parts) not in {_PORT_INDEX_PARTS, _VOQ_PARTS}:
        return None
    ports = read_ports(parts[-2])
    return PortIndices(ports, indices, len(parts) == _VOQ_PARTS) if ports else None


def port_order(name: str) -> tuple[str, int, str]:
    """Sort key under which Ethernet8 comes before Ethernet16."""
    match = re.fullmatch(r"(\D*)(\d+)(.*)", name)
    return (match[1], number_of(match[2]), match[3]) if match else (name, -1, "")
