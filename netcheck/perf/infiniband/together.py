"""One verdict of RoCE and InfiniBand, and the two side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from netcheck.model.counters import Meaning
from netcheck.model.fabric import Fabric, TrafficClass
from netcheck.model.finding import Basis, Performance
from netcheck.model.known import is_known
from netcheck.perf.bandwidth import performance_of, rates
from netcheck.perf.heat import ALONE, heat_maps
from netcheck.perf.infiniband.measure import Measured
from netcheck.perf.infiniband.verdict import judge_services
from netcheck.perf.latency import IDLE, LatencyFigures, latency_figures
from netcheck.perf.observe import (
    Footprint,
    RoundResult,
    class_at,
    is_incast,
    tested_classes,
)
from netcheck.perf.perftest import Tool
from netcheck.perf.proof import run_verdict
from netcheck.perf.verdict import PerfVerdict
from netcheck.report.comparison import Column

ROCE, INFINIBAND = "RoCE", "InfiniBand"
MICROSECONDS = 1e6


def together(
    found: PerfVerdict,
    results: Sequence[RoundResult],
    measured: Measured,
    fabric: Fabric,
    basis: Basis,
    *,
    seconds: float,
) -> PerfVerdict:
    """Give the verdict on traffic classes with that on InfiniBand services.

    Args:
        results: Rounds of the traffic classes.
        seconds: Length of a bandwidth test.
    """
    judged = judge_services(measured, basis)
    classes = (*found.classes, *judged.classes)
    worst = run_verdict(classes, basis)
    ran = [(one.places.fabric, list(one.results)) for one in measured.tested]
    came = [performance_of(own, seen, is_slow=judged.is_slow) for seen, own in ran]
    came += [found.verdict.performance, Performance.SLOW if judged.is_slow else None]
    latencies = [*found.latencies, *(item for _, own in ran for item in latency_figures(own))]
    heat = [*found.heat, *(item for seen, own in ran for item in heat_maps(own, seen))]
    merged = replace(
        found,
        verdict=replace(worst, performance=_worse(came)),
        classes=classes,
        findings=(*found.findings, *judged.findings),
        suspects=(*found.suspects, *judged.suspects),
        latencies=tuple(latencies),
        heat=tuple(heat),
        waiting=judged.waiting,
        notes=(*found.notes, *judged.notes),
    )
    held = {one.traffic_class: one.percent for one in judged.waiting}
    for one in judged.waiting:
        held[one.traffic_class] = max(held[one.traffic_class], one.percent)
    roce = [_roce(item, results, fabric, latencies, seconds) for item in tested_classes(fabric)]
    services = [
        _column(one.service.name, INFINIBAND, list(one.results), one.places.fabric, latencies, held)
        for one in measured.tested
    ]
    columns = [one for one in roce if one.pairs], [one for one in services if one.pairs]
    return replace(merged, comparison=(*columns[0], *columns[1])) if all(columns) else merged


def _worse(came: Sequence[Performance | None]) -> Performance | None:
    """Slow where one is; None where nothing was judged."""
    return next((one for one in (Performance.SLOW, Performance.OK) if one in came), None)


def _roce(
    item: TrafficClass,
    results: Sequence[RoundResult],
    fabric: Fabric,
    latencies: Sequence[LatencyFigures],
    seconds: float,
) -> Column:
    own = [result for result in results if result.traffic_class == item.name]
    shares = [share for result in own for share in _paused(result, fabric, item, seconds)]
    held = {item.name: max(shares)} if shares else {}
    return _column(item.name, ROCE, own, fabric, latencies, held)


def _paused(
    result: RoundResult, fabric: Fabric, item: TrafficClass, seconds: float
) -> Iterator[float]:
    """Share of the time that each sender of an incast was paused for, where its NIC tells."""
    if not is_incast(result) or seconds <= 0:
        return
    for end in Footprint(fabric, result.round).senders:
        deltas = result.deltas.get(end.host)
        number = class_at(fabric, end.ref, item).pfc_priority
        by = deltas.find(end.port, Meaning.PFC_RX_DURATION, number) if deltas else None
        if by is not None and is_known(by):
            yield min(100.0, 100 * by / (seconds * MICROSECONDS))


def _column(
    name: str,
    kind: str,
    results: Sequence[RoundResult],
    fabric: Fabric,
    latencies: Sequence[LatencyFigures],
    held: Mapping[str, float],
) -> Column:
    shares = [
        100 * rate / ceiling
        for result in results
        if result.round.pattern in ALONE and result.tool == Tool.WRITE_BW
        for _, ceiling, rate in rates(result, fabric)
    ]
    own = {one.state: one for one in latencies if one.traffic_class == name}
    idle = own.get(IDLE)
    full = next((one for state, one in own.items() if state != IDLE), None)
    return Column(
        name,
        kind,
        len(shares),
        min(shares, default=None),
        median(shares) if shares else None,
        max(shares) - min(shares) if shares else None,
        idle.typical_us if idle else None,
        idle.percentile_99_us if idle else None,
        full.typical_us if full else None,
        full.percentile_99_us if full else None,
        held.get(name),
    )
