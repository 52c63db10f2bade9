"""What each counter of SONiC means.

Source: opencomputeproject/SAI inc/saiport.h, saiqueue.h, saibuffer.h; names
with PFC_WD and EST_ are from sonic-net/sonic-swss orchagent (pfcwdorch,
pfc_detect_*.lua, and the PFC history of pfcwd). All are 64 bits wide.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from netcheck.model.counters import CounterClass, Meaning

_ZERO: Final = CounterClass.MUST_BE_ZERO
_CONGESTION: Final = CounterClass.CONGESTION
_INFORMATION: Final = CounterClass.INFORMATION
_GAUGE: Final = CounterClass.GAUGE


class Sense(NamedTuple):
    """What a counter means, how its growth is judged, and its unit."""

    meaning: Meaning
    kind: CounterClass
    unit: str = "packets"


PORT_COUNTERS: Final[dict[str, Sense]] = {
    "SAI_PORT_STAT_IF_IN_DISCARDS": Sense(Meaning.PORT_INGRESS_DROP, _ZERO),
    "SAI_PORT_STAT_IF_OUT_DISCARDS": Sense(Meaning.PORT_EGRESS_DROP, _ZERO),
    "SAI_PORT_STAT_IF_IN_ERRORS": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "SAI_PORT_STAT_IF_OUT_ERRORS": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "SAI_PORT_STAT_IF_IN_FEC_NOT_CORRECTABLE_FRAMES": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "SAI_PORT_STAT_IF_IN_UCAST_PKTS": Sense(Meaning.PORT_RX_PACKETS, _INFORMATION),
    "SAI_PORT_STAT_IF_OUT_UCAST_PKTS": Sense(Meaning.PORT_TX_PACKETS, _INFORMATION),
    "SAI_PORT_STAT_PAUSE_RX_PKTS": Sense(Meaning.GLOBAL_PAUSE_RX, _CONGESTION),
    "SAI_PORT_STAT_PAUSE_TX_PKTS": Sense(Meaning.GLOBAL_PAUSE_TX, _CONGESTION),
    "SAI_PORT_STAT_ECN_MARKED_PACKETS": Sense(Meaning.ECN_MARKED, _CONGESTION),
    "SAI_PORT_STAT_WRED_DROPPED_PACKETS": Sense(Meaning.WRED_DROP, _ZERO),
}
QUEUE_COUNTERS: Final[dict[str, Sense]] = {
    "SAI_QUEUE_STAT_PACKETS": Sense(Meaning.QUEUE_PACKETS, _INFORMATION),
    "SAI_QUEUE_STAT_BYTES": Sense(Meaning.QUEUE_BYTES, _INFORMATION, "bytes"),
    "SAI_QUEUE_STAT_DROPPED_PACKETS": Sense(Meaning.QUEUE_DROP, _ZERO),
    "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS": Sense(Meaning.WRED_DROP, _ZERO),
    "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS": Sense(Meaning.ECN_MARKED, _CONGESTION),
    "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": Sense(Meaning.QUEUE_WATERMARK, _GAUGE, "bytes"),
    "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED": Sense(Meaning.WATCHDOG_STORM, _ZERO, "events"),
    "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED": Sense(
        Meaning.WATCHDOG_RESTORED, _INFORMATION, "events"
    ),
    "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS": Sense(Meaning.WATCHDOG_DROP, _ZERO),
    "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS": Sense(Meaning.WATCHDOG_DROP, _ZERO),
}
GROUP_COUNTERS: Final[dict[str, Sense]] = {
    "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS": Sense(Meaning.PRIORITY_GROUP_DROP, _ZERO),
    "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES": Sense(
        Meaning.SHARED_WATERMARK, _GAUGE, "bytes"
    ),
    "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES": Sense(
        Meaning.HEADROOM_WATERMARK, _GAUGE, "bytes"
    ),
}
POOL_COUNTERS: Final[dict[str, Sense]] = {
    "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES": Sense(Meaning.SHARED_WATERMARK, _GAUGE, "bytes"),
    "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES": Sense(
        Meaning.HEADROOM_WATERMARK, _GAUGE, "bytes"
    ),
}
_BY_PRIORITY: Final[dict[str, Sense]] = {
    "SAI_PORT_STAT_PFC_{}_RX_PKTS": Sense(Meaning.PFC_RX, _CONGESTION),
    "SAI_PORT_STAT_PFC_{}_TX_PKTS": Sense(Meaning.PFC_TX, _CONGESTION),
    "EST_PORT_STAT_PFC_{}_RX_PAUSE_DURATION_US": Sense(Meaning.PFC_RX_DURATION, _CONGESTION, "us"),
    "SAI_PORT_STAT_PFC_{}_RX_PAUSE_DURATION_US": Sense(Meaning.PFC_RX_DURATION, _CONGESTION, "us"),
    "SAI_PORT_STAT_PFC_{}_TX_PAUSE_DURATION_US": Sense(Meaning.PFC_TX_DURATION, _CONGESTION, "us"),
}
_PRIORITY: Final = re.compile(
    r"(?P<before>(?:SAI|EST)_PORT_STAT_PFC_)(?P<priority>[0-7])(?P<after>_\w+)"
)
# Settings and states that stand among the counters of a queue, and times of day.
_NO_COUNTER: Final = re.compile(
    r"PFC_WD_(?:ACTION|STATUS|DETECTION_TIME|RESTORATION_TIME)\w*|BIG_RED_SWITCH_MODE"
    r"|\w*_TIMESTAMP|\w+_last"
)


class Named(NamedTuple):
    """The sense of a counter and the priority its name holds, or -1."""

    sense: Sense
    priority: int


def sense_of(name: str, table: dict[str, Sense]) -> Named | None:
    """Give what a field means; None for fields that count nothing.

    Example:
        >>> sense_of("SAI_PORT_STAT_PFC_3_RX_PKTS", PORT_COUNTERS).priority
        3
    """
    found = table.get(name)
    if found is not None:
        return Named(found, -1)
    match = _PRIORITY.fullmatch(name)
    if match:
        pattern = f"{match['before']}{{}}{match['after']}"
        sense = _BY_PRIORITY.get(pattern, Sense(Meaning.OTHER, _INFORMATION, _unit(name)))
        return Named(sense, int(match["priority"]))
    if _NO_COUNTER.fullmatch(name):
        return None
    is_level = "WATERMARK" in name or "OCCUPANCY" in name
    kind = _GAUGE if is_level else _INFORMATION
    return Named(Sense(Meaning.OTHER, kind, _unit(name)), -1)


def _unit(name: str) -> str:
    if name.endswith(("_BYTES", "_OCTETS")):
        return "bytes"
    return "us" if name.endswith("_US") else "packets"
