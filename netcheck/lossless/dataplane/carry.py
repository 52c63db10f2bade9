"""Counting packets by flows: each flow's packets, stop by stop.

A packet that arrives was counted at every stop before; one that is lost, at
the stops up to its loss. So the counts agree along each way, to the packet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from netcheck.lossless.dataplane.engine import Engine
from netcheck.lossless.dataplane.ports import CNP, DATA
from netcheck.lossless.dataplane.result import FlowCounters, PortCounters
from netcheck.lossless.dataplane.stops import Stop

Key = tuple[str, str]
Row = tuple[int, ...]
Rows = tuple[Row, Row]


class Passed(NamedTuple):
    """What became of one flow's packets.

    Attributes:
        arrived, notified: Data and CNPs that came to their ends.
        lost, unseen: Of data and of CNPs, by stop: lost after the stop's port
            had counted them in, and before.
        until_given_up: What a sender that hears nothing sends in all.
    """

    arrived: int
    notified: int
    lost: Rows
    unseen: Rows
    until_given_up: int

    def extended(self, before: Passed, factor: float) -> Passed:
        """Let what grew since ``before`` grow ``factor`` times more."""
        unseen = _more_rows(before.unseen, self.unseen, factor)
        arrived = _more(before.arrived, self.arrived, factor)
        total = sum(unseen[0])
        if total and not arrived:  # the sender hears nothing, tries again, and gives up
            share = self.until_given_up / total
            unseen = (tuple(round(share * one) for one in unseen[0]), unseen[1])
        notified = _more(before.notified, self.notified, factor)
        lost = _more_rows(before.lost, self.lost, factor)
        return Passed(arrived, notified, lost, unseen, self.until_given_up)


def _more(old: int, new: int, factor: float) -> int:
    return new + round((new - old) * factor)


def _more_rows(old: Rows, new: Rows, factor: float) -> Rows:
    data, cnps = (
        tuple(_more(a, b, factor) for a, b in zip(*rows, strict=True))
        for rows in zip(old, new, strict=True)
    )
    return data, cnps


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
    passed: Sequence[Passed],
    ports: dict[Key, PortCounters],
    flows: dict[str, FlowCounters],
) -> None:
    """Count ``passed`` at every port of each flow's way, in place."""
    sums = {key: _Sums() for key in ports}
    for flow, one in zip(engine.flows, passed, strict=True):
        arrived, dropped = one.arrived, sum(one.lost[DATA]) + sum(one.unseen[DATA])
        _way(flow.stops[DATA], arrived, one.lost[DATA], one.unseen[DATA], sums)
        _way(flow.stops[CNP], one.notified, one.lost[CNP], one.unseen[CNP], sums)
        name = flow.sender.flow.name
        row = _told(flows[name], dropped=dropped, arrived=arrived)
        flows[name] = replace(
            row,
            sent=arrived + dropped,
            arrived=arrived,
            dropped=dropped,
            delivered=min(row.delivered, arrived),
            marked=min(row.marked, arrived),
        )
    for key, found in sums.items():
        ports[key] = found.put_into(ports[key])


def _told(row: FlowCounters, *, dropped: int, arrived: int) -> FlowCounters:
    """Let a loss be told that was still to be when the run ended: each is, sooner or later."""
    if not dropped or row.sequence_errors or row.timeouts:
        return row
    if not arrived:
        return replace(row, timeouts=1)
    return replace(row, out_of_sequence=max(1, row.out_of_sequence), sequence_errors=1)


def _way(
    stops: Sequence[Stop], arrived: int, lost: Row, unseen: Row, sums: dict[Key, _Sums]
) -> None:
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
        packets += unseen[place]
