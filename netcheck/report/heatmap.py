"""Rates between senders and receivers, as shares of what was expected."""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap

SHOWN: Final = 40  # rows and columns


class Heat(NamedTuple):
    """One cell: the lowest share of the expected rate in percent, and of how many pairs."""

    percent: float
    pairs: int


@frozen
class HeatMap:
    """Rates by pairs.

    Attributes:
        title: What was measured.
        places: Senders (rows) and receivers (columns), by rail and then by rack.
        cells: Shape: ``(row, column) -> cell``; pairs that were not tested are missing.
    """

    title: str
    places: tuple[str, ...]
    cells: FrozenMap[tuple[int, int], Heat]

    @property
    def shown(self) -> list[int]:
        """Places that are drawn, in order: of too many, those with the lowest shares."""
        lowest = [inf] * len(self.places)
        for key, cell in self.cells.items():
            for place in key:
                lowest[place] = min(lowest[place], cell.percent)
        every = range(len(self.places))
        return sorted(sorted(every, key=lambda one: (lowest[one], one))[:SHOWN])
