"""A run of traffic through a subnet: rates, and what every port counted meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netcheck.lossless.credits.fabric import End, Fabric, Flow, Wear
from netcheck.lossless.credits.paths import Fate, Way, way_of
from netcheck.lossless.credits.shares import Rate, Shares

RETRIES = 7
TIMEOUT_CODE = 14
# An answer is waited for at least the timeout, and at most four times as long.
# Source: InfiniBand Architecture Specification volume 1, 9.7.6.1.3 (local ACK timeout).
TIMEOUT_S = 4 * 4.096e-6 * 2**TIMEOUT_CODE
DIES_AFTER_S = (RETRIES + 1) * TIMEOUT_S
WORD_BYTES = 4
# Packets that go again for each that is lost: those of one trip, about 2 us at 200 Gb/s.
RESENT_PACKETS = 12
_BLOCKS = frozenset({Fate.STALLED, Fate.NO_WEIGHT})
_HELD = "PortSwHOQLifetimeLimitDiscards"
_DETAILS = {
    Fate.STALLED: _HELD,
    Fate.NO_WEIGHT: _HELD,
    Fate.LINK_DOWN: "PortInactiveDiscards",
}

Counts = Counter[str]


@dataclass(frozen=True, slots=True)
class FlowResult:
    """What a flow came to; ``rate_bps`` is what arrived of it, headers included."""

    way: Way
    rate_bps: float = 0.0
    bottleneck: int | None = None

    @property
    def is_delivered(self) -> bool:
        """Its messages arrived."""
        return self.way.fate is Fate.DELIVERED


@dataclass(frozen=True)
class Result:
    """What a run came to.

    Attributes:
        ports: Shape: ``port -> counter -> growth``, in the names of infiniband-diags;
            data in words of four bytes, waiting in ticks.
        lanes: Shape: ``(port, lane) -> share of the port's rate that it sent``.
        crowded: Lanes of ports in which packets wait for credits or for their turn.
    """

    flows: Mapping[str, FlowResult]
    ports: Mapping[End, Counts]
    lanes: Mapping[tuple[End, int], float]
    crowded: frozenset[tuple[End, int]]


def run(fabric: Fabric, flows: Sequence[Flow], *, duration_s: float) -> Result:
    """Send flows through a subnet at the same time, for as long as is said."""
    ways = {flow.name: way_of(fabric, flow) for flow in flows}
    alive = {flow.name: flow for flow in flows if ways[flow.name].fate is Fate.DELIVERED}
    rates = Shares(fabric, alive, ways).settle()
    blocked = {
        (hop.egress, hop.lane) for way in ways.values() if way.fate in _BLOCKS for hop in way.hops
    }
    results = {}
    for flow in flows:
        way, rate = ways[flow.name], rates.get(flow.name, Rate(0.0))
        is_behind = any((hop.egress, hop.lane) in blocked for hop in way.hops)
        stands_s = min(DIES_AFTER_S, duration_s) if is_behind else 0.0
        share = _arrives(fabric, way) * (1 - stands_s / duration_s)
        results[flow.name] = FlowResult(way, rate.bps * share, rate.bottleneck)
    work = _Counting(fabric, duration_s)
    for flow in flows:
        work.count(flow, results[flow.name], blocked)
    return work.result(results)


def _arrives(fabric: Fabric, way: Way) -> float:
    """Share of what is sent that arrives and need not go again.

    Source: go-back-N in closed form, as in D. Bertsekas and R. Gallager, Data Networks, 2.4.
    """
    share = 1.0
    for wear in _wears(fabric, way):
        lost = wear.loss_share
        share *= (1 - lost) / (1 - lost + lost * RESENT_PACKETS)
    return share


def _wears(fabric: Fabric, way: Way) -> list[Wear]:
    peers = (fabric.port(hop.egress).peer for hop in way.hops)
    return [fabric.worn[peer] for peer in peers if peer is not None and peer in fabric.worn]


class _Counting:
    """Counts of a run, port by port."""

    def __init__(self, fabric: Fabric, duration_s: float) -> None:
        self.fabric = fabric
        self.duration_s = duration_s
        self.ports: dict[End, Counts] = {}
        self.sent: Counter[tuple[End, int]] = Counter()
        self.crowded: set[tuple[End, int]] = set()

    def at(self, end: End) -> Counts:
        return self.ports.setdefault(end, Counter())

    def count(self, flow: Flow, found: FlowResult, blocked: set[tuple[End, int]]) -> None:
        """Count one flow's packets on its way, and those that end on it."""
        way = found.way
        if found.is_delivered:
            packets = found.rate_bps * self.duration_s / 8 / flow.packet_bytes
        else:
            packets = float(flow.window_packets * (RETRIES + 1))
        if way.fate in _BLOCKS:
            packets = self._discarded(flow, way)
        self._pass(flow, way, packets)
        for place, hop in enumerate(way.hops):
            is_before = found.bottleneck is not None and place < found.bottleneck
            is_last = found.bottleneck == place
            if is_before or is_last or (hop.egress, hop.lane) in blocked:
                self.crowded.add((hop.egress, hop.lane))
        if not found.is_delivered:
            self._lose(way, packets)

    def _discarded(self, flow: Flow, way: Way) -> float:
        """Packets that a switch discards since they stood at the head of a queue for too long.

        Source: InfiniBand Architecture Specification volume 1, 18.2.5.4 (head of queue lifetime).
        """
        assert way.at is not None  # noqa: S101 -- a flow that is blocked is so somewhere
        life_s = self.fabric.port(way.at).hoq_life_s
        if not life_s or not self.fabric.nodes[way.at[0]].is_switch:
            return 0.0
        stands_s = min(DIES_AFTER_S, self.duration_s)
        return float(min(stands_s // life_s, flow.window_packets * (RETRIES + 1.0)))

    def _pass(self, flow: Flow, way: Way, packets: float) -> None:
        words = packets * flow.packet_bytes / WORD_BYTES
        hops = way.hops[:-1] if way.fate in _BLOCKS else way.hops
        for hop in hops:
            own, peer = self.at(hop.egress), self.fabric.port(hop.egress).peer
            own.update({"PortXmitPkts": round(packets), "PortXmitData": round(words)})
            self.sent[hop.egress, hop.lane] += round(packets * flow.packet_bytes)
            if peer is not None:
                far = self.at(peer)
                far.update({"PortRcvPkts": round(packets), "PortRcvData": round(words)})
                if (wear := self.fabric.worn.get(peer)) is not None:
                    far["PortRcvErrors"] += round(packets * wear.loss_share)

    def _lose(self, way: Way, packets: float) -> None:
        """Count packets that end before their target, where the hardware does.

        Source: InfiniBand Architecture Specification volume 1, 16.1.3.5 (PortCounters).
        """
        name = {
            Fate.NO_ROUTE: "PortRcvSwitchRelayErrors",
            Fate.NO_LANE: "PortXmitDiscards",
            Fate.LINK_DOWN: "PortXmitDiscards",
            Fate.NO_KEY: "PortXmitConstraintErrors",
            Fate.STALLED: "PortXmitDiscards",
            Fate.NO_WEIGHT: "PortXmitDiscards",
        }[way.fate]
        assert way.at is not None  # noqa: S101 -- what is lost is lost somewhere
        if way.fate is Fate.NO_KEY and not self.fabric.nodes[way.at[0]].is_switch:
            return  # a queue pair drops what is not for it; the port counts nothing
        self.at(way.at)[name] += round(packets)
        detail = _DETAILS.get(way.fate)
        if detail:
            self.at(way.at)[detail] += round(packets)

    def result(self, flows: Mapping[str, FlowResult]) -> Result:
        """Give everything, with the time that ports waited and what worn links counted."""
        lanes = {}
        for (end, lane), octets in self.sent.items():
            rate = self.fabric.port(end).rate_bps
            lanes[end, lane] = min(1.0, octets * 8 / (rate * self.duration_s))
        used: Counter[End] = Counter()
        for (end, _), share in lanes.items():
            used[end] += share  # type: ignore[assignment]  # a Counter adds floats as well
        for end in {end for end, _ in self.crowded}:
            self._wait(end, "PortXmitWait", 1 - used[end])
        for end, lane in self.crowded:
            self._wait(end, f"PortVLXmitWait{lane}", 1 - lanes.get((end, lane), 0.0))
        for end, wear in self.fabric.worn.items():
            self._wear(end, wear)
        return Result(flows, self.ports, lanes, frozenset(self.crowded))

    def _wait(self, end: End, name: str, share: float) -> None:
        """Ticks in which a port had packets and sent none."""
        port = self.fabric.port(end)
        ticks = max(share, 0.0) * self.duration_s * port.rate_bps / 8 / port.tick_bytes
        self.at(end)[name] += round(ticks)

    def _wear(self, end: End, wear: Wear) -> None:
        own = self.at(end)
        own["SymbolErrorCounter"] += round(wear.symbols_per_s * self.duration_s)
        own["LinkErrorRecoveryCounter"] += round(wear.recoveries_per_s * self.duration_s)
