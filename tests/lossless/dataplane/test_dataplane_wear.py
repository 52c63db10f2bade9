"""Worn cables and chips, slow hosts and storms: what they do to packets, and who counts it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from netcheck.lossless.dataplane.network import (
    Account,
    Cable,
    Flow,
    Network,
    Nic,
    Watchdog,
    Wear,
)
from netcheck.lossless.dataplane.result import Result
from netcheck.lossless.dataplane.run import run
from tests.lossless.dataplane.small_networks import LOSSLESS, RDMA, host_port, incast, switch_port

GIGA = 1_000_000_000
SPEED = 25 * GIGA
PORT = switch_port(SPEED, headroom_bytes=200_000)
TRIES = 8


def pair(**cable: object) -> tuple[Network, list[Flow]]:
    """One sender and one receiver; the cable from the switch to the receiver may be worn."""
    network, flows = incast(1, PORT)
    worn = replace(network.cables[0], **cable)  # type: ignore[arg-type]  # fields by name
    return replace(network, cables=(worn, *network.cables[1:])), flows


def sent(found: Result) -> float:
    return sum(found.ports["leaf", "p0"].tx_packets)


def received(found: Result) -> float:
    return sum(found.ports["h0", "n"].rx_packets)


def test_a_worn_cable_loses_its_share_between_what_both_ends_count() -> None:
    found = run(*pair(worn=Wear(0.1)), duration_s=0.01)
    lost = sum(flow.dropped for flow in found.flows.values())
    assert lost == sent(found) - received(found)
    assert lost == pytest.approx(0.1 * sent(found), rel=0.15)
    assert found.ports["h0", "n"].errors_in == 0


def test_what_comes_damaged_is_counted_as_damaged() -> None:
    found = run(*pair(worn=Wear(0.1, is_counted=True)), duration_s=0.01)
    lost = sent(found) - received(found)
    assert lost > 0
    assert found.ports["h0", "n"].errors_in == pytest.approx(lost, rel=0.1)


def test_a_flow_that_loses_everything_is_given_up_after_eight_windows() -> None:
    network, flows = pair(worn=Wear(1.0, one_flow_in=2))
    found = run(network, flows, duration_s=1.0)
    dead = [flow for flow in flows if not found.flows[flow.name].delivered]
    assert 0 < len(dead) < len(flows)
    window = flows[0].depth * -(-flows[0].message_bytes // flows[0].payload_bytes)
    assert {found.flows[flow.name].dropped for flow in dead} == {TRIES * window}


def test_a_chip_counts_what_it_loses_as_received() -> None:
    network, flows = incast(1, PORT)
    worn = replace(PORT, wear=Wear(0.1))
    leaf = replace(network.nodes["leaf"], ports={**network.nodes["leaf"].ports, "p1": worn})
    found = run(replace(network, nodes={**network.nodes, "leaf": leaf}), flows, duration_s=0.01)
    entered = sum(found.ports["leaf", "p1"].rx_packets)
    assert entered == sum(found.ports["h1", "n"].tx_packets)
    assert entered - sent(found) == sum(flow.dropped for flow in found.flows.values()) > 0


def test_a_wear_hits_its_marks_alone() -> None:
    assert not Wear(1.0, dscps=frozenset({48})).hits("leaf p0", "flow", 26)
    assert Wear(1.0, dscps=frozenset({48})).hits("leaf p0", "flow", 48)


def test_a_cable_without_all_lanes_carries_less() -> None:
    found = run(*pair(limit_bps=SPEED // 4), duration_s=0.01)
    rate = sum(flow.delivered for flow in found.flows.values()) * 4096 * 8 / 0.01
    assert rate == pytest.approx(SPEED / 4 * 0.98, rel=0.05)


def slow_receiver() -> tuple[Network, list[Flow]]:
    network, flows = incast(1, PORT, reacts=False)
    port = replace(
        host_port(SPEED),
        pfc_of_group={RDMA: LOSSLESS},
        groups={RDMA: Account("rx", static_bytes=100_000, headroom_bytes=100_000)},
    )
    host = replace(
        network.nodes["h0"],
        ports={"n": port},
        pools={"rx": 400_000},
        nics={"n": Nic(receive_bps=SPEED // 5)},
    )
    return replace(network, nodes={**network.nodes, "h0": host}), flows


def test_a_slow_host_pauses_its_switch_and_loses_nothing() -> None:
    found = run(*slow_receiver(), duration_s=0.01)
    assert found.ports["h0", "n"].pfc_out[RDMA] > 0
    assert sum(flow.dropped for flow in found.flows.values()) == 0
    rate = sum(flow.delivered for flow in found.flows.values()) * 4096 * 8 / 0.01
    assert rate == pytest.approx(SPEED / 5, rel=0.15)


@pytest.mark.parametrize(("action", "drops"), [("drop", True), ("alert", False)])
def test_a_storm_is_broken_by_a_watchdog_that_drops(action: str, *, drops: bool) -> None:
    watchdog = Watchdog(LOSSLESS, 0.2, 0.4, action)
    network, flows = incast(1, replace(PORT, watchdog=watchdog))
    stuck = replace(network.nodes["h0"], ports={"n": replace(host_port(SPEED), storms=LOSSLESS)})
    found = run(replace(network, nodes={**network.nodes, "h0": stuck}), flows, duration_s=1.0)
    assert found.ports["leaf", "p0"].queue_storms[RDMA] == 1
    assert (found.ports["leaf", "p0"].queue_drops[RDMA] > 0) == drops
    assert found.ports["h0", "n"].pfc_out[RDMA] > 0


def test_a_cable_is_as_it_was_where_nothing_is_said() -> None:
    plain = Cable(("a", "p"), ("b", "p"), 5.0)
    assert (plain.limit_bps, plain.worn) == (None, None)
