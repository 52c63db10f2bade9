"""The map of rates on the HTML page."""

from dataclasses import replace
from xml.etree import ElementTree as ET

from netcheck.model.frozenmap import FrozenMap
from netcheck.report import html
from netcheck.report.heat_table import draw
from netcheck.report.heatmap import SHOWN, Heat, HeatMap
from netcheck.report.report import Report

HEAT = HeatMap(
    "Rates of class rdma",
    ("leaf01 rail0", "leaf02 <rail0>"),
    FrozenMap({(0, 0): Heat(97.26, 12), (0, 1): Heat(48.6, 1)}),
)


def rows(heat: HeatMap) -> list[list[str]]:
    text = "".join(draw(heat)).replace(" class=soft", "").replace("<div class=heat>", "<div>")
    text = text.replace("scope=col", "").replace("scope=row", "")
    table = ET.fromstring(f"<x>{text}</x>").find(".//tbody")  # noqa: S314 -- our own text
    assert table is not None
    return [["".join(cell.itertext()) for cell in row] for row in table]


def test_each_pair_shows_its_lowest_share_and_what_was_not_tested_is_empty() -> None:
    assert rows(HEAT) == [["leaf01 rail0", "97", "49"], ["leaf02 <rail0>", "", ""]]


def test_a_cell_says_of_how_many_pairs_it_is() -> None:
    assert 'class="h4" title="leaf01 rail0 to leaf02 &lt;rail0&gt;: 1 pair, lowest 48.6 %"' in (
        "".join(draw(HEAT))
    )


def test_of_too_many_places_those_with_the_lowest_shares_are_drawn() -> None:
    many = HEAT.places + tuple(f"leaf{n:03} rail1" for n in range(SHOWN))
    cells = {(n, n): Heat(95.0, 2) for n in range(2, len(many))}
    heat = replace(HEAT, places=many, cells=FrozenMap({**HEAT.cells, **cells}))
    assert len(rows(heat)) == SHOWN
    assert heat.shown[:2] == [0, 1]
    assert "2 more, all of them no lower" in "".join(draw(heat))


def test_the_page_has_the_map() -> None:
    assert "Rates of class rdma" in html.write(Report("perf", heat=(HEAT,)))
