"""Counters and highest fills of a simulated switch, in the data plane's words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Set as AbstractSet

from netcheck.lossless.dataplane.network import PRIORITIES
from netcheck.lossless.dataplane.result import PortCounters

Key = tuple[str, str, int]
_SUMS = (
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
_PEAKS = ("queue_peak", "group_shared_peak", "group_headroom_peak")


class Tallies:
    """Counters and highest fills by ``(port, kind, index)`` since the last reset."""

    def __init__(self) -> None:
        self.counts: Counter[Key] = Counter()
        self.peaks: defaultdict[Key, int] = defaultdict(int)

    def reset(self) -> None:
        """Begin at zero."""
        self.counts.clear()
        self.peaks.clear()

    def add(self, port: str, found: PortCounters, stuck: AbstractSet[Key]) -> None:
        """Add a run's counters of one port; a stuck counter does not move."""
        for kind in _SUMS:
            for index, value in enumerate(getattr(found, kind)):
                if (port, kind, index) not in stuck:
                    self.counts[port, kind, index] += round(value)
        for index, value in enumerate(found.paused_s):
            self.counts[port, "paused_us", index] += round(value * 1e6)
        self.counts[port, "oversize_in", 0] += round(found.oversize_in)
        self.counts[port, "oversize_out", 0] += round(found.oversize_out)
        self.counts[port, "errors_in", 0] += round(found.errors_in)
        for kind in _PEAKS:
            for index, value in enumerate(getattr(found, kind)):
                key = (port, kind, index)
                self.peaks[key] = max(self.peaks[key], round(value))

    def total(self, port: str, kind: str) -> int:
        """Sum over priorities, queues or groups."""
        return sum(self.counts[port, kind, index] for index in range(PRIORITIES))
