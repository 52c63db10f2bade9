"""The difference between two configurations: by object for people, by operation for GCU.

Order: what others refer to comes first, what refers to it later, and objects
that go away last. Rows of queues and priority groups with other ranges make
way first, since removing `3-4` after adding `3` would take group 3 with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from netcheck.platforms.sonic.applied.merge import Fields, Rows, Tables

# What is referred to, then what refers to it; PFC after the buffers it needs.
ORDER: Final = (
    "DEVICE_METADATA",
    "DSCP_TO_TC_MAP",
    "DOT1P_TO_TC_MAP",
    "TC_TO_QUEUE_MAP",
    "TC_TO_PRIORITY_GROUP_MAP",
    "MAP_PFC_PRIORITY_TO_QUEUE",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    "TC_TO_DSCP_MAP",
    "SCHEDULER",
    "WRED_PROFILE",
    "LOSSLESS_TRAFFIC_PATTERN",
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
    "BUFFER_POOL",
    "BUFFER_PROFILE",
    "PORT",
    "CABLE_LENGTH",
    "BUFFER_PG",
    "BUFFER_QUEUE",
    "QUEUE",
    "PORT_QOS_MAP",
    "PFC_WD",
    "FLEX_COUNTER_TABLE",
)
_BY_RANGE: Final = frozenset({"BUFFER_PG", "BUFFER_QUEUE", "QUEUE"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One object that differs; None is an object that is not there."""

    table: str
    key: str
    old: Fields | None
    new: Fields | None

    @property
    def name(self) -> str:
        """The object in SONiC's words, such as ``PORT_QOS_MAP|Ethernet0``."""
        return f"{self.table}|{self.key}"

    @property
    def fields(self) -> frozenset[str]:
        """Fields that differ."""
        old, new = self.old or {}, self.new or {}
        return frozenset(name for name in old | new if old.get(name) != new.get(name))

    def texts(self) -> tuple[str, str]:
        """What differs, before and after, as ``field=value``."""
        return _shown(self.old, self.fields), _shown(self.new, self.fields)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a JSON patch (RFC 6902). ``parts`` are table, key and field."""

    op: str
    parts: tuple[str, ...]
    value: Any = None  # Any: a field, an object or a table

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in a patch."""
        path = "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in self.parts)
        head = {"op": self.op, "path": path}
        return head if self.op == "remove" else {**head, "value": self.value}


def _shown(fields: Fields | None, names: frozenset[str]) -> str:
    """Fields as ``name=value``; entries of maps that follow each other as one range."""
    held = {name: fields[name] for name in names & fields.keys()} if fields else {}
    numbers = {int(name): value for name, value in held.items() if name.isdecimal()}
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1 and numbers[number - 1] == numbers[number]:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    entries = [
        f"{low}={numbers[low]}" if low == high else f"{low}-{high}={numbers[low]}"
        for low, high in runs
    ]
    words = [f"{name}={held[name]}" for name in sorted(held) if not name.isdecimal()]
    return ", ".join([*entries, *words])


def differences(held: Tables, target: Tables) -> list[Difference]:
    """Give the objects that differ, in the order in which they can change."""
    changed = [table for table in ORDER if held.get(table, {}) != target.get(table, {})]
    return [
        Difference(table, key, held.get(table, {}).get(key), target.get(table, {}).get(key))
        for table in changed
        for key in _keys(held.get(table, {}), target.get(table, {}))
    ]


def _keys(held: Rows, target: Rows) -> Iterator[str]:
    for key in {**held, **target}:
        if held.get(key) != target.get(key):
            yield key


def operations(held: Tables, target: Tables) -> list[Operation]:
    """Give the operations that turn one configuration into the other, in a safe order."""
    found = differences(held, target)
    last: list[Operation] = []
    steps: list[Operation] = []
    for table in ORDER:
        of_table = [one for one in found if one.table == table]
        if not of_table:
            continue
        removed = [Operation("remove", (table, one.key)) for one in of_table if one.new is None]
        if table not in held:
            steps.append(Operation("add", (table,), target[table]))
        elif not target.get(table):
            last.insert(0, Operation("remove", (table,)))
        elif table in _BY_RANGE:
            steps += [*removed, *_settings(of_table)]
        else:
            steps += _settings(of_table)
            last = [*removed, *last]
    return steps + last


def _settings(found: list[Difference]) -> Iterator[Operation]:
    for one in found:
        if one.new is None:
            continue
        if one.old is None:
            yield Operation("add", (one.table, one.key), one.new)
        else:
            yield from _field_operations(one, one.old, one.new)


def _field_operations(
    one: Difference, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Operation]:
    for name in sorted(one.fields):
        parts = (one.table, one.key, name)
        if name not in new:
            yield Operation("remove", parts)
        else:
            yield Operation("replace" if name in old else "add", parts, new[name])


def patch_text(steps: list[Operation]) -> str:
    """Give the text of a patch for `config apply-patch`."""
    return json.dumps([step.as_json() for step in steps], indent=4) + "\n"
