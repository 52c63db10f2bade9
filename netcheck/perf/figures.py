"""Figures of a measurement for machines: latency, samples, rates of pairs."""

from __future__ import annotations

from dataclasses import asdict

from netcheck.model.frozenmap import FrozenMap
from netcheck.perf.verdict import PerfVerdict
from netcheck.report.comparison import objects_of
from netcheck.report.heatmap import HeatMap
from netcheck.report.report import Figures


def figures_of(found: PerfVerdict) -> Figures:
    """Give ``kind -> rows``; kinds without a row are missing.

    Shape: ``latency``: a class in one state of the fabric, microseconds. ``samples``:
    a class in one round, by sample. ``rates``: senders and receivers as the map has them.
    ``waiting``: ports of a subnet that waited longest. ``comparison``: a class or service each.
    """
    kinds = {
        "latency": tuple(asdict(one) for one in found.latencies),
        "samples": tuple(asdict(one) for one in found.samples),
        "rates": tuple(row for heat in found.heat for row in _rates(heat)),
        "waiting": tuple(asdict(one) for one in found.waiting),
        "comparison": objects_of(found.comparison),
    }
    return FrozenMap({name: rows for name, rows in kinds.items() if rows})


def _rates(heat: HeatMap) -> list[dict[str, object]]:
    return [
        {
            "title": heat.title,
            "sender": heat.places[row],
            "receiver": heat.places[column],
            "percent": round(cell.percent, 2),
            "pairs": cell.pairs,
        }
        for (row, column), cell in sorted(heat.cells.items())
    ]
