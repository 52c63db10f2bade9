"""Behaviour that nobody would guess, named and sourced."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

QUEUES: Final = range(8)
DEFAULT_MTU: Final = 1500
DEFAULT_INTERVAL_MS: Final = 100
DEFAULT_SHUTDOWN: Final = 1
DEFAULT_RESTORE: Final = 10
_PREDEFINED: Final = re.compile(
    r"c-(?:in|out|out-8q|in-8q|nq|8q-nq|8q-out|4q-nq)-?q?(?:(?P<number>[1-7])|-?(?P<default>default))"
)
_PREDEFINED_POLICY: Final = re.compile(r"default-\S*policy")


def predefined_group(name: str) -> int | None:
    """Qos-group of a predefined class; None where the class is not predefined.

    Custom queuing classes cannot be made on switches with eight queues; those
    of the system are known by their names, which end in the qos-group.

    Source: batfish/batfish tests of cisco_nxos class maps ("you cannot override
        these"); NX-OS QoS guide, Modifying Class Maps.

    Example:
        >>> predefined_group("c-out-8q-q3"), predefined_group("c-8q-nq-default")
        (3, 0)
    """
    if name == "class-default":
        return 0
    match = _PREDEFINED.fullmatch(name)
    if match is None:
        return None
    return int(match["number"]) if match["number"] else 0


def is_predefined_policy(name: str) -> bool:
    """Tell whether a policy-map is one that the system brings along.

    Example:
        >>> is_predefined_policy("default-8q-out-policy")
        True
    """
    return _PREDEFINED_POLICY.fullmatch(name) is not None


def rows(table: Any, name: str) -> Iterator[Mapping[str, Any]]:  # Any: JSON of a device
    """Yield the rows of ``TABLE_name``: one row is an object, several are a list.

    Tables without any row are missing or empty; anything else yields nothing.

    Source: microsoft and paregupt readers of ``show ... | json`` (see README);
        NX-OS 9.3(x) show command reference, chapter Q.

    Example:
        >>> list(rows({"TABLE_x": {"ROW_x": {"a": 1}}}, "x"))
        [{'a': 1}]
    """
    # what json makes of an object is a dict
    inner = table.get(f"TABLE_{name}") if isinstance(table, dict) else None
    for each in inner if isinstance(inner, list) else (inner,):
        found = each.get(f"ROW_{name}") if isinstance(each, dict) else None
        for row in found if isinstance(found, list) else (found,):
            if isinstance(row, dict):
                yield row


def strict_queues(lowest: int) -> range:
    """Queues that have to be strict when ``lowest`` is: it and all above it.

    Source: Cisco Nexus 9000 NX-OS QoS guide 10.x, Configuring Priority: strict
        queues take the highest qos-groups and lie side by side.
    """
    return range(lowest, len(QUEUES))
