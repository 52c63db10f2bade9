"""Counting what goes on after the stepping has ended: each flow's packets, stop by stop.

A packet that arrives was counted at every stop before; one that is lost, at
the stops up to its loss. So the counts agree along each way, to the packet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from netcheck.lossless.dataplane.engine import Engine, FlowState, Stop
from netcheck.lossless.dataplane.ports import CNP, DATA
from netcheck.lossless.dataplane.result import FlowCounters, PortCounters

Key = tuple[str, str]
Grown = Sequence[tuple[int, int, list[int], list[int]]]


class _Sums:
    """Additions to the counters of one port."""

    def __init__(self) -> None:
        self.tx_packets = [0] * 8
        self.tx_bytes = [0] * 8
        self.rx_packets = [0] * 8
        self.rx_bytes = [0] * 8
        self.queue_packets = [0] * 8
        self.queue_bytes = [0] * 8

    def added_to(self, row: PortCounters) -> PortCounters:
        """Give the counters with the additions."""
        return replace(
            row,
            tx_packets=_sum(row.tx_packets, self.tx_packets),
            tx_bytes=_sum(row.tx_bytes, self.tx_bytes),
            rx_packets=_sum(row.rx_packets, self.rx_packets),
            rx_bytes=_sum(row.rx_bytes, self.rx_bytes),
            queue_packets=_sum(row.queue_packets, self.queue_packets),
            queue_bytes=_sum(row.queue_bytes, self.queue_bytes),
        )


def _sum(a: Sequence[float], b: Sequence[float]) -> tuple[float, ...]:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def carry(
    engine: Engine,
    grown: Grown,
    factor: float,
    ports: dict[Key, PortCounters],
    flows: dict[str, FlowCounters],
) -> None:
    """Add ``factor`` times what each flow did in the window, at every port of its way."""
    sums: dict[Key, _Sums] = {}
    for flow, (arrived, notified, lost, lost_cnps) in zip(engine.flows, grown, strict=True):
        data = _way(flow.stops[DATA], arrived, lost, factor, sums)
        _way(flow.stops[CNP], notified, lost_cnps, factor, sums)
        name = flow.sender.flow.name
        flows[name] = _with_packets(flows[name], flow, data)
    for key, added in sums.items():
        ports[key] = added.added_to(ports[key])


def _with_packets(row: FlowCounters, flow: FlowState, data: tuple[int, int]) -> FlowCounters:
    arrived, lost = data
    del flow
    return replace(
        row,
        sent=row.sent + arrived + lost,
        arrived=row.arrived + arrived,
        dropped=row.dropped + lost,
        delivered=min(row.delivered, row.arrived + arrived),
    )


def _way(
    stops: Sequence[Stop],
    arrived: int,
    lost: Sequence[int],
    factor: float,
    sums: dict[Key, _Sums],
) -> tuple[int, int]:
    """Count one way of a flow; give what arrived and what was lost."""
    packets = end = round(arrived * factor)
    losses = [round(count * factor) for count in lost]
    for place in range(len(stops) - 1, -1, -1):
        stop = stops[place]
        if stop.egress is not None and stop.queue is not None:
            added = sums.setdefault(stop.egress.key, _Sums())
            added.tx_packets[stop.priority] += packets
            added.tx_bytes[stop.priority] += packets * stop.frame
            added.queue_packets[stop.queue.number] += packets
            added.queue_bytes[stop.queue.number] += packets * stop.frame
        packets += losses[place]
        if stop.ingress is not None:
            added = sums.setdefault(stop.ingress.key, _Sums())
            added.rx_packets[stop.priority] += packets
            added.rx_bytes[stop.priority] += packets * stop.frame
    return end, packets - end
