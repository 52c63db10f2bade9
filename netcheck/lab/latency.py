"""Latency of small messages: what every hop adds, and queues that other traffic has filled."""

from __future__ import annotations

from netcheck.lossless.dataplane.network import Flow, Network
from netcheck.lossless.dataplane.result import Result

# One way between two adapters without a switch, both ends' PCIe and software included.
# Source: public ConnectX-7 back-to-back measurements of 1.4 to 1.5 us (ib_write_lat).
ENDS_US = 1.45
NS_PER_M = 5e-3
SMALL_FRAME_BYTES = 104
SPREAD = (0.97, 1.45, 1.0, 1.01, 0.02, 1.08, 1.3)


def latencies_us(flow: Flow, network: Network, result: Result) -> tuple[float, ...]:
    """Give min, max, typical, average, deviation, 99 % and 99.9 % of one-way latencies in us.

    The typical one is made of the ends, each switch, each cable, and half of
    the highest fill of each queue passed.
    """
    one_way = _way_us(flow, network, result)
    return tuple(factor * one_way for factor in SPREAD)


def _way_us(flow: Flow, network: Network, result: Result) -> float:
    total = ENDS_US
    ends = {end: cable for cable in network.cables for end in (cable.a, cable.b)}
    for hop in flow.path[:-1]:
        node = network.nodes[hop.node]
        port = node.ports[hop.egress]
        cable = ends[hop.node, hop.egress]
        bytes_per_us = port.speed_bps / 8e6
        total += cable.length_m * NS_PER_M + cable.extra_delay_s * 1e6
        total += SMALL_FRAME_BYTES / bytes_per_us
        if hop.ingress:
            judge = node.ports[hop.ingress]
            priority = judge.priority_of_dscp[flow.dscp] if judge.trust == "dscp" else 0
            counters = result.ports.get((hop.node, hop.egress))
            waiting = counters.queue_peak[judge.queue_of[priority]] / 2 if counters else 0
            total += node.forwarding_s * 1e6 + waiting / bytes_per_us
    return total
