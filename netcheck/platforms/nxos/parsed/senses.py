"""What each counter of NX-OS means.

Source: NX-OS 9.3(x) show command reference, chapter Q; paregupt/nexus_traffic_monitor
and open-telemetry/opentelemetry-collector-contrib (ciscoos receiver) for the names.
All are 64 bits wide.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from netcheck.model.counters import CounterClass, Meaning
from netcheck.platforms.nxos.parsed.live import Sense

_ZERO: Final = CounterClass.MUST_BE_ZERO
_CONGESTION: Final = CounterClass.CONGESTION
_INFORMATION: Final = CounterClass.INFORMATION

PFC_TX: Final = Sense(Meaning.PFC_TX, _CONGESTION)
PFC_RX: Final = Sense(Meaning.PFC_RX, _CONGESTION)
QUEUE: Final[Mapping[str, Sense]] = {
    "Tx Pkts": Sense(Meaning.QUEUE_PACKETS, _INFORMATION),
    "Tx Byts": Sense(Meaning.QUEUE_BYTES, _INFORMATION, "bytes"),
    "Dropped Pkts": Sense(Meaning.QUEUE_DROP, _ZERO),
    "WRED/AFD & Tail Drop Pkts": Sense(Meaning.QUEUE_DROP, _ZERO),
    "Tail Drop Pkts": Sense(Meaning.QUEUE_DROP, _ZERO),
    "WD & Tail Drop Pkts": Sense(Meaning.OTHER, _INFORMATION),
    "ECN Pkts": Sense(Meaning.ECN_MARKED, _CONGESTION),
    "Q Depth Byts": Sense(Meaning.QUEUE_WATERMARK, CounterClass.GAUGE, "bytes"),
}
# The switch counts drops at ingress for all groups of a port together.
INGRESS: Final[Mapping[str, Sense]] = {
    "Ingress MMU Drop Pkts": Sense(Meaning.PRIORITY_GROUP_DROP, _ZERO),
    "Ingress Overflow Drop Pkts": Sense(Meaning.PRIORITY_GROUP_DROP, _ZERO),
    "Ingress MMU Drop Bytes": Sense(Meaning.OTHER, _INFORMATION, "bytes"),
    "WRED Drop Pkts": Sense(Meaning.WRED_DROP, _ZERO),
}
STUCK: Final[Mapping[str, Sense]] = {
    "Shutdown": Sense(Meaning.WATCHDOG_STORM, _ZERO, "events"),
    "Restored": Sense(Meaning.WATCHDOG_RESTORED, _INFORMATION, "events"),
    "Total pkts dropped": Sense(Meaning.WATCHDOG_DROP, _ZERO),
    "Total Ingress pkts dropped": Sense(Meaning.WATCHDOG_DROP, _ZERO),
}


def sense_of(name: str, senses: Mapping[str, Sense]) -> Sense:
    """What a counter means; one that nobody knows is information of another kind."""
    found = senses.get(name)
    if found is not None:
        return found
    return _other(name)


@lru_cache(maxsize=1024)
def _other(name: str) -> Sense:
    unit = "bytes" if name.endswith(("Byts", "Bytes")) else "packets"
    return Sense(Meaning.OTHER, _INFORMATION, unit)
