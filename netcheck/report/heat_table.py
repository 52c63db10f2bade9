"""A table of senders and receivers, each cell coloured by how much of its rate was reached."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from netcheck.report.heatmap import HeatMap

STEPS: Final = 10  # colours, from nothing to the whole rate


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
