"""Two views of one device, its configuration and its live state, as one.

What one does not know, the other fills in. Where both know and differ, the
live value stands, since it is what packets meet, and the difference is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final

from netcheck.model.device import Device
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap, LazyMap
from netcheck.model.known import UNKNOWN, Missing
from netcheck.model.qos import PortQos

# Facts that are measured, named or explained rather than configured.
_NOT_COMPARED: Final = frozenset(
    {"counters", "defects", "unread", "evidence", "name", "profile", "buffer_profiles"}
    | {
        "ecn_profiles",
        "headroom_table",
        "is_computed",
        "is_whole",
        "scripted",
        "alias",
        "neighbour",
    }
    | {"os_version", "boot_id", "link_state", "operational_speed_bps", "environment", "sysctl"}
    | {"gids", "firmware", "driver", "model", "variant", "parent", "lanes"}
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that is configured one way and in effect another.

    Attributes:
        owner: ``("port", "Ethernet0")``, ``("rdma", "mlx5_0")`` or ``("device", "")``.
        fact: Field of the model, with its key in a map, as ``ecn 3``.
    """

    owner: tuple[str, str]
    fact: str
    configured: object
    live: object


def merge(configured: Device, live: Device) -> tuple[Device, list[Difference]]:
    """One device from its configuration and its live state, and where the two differ."""
    differences: list[Difference] = []
    special: dict[str, Any] = {  # Any: each value has its field's type
        "name": configured.name,
        "ports": _merge_members("port", configured.ports, live.ports, differences),
        "rdma": _merge_members("rdma", configured.rdma, live.rdma, differences),
        "evidence": LazyMap(lambda: {**configured.evidence, **live.evidence}),
        "defects": tuple(dict.fromkeys((*configured.defects, *live.defects))),
        "unread": tuple(dict.fromkeys((*configured.unread, *live.unread))),
        "is_whole": configured.is_whole or live.is_whole,
    }
    facts: dict[str, Any] = {  # Any: as above
        each.name: _merge_fact(
            ("device", ""),
            each.name,
            getattr(configured, each.name),
            getattr(live, each.name),
            differences,
        )
        for each in fields(Device)
        if each.name not in special
    }
    return Device(**special, **facts), differences


def _merge_members(
    word: str, mine: Mapping[str, Any], theirs: Mapping[str, Any], differences: list[Difference]
) -> FrozenMap[str, Any]:  # Any: ports or RDMA devices
    merged: dict[str, Any] = {}
    for name in dict.fromkeys((*mine, *theirs)):
        if name in mine and name in theirs:
            owner = (word, name)
            merged[name] = _merge_record(owner, mine[name], theirs[name], differences)
        else:
            merged[name] = mine.get(name, theirs.get(name))
    return FrozenMap(merged)


def _merge_record(
    owner: tuple[str, str], mine: Any, theirs: Any, differences: list[Difference], path: str = ""
) -> Any:  # Any: any dataclass of the model
    if type(mine) is not type(theirs) or not _holds_facts(mine):
        return theirs
    if isinstance(mine, PortQos) and not path:
        merged, found = _merge_qos(mine, theirs)
        differences += (replace(each, owner=owner) for each in found)
        return merged
    return _merged(owner, mine, theirs, differences, path)


@lru_cache(maxsize=1024)
def _merge_qos(mine: PortQos, theirs: PortQos) -> tuple[PortQos, tuple[Difference, ...]]:
    """How two ports treat traffic as one, and differences without an owner; few pairs are many."""
    differences: list[Difference] = []
    merged: PortQos = _merged(("", ""), mine, theirs, differences, "")
    return merged, tuple(differences)


def _merged(
    owner: tuple[str, str], mine: Any, theirs: Any, differences: list[Difference], path: str
) -> Any:  # Any: as above
    values = {
        each.name: _merge_fact(
            owner,
            f"{path} {each.name}".strip() if path else each.name,
            getattr(mine, each.name),
            getattr(theirs, each.name),
            differences,
        )
        for each in fields(mine)
    }
    if all(value is getattr(theirs, name) for name, value in values.items()):
        return theirs
    return replace(mine, **values)


def _holds_facts(value: object) -> bool:
    """A record of facts (port, buffer), not a plain value made of parts (a threshold)."""
    return _is_record(type(value))  # type: ignore[arg-type]  # classes can be hashed


@cache
def _is_record(kind: type[Any]) -> bool:  # Any: any class of the model
    if not is_dataclass(kind):
        return False
    return any(each.default is UNKNOWN or is_dataclass(each.default) for each in fields(kind))


def _merge_fact(
    owner: tuple[str, str], fact: str, mine: Any, theirs: Any, differences: list[Difference]
) -> Any:  # Any: any fact of the model
    if mine is UNKNOWN or theirs is UNKNOWN or mine == theirs:
        return mine if theirs is UNKNOWN else theirs
    if fact.rpartition(" ")[2] in _NOT_COMPARED:
        return theirs
    if isinstance(mine, FrozenMap) and isinstance(theirs, FrozenMap):
        return _merge_map(owner, fact, mine, theirs, differences)
    if _holds_facts(mine) and type(mine) is type(theirs):
        return _merge_record(owner, mine, theirs, differences, "" if fact == "qos" else fact)
    if theirs == ():
        return mine
    # A configuration that lacks an object leaves it to the device: no difference.
    if not isinstance(mine, Missing):
        differences.append(Difference(owner, fact, mine, theirs))
    return theirs


def _merge_map(
    owner: tuple[str, str],
    fact: str,
    mine: FrozenMap[Any, Any],
    theirs: FrozenMap[Any, Any],
    differences: list[Difference],
) -> FrozenMap[Any, Any]:  # Any: any map of the model
    merged = dict(theirs)
    for key, value in mine.items():
        if key not in theirs:
            # A queue or priority that is missing was not applied; a named object may
            # stand in an output that was not given.
            if theirs and isinstance(key, int):
                differences.append(Difference(owner, f"{fact} {key}".strip(), value, "none"))
            merged.setdefault(key, value)
        else:
            path = f"{fact} {key}".strip() if key != "" else fact
            merged[key] = _merge_fact(owner, path, value, theirs[key], differences)
    return FrozenMap(merged)


def find_evidence(device: Device, difference: Difference) -> Evidence:
    """Where a differing fact was read."""
    word, name = difference.owner
    own = f"{word} {name}".strip()
    return device.find_evidence(own, *difference.fact.split())
