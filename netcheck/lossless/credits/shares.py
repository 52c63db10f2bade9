"""Rates that flows settle at: max-min fair by each port's arbiter, and held back by credits.

A port whose link is the bottleneck gives few credits to the port before it, whose
buffer of that lane then fills; and so on, up to the source. Where flows to other
targets share such a lane, they wait behind the packets that cannot go on.

Source: InfiniBand Architecture Specification volume 1, 7.9 (flow control); on its spread:
    E. G. Gran and others, First Experiences with Congestion Control in InfiniBand
    Hardware, IPDPS 2010.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from netcheck.lossless.credits.arbiter import Claim, entitlement
from netcheck.lossless.credits.fabric import End, Fabric, Flow
from netcheck.lossless.credits.paths import Hop, Way

GIGA = 1e9
MOST_ROUNDS, MOST_SPREADS = 60, 20
CLOSE_GBPS = 1e-6


@dataclass(frozen=True, slots=True)
class Rate:
    """What a flow settles at.

    Attributes:
        bps: Bits per second on the wire, headers included.
        bottleneck: Index of the hop that holds it back; None where nothing does.
    """

    bps: float
    bottleneck: int | None = None


@dataclass
class Shares:
    """Flows that are delivered, on their ways through a subnet."""

    fabric: Fabric
    flows: Mapping[str, Flow]
    ways: Mapping[str, Way]
    caps: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.at: dict[End, list[tuple[str, int]]] = {}
        for name in self.flows:
            for place, hop in enumerate(self.ways[name].hops):
                self.at.setdefault(hop.egress, []).append((name, place))

    def settle(self) -> dict[str, Rate]:
        """Give each flow's rate."""
        rates = self._fair()
        for _ in range(MOST_SPREADS):
            if not self._spread(rates):
                break
            rates = self._fair()
        return rates

    def _fair(self) -> dict[str, Rate]:
        """Rates of which none can grow without taking from one that has less at the same port."""
        offers = {name: [self._rate(hop) for hop in self._hops(name)] for name in self.flows}
        for _ in range(MOST_ROUNDS):
            moved = 0.0
            for name in self.flows:
                for place, hop in enumerate(self._hops(name)):
                    offer = self._offer(name, hop, offers)
                    moved = max(moved, abs(offer - offers[name][place]))
                    offers[name][place] = offer
            if moved < CLOSE_GBPS:
                break
        return {name: self._settled(name, offers[name]) for name in self.flows}

    def _settled(self, name: str, offers: Sequence[float]) -> Rate:
        wanted, least = self._wanted(name), min(offers)
        if wanted <= least + CLOSE_GBPS:
            place = self._held.get(name)
            return Rate(wanted * GIGA, place if name in self.caps else None)
        return Rate(
            least * GIGA, max(n for n, one in enumerate(offers) if one <= least + CLOSE_GBPS)
        )

    def _offer(self, name: str, hop: Hop, offers: Mapping[str, list[float]]) -> float:
        claims = [
            Claim(
                other,
                self._hops(other)[place].lane,
                self._elsewhere(other, place, offers[other]),
                self.flows[other].weight,
            )
            for other, place in self.at[hop.egress]
        ]
        port = self.fabric.port(hop.egress)
        size = self.flows[name].packet_bytes
        return entitlement(port, claims, name, size, self._rate(hop))

    def _elsewhere(self, name: str, place: int, offers: Sequence[float]) -> float:
        others = [one for number, one in enumerate(offers) if number != place]
        return min([self._wanted(name), *others])

    def _wanted(self, name: str) -> float:
        """The most that a flow would send, in Gb/s."""
        said = self.flows[name].demand_bps
        wanted = float("inf") if said is None else said / GIGA
        return min(wanted, self.caps.get(name, float("inf")))

    def _hops(self, name: str) -> tuple[Hop, ...]:
        return self.ways[name].hops

    def _rate(self, hop: Hop) -> float:
        return self.fabric.port(hop.egress).rate_bps / GIGA

    _held: dict[str, int] = field(default_factory=dict)

    def _spread(self, rates: Mapping[str, Rate]) -> bool:
        """Hold back flows behind such as cannot go on; False where none is held back more."""
        is_changed = False
        for name, rate in rates.items():
            if rate.bottleneck is None or name in self.caps:
                continue
            for hop in self._hops(name)[: rate.bottleneck]:
                for other, place in self.at[hop.egress]:
                    is_behind = other != name and self._hops(other)[place].lane == hop.lane
                    part = rate.bps / GIGA * self.flows[other].weight / self.flows[name].weight
                    if is_behind and part < rates[other].bps / GIGA - CLOSE_GBPS:
                        self.caps[other] = min(self.caps.get(other, part), part)
                        self._held[other] = place + 1
                        is_changed = True
        return is_changed
