"""Latency by percentile: on an idle fabric, and into a port that an incast fills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from netcheck.model.finding import Finding, Place
from netcheck.model.known import is_known, read
from netcheck.perf.found import perf_finding
from netcheck.perf.observe import FlowResult, RoundResult, is_incast
from netcheck.perf.perftest import Tool
from netcheck.perf.schedule import Endpoint

IDLE, INCAST = "idle", "incast"
# A pair this much slower than the middle of the pairs at its distance, and by so many
# microseconds, stands out: less is noise of a host.
OUTLIER_FACTOR, OUTLIER_US = 2.0, 2.0
FEWEST_PEERS = 3


@dataclass(frozen=True, slots=True)
class LatencyFigures:
    """One-way latencies of a class in one state of the fabric, in microseconds.

    Attributes:
        state: ``idle`` or ``incast``.
        pairs: Pairs that were measured.
        typical_us, percentile_99_us, percentile_999_us: Of the middle pair.
        worst_us: The largest 99th percentile, of the pair ``worst``.
    """

    traffic_class: str
    state: str
    pairs: int
    typical_us: float
    percentile_99_us: float
    percentile_999_us: float | None
    worst_us: float
    worst: str

    def __str__(self) -> str:
        last = "" if self.percentile_999_us is None else f", 99.9 % {self.percentile_999_us:.2f}"
        return (
            f"class {self.traffic_class}, latency {self.state}: {self.pairs}"
            f" pair{'s' * (self.pairs != 1)}, typical"
            f" {self.typical_us:.2f} us, 99 % {self.percentile_99_us:.2f}{last};"
            f" worst 99 % {self.worst_us:.2f} us, {self.worst}"
        )


def latency_figures(results: Sequence[RoundResult]) -> Iterator[LatencyFigures]:
    """Figures of each class, idle first."""
    for name in dict.fromkeys(result.traffic_class for result in results):
        own = [result for result in results if result.traffic_class == name]
        for state in (IDLE, INCAST):
            flows = [flow for result in own for flow in _flows(result, state)]
            if flows:
                yield _figures(name, state, flows)


def _flows(result: RoundResult, state: str) -> list[FlowResult]:
    if state == IDLE:
        is_idle = result.tool == Tool.WRITE_LAT and not is_incast(result)
        flows = result.flows if is_idle else ()
    else:
        flows = result.probes
    return [flow for flow in flows if _has_figures(flow)]


def _has_figures(flow: FlowResult) -> bool:
    return is_known(flow.result.latency_us) and is_known(flow.result.percentile_99_us)


def _figures(name: str, state: str, flows: Sequence[FlowResult]) -> LatencyFigures:
    worst = max(flows, key=_percentile)
    most = [float(one) for f in flows if is_known(one := f.result.percentile_999_us)]
    return LatencyFigures(
        name,
        state,
        len(flows),
        median(_typical(flow) for flow in flows),
        median(_percentile(flow) for flow in flows),
        median(most) if most else None,
        _percentile(worst),
        f"{worst.sender.ref} to {worst.receiver.ref}",
    )


def _typical(flow: FlowResult) -> float:
    return read(flow.result.latency_us, "latency_us")


def _percentile(flow: FlowResult) -> float:
    return read(flow.result.percentile_99_us, "percentile_99_us")


def latency_findings(results: Sequence[RoundResult]) -> Iterator[Finding]:
    """Pairs that stand out of those at the same distance on an idle fabric; probes that failed."""
    for result in results:
        for flow, what, found, middle in _outliers(result):
            yield _outlier(flow, what, found, middle)
        yield from (_failed(flow, result) for flow in result.probes if not _has_figures(flow))


def outliers(result: RoundResult) -> Iterator[tuple[Endpoint, Endpoint]]:
    """Pairs of a round whose latency stands out."""
    for flow, _, _, _ in _outliers(result):
        yield flow.sender, flow.receiver


def _outliers(result: RoundResult) -> Iterator[tuple[FlowResult, str, float, float]]:
    """Flows that stand out, by which figure, what it is and what it is in the middle."""
    flows = _flows(result, IDLE)
    if len(flows) < FEWEST_PEERS:
        return
    for what, of in (("typical", _typical), ("99 %", _percentile)):
        middle = median(of(flow) for flow in flows)
        for flow in flows:
            if of(flow) > OUTLIER_FACTOR * middle and of(flow) > middle + OUTLIER_US:
                yield flow, what, of(flow), middle


def _outlier(flow: FlowResult, what: str, found: float, middle: float) -> Finding:
    return perf_finding(
        "latency-above-peers",
        Place(flow.sender.host, flow.sender.port),
        f"{what} latency to {flow.receiver.ref} expected about {middle:.2f} us as between"
        f" others at that distance, found {found:.2f} us",
        expected=f"about {middle:.2f} us",
        found=f"{found:.2f} us",
    )


def _failed(flow: FlowResult, result: RoundResult) -> Finding:
    error = flow.result.error or "the test printed no latency"
    return perf_finding(
        "latency-test-failed",
        Place(flow.sender.host, flow.sender.port),
        f"latency to {flow.receiver.ref} during {result.round.name}: {error}",
        expected="a latency",
        found=error,
    )
