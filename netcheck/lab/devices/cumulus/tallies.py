"""Counters of a switch: kept in the lab's words, shown in NVUE's by ``views.py``."""

from __future__ import annotations

from netcheck.lab.devices import tallies


class Tallies(tallies.Tallies):
    """Counters of a switch."""

    def clear(self, port: str, kinds: tuple[str, ...]) -> None:
        """Set counters of a port to zero, as ``nv action clear`` does."""
        for store in (self.counts, self.peaks):
            for key in [key for key in store if key[0] == port and key[1] in kinds]:
                del store[key]

    def count(self, port: str, kind: str, index: int) -> int:
        """One counter."""
        return self.counts[port, kind, index]
