"""Bandwidth against line rate times efficiency, by pair and by incast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from netcheck.lossless.efficiency import (
    infiniband_data_bps,
    infiniband_efficiency,
    roce_efficiency,
)
from netcheck.model.device import LinkLayer
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding, Performance, Place, Severity, Stage
from netcheck.model.known import is_known
from netcheck.perf.observe import FlowResult, RoundResult
from netcheck.perf.pages import PAGES
from netcheck.perf.perftest import MESSAGE_BYTES
from netcheck.perf.schedule import Endpoint, Pattern

DEFAULT_PERCENT = 90.0
DEFAULT_RDMA_MTU = 4096
INCAST_ALLOWANCE = 0.9  # senders slow down for marks while they share one port
OUTLIER_SHARE = 0.95
HASHED_SHARE = 0.5
VICTIM_SHARE = 0.8


def expected_bps(fabric: Fabric, end: Endpoint, rdma_mtu: int) -> float | None:
    """Payload rate that one NIC should reach; None where its speed is not known."""
    device = fabric.devices.get(end.host)
    port = device.ports.get(end.port) if device else None
    if port is None or not is_known(port.speed_bps):
        return None
    rdma = device.rdma.get(end.rdma) if device else None
    if rdma is not None and rdma.link_layer is LinkLayer.INFINIBAND:
        return infiniband_data_bps(port.speed_bps) * infiniband_efficiency(
            rdma_mtu, message_bytes=MESSAGE_BYTES
        )
    return port.speed_bps * roce_efficiency(rdma_mtu)


def bandwidth_findings(results: Sequence[RoundResult], fabric: Fabric) -> Iterator[Finding]:
    """Pairs and incasts below what the intent expects (90 % where it says nothing).

    An error where ``expect.bandwidth`` is said, else a warning. Pairs across
    leaves share cables as hashing has it: they are held to the median of their
    round, and falling short is a warning.
    """
    for result in results:
        if result.round.pattern is Pattern.INCAST:
            yield from _slow_incasts(result, fabric)
        elif result.round.pattern is Pattern.MIXED:
            yield from _slow_victims(result, fabric)
        elif result.round.pattern is Pattern.SPREAD:
            continue  # too short to be held to a rate
        elif result.round.pattern is Pattern.ACROSS:
            yield from _slow_across(result, fabric)
        else:
            yield from _slow_pairs(result, fabric)


def _share(fabric: Fabric) -> float:
    percent = fabric.expect.bandwidth_percent
    return (percent if is_known(percent) else DEFAULT_PERCENT) / 100


def _mtu(flow: FlowResult) -> int:
    return flow.result.rdma_mtu if is_known(flow.result.rdma_mtu) else DEFAULT_RDMA_MTU


def _slow_pairs(result: RoundResult, fabric: Fabric) -> Iterator[Finding]:
    for flow, wanted, rate in _short_of(result, fabric):
        yield _slow(fabric, flow.sender, f"to {flow.receiver.ref}", rate, wanted)


def slow_flows(result: RoundResult, fabric: Fabric) -> Iterator[tuple[Endpoint, Endpoint]]:
    """Pairs of a round that stay below what is expected, or below their peers."""
    for flow, _, _ in _short_of(result, fabric):
        yield flow.sender, flow.receiver


def _short_of(result: RoundResult, fabric: Fabric) -> Iterator[tuple[FlowResult, float, float]]:
    """Flows below what is expected of them: what that is, and what they reached."""
    middle = _median_share(result, fabric)
    for flow, ceiling, rate in rates(result, fabric):
        wanted = max(_share(fabric), OUTLIER_SHARE * middle) * ceiling
        if rate < wanted:
            yield flow, wanted, rate


def _slow_across(result: RoundResult, fabric: Fabric) -> Iterator[Finding]:
    middle = _median_share(result, fabric)
    for flow, ceiling, rate in rates(result, fabric):
        wanted = HASHED_SHARE * middle * ceiling
        if rate < wanted:
            slow = _slow(fabric, flow.sender, f"to {flow.receiver.ref}", rate, wanted)
            yield replace(slow, severity=Severity.WARNING)


def _slow_victims(result: RoundResult, fabric: Fabric) -> Iterator[Finding]:
    """Flows that share nothing but switches with an incast, and are held back by it."""
    for flow, ceiling, rate in rates(replace(result, flows=result.victims), fabric):
        wanted = VICTIM_SHARE * _share(fabric) * ceiling
        if rate < wanted:
            what = f"to {flow.receiver.ref}, beside an incast it has no part in"
            yield replace(_slow(fabric, flow.sender, what, rate, wanted), severity=Severity.WARNING)


def rates(result: RoundResult, fabric: Fabric) -> Iterator[tuple[FlowResult, float, float]]:
    """Flows with the most that the slower of their two NICs allows, and what they reached."""
    for flow in result.flows:
        rate = flow.result.bandwidth_bps
        most = [expected_bps(fabric, end, _mtu(flow)) for end in (flow.sender, flow.receiver)]
        known = [one for one in most if one is not None]
        if is_known(rate) and known:
            yield flow, min(known), rate


def performance_of(
    results: Sequence[RoundResult], fabric: Fabric, *, is_slow: bool
) -> Performance | None:
    """What rates come to; None where there was no rate to judge."""
    if is_slow:
        return Performance.SLOW
    return Performance.OK if any(any(rates(one, fabric)) for one in results) else None


def _median_share(result: RoundResult, fabric: Fabric) -> float:
    shares = [rate / ceiling for _, ceiling, rate in rates(result, fabric)]
    return median(shares) if shares else 0.0


def _slow_incasts(result: RoundResult, fabric: Fabric) -> Iterator[Finding]:
    for receiver in sorted({flow.receiver for flow in result.flows}):
        flows = [flow for flow in result.flows if flow.receiver == receiver]
        found = [f.result.bandwidth_bps for f in flows if is_known(f.result.bandwidth_bps)]
        ceiling = expected_bps(fabric, receiver, _mtu(flows[0]))
        if ceiling is None or len(found) < len(flows):
            continue
        most = [expected_bps(fabric, flow.sender, _mtu(flow)) or ceiling for flow in flows]
        wanted = _share(fabric) * INCAST_ALLOWANCE * min(ceiling, sum(most))
        if sum(found) < wanted:
            yield _slow(fabric, receiver, f"from {len(flows)} senders", sum(found), wanted)


def _slow(fabric: Fabric, end: Endpoint, what: str, rate: float, wanted: float) -> Finding:
    page = PAGES["bandwidth-below-expected"]
    finding = Finding(
        rule="bandwidth-below-expected",
        severity=page.severity,
        verdict=page.verdict,
        where=(Place(end.host, end.port),),
        message=f"{what}: expected >= {wanted / 1e9:.1f} Gb/s, found {rate / 1e9:.1f} Gb/s",
        expected=f">= {wanted / 1e9:.1f} Gb/s",
        found=f"{rate / 1e9:.1f} Gb/s",
        why=page.why,
        fix=page.fix,
        reference=page.source,
        stage=Stage.PERF,
    )
    is_said = is_known(fabric.expect.bandwidth_percent)
    return replace(finding, severity=Severity.ERROR) if is_said else finding
