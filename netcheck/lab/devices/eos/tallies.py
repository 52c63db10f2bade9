"""Counters of a switch by ``(port, kind, index)``, since the last clearing."""

from __future__ import annotations

from netcheck.lab.devices import tallies


class Tallies(tallies.Tallies):
    """What the ASIC counts."""

    def discards_in(self, port: str) -> int:
        """Packets that found no room or were too long when they came."""
        return self.total(port, "group_drops") + self.counts[port, "oversize_in", 0]

    def discards_out(self, port: str) -> int:
        """Packets that were dropped on the way out."""
        return self.total(port, "queue_drops") + self.counts[port, "oversize_out", 0]
