"""What each counter of Cumulus Linux means.

Source: CumulusNetworks/docs nvue-reference Show-Commands QoS.md (counters qos),
cumulus-linux-514 RoCE page (qos roce counters), cumulus-linux-37 Monitoring
Interfaces and Transceivers using ethtool (HwIf names). All are 64 bits wide.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from netcheck.model.counters import CounterClass, Meaning

_ZERO: Final = CounterClass.MUST_BE_ZERO
_CONGESTION: Final = CounterClass.CONGESTION
_INFORMATION: Final = CounterClass.INFORMATION
_GAUGE: Final = CounterClass.GAUGE
ROCE: Final = 3  # one-click RoCE has switch priority, group and queue 3
CNP: Final = 6


class Sense(NamedTuple):
    """What a counter means, how its growth is judged, and its unit."""

    meaning: Meaning
    kind: CounterClass
    unit: str = "packets"


# group of ``counters qos`` -> counter -> sense; the number is the queue, group or priority
BY_NUMBER: Final[dict[str, dict[str, Sense]]] = {
    "ingress-buffer-stats": {
        "rx-frames": Sense(Meaning.OTHER, _INFORMATION),
        "rx-buffer-discards": Sense(Meaning.PRIORITY_GROUP_DROP, _ZERO),
        "rx-shared-buffer-discards": Sense(Meaning.PRIORITY_GROUP_DROP, _ZERO),
    },
    "egress-queue-stats": {
        "tx-frames": Sense(Meaning.QUEUE_PACKETS, _INFORMATION),
        "tx-bytes": Sense(Meaning.QUEUE_BYTES, _INFORMATION, "bytes"),
        "tx-uc-buffer-discards": Sense(Meaning.QUEUE_DROP, _ZERO),
        "wred-discards": Sense(Meaning.WRED_DROP, _ZERO),
        "ecn-marked-frames": Sense(Meaning.ECN_MARKED, _CONGESTION),
    },
    "pfc-stats": {
        "rx-pause-frames": Sense(Meaning.PFC_RX, _CONGESTION),
        "rx-pause-duration": Sense(Meaning.PFC_RX_DURATION, _CONGESTION, "us"),
        "tx-pause-frames": Sense(Meaning.PFC_TX, _CONGESTION),
        "tx-pause-duration": Sense(Meaning.PFC_TX_DURATION, _CONGESTION, "us"),
    },
}
# titles of the text's tables, and their first columns
TITLES: Final = {
    "ingress buffer statistics": ("ingress-buffer-stats", "priority-group"),
    "egress queue statistics": ("egress-queue-stats", "traffic-class"),
    "pfc statistics": ("pfc-stats", "switch-priority"),
}
PORT_ROWS: Final = {
    ("ecn-marked-packets", "transmit"): Sense(Meaning.ECN_MARKED, _CONGESTION),
    ("mc-buffer-discards", "transmit"): Sense(Meaning.PORT_EGRESS_DROP, _ZERO),
    ("pause-frames", "receive"): Sense(Meaning.GLOBAL_PAUSE_RX, _CONGESTION),
    ("pause-frames", "transmit"): Sense(Meaning.GLOBAL_PAUSE_TX, _CONGESTION),
}
# path in ``qos roce counters`` -> number, sense
ROCE_COUNTERS: Final[dict[tuple[str, str], tuple[int, Sense]]] = {
    ("rx-non-roce-stats", "no-buffer-discard"): (0, Sense(Meaning.PRIORITY_GROUP_DROP, _ZERO)),
    ("rx-pfc-stats", "pause-packets"): (ROCE, Sense(Meaning.PFC_RX, _CONGESTION)),
    ("rx-pfc-stats", "pause-duration"): (ROCE, Sense(Meaning.PFC_RX_DURATION, _CONGESTION, "us")),
    ("rx-roce-stats", "no-buffer-discard"): (ROCE, Sense(Meaning.PRIORITY_GROUP_DROP, _ZERO)),
    ("rx-roce-stats", "roce-packets"): (ROCE, Sense(Meaning.PRIORITY_RX_PACKETS, _INFORMATION)),
    ("rx-roce-stats", "pg-max-usage"): (ROCE, Sense(Meaning.SHARED_WATERMARK, _GAUGE, "bytes")),
    ("tx-cnp-stats", "cnp-packets"): (CNP, Sense(Meaning.QUEUE_PACKETS, _INFORMATION)),
    ("tx-cnp-stats", "cnp-bytes"): (CNP, Sense(Meaning.QUEUE_BYTES, _INFORMATION, "bytes")),
    ("tx-cnp-stats", "unicast-no-buffer-discard"): (CNP, Sense(Meaning.QUEUE_DROP, _ZERO)),
    ("tx-ecn-stats", "ecn-marked-packets"): (-1, Sense(Meaning.ECN_MARKED, _CONGESTION)),
    ("tx-pfc-stats", "pause-packets"): (ROCE, Sense(Meaning.PFC_TX, _CONGESTION)),
    ("tx-pfc-stats", "pause-duration"): (ROCE, Sense(Meaning.PFC_TX_DURATION, _CONGESTION, "us")),
    ("tx-roce-stats", "roce-packets"): (ROCE, Sense(Meaning.QUEUE_PACKETS, _INFORMATION)),
    ("tx-roce-stats", "roce-bytes"): (ROCE, Sense(Meaning.QUEUE_BYTES, _INFORMATION, "bytes")),
    ("tx-roce-stats", "tc-max-usage"): (ROCE, Sense(Meaning.QUEUE_WATERMARK, _GAUGE, "bytes")),
    ("tx-roce-stats", "unicast-no-buffer-discard"): (ROCE, Sense(Meaning.QUEUE_DROP, _ZERO)),
}
_SWITCHD: Final[dict[str, Sense]] = {
    "HwIfInUcastPkts": Sense(Meaning.PORT_RX_PACKETS, _INFORMATION),
    "HwIfOutUcastPkts": Sense(Meaning.PORT_TX_PACKETS, _INFORMATION),
    "HwIfInDiscards": Sense(Meaning.PORT_INGRESS_DROP, _ZERO),
    "HwIfInBufferDrops": Sense(Meaning.PORT_INGRESS_DROP, _ZERO),
    "HwIfOutDiscards": Sense(Meaning.PORT_EGRESS_DROP, _ZERO),
    "HwIfOutQDrops": Sense(Meaning.PORT_EGRESS_DROP, _ZERO),
    "HwIfOutNonQDrops": Sense(Meaning.PORT_EGRESS_DROP, _ZERO),
    "HwIfInErrors": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "HwIfOutErrors": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "HwIfInDot3FrameErrors": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "HwIfInDot3LengthErrors": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "HwIfInPausePkt": Sense(Meaning.GLOBAL_PAUSE_RX, _CONGESTION),
    "HwIfOutPausePkt": Sense(Meaning.GLOBAL_PAUSE_TX, _CONGESTION),
    "HwIfOutWredDrops": Sense(Meaning.WRED_DROP, _ZERO),
}
_BY_PRIORITY: Final = (
    (re.compile(r"HwIfInPfc([0-7])Pkt"), Sense(Meaning.PFC_RX, _CONGESTION)),
    (re.compile(r"HwIfOutPfc([0-7])Pkt"), Sense(Meaning.PFC_TX, _CONGESTION)),
    (re.compile(r"HwIfOutQ([0-7])WredDrops"), Sense(Meaning.WRED_DROP, _ZERO)),
)
DEADLOCK: Final = Sense(Meaning.WATCHDOG_STORM, _ZERO, "events")
CARRIER: Final = Sense(Meaning.LINK_DOWN, _ZERO, "events")


@lru_cache(maxsize=512)
def switchd_sense(name: str) -> tuple[Sense, int] | None:
    """Give the sense and number of a counter of ``ethtool -S``; None for one that is not read.

    Example:
        >>> switchd_sense("HwIfInPfc3Pkt")[1]
        3
    """
    if name in _SWITCHD:
        return _SWITCHD[name], -1
    for pattern, sense in _BY_PRIORITY:
        match = pattern.fullmatch(name)
        if match is not None:
            return sense, int(match[1])
    return None
