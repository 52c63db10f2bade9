"""Incasts of frames as bad as can be: smallest ones, and full-size ones the other way."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from netcheck.lossless.dataplane.engine import Engine
from netcheck.lossless.dataplane.network import (
    Account,
    Cable,
    Flow,
    Hop,
    Network,
    Nic,
    Node,
    Port,
    Queue,
    response_s,
)
from netcheck.lossless.incast import Incast, cell_headroom_bytes
from tests.lossless.dataplane.small_networks import DSCPS, LOSSLESS, RDMA, RDMA_DSCP

GIGA = 1_000_000_000
SPEEDS_GBPS = (10, 25, 40, 50, 100, 200, 400, 800)
CELLS = (96, 144, 192, 208, 254, 256, 318, 420)
SMALL_PAYLOAD = 2  # with 82 bytes around it: 84 on the wire, a frame of 64
AROUND_BYTES = 62  # what a frame holds besides the payload
LOSSLESS_MTU = 1024
FILL_S = 1.5e-6
STEP_BYTES = 1000
LONGEST_STEP_S = 100e-9
SLICE_S = 1e-6
ENDLESS = 10**9


@dataclass(frozen=True)
class Draw:
    """One case, in the units of ``Incast``; ``l2_mtu`` is the frame of the other direction."""

    speed_bps: int
    cable_m: float
    l2_mtu: int
    cell_bytes: int
    senders: int
    alpha: float

    @property
    def headroom_bytes(self) -> int:
        return cell_headroom_bytes(
            speed_bps=self.speed_bps,
            cable_m=self.cable_m,
            l2_mtu=self.l2_mtu,
            lossless_mtu=LOSSLESS_MTU,
            cell_bytes=self.cell_bytes,
        )

    @property
    def incast(self) -> Incast:
        """The closed form, with a pool that is full after ``FILL_S``."""
        shape = Incast(
            self.senders, self.speed_bps, 0, self.alpha, 64, self.cell_bytes, self.cable_m
        )
        fill = FILL_S * shape.fill_bytes_per_s()
        share = self.senders * self.alpha
        return replace(shape, pool_bytes=int(fill * (1 + share) / share))


def draws(count: int, seed: int) -> list[Draw]:
    """Random cases: speed, cable up to 300 m, MTU, cell, fan-in of 8 or more, threshold."""
    random_of = random.Random(seed)  # noqa: S311 -- cases, not secrets
    return [
        Draw(
            random_of.choice(SPEEDS_GBPS) * GIGA,
            round(10 ** random_of.uniform(0, 2.5), 1),
            random_of.choice((1500, 4096, 9216)),
            random_of.choice(CELLS),
            random_of.choice((8, 8, 8, 12, 16)),
            random_of.choice((1 / 32, 1 / 8, 1.0)),
        )
        for _ in range(count)
    ]


@dataclass(frozen=True)
class Outcome:
    """Packets that a priority group dropped, and when the first pause was sent."""

    drops: int
    first_pause_s: float


def play(draw: Draw, headroom_bytes: int) -> Outcome:
    """Run the data plane until all that was in flight has arrived, or a packet is dropped."""
    engine = Engine(*network(draw, headroom_bytes), step_s=_step_s(draw.speed_bps))
    port = engine.ports["leaf", "p1"]
    back_s = (draw.l2_mtu + 200) * 8 / draw.speed_bps + response_s(port.port)
    end_s = draw.incast.first_pause_s() + 2 * port.delay_s + back_s + 1e-6
    groups = [engine.ports["leaf", f"p{i}"].groups[RDMA] for i in range(1, draw.senders + 1)]
    while engine.now < end_s and not any(group.drops for group in groups):
        engine.run_until(engine.now + SLICE_S)
    return Outcome(sum(group.drops for group in groups), engine.first_pause_s)


def _step_s(speed_bps: int) -> float:
    return min(LONGEST_STEP_S, STEP_BYTES * 8 / speed_bps)


def network(draw: Draw, headroom_bytes: int) -> tuple[Network, list[Flow]]:
    """Senders ``h1...`` to ``h0``; ``g1...`` keep the other direction busy, one each."""
    port = Port(
        draw.speed_bps,
        draw.l2_mtu,
        priority_of_dscp=DSCPS,
        group_of=(0, 0, 0, RDMA, 0, 0, 0, 0),
        pauses_sent=LOSSLESS,
        pauses_honoured=LOSSLESS,
        pfc_of_group={RDMA: LOSSLESS},
        groups={RDMA: Account("lossless", 0, headroom_bytes, draw.alpha)},
        queues={RDMA: Queue(), 0: Queue()},
    )
    numbers = range(1, draw.senders + 1)
    names = [f"p{i}" for i in (0, *numbers)] + [f"b{i}" for i in numbers]
    leaf = Node(
        "leaf",
        dict.fromkeys(names, port),
        {"lossless": draw.incast.pool_bytes},
        cell_bytes=draw.cell_bytes,
    )
    hosts = [f"h{i}" for i in (0, *numbers)] + [f"g{i}" for i in numbers]
    nodes = {host: Node(host, {"n": port}, nics={"n": Nic()}, forwarding_s=0) for host in hosts}
    cables = tuple(
        Cable(("leaf", name), (host, "n"), draw.cable_m if host[0] == "h" else 1)
        for name, host in zip(names, hosts, strict=True)
    )
    flows = [
        flow
        for i in numbers
        for flow in (
            _flow(f"h{i}", f"p{i}", "p0", "h0", SMALL_PAYLOAD, RDMA_DSCP),
            _flow(f"g{i}", f"b{i}", f"p{i}", f"h{i}", draw.l2_mtu - AROUND_BYTES, 0),
        )
    ]
    return Network({"leaf": leaf} | nodes, cables), flows


def _flow(a: str, ingress: str, egress: str, b: str, payload: int, dscp: int) -> Flow:
    return Flow(
        f"{a} to {b}",
        (Hop(a, "", "n"), Hop("leaf", ingress, egress), Hop(b, "n", "")),
        (Hop(b, "", "n"), Hop("leaf", egress, ingress), Hop(a, "n", "")),
        dscp=dscp,
        payload_bytes=payload,
        message_bytes=payload,
        depth=ENDLESS,
    )
