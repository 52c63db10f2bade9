"""Merge the owned part into what a switch holds; everything else stays as it is.

A table that was not rendered is not touched. In a rendered one, what is said of
the intent's ports is replaced, shared objects (maps, schedulers, WRED profiles,
lossless profiles) go when nothing names them any more, and the rest stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

from netcheck.model.errors import InputError
from netcheck.platforms.capabilities import Owned, capabilities
from netcheck.platforms.sonic.applied.said import Said
from netcheck.platforms.sonic.rendered.names import range_key, ranges

# Any: fields of unowned tables may be lists or nested, and stay as they are.
Fields = dict[str, Any]
Rows = dict[str, Fields]
Tables = dict[str, Rows]
Merger = Callable[[str, Tables, Rows, Said], None]

_KEY: Final = re.compile(r"(?P<port>[^|]+)\|(?P<low>\d+)(?:-(?P<high>\d+))?")
_NULL: Final = "NULL"
_LOSSLESS: Final = re.compile(r"pg_lossless_.*_profile")


def merge(held: Tables, rendered: Tables, said: Said) -> Tables:
    """Give what the switch shall hold.

    Args:
        said: Fields of the intent's ports that may be changed or removed.

    Raises:
        InputError: A rendered port is not on the switch.
    """
    target = deepcopy(held)
    for table, rows in rendered.items():
        _MERGERS.get(table, _merge_shared)(table, target, rows, said)
    for table in rendered:
        if _MERGERS.get(table, _merge_shared) is _merge_shared:
            _drop_unused(table, target, rendered[table])
    return {table: rows for table, rows in target.items() if rows or held.get(table) == {}}


def without_reclaimed(rendered: Tables, held: Tables) -> Tables:
    """Leave out lossless groups of ports that are down, where buffermgrd takes them away.

    It gives them back when a port comes up; a plan that asked for them before
    would find something to do for ever.

    Source: sonic-net/sonic-swss cfgmgr/buffermgr.cpp, doSpeedUpdateTask
        (traditional model, admin status down).
    """
    ports = held.get("PORT", {})
    down = {port for port, row in ports.items() if row.get("admin_status", "down") != "up"}
    groups = {
        key: row
        for key, row in rendered.get("BUFFER_PG", {}).items()
        if _split(key)[0] not in down or not _LOSSLESS.fullmatch(row["profile"])
    }
    return {**rendered, "BUFFER_PG": groups} if "BUFFER_PG" in rendered else rendered


def _owned(table: str) -> Owned:
    return capabilities("sonic").owned[table]


def _merge_ports(table: str, target: Tables, rows: Rows, said: Said) -> None:
    """Set fields of ports that exist; a port cannot be made by writing its MTU."""
    there = target.get(table, {})
    for port, fields in rows.items():
        if port not in there:
            known = f"{len(there)} others" if there else "no port at all"
            raise InputError(f"{table}|{port}: expected on the switch, found {known}")
        there[port].update(fields)
    del said  # every rendered port is of the intent


def _merge_by_port(table: str, target: Tables, rows: Rows, said: Said) -> None:
    """Replace what is said of the intent's ports; a row left without any field goes."""
    there = target.setdefault(table, {})
    for port, fields in said[table].items():
        left = _without(there.get(port, {}), fields)
        is_meant = port in rows or table != "PFC_WD"  # no watchdog without its times
        if port in there and fields:
            there[port] = left if is_meant else {}
    for key, added in rows.items():
        there.setdefault(key, {}).update(added)
    _drop_empty(there, rows)


def _without(row: Fields, fields: Collection[str]) -> Fields:
    return {name: value for name, value in row.items() if name not in fields}


def _drop_empty(there: Rows, rows: Rows) -> None:
    for key in [key for key, fields in there.items() if not fields and key not in rows]:
        del there[key]


def _merge_queues(table: str, target: Tables, rows: Rows, said: Said) -> None:
    """Replace what is said of the queues of the intent's ports, in whatever ranges it stands."""
    there = target.setdefault(table, {})
    for key in list(there):
        fields = said[table].get(_split(key)[0], frozenset())
        there[key] = _without(there[key], fields)
    for key, added in rows.items():
        there.setdefault(key, {}).update(added)
    _drop_empty(there, rows)


def _merge_accounts(table: str, target: Tables, rows: Rows, said: Said) -> None:
    """Replace lossless accounts of the intent's ports; others keep what is not rendered."""
    there = target.setdefault(table, {})
    wanted = {
        (port, number) for key in rows for port, numbers in [_split(key)] for number in numbers
    }
    for key in list(there):
        port, numbers = _split(key)
        if not said[table].get(port) or key in rows:
            continue
        left = [number for number in numbers if (port, number) not in wanted]
        is_ours = table == "BUFFER_PG" and _is_lossless(there[key], target)
        if is_ours or len(left) < len(numbers):
            fields = there.pop(key)
            if not is_ours:
                there.update({range_key(port, run): dict(fields) for run in ranges(left)})
    there.update(deepcopy(rows))


def _split(key: str) -> tuple[str, list[int]]:
    match = _KEY.fullmatch(key)
    if match is None:
        return "", []
    low, high = int(match["low"]), int(match["high"] or match["low"])
    return match["port"], list(range(low, high + 1))


def _is_lossless(fields: Fields, target: Tables) -> bool:
    profile = str(fields.get("profile", ""))
    return (
        profile == _NULL
        or _LOSSLESS.fullmatch(profile) is not None
        or "xoff" in target.get("BUFFER_PROFILE", {}).get(profile, {})
    )


def _merge_cables(table: str, target: Tables, rows: Rows, said: Said) -> None:
    """Set the cables of the intent's ports in the one row that buffermgrd reads."""
    there = target.setdefault(table, {})
    ports = [port for port, fields in said[table].items() if fields]
    for key in list(there):
        there[key] = _without(there[key], ports)
    for key, fields in rows.items():
        there.setdefault(key, {}).update(fields)
    _drop_empty(there, rows)


def _merge_fields(table: str, target: Tables, rows: Rows, said: Said) -> None:
    """Set the rendered fields; other objects and fields stay."""
    there = target.setdefault(table, {})
    for key, fields in rows.items():
        there.setdefault(key, {}).update(fields)
    del said  # the whole switch's


def _merge_pools(table: str, target: Tables, rows: Rows, said: Said) -> None:
    """Set the rendered fields; a size ends a share of the buffer and a share ends a size."""
    there = target.setdefault(table, {})
    for key, fields in rows.items():
        ended = {"size": "percentage", "percentage": "size"}
        over = [ended[name] for name in fields if name in ended]
        there[key] = {**_without(there.get(key, {}), over), **fields}
    del said  # the whole switch's


def _merge_rows(table: str, target: Tables, rows: Rows, said: Said) -> None:
    """Replace the owned rows."""
    there = target.setdefault(table, {})
    for key in [key for key in there if _owned(table).holds(key)]:
        del there[key]
    there.update(deepcopy(rows))
    del said  # the whole switch's


def _merge_shared(table: str, target: Tables, rows: Rows, said: Said) -> None:
    """Replace the rendered objects; those that nothing names go afterwards."""
    target.setdefault(table, {}).update(deepcopy(rows))
    del said  # shared by all


_MERGERS: Final[Mapping[str, Merger]] = {
    "PORT": _merge_ports,
    "CABLE_LENGTH": _merge_cables,
    "PORT_QOS_MAP": _merge_by_port,
    "PFC_WD": _merge_by_port,
    "QUEUE": _merge_queues,
    "BUFFER_PG": _merge_accounts,
    "BUFFER_QUEUE": _merge_accounts,
    "BUFFER_POOL": _merge_pools,
    "DEVICE_METADATA": _merge_fields,
    "FLEX_COUNTER_TABLE": _merge_fields,
    "LOSSLESS_TRAFFIC_PATTERN": _merge_rows,
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": _merge_rows,
}


def _drop_unused(table: str, target: Tables, rendered: Rows) -> None:
    """Take away shared objects that are owned, not rendered, and named nowhere."""
    there = target[table]
    spare = {name for name in there if name not in rendered and _owned(table).holds(name)}
    if spare:
        named = set(_named(target, table))
        for name in spare - named:
            del there[name]


def _named(target: Tables, table: str) -> Iterator[str]:
    """Names that any other table holds in a field that may refer to this one."""
    fields = _FIELDS_OF.get(table)
    for other, rows in target.items():
        for row in rows.values() if other != table else ():
            for field, value in row.items():
                if other not in _PLAIN_USERS or fields is None or field in fields:
                    yield from _words(value)


# Tables whose fields refer to one table each, and the fields that refer to a table.
_PLAIN_USERS: Final = frozenset({"PORT_QOS_MAP", "QUEUE", "BUFFER_PG", "BUFFER_QUEUE"})
_FIELDS_OF: Final[Mapping[str, frozenset[str]]] = {
    "DSCP_TO_TC_MAP": frozenset({"dscp_to_tc_map"}),
    "DOT1P_TO_TC_MAP": frozenset({"dot1p_to_tc_map"}),
    "TC_TO_QUEUE_MAP": frozenset({"tc_to_queue_map"}),
    "TC_TO_PRIORITY_GROUP_MAP": frozenset({"tc_to_pg_map"}),
    "MAP_PFC_PRIORITY_TO_QUEUE": frozenset({"pfc_to_queue_map"}),
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": frozenset({"pfc_to_pg_map"}),
    "TC_TO_DSCP_MAP": frozenset({"tc_to_dscp_map"}),
    "SCHEDULER": frozenset({"scheduler"}),
    "WRED_PROFILE": frozenset({"wred_profile"}),
    "BUFFER_PROFILE": frozenset({"profile"}),
}


def _words(value: Any) -> Iterator[str]:
    """Names in a field: plain, listed with commas, or in the old brackets."""
    for item in value if isinstance(value, list) else [value]:
        for word in str(item).split(","):
            yield word.strip("[] ").rpartition("|")[2]
