from __future__ import annotations

import pytest

from netcheck.lossless.dataplane.engine import Engine
from netcheck.lossless.dataplane.network import EcnCurve
from netcheck.lossless.dataplane.run import run
from tests.lossless.dataplane.small_networks import LOSSLESS, RDMA, host_port, incast, switch_port

GIGA = 1_000_000_000
WIRE_BYTES = 4178
CURVE = EcnCurve(1_600_000, 6_400_000, 20)

# speed, cable, bytes that can arrive after XOFF (frame in progress at both ends, cable, response)
PUBLISHED = [
    (100 * GIGA, 300, 81602),
    (200 * GIGA, 3, 49878),
    (200 * GIGA, 300, 124128),
    (400 * GIGA, 3, 82056),
    (400 * GIGA, 300, 230556),
    (800 * GIGA, 300, 443476),
]


def drops_of_incast(speed_bps: int, cable_m: float, headroom_bytes: int) -> int:
    port = switch_port(speed_bps, headroom_bytes=headroom_bytes, alpha=1 / 8)
    network, flows = incast(
        32, port, pool_bytes=2_000_000, cable_m=cable_m, reacts=False, queue_pairs=1
    )
    engine = Engine(network, flows, step_s=WIRE_BYTES * 8 / speed_bps)
    engine.run_until(6e-5 * 400 * GIGA / speed_bps + 2e-5)
    assert engine.first_pause_s > 0
    return sum(engine.ports["leaf", f"p{i}"].groups[RDMA].drops for i in range(1, 33))


@pytest.mark.parametrize(("speed_bps", "cable_m", "headroom_bytes"), PUBLISHED)
def test_the_published_headroom_loses_nothing(
    speed_bps: int, cable_m: float, headroom_bytes: int
) -> None:
    assert drops_of_incast(speed_bps, cable_m, headroom_bytes) == 0


@pytest.mark.parametrize(("speed_bps", "cable_m", "headroom_bytes"), PUBLISHED[1:])
def test_three_quarters_of_the_published_headroom_lose_packets(
    speed_bps: int, cable_m: float, headroom_bytes: int
) -> None:
    assert drops_of_incast(speed_bps, cable_m, headroom_bytes * 3 // 4) > 0


@pytest.mark.parametrize(("senders", "alpha"), [(2, 1.0), (4, 1 / 8), (8, 1.0), (8, 4.0)])
def test_the_first_pause_comes_when_the_formula_says(senders: int, alpha: float) -> None:
    speed, pool = 400 * GIGA, 4_000_000
    port = switch_port(speed, headroom_bytes=300_000, alpha=alpha)
    network, flows = incast(senders, port, pool_bytes=pool, reacts=False, queue_pairs=1, cable_m=3)
    engine = Engine(network, flows, step_s=50e-9)
    full = senders * alpha * pool / (1 + senders * alpha)
    payload_share = (WIRE_BYTES - 20) / WIRE_BYTES  # gaps between frames fill no buffer
    expected = full / ((senders - 1) * speed / 8 * payload_share)
    engine.run_until(expected + 3e-6)
    assert engine.first_pause_s == pytest.approx(expected, abs=0.7e-6)


def test_every_packet_sent_has_arrived_or_was_dropped_or_is_on_its_way() -> None:
    port = switch_port(400 * GIGA, headroom_bytes=20_000, ecn=CURVE)
    network, flows = incast(4, port)
    engine = Engine(network, flows, step_s=200e-9)
    engine.run_until(400e-6)
    waiting = sum(t.packets for p in engine.ports.values() for q in p.queues for t in q.trains)
    flying = sum(t.packets for trains in engine.trains.values() for _, t in trains)
    cnps = sum(
        t.packets
        for t in [t for trains in engine.trains.values() for _, t in trains]
        + [t for p in engine.ports.values() for q in p.queues for t in q.trains]
        if t.kind == 1
    )
    sent = sum(flow.sender.sent for flow in engine.flows)
    arrived = sum(flow.arrived for flow in engine.flows)
    dropped = sum(flow.sender.dropped for flow in engine.flows)
    assert dropped > 0
    assert sent == arrived + dropped + waiting + flying - cnps


def test_no_buffer_is_held_once_the_queues_are_empty() -> None:
    port = switch_port(400 * GIGA, headroom_bytes=100_000)
    network, flows = incast(2, port, reacts=False)
    engine = Engine(network, flows, step_s=200e-9)
    engine.run_until(100e-6)
    for state in engine.ports.values():
        for queue in state.queues:
            queue.senders.clear()
    engine.run_until(400e-6)
    accounts = [group.account for group in engine.ports["leaf", "p1"].groups if group.account]
    assert engine.pools["leaf", "lossless"].used == 0
    assert [(a.own_used, a.shared, a.headroom_used) for a in accounts] == [(0, 0, 0)] * 2


def test_one_sender_reaches_line_rate_times_efficiency() -> None:
    port = switch_port(400 * GIGA, headroom_bytes=100_000, ecn=CURVE)
    network, flows = incast(1, port)
    result = run(network, flows, duration_s=1.0)
    bps = sum(flow.delivered for flow in result.flows.values()) * 4096 * 8
    assert bps / (400 * GIGA) == pytest.approx(4096 / WIRE_BYTES, rel=2e-3)


@pytest.mark.parametrize("senders", [2, 8])
def test_an_incast_pauses_and_marks_and_loses_nothing(senders: int) -> None:
    port = switch_port(400 * GIGA, headroom_bytes=98_304, ecn=CURVE)
    network, flows = incast(senders, port)
    result = run(network, flows, duration_s=1.0)
    ingress = [result.ports["leaf", f"p{i}"] for i in range(1, senders + 1)]
    bps = sum(flow.delivered for flow in result.flows.values()) * 4096 * 8
    assert sum(flow.dropped for flow in result.flows.values()) == 0
    assert all(row.pfc_out[RDMA] > 0 for row in ingress)
    assert {p for row in ingress for p in range(8) if row.pfc_out[p]} == LOSSLESS
    assert result.ports["leaf", "p0"].queue_marks[RDMA] > 0
    assert bps > 0.97 * 400 * GIGA * 4096 / WIRE_BYTES


def test_packets_agree_along_each_way_in_a_stretched_run() -> None:
    port = switch_port(400 * GIGA, headroom_bytes=40_000, ecn=CURVE)
    network, flows = incast(4, port)
    result = run(network, flows, duration_s=3.0)
    leaf = [result.ports["leaf", f"p{i}"] for i in range(5)]
    sent = [result.ports[f"h{i}", "n"].tx_packets[RDMA] for i in range(1, 5)]
    assert sent == [row.rx_packets[RDMA] for row in leaf[1:]]
    assert result.ports["h0", "n"].rx_packets[RDMA] == leaf[0].tx_packets[RDMA]
    dropped = sum(flow.dropped for flow in result.flows.values())
    assert dropped > 0
    assert sum(sent) == leaf[0].tx_packets[RDMA] + dropped


def test_a_port_that_sends_no_pauses_loses_packets() -> None:
    port = switch_port(400 * GIGA, headroom_bytes=98_304, ecn=CURVE, pauses=frozenset())
    result = run(*incast(2, port), duration_s=1.0)
    assert sum(flow.dropped for flow in result.flows.values()) > 0
    assert sum(flow.out_of_sequence for flow in result.flows.values()) > 0
    assert sum(flow.sequence_errors for flow in result.flows.values()) > 0


def test_an_adapter_that_trusts_the_other_mark_obeys_no_pause() -> None:
    port = switch_port(400 * GIGA, headroom_bytes=98_304, ecn=CURVE)
    stray = host_port(400 * GIGA, trust="pcp")
    result = run(*incast(2, port, hosts={2: stray}), duration_s=1.0)
    lost = {name.split()[0]: flow.dropped for name, flow in result.flows.items() if flow.dropped}
    assert set(lost) == {"2"}
    assert sum(flow.cnp_ignored for flow in result.flows.values()) > 0


def test_frames_above_the_mtu_do_not_pass() -> None:
    port = switch_port(400 * GIGA, headroom_bytes=98_304, mtu_bytes=1518)
    result = run(*incast(1, port, queue_pairs=1), duration_s=1.0)
    (flow,) = result.flows.values()
    assert flow.delivered == 0
    assert result.ports["leaf", "p1"].oversize_in > 0


def test_without_congestion_nothing_is_paused_or_marked() -> None:
    port = switch_port(400 * GIGA, headroom_bytes=98_304, ecn=CURVE)
    result = run(*incast(1, port), duration_s=1.0)
    assert result.first_pause_s < 0
    assert sum(sum(row.queue_marks) for row in result.ports.values()) == 0
