"""Fields of the CONFIG_DB tables that are read, and what each may hold.

Source: sonic-net/sonic-buildimage src/sonic-yang-models/yang-models/*.yang.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

UINT64: Final = 2**64 - 1


class KeyForm(Enum):
    """What the key of a row is."""

    NAME = auto()
    PORT = auto()  # one port, a list of ports, or one of the table's own words
    PORT_INDEX = auto()  # a port (or a list of them) and an index or a range


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number within bounds."""

    low: int = 0
    high: int = UINT64

    def accepts(self, text: str) -> bool:
        """Tell whether a text is such a number."""
        return number_in(text, self.low, self.high)

    def __str__(self) -> str:
        bounds = (
            f"of at least {self.low}" if self.high == UINT64 else f"from {self.low} to {self.high}"
        )
        return f"a number {bounds}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    def accepts(self, text: str) -> bool:
        """Tell whether a text is one of the words."""
        return text in self.words

    def __str__(self) -> str:
        return " or ".join(self.words)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A text of a form; ``says`` is the form in words."""

    pattern: re.Pattern[str]
    says: str

    def accepts(self, text: str) -> bool:
        """Tell whether a text has the form."""
        return self.pattern.fullmatch(text) is not None

    def __str__(self) -> str:
        return self.says


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of a row of another table, or several with commas."""

    table: str
    is_list: bool = False
    words: tuple[str, ...] = ()

    def accepts(self, text: str) -> bool:
        """Tell whether a text can be a name at all."""
        return bool(text)

    def __str__(self) -> str:
        return f"the name of a {self.table} row"


Kind = Number | Choice | Pattern | Reference


@dataclass(frozen=True, slots=True)
class TableSchema:
    """What one table holds.

    Attributes:
        fields: Kind of each field that is read.
        required: Fields without which a row says nothing that can be trusted.
        ignored: Fields that are known and do not change how RDMA traffic is treated.
        map_keys, map_values: For tables whose fields are the keys of a map.
        words: Keys that are no port in a table keyed by port.
        index_high: Highest index in a table keyed by port and index.
    """

    key: KeyForm = KeyForm.NAME
    fields: dict[str, Kind] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()
    map_keys: Number | None = None
    map_values: Kind | None = None
    words: tuple[str, ...] = ()
    index_high: int = 7
    touches_qos: bool = True


_PRIORITIES: Final = Pattern(re.compile(r"([0-7](,[0-7])*)?"), "priorities from 0 to 7, as 3,4")
_CABLE: Final = Pattern(re.compile(r"[0-9]+m"), "a length in metres, as 40m")
_LANES: Final = Pattern(re.compile(r"\d+(\s*,\s*\d+)*"), "lane numbers, as 1,2,3,4")
_ON_OFF: Final = Choice(("on", "off"))
_UP_DOWN: Final = Choice(("up", "down"))
_TRUTH: Final = Choice(("true", "false"))
_MODE: Final = Choice(("static", "dynamic"))
_ALPHA: Final = Number(-8, 7)
_TC: Final = Number(0, 15)
_COLOURS: Final = ("green", "yellow", "red")
_ECN: Final = Choice(
    (
        "ecn_none",
        "ecn_green",
        "ecn_yellow",
        "ecn_red",
        "ecn_green_yellow",
        "ecn_green_red",
        "ecn_yellow_red",
        "ecn_all",
    )
)


def _map(keys: Number, values: Kind) -> TableSchema:
    return TableSchema(map_keys=keys, map_values=values)


def _wred_fields() -> dict[str, Kind]:
    fields: dict[str, Kind] = {"ecn": _ECN}
    for colour in _COLOURS:
        fields[f"wred_{colour}_enable"] = _TRUTH
        fields[f"{colour}_min_threshold"] = Number()
        fields[f"{colour}_max_threshold"] = Number()
        fields[f"{colour}_drop_probability"] = Number(0, 100)
    return fields


SCHEMAS: Final[dict[str, TableSchema]] = {
    "DEVICE_METADATA": TableSchema(
        fields={"buffer_model": Choice(("traditional", "dynamic"))}, touches_qos=False
    ),
    "PORT": TableSchema(
        KeyForm.PORT,
        {
            "speed": Number(1, 1_600_000),
            "mtu": Number(68, 9216),
            "admin_status": _UP_DOWN,
            "pfc_asym": _ON_OFF,
            "autoneg": _ON_OFF,
            "lanes": _LANES,
        },
        required=("speed",),
        touches_qos=False,
    ),
    "CABLE_LENGTH": TableSchema(map_values=_CABLE),
    "DSCP_TO_TC_MAP": _map(Number(0, 63), _TC),
    "DOT1P_TO_TC_MAP": _map(Number(0, 7), _TC),
    "TC_TO_QUEUE_MAP": _map(_TC, Number(0, 9)),
    "TC_TO_PRIORITY_GROUP_MAP": _map(_TC, Number(0, 7)),
    "TC_TO_DSCP_MAP": _map(_TC, Number(0, 63)),
    "MAP_PFC_PRIORITY_TO_QUEUE": _map(Number(0, 7), Number(0, 7)),
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": _map(Number(0, 7), Number(0, 7)),
    "PORT_QOS_MAP": TableSchema(
        KeyForm.PORT,
        {
            "dscp_to_tc_map": Reference("DSCP_TO_TC_MAP"),
            "dot1p_to_tc_map": Reference("DOT1P_TO_TC_MAP"),
            "tc_to_queue_map": Reference("TC_TO_QUEUE_MAP"),
            "tc_to_pg_map": Reference("TC_TO_PRIORITY_GROUP_MAP"),
            "tc_to_dscp_map": Reference("TC_TO_DSCP_MAP"),
            "pfc_to_queue_map": Reference("MAP_PFC_PRIORITY_TO_QUEUE"),
            "pfc_to_pg_map": Reference("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"),
            "scheduler": Reference("SCHEDULER"),
            "pfc_enable": _PRIORITIES,
            "pfcwd_sw_enable": _PRIORITIES,
        },
        ignored=frozenset({"dscp_to_fc_map", "exp_to_fc_map", "tc_to_dot1p_map"}),
        words=("global",),
    ),
    "SCHEDULER": TableSchema(
        fields={
            "type": Choice(("DWRR", "WRR", "STRICT")),
            "weight": Number(1, 100),
            "meter_type": Choice(("packets", "bytes")),
            "cir": Number(),
            "pir": Number(),
            "cbs": Number(),
            "pbs": Number(),
        },
        ignored=frozenset({"priority"}),
    ),
    "WRED_PROFILE": TableSchema(fields=_wred_fields()),
    "QUEUE": TableSchema(
        KeyForm.PORT_INDEX,
        {"scheduler": Reference("SCHEDULER"), "wred_profile": Reference("WRED_PROFILE")},
        words=("CPU",),
        index_high=255,
    ),
    "BUFFER_POOL": TableSchema(
        fields={
            "type": Choice(("ingress", "egress", "both")),
            "mode": _MODE,
            "size": Number(),
            "xoff": Number(),
            "percentage": Number(0, 255),
        },
        required=("type", "mode"),
    ),
    "BUFFER_PROFILE": TableSchema(
        fields={
            "pool": Reference("BUFFER_POOL"),
            "size": Number(),
            "xon": Number(),
            "xoff": Number(),
            "xon_offset": Number(),
            "dynamic_th": _ALPHA,
            "static_th": Number(),
            "headroom_type": _MODE,
            "packet_discard_action": Choice(("drop", "trim")),
        },
        required=("pool", "size"),
        ignored=frozenset({"mode"}),  # written by buffermgrd of older releases
    ),
    "BUFFER_PG": TableSchema(
        KeyForm.PORT_INDEX,
        {"profile": Reference("BUFFER_PROFILE", words=("NULL",))},
        required=("profile",),
    ),
    "BUFFER_QUEUE": TableSchema(
        KeyForm.PORT_INDEX,
        {"profile": Reference("BUFFER_PROFILE")},
        required=("profile",),
        index_high=15,
    ),
    "BUFFER_PORT_INGRESS_PROFILE_LIST": TableSchema(
        KeyForm.PORT,
        {"profile_list": Reference("BUFFER_PROFILE", is_list=True)},
        required=("profile_list",),
    ),
    "BUFFER_PORT_EGRESS_PROFILE_LIST": TableSchema(
        KeyForm.PORT,
        {"profile_list": Reference("BUFFER_PROFILE", is_list=True)},
        required=("profile_list",),
    ),
    "LOSSLESS_TRAFFIC_PATTERN": TableSchema(
        fields={"mtu": Number(1, 9216), "small_packet_percentage": Number(0, 100)},
        required=("mtu", "small_packet_percentage"),
    ),
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": TableSchema(
        fields={"default_dynamic_th": _ALPHA, "over_subscribe_ratio": Number(0, 65535)},
        required=("default_dynamic_th",),
    ),
    "PFC_WD": TableSchema(
        KeyForm.PORT,
        {
            "action": Choice(("drop", "forward", "alert")),
            "detection_time": Number(100, 5000),
            "restoration_time": Number(100, 60_000),
            "POLL_INTERVAL": Number(100, 1000),
            "pfc_stat_history": Choice(("enable", "disable")),
        },
        words=("GLOBAL",),
        ignored=frozenset({"BIG_RED_SWITCH"}),
    ),
    "FLEX_COUNTER_TABLE": TableSchema(
        fields={"FLEX_COUNTER_STATUS": Choice(("enable", "disable"))}, touches_qos=False
    ),
}


def number_in(text: str, low: int, high: int) -> bool:
    """Tell whether a text is a plain decimal number within bounds.

    Example:
        >>> number_in("-8", -8, 7), number_in("", 0, 7), number_in("1e3", 0, 9999)
        (True, False, False)
    """
    if re.fullmatch(r"-?[0-9]{1,20}", text) is None:
        return False
    return low <= int(text) <= high


def kind_of(table: str, field_name: str) -> Kind | None:
    """Give what a field of a table may hold; None where it is not read."""
    schema = SCHEMAS.get(table)
    if schema is None:
        return None
    return schema.map_values or schema.fields.get(field_name)
