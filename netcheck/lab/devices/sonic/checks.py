"""What the switch refuses to take: checks of our own making, after SONiC's YANG models.

Each refusal has a name; its words and its source stand in ``data/refusals.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from netcheck.lab.devices.sonic.keys import Row, Tables, integer, numbers, split_key

PRIORITIES = 8
_MAPS = {
    "dscp_to_tc_map": "DSCP_TO_TC_MAP",
    "dot1p_to_tc_map": "DOT1P_TO_TC_MAP",
    "tc_to_queue_map": "TC_TO_QUEUE_MAP",
    "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP",
    "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
    "pfc_to_pg_map": "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    "tc_to_dscp_map": "TC_TO_DSCP_MAP",
}
_ECN = re.compile(r"ecn_(none|all|(green|yellow|red)(_(yellow|red))?)")
COLOURS = ("green", "yellow", "red")
_FIELDS = {
    "BUFFER_PROFILE": "pool size xon xoff xon_offset dynamic_th static_th headroom_type"
    " packet_discard_action",
    "BUFFER_POOL": "type mode size xoff percentage",
    "BUFFER_PG": "profile",
    "BUFFER_QUEUE": "profile",
    "SCHEDULER": "type weight meter_type cir pir cbs pbs priority",
    "QUEUE": "scheduler wred_profile",
    "PFC_WD": "action detection_time restoration_time POLL_INTERVAL BIG_RED_SWITCH"
    " pfc_stat_history",
    "WRED_PROFILE": "ecn "
    + " ".join(
        f"wred_{c}_enable {c}_min_threshold {c}_max_threshold {c}_drop_probability" for c in COLOURS
    ),
    "PORT_QOS_MAP": " ".join(_MAPS) + " pfc_enable pfcwd_sw_enable scheduler",
}
_MANDATORY = {
    "BUFFER_PROFILE": ("pool", "size"),
    "BUFFER_POOL": ("type", "mode"),
    "BUFFER_PG": ("profile",),
    "BUFFER_QUEUE": ("profile",),
    "PORT": ("lanes", "speed"),
    "SCHEDULER": ("type",),
}
TABLE_NAME = re.compile(r"[A-Z][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class Refused:
    """One thing that is refused: the refusal's name, the place, what is said."""

    name: str
    place: str
    text: str


@cache
def refusal_texts() -> Mapping[str, Mapping[str, str]]:
    """Give ``name -> {says, source}``."""
    data = resources.files("netcheck.lab.devices.sonic").joinpath("data/refusals.yaml")
    found: dict[str, Any] = yaml.safe_load(data.read_text("utf-8"))  # checked by a test
    return found


def refuse(name: str, place: str, **values: str) -> Refused:
    """Make a refusal with its words filled in."""
    return Refused(name, place, refusal_texts()[name]["says"].format(**values))


def find_refused(config: Tables) -> list[Refused]:
    """Everything in a configuration that the switch does not take."""
    return [found for check in CHECKS for found in check(config)]


def _rows(config: Tables, table: str) -> Iterator[tuple[str, Row]]:
    yield from config.get(table, {}).items()


def _check_tables(config: Tables) -> Iterator[Refused]:
    for table in config:
        if not TABLE_NAME.fullmatch(table):
            yield refuse("unknown-table", table, table=table)


def _check_fields(config: Tables) -> Iterator[Refused]:
    for table, names in _FIELDS.items():
        known = set(names.split())
        for key, row in _rows(config, table):
            for leaf in row:
                if leaf not in known and leaf != "NULL":
                    yield refuse("unknown-field", f"{table}|{key}", leaf=leaf, table=table)


def _check_mandatory(config: Tables) -> Iterator[Refused]:
    for table, leaves in _MANDATORY.items():
        for key, row in _rows(config, table):
            for leaf in leaves:
                if leaf not in row and not (leaf == "size" and "percentage" in row):
                    yield refuse("mandatory-missing", f"{table}|{key}", leaf=leaf)


def _check_ports(config: Tables) -> Iterator[Refused]:
    ports = config.get("PORT", {})
    for table in ("PORT_QOS_MAP", "QUEUE", "BUFFER_PG", "BUFFER_QUEUE", "PFC_WD"):
        for key, _ in _rows(config, table):
            owners = split_key(key)[0].split(",")
            for owner in owners:
                if owner not in ports and owner not in ("global", "GLOBAL", "CPU"):
                    yield refuse("port-missing", f"{table}|{key}", leaf="ifname", value=owner)
    for key, row in _rows(config, "CABLE_LENGTH"):
        for port in row:
            if port not in ports:
                yield refuse("port-missing", f"CABLE_LENGTH|{key}", leaf="port", value=port)


def _reference(
    config: Tables, place: str, leaf: str, value: str, target: str, name: str
) -> Iterator[Refused]:
    if value.startswith("["):
        yield refuse("bracket-reference", place, leaf=leaf, value=value)
    elif value not in config.get(target, {}):
        yield refuse(name, place, leaf=leaf, value=value)


def _check_references(config: Tables) -> Iterator[Refused]:
    for key, row in _rows(config, "PORT_QOS_MAP"):
        for leaf, target in _MAPS.items():
            if leaf in row:
                place = f"PORT_QOS_MAP|{key}"
                yield from _reference(config, place, leaf, row[leaf], target, "dangling-map")
    links = (
        ("QUEUE", "scheduler", "SCHEDULER", "dangling-scheduler"),
        ("QUEUE", "wred_profile", "WRED_PROFILE", "dangling-wred"),
        ("BUFFER_PG", "profile", "BUFFER_PROFILE", "dangling-profile"),
        ("BUFFER_QUEUE", "profile", "BUFFER_PROFILE", "dangling-profile"),
        ("BUFFER_PROFILE", "pool", "BUFFER_POOL", "dangling-pool"),
    )
    for table, leaf, target, name in links:
        for key, row in _rows(config, table):
            value = row.get(leaf)
            if value is not None and value != "NULL":
                yield from _reference(config, f"{table}|{key}", leaf, value, target, name)


_MAP_RANGES = (
    ("DSCP_TO_TC_MAP", "dscp-range", 64, "tc-range", 16),
    ("DOT1P_TO_TC_MAP", "pcp-range", 8, "tc-range", 16),
    ("TC_TO_QUEUE_MAP", "tc-range", 16, "queue-range", 8),
    ("TC_TO_PRIORITY_GROUP_MAP", "tc-range", 16, "pg-range", 8),
    ("MAP_PFC_PRIORITY_TO_QUEUE", "pcp-range", 8, "queue-range", 8),
    ("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "pcp-range", 8, "pg-range", 8),
)


def _check_maps(config: Tables) -> Iterator[Refused]:
    for table, key_name, key_high, value_name, value_high in _MAP_RANGES:
        for name, row in _rows(config, table):
            for key, value in row.items():
                place = f"{table}|{name}"
                if not _in_range(key, 0, key_high - 1):
                    yield refuse(key_name, place, value=key)
                if not _in_range(value, 0, value_high - 1):
                    yield refuse(value_name, place, value=value)


def _in_range(text: str, low: int, high: int) -> bool:
    return re.fullmatch(r"-?\d+", text) is not None and low <= int(text) <= high


def _check_indices(config: Tables) -> Iterator[Refused]:
    for table, name in (("QUEUE", "queue-range"), ("BUFFER_PG", "pg-range")):
        for key, _ in _rows(config, table):
            rest = split_key(key)[1]
            found = numbers(rest)
            if not found or max(found) >= PRIORITIES * 2 or (name == "pg-range" and max(found) > 7):  # noqa: PLR2004 -- eight groups
                yield refuse(name, f"{table}|{key}", value=rest)


def _check_bindings(config: Tables) -> Iterator[Refused]:
    for key, row in _rows(config, "PORT_QOS_MAP"):
        for leaf in ("pfc_enable", "pfcwd_sw_enable"):
            value = row.get(leaf, "")
            found = numbers(value)
            if value and (not found or max(found) >= PRIORITIES):
                yield refuse("pfc-enable-pattern", f"PORT_QOS_MAP|{key}", value=value)


# table, field, refusal, check of the value
_VALUES: tuple[tuple[str, str, str, Callable[[str], bool]], ...] = (
    ("PORT", "mtu", "mtu-range", lambda v: _in_range(v, 68, 9216)),
    ("PORT", "speed", "speed-range", lambda v: _in_range(v, 1, 1_600_000)),
    ("SCHEDULER", "type", "scheduler-type", lambda v: v in ("DWRR", "WRR", "STRICT")),
    ("SCHEDULER", "weight", "scheduler-weight", lambda v: _in_range(v, 1, 100)),
    ("WRED_PROFILE", "ecn", "ecn-mode", lambda v: _ECN.fullmatch(v) is not None),
    ("BUFFER_PROFILE", "dynamic_th", "dynamic-th-range", lambda v: _in_range(v, -8, 7)),
    ("BUFFER_POOL", "mode", "pool-mode", lambda v: v in ("dynamic", "static")),
    ("BUFFER_POOL", "type", "pool-mode", lambda v: v in ("ingress", "egress", "both")),
    ("PFC_WD", "action", "watchdog-action", lambda v: v in ("drop", "forward", "alert")),
    ("PFC_WD", "detection_time", "watchdog-detection", lambda v: _in_range(v, 100, 5000)),
    ("PFC_WD", "restoration_time", "watchdog-restoration", lambda v: _in_range(v, 100, 60000)),
    ("PFC_WD", "POLL_INTERVAL", "watchdog-poll", lambda v: _in_range(v, 100, 3000)),
    (
        "DEVICE_METADATA",
        "buffer_model",
        "buffer-model",
        lambda v: v in ("traditional", "dynamic"),
    ),
)
_NUMERIC = {
    "BUFFER_PROFILE": ("size", "xon", "xoff", "xon_offset", "static_th"),
    "BUFFER_POOL": ("size", "xoff"),
    "WRED_PROFILE": tuple(f"{c}_{end}_threshold" for c in COLOURS for end in ("min", "max")),
}


def _check_values(config: Tables) -> Iterator[Refused]:
    for table, leaf, name, is_good in _VALUES:
        for key, row in _rows(config, table):
            if leaf in row and not is_good(row[leaf]):
                yield refuse(name, f"{table}|{key}", leaf=leaf, value=row[leaf])


def _check_numbers(config: Tables) -> Iterator[Refused]:
    for table, leaves in _NUMERIC.items():
        for key, row in _rows(config, table):
            for leaf in leaves:
                if leaf in row and not row[leaf].isdigit():
                    yield refuse("not-a-number", f"{table}|{key}", leaf=leaf, value=row[leaf])
    for key, row in _rows(config, "CABLE_LENGTH"):
        for value in row.values():
            if not re.fullmatch(r"[0-9]+m", value):
                yield refuse("cable-pattern", f"CABLE_LENGTH|{key}", value=value)


def _check_wred(config: Tables) -> Iterator[Refused]:
    for key, row in _rows(config, "WRED_PROFILE"):
        for colour in COLOURS:
            low, high = f"{colour}_min_threshold", f"{colour}_max_threshold"
            if low in row and high in row and integer(row, high) < integer(row, low):
                yield refuse("wred-threshold-order", f"WRED_PROFILE|{key}", leaf=high)
            share = f"{colour}_drop_probability"
            if share in row and not _in_range(row[share], 0, 100):
                yield refuse("wred-probability", f"WRED_PROFILE|{key}", value=row[share])


def _check_thresholds(config: Tables) -> Iterator[Refused]:
    pools = config.get("BUFFER_POOL", {})
    for key, row in _rows(config, "BUFFER_PROFILE"):
        mode = pools.get(row.get("pool", ""), {}).get("mode")
        if (mode == "static" and "dynamic_th" in row) or (mode == "dynamic" and "static_th" in row):
            leaf = "dynamic_th" if "dynamic_th" in row else "static_th"
            yield refuse("threshold-kind", f"BUFFER_PROFILE|{key}", leaf=leaf)


def _check_watchdog(config: Tables) -> Iterator[Refused]:
    poll = integer(config.get("PFC_WD", {}).get("GLOBAL", {}), "POLL_INTERVAL", 0)
    for key, row in _rows(config, "PFC_WD"):
        for leaf in ("detection_time", "restoration_time"):
            if leaf in row and integer(row, leaf) < poll:
                yield refuse("watchdog-below-poll", f"PFC_WD|{key}", leaf=leaf)


CHECKS: tuple[Callable[[Tables], Iterator[Refused]], ...] = (
    _check_tables,
    _check_fields,
    _check_mandatory,
    _check_ports,
    _check_references,
    _check_maps,
    _check_indices,
    _check_bindings,
    _check_values,
    _check_numbers,
    _check_wred,
    _check_thresholds,
    _check_watchdog,
)
