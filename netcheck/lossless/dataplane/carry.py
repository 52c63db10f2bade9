"""Counting packets by flows: each flow's packets, stop by stop.

A packet that arrives was counted at every stop before; one that is lost, at
the stops up to its loss. So the counts agree along each way, to the packet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from netcheck.lossless.dataplane.engine import Engine, Stop
from netcheck.lossless.dataplane.ports import CNP, DATA
from netcheck.lossless.dataplane.result import FlowCounters, PortCounters

Key = tuple[str, str]
Passed = Sequence[tuple[int, int, list[int], list[int]]]


class _Sums:
    """Additions to the counters of one port."""

    def __init__(self) -> None:
        self.tx_packets = [0] * 8
        self.tx_bytes = [0] * 8
        self.rx_packets = [0] * 8
        self.rx_bytes = [0] * 8
        self.queue_packets = [0] * 8
        self.queue_bytes = [0] * 8

    def put_into(self, row: PortCounters) -> PortCounters:
        """Give the counters with these packets; no more marks than packets."""
        marks = zip(row.queue_marks, self.queue_packets, strict=True)
        return replace(
            row,
            tx_packets=tuple(self.tx_packets),
            tx_bytes=tuple(self.tx_bytes),
            rx_packets=tuple(self.rx_packets),
            rx_bytes=tuple(self.rx_bytes),
            queue_packets=tuple(self.queue_packets),
            queue_bytes=tuple(self.queue_bytes),
            queue_marks=tuple(min(found, packets) for found, packets in marks),
        )


def carry(
    engine: Engine,
    passed: Passed,
    ports: dict[Key, PortCounters],
    flows: dict[str, FlowCounters],
) -> None:
    """Count ``passed`` at every port of each flow's way, in place."""
    sums = {key: _Sums() for key in ports}
    for flow, (arrived, notified, lost, lost_cnps) in zip(engine.flows, passed, strict=True):
        _way(flow.stops[DATA], arrived, lost, sums)
        _way(flow.stops[CNP], notified, lost_cnps, sums)
        name = flow.sender.flow.name
        row = flows[name]
        flows[name] = replace(
            row,
            sent=arrived + sum(lost),
            arrived=arrived,
            dropped=sum(lost),
            delivered=min(row.delivered, arrived),
            marked=min(row.marked, arrived),
        )
    for key, found in sums.items():
        ports[key] = found.put_into(ports[key])


def _way(stops: Sequence[Stop], arrived: int, lost: Sequence[int], sums: dict[Key, _Sums]) -> None:
    """Count one way of a flow, from its end to its beginning."""
    packets = arrived
    for place in range(len(stops) - 1, -1, -1):
        stop = stops[place]
        if stop.egress is not None and stop.queue is not None:
            added = sums[stop.egress.key]
            added.tx_packets[stop.priority] += packets
            added.tx_bytes[stop.priority] += packets * stop.frame
            added.queue_packets[stop.queue.number] += packets
            added.queue_bytes[stop.queue.number] += packets * stop.frame
        packets += lost[place]
        if stop.ingress is not None:
            added = sums[stop.ingress.key]
            added.rx_packets[stop.priority] += packets
            added.rx_bytes[stop.priority] += packets * stop.frame
