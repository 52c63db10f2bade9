"""Every leaf of a record, changed in each way that its type has.

A leaf is a number, a word out of a list, a set, or an entry of a map. It is
removed, moved one step (or halved), and swapped with its neighbour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any

from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN

SHORT_MAP = 8
# Names, and what is not a knob of the fabric's behaviour.
NO_KNOBS = frozenset({"name", "ports", "rdma", "host", "counters", "evidence", "address"})


@dataclass(frozen=True)
class Change:
    """One leaf changed: the knob (without keys), where in it, how, and the record that results."""

    knob: str
    key: str
    how: str
    record: Any  # Any: of the type of the record that was changed

    def __str__(self) -> str:
        return f"{self.knob}{self.key and f'[{self.key}]'} {self.how}"


def changes(record: Any, prefix: str = "") -> Iterator[Change]:  # Any: any record of the model
    """Give each change of each leaf of a record."""
    for one in fields(record):
        value = getattr(record, one.name)
        if one.name in NO_KNOBS or value is UNKNOWN or value is ABSENT:
            continue
        knob = f"{prefix}{one.name}"
        if not is_dataclass(value):
            yield Change(knob, "", "removed", replace(record, **{one.name: UNKNOWN}))
        for inner in _inside(knob, value):
            changed = replace(record, **{one.name: inner.record})
            yield Change(inner.knob, inner.key, inner.how, changed)


def _inside(knob: str, value: Any) -> Iterator[Change]:  # Any: any value of the model
    if is_dataclass(value):
        yield from changes(value, f"{knob}.")
    elif isinstance(value, FrozenMap):
        yield from _of_map(knob, value)
    else:
        for how, other in _steps(value):
            yield Change(knob, "", how, other)


def _of_map(knob: str, held: FrozenMap[Any, Any]) -> Iterator[Change]:
    keys = sorted(held)
    for place, key in enumerate(keys):
        if not _is_telling(held, key):
            continue
        rest = {one: value for one, value in held.items() if one != key}
        yield Change(knob, str(key), "removed", FrozenMap(rest))
        for inner in _inside(knob, held[key]):
            at = f"{key} {inner.key}".strip()
            yield Change(inner.knob, at, inner.how, FrozenMap({**held, key: inner.record}))
        other = keys[(place + 1) % len(keys)]
        swapped = {**held, key: held[other], other: held[key]}
        yield Change(knob, str(key), f"swapped with {other}", FrozenMap(swapped))


def _is_telling(held: FrozenMap[Any, Any], key: Any) -> bool:  # Any: keys and values of any map
    """In a long map: an entry unlike most, or beside such a one."""
    if len(held) <= SHORT_MAP:
        return True
    usual = Counter(map(repr, held.values())).most_common(1)[0][0]
    near = (key, key - 1, key + 1) if isinstance(key, int) else (key,)
    return any(one in held and repr(held[one]) != usual for one in near)


def _steps(value: Any) -> Iterator[tuple[str, Any]]:  # Any: any leaf
    if isinstance(value, bool):
        yield "turned over", not value
    elif isinstance(value, Enum):
        members = list(type(value))
        for other in members:
            if other is not value:
                yield f"{value} to {other}", other
    elif isinstance(value, int | float):
        yield "one more", value + 1
        if value:
            yield "one less", value - 1
            yield "halved", type(value)(value / 2)
    elif isinstance(value, frozenset):
        yield from _of_set(value)
    elif isinstance(value, str) and value.isdigit():
        yield "one more", str(int(value) + 1)
        yield "four more", str(int(value) + 4)


def _of_set(value: frozenset[int]) -> Iterator[tuple[str, frozenset[int]]]:
    for one in sorted(value):
        yield f"without {one}", value - {one}
        yield f"{one + 1} for {one}", value - {one} | {one + 1}
        yield f"also {one + 1}", value | {one + 1}
