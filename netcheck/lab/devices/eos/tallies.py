"""Counters of a switch by ``(port, kind, index)``, since the last clearing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set as AbstractSet

from netcheck.lossless.dataplane.network import PRIORITIES
from netcheck.lossless.dataplane.result import PortCounters

Key = tuple[str, str, int]
KINDS = (
    "tx_packets",
    "tx_bytes",
    "rx_packets",
    "rx_bytes",
    "pfc_in",
    "pfc_out",
    "queue_packets",
    "queue_bytes",
    "queue_drops",
    "queue_drop_bytes",
    "queue_marks",
    "queue_storms",
    "group_drops",
)


class Tallies:
    """What the ASIC counts."""

    def __init__(self) -> None:
        self.counts: Counter[Key] = Counter()

    def add(self, port: str, found: PortCounters, stuck: AbstractSet[Key]) -> None:
        """Add a run's counters of one port; a stuck counter does not move."""
        for kind in KINDS:
            for index, value in enumerate(getattr(found, kind)):
                if (port, kind, index) not in stuck:
                    self.counts[port, kind, index] += round(value)
        self.counts[port, "oversize_in", 0] += round(found.oversize_in)
        self.counts[port, "oversize_out", 0] += round(found.oversize_out)
        self.counts[port, "errors_in", 0] += round(found.errors_in)

    def clear(self) -> None:
        """Begin at zero."""
        self.counts.clear()

    def total(self, port: str, kind: str) -> int:
        """Sum over priorities, queues or groups."""
        return sum(self.counts[port, kind, index] for index in range(PRIORITIES))

    def discards_in(self, port: str) -> int:
        """Packets that found no room or were too long when they came."""
        return self.total(port, "group_drops") + self.counts[port, "oversize_in", 0]

    def discards_out(self, port: str) -> int:
        """Packets that were dropped on the way out."""
        return self.total(port, "queue_drops") + self.counts[port, "oversize_out", 0]
