"""RoCE and InfiniBand of one fabric side by side: what reached how much of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import Final

from netcheck.model.frozen import frozen

NOT_TOLD: Final = "-"
TITLE: Final = "RoCE beside InfiniBand"


@frozen
class Column:
    """One traffic class or service; figures that nothing tells are None.

    Attributes:
        kind: ``RoCE`` or ``InfiniBand``.
        pairs: Pairs whose rate was measured, none of them in an incast.
        least_percent, middle_percent: Of what the link allows (line rate times efficiency).
        spread_points: Best pair less worst, in points of percent.
        idle_us, idle_99_us: One-way latency of the middle pair, typical and 99 %.
        incast_us, incast_99_us: Into ports that an incast fills.
        held_percent: Share of the time that a sender of an incast, the one held longest,
            was paused (RoCE) or had to wait for credits (InfiniBand).
    """

    name: str
    kind: str
    pairs: int = 0
    least_percent: float | None = None
    middle_percent: float | None = None
    spread_points: float | None = None
    idle_us: float | None = None
    idle_99_us: float | None = None
    incast_us: float | None = None
    incast_99_us: float | None = None
    held_percent: float | None = None

    @property
    def heading(self) -> str:
        """What stands above the column."""
        return f"{self.kind} {self.name}"


_PERCENT, _MICROSECONDS = ".1f", ".2f"
_ROWS: Final = (
    ("bandwidth, lowest pair, % of the link", "least_percent", _PERCENT),
    ("bandwidth, middle pair, % of the link", "middle_percent", _PERCENT),
    ("spread over pairs, points", "spread_points", _PERCENT),
    ("latency idle, typical, us", "idle_us", _MICROSECONDS),
    ("latency idle, 99 %, us", "idle_99_us", _MICROSECONDS),
    ("latency in an incast, typical, us", "incast_us", _MICROSECONDS),
    ("latency in an incast, 99 %, us", "incast_99_us", _MICROSECONDS),
    ("paused or waiting in an incast, % of the time", "held_percent", _PERCENT),
)


def rows_of(columns: Sequence[Column]) -> Iterator[tuple[str, list[str]]]:
    """Give each row: what it is, and its figure for each column, a dash where none is told."""
    for label, name, form in _ROWS:
        values = [getattr(one, name) for one in columns]
        yield label, [NOT_TOLD if one is None else f"{one:{form}}" for one in values]


def text_of(columns: Sequence[Column]) -> Iterator[str]:
    """The table as aligned lines; none where there is nothing to compare."""
    if not columns:
        return
    rows = [(TITLE, [one.heading for one in columns]), *rows_of(columns)]
    first = max(len(label) for label, _ in rows)
    widths = [max(len(cells[place]) for _, cells in rows) for place in range(len(columns))]
    for label, cells in rows:
        aligned = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        yield f"{label.ljust(first)}  {'  '.join(aligned)}"


def html_of(columns: Sequence[Column]) -> Iterator[str]:
    """The table for a page."""
    if not columns:
        return
    yield f"<h2>{TITLE}</h2>\n<div class=compare><table><thead><tr><td></td>"
    yield from (f"<th scope=col>{escape(one.heading)}</th>" for one in columns)
    yield "</tr></thead><tbody>"
    for label, cells in rows_of(columns):
        values = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        yield f"<tr><th scope=row>{escape(label)}</th>{values}</tr>"
    yield "</tbody></table></div>"
    yield (
        "<p class=soft>A link allows its line rate times its efficiency; a dash stands for what"
        " nothing told.</p>"
    )


def objects_of(columns: Sequence[Column]) -> tuple[Mapping[str, object], ...]:
    """The columns for machines."""
    return tuple(
        {
            name: round(value, 3) if isinstance(value, float) else value
            for name, value in asdict(one).items()
        }
        for one in columns
    )
