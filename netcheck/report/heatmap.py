"""A table of senders and receivers, each cell coloured by how much of its rate was reached."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final, NamedTuple

from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap

STEPS: Final = 10  # colours, from nothing to the whole rate
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

    def lowest(self, place: int) -> float:
        """The lowest share in the row and the column of a place."""
        own = (cell.percent for key, cell in self.cells.items() if place in key)
        return min(own, default=float("inf"))

    @property
    def shown(self) -> list[int]:
        """Places that are drawn, in order: of too many, those with the lowest shares."""
        every = range(len(self.places))
        return sorted(sorted(every, key=lambda one: (self.lowest(one), one))[:SHOWN])


def draw(heat: HeatMap) -> Iterator[str]:
    """The map as a table that needs no script; a number in each cell says what its colour says."""
    shown = heat.shown
    yield f"<h2>{escape(heat.title)}</h2>"
    yield (
        "<p class=soft>Senders in rows, receivers in columns, by rail and rack: lowest share of"
        " the expected rate in percent.</p>"
    )
    yield "<div class=heat><table><thead><tr><td></td>"
    yield from (f"<th scope=col><span>{escape(heat.places[one])}</span></th>" for one in shown)
    yield "</tr></thead><tbody>"
    for row in shown:
        cells = "".join(_cell(heat, row, column) for column in shown)
        yield f"<tr><th scope=row>{escape(heat.places[row])}</th>{cells}</tr>"
    yield "</tbody></table></div>"
    if len(shown) < len(heat.places):
        rest = len(heat.places) - len(shown)
        yield f"<p class=soft>{rest} more, all of them no lower than those shown.</p>"


def _cell(heat: HeatMap, row: int, column: int) -> str:
    found = heat.cells.get((row, column))
    if found is None:
        return "<td></td>"
    step = min(STEPS, max(0, int(found.percent * STEPS / 100)))
    pairs = f"{found.pairs} pair{'s' if found.pairs > 1 else ''}"
    title = f"{heat.places[row]} to {heat.places[column]}: {pairs}, lowest {found.percent:.1f} %"
    return f'<td class="h{step}" title="{escape(title)}">{found.percent:.0f}</td>'
