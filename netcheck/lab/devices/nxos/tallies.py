"""Counters of a switch, kept in the data plane's words; what stands still stays out."""

from __future__ import annotations

from netcheck.lab.devices import tallies


class Tallies(tallies.Tallies):
    """Counters of a switch."""

    def mmu_drop_bytes(self, port: str) -> int:
        """Bytes dropped at ingress, at the mean size of what came in there."""
        packets = self.total(port, "rx_packets")
        if not packets:
            return 0
        return self.total(port, "group_drops") * self.total(port, "rx_bytes") // packets
