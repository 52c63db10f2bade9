"""Counters of a switch: kept in the lab's words, shown in NVUE's by ``views.py``."""

from __future__ import annotations

from collections import Counter, defaultdict

from netcheck.lab.devices.deviation import Deviation
from netcheck.lossless.dataplane.network import PRIORITIES
from netcheck.lossless.dataplane.result import PortCounters

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
        self.counts: Counter[tuple[str, str, int]] = Counter()
        self.peaks: defaultdict[tuple[str, str, int], int] = defaultdict(int)

    def clear(self, port: str, kinds: tuple[str, ...]) -> None:
        """Set counters of a port to zero, as ``nv action clear`` does."""
        for store in (self.counts, self.peaks):
            for key in [key for key in store if key[0] == port and key[1] in kinds]:
                del store[key]

    def add(self, port: str, found: PortCounters, deviation: Deviation) -> None:
        """Add a run's counters of one port; a stuck counter does not move."""
        for kind in _SUMS:
            for index, value in enumerate(getattr(found, kind)):
                if (port, kind, index) not in deviation.stuck:
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

    def count(self, port: str, kind: str, index: int) -> int:
        """One counter."""
        return self.counts[port, kind, index]

    def total(self, port: str, kind: str) -> int:
        """Sum over priorities, queues or groups."""
        return sum(self.counts[port, kind, index] for index in range(PRIORITIES))
