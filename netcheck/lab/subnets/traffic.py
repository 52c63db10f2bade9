"""RDMA tests over a running subnet: flows by what is read of it, and what comes of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netcheck.lab.devices.linux.perftest import HcaSide, Side
from netcheck.lab.latency import ENDS_US, SPREAD
from netcheck.lab.subnets.running import RunningSubnet
from netcheck.lossless.credits.fabric import End, Fabric, Flow
from netcheck.lossless.credits.paths import Hop
from netcheck.lossless.credits.run import RETRIES, Result, run
from netcheck.lossless.efficiency import infiniband_efficiency

LAT_SECONDS = 0.2e-3
PING_BPS = 1e6
# Source: NVIDIA QM8700 product brief (130 ns from port to port).
SWITCH_US = 0.13
# What a port can hold of a lane before it gives no more credits. Derived: a round trip of a
# 30 m cable at 200 Gb/s and some packets; vendors do not publish theirs.
LANE_BUFFER_BYTES = 32768


@dataclass(frozen=True, slots=True)
class Pair:
    """Both sides of a test; ``seconds`` it sends for, None as long as its messages take."""

    client: Side
    server: Side
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Done:
    """What a test came to: payload that arrived, or latencies; nothing where it failed."""

    is_delivered: bool
    bandwidth_bps: float = 0.0
    latencies_us: tuple[float, ...] = ()


async def run_pairs(subnet: RunningSubnet, pairs: Sequence[Pair]) -> list[Done]:
    """Run tests of one moment; ports, here and in the simulator, count what they did."""
    return await asyncio.to_thread(_run, subnet, pairs)


def _run(subnet: RunningSubnet, pairs: Sequence[Pair]) -> list[Done]:
    subnet.fresh()
    hosts = subnet.view.hosts
    # an end that has gone since the test began, or is in another subnet, is not reached
    here = [
        pair for pair in pairs if {_ends(pair.client).guid, _ends(pair.server).guid} <= {*hosts}
    ]
    done = dict(zip(map(id, here), _run_here(subnet, here), strict=True)) if here else {}
    return [done.get(id(pair), Done(is_delivered=False)) for pair in pairs]


def _run_here(subnet: RunningSubnet, pairs: Sequence[Pair]) -> list[Done]:
    fabric = subnet.fabric()
    hosts = subnet.view.hosts
    flows = [_flows(pair, place, hosts) for place, pair in enumerate(pairs)]
    seconds = max((_seconds(pair, own, fabric) for pair, own in zip(pairs, flows, strict=True)))
    result = run(fabric, [flow for own in flows for flow in own], duration_s=seconds)
    grown = {end: dict(counts) for end, counts in result.ports.items()}
    _count_ends(grown, [flow for own in flows for flow in own], result)
    subnet.count(grown)
    return [_done(pair, own, fabric, result) for pair, own in zip(pairs, flows, strict=True)]


def _ends(side: Side) -> HcaSide:
    assert side.hca is not None  # noqa: S101 -- the bench sends sides on InfiniBand alone
    return side.hca


def _flows(pair: Pair, place: int, hosts: Mapping[int, End]) -> list[Flow]:
    """Flows of a test: one direction, or both."""
    options = pair.client.options
    ways = [(pair.client, pair.server), (pair.server, pair.client)]
    if options.tool.startswith("ib_read"):  # data answers the requests of the client
        ways.reverse()
    ways = ways if options.is_bidirectional else ways[:1]
    mtu = min(pair.client.mtu, pair.server.mtu)
    packets = -(-options.message_bytes // mtu)
    return [
        Flow(
            f"{place} {number}",
            hosts[_ends(sender).guid],
            hosts[_ends(receiver).guid],
            _ends(receiver).lid,
            sl=sender.options.sl,
            key=_ends(sender).key,
            peer_key=_ends(receiver).key,
            weight=options.queue_pairs,
            mtu_bytes=min(mtu, options.message_bytes),
            window_packets=options.depth * options.queue_pairs * packets,
            demand_bps=PING_BPS if options.is_latency else None,
        )
        for number, (sender, receiver) in enumerate(ways)
    ]


def _seconds(pair: Pair, flows: Sequence[Flow], fabric: Fabric) -> float:
    options = pair.client.options
    if pair.seconds is not None:
        return pair.seconds
    if options.is_latency:
        return LAT_SECONDS
    bits = options.iterations * options.queue_pairs * options.message_bytes * 8
    return max(bits / fabric.port(flows[0].source).rate_bps, LAT_SECONDS)


def _count_ends(grown: dict[End, dict[str, int]], flows: Sequence[Flow], result: Result) -> None:
    """Count what queue pairs give up, at the adapter that sent."""
    for flow in flows:
        if not result.flows[flow.name].is_delivered:
            own = grown.setdefault(flow.source, {})
            own["local_ack_timeout_err"] = own.get("local_ack_timeout_err", 0) + RETRIES + 1
            for name in ("req_transport_retries_exceeded", "req_cqe_error"):
                own[name] = own.get(name, 0) + 1


def _done(pair: Pair, flows: Sequence[Flow], fabric: Fabric, result: Result) -> Done:
    found = [result.flows[flow.name] for flow in flows]
    if not all(one.is_delivered for one in found):
        return Done(is_delivered=False)
    options = pair.client.options
    if options.is_latency:
        one_way = _way_us(flows[0], fabric, result)
        return Done(is_delivered=True, latencies_us=tuple(factor * one_way for factor in SPREAD))
    share = infiniband_efficiency(flows[0].mtu_bytes, message_bytes=options.message_bytes)
    payload = share * sum(one.rate_bps for one in found)
    return Done(is_delivered=True, bandwidth_bps=payload)


def _way_us(flow: Flow, fabric: Fabric, result: Result) -> float:
    """One way of a small message: ends, switches, and lanes that other traffic has filled."""
    hops = result.flows[flow.name].way.hops
    total = ENDS_US + SWITCH_US * (len(hops) - 1)
    for place, hop in enumerate(hops):
        total += flow.packet_bytes * 8e6 / fabric.port(hop.egress).rate_bps
        if place and (hop.egress, hop.lane) in result.crowded:
            total += _waits_us(flow, hop, fabric, result)
    return total


def _waits_us(flow: Flow, hop: Hop, fabric: Fabric, result: Result) -> float:
    """Time behind what waits for the same lane of a port.

    Packets that came in at the same port stand in the same queue, which is full; of
    those from each other port one goes first.
    """
    others = [
        (other, one)
        for other in result.flows.values()
        for one in other.way.hops
        if (one.egress, one.lane) == (hop.egress, hop.lane) and other.rate_bps > PING_BPS
    ]
    rate = fabric.port(hop.egress).rate_bps * result.lanes.get((hop.egress, hop.lane), 1.0)
    inputs = {one.ingress for _, one in others}
    if hop.ingress in inputs:
        return LANE_BUFFER_BYTES * 8e6 * len(inputs) / rate
    packet = max(fabric.port(hop.egress).mtu_bytes, flow.packet_bytes)
    return len(inputs) * packet * 8e6 / rate
