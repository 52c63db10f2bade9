"""Closed forms of the credit data plane: shares, weights, waiting, and where packets end."""

from __future__ import annotations

import pytest

from netcheck.lossless.credits.arbiter import low_share, share_lanes, turn_bytes
from netcheck.lossless.credits.fabric import (
    NO_ROUTE,
    Entries,
    Fabric,
    Flow,
    Node,
    Port,
    Wear,
    keys_match,
)
from netcheck.lossless.credits.paths import Fate
from netcheck.lossless.credits.run import (
    DIES_AFTER_S,
    RESENT_PACKETS,
    RETRIES,
    Result,
    run,
)
from netcheck.lossless.efficiency import infiniband_efficiency
from netcheck.lossless.link_quality import wait_share

RATE = 200e9
QUANTUM = 0xD2F0
LANES = (0, 1, *[0] * 14)
QUARTERS: Entries = ((0, 64), (1, 192))


def fabric(
    hosts: int = 4,
    *,
    low: Entries = QUARTERS,
    lanes: tuple[int, ...] = LANES,
    hoq_life_s: float | None = 0.25,
    **more: object,
) -> Fabric:
    """Hosts h0, h1, ... at ports 1, 2, ... of switch s; LID n+1 is host n."""
    tables = dict.fromkeys(range(hosts + 1), lanes)
    ports = {
        n + 1: Port(RATE, (f"h{n}", 1), lanes=tables, low=low, hoq_life_s=hoq_life_s)
        for n in range(hosts)
    }
    routes = bytes([NO_ROUTE, *ports])
    nodes = {"s": Node("s", ports, routes, is_switch=True)}
    for n in range(hosts):
        own = Port(RATE, ("s", n + 1), lanes={0: lanes}, low=low)
        nodes[f"h{n}"] = Node(f"h{n}", {1: own})
    return Fabric(nodes, **more)  # type: ignore[arg-type]  # stalled and worn, as the test says


def flow(source: int, target: int, sl: int = 0, **more: object) -> Flow:
    """A flow between two hosts, named by them."""
    name = f"{source}>{target}/{sl}"
    return Flow(name, (f"h{source}", 1), (f"h{target}", 1), target + 1, sl=sl, **more)  # type: ignore[arg-type]  # as above


def gbps(result: Result) -> dict[str, float]:
    return {name: round(one.rate_bps / 1e9, 3) for name, one in result.flows.items()}


@pytest.mark.parametrize("senders", [1, 2, 3, 7])
def test_an_incast_shares_line_rate_by_its_senders(senders: int) -> None:
    result = run(fabric(8), [flow(n + 1, 0) for n in range(senders)], duration_s=1)
    assert set(gbps(result).values()) == {round(200 / senders, 3)}


@pytest.mark.parametrize("senders", [2, 4])
def test_senders_of_an_incast_wait_for_credits_the_rest_of_the_time(senders: int) -> None:
    result = run(fabric(8), [flow(n + 1, 0) for n in range(senders)], duration_s=0.5)
    ticks = result.ports["h1", 1]["PortXmitWait"]
    found = wait_share(ticks, seconds=0.5, rate_bps=int(RATE), device_id=QUANTUM, width=4)
    assert found == pytest.approx(1 - 1 / senders, rel=1e-6)
    assert result.ports["s", 1]["PortXmitWait"] == 0  # the bottleneck itself always sends
    assert result.ports["h1", 1]["PortVLXmitWait0"] == ticks


def test_ports_count_data_in_words_of_four_bytes_and_lose_none() -> None:
    result = run(fabric(), [flow(1, 0), flow(2, 0)], duration_s=1)
    sent = sum(result.ports[f"h{n}", 1]["PortXmitData"] for n in (1, 2))
    assert result.ports["h0", 1]["PortRcvData"] == sent == pytest.approx(RATE / 32, rel=1e-9)
    counted = {name for counts in result.ports.values() for name in counts}
    assert not {name for name in counted if "Discard" in name or "Error" in name}


def test_weights_of_64_and_192_give_a_quarter_and_three() -> None:
    result = run(fabric(), [flow(1, 0, 0), flow(2, 0, 1)], duration_s=1)
    assert gbps(result) == {"1>0/0": 50.0, "2>0/1": 150.0}


def test_what_one_lane_does_not_need_the_other_gets() -> None:
    modest = flow(1, 0, 1, demand_bps=20e9)
    result = run(fabric(), [modest, flow(2, 0, 0)], duration_s=1)
    assert gbps(result) == {"1>0/1": 20.0, "2>0/0": 180.0}


def test_weights_below_a_packet_send_a_whole_one() -> None:
    port = Port(RATE, low=((0, 1), (1, 64)))
    assert share_lanes(port, {0: 1.0, 1: 1.0}, 4096) == {0: 0.5, 1: 0.5}
    assert turn_bytes(((0, 65),), 4096) == {0: 8192}


def test_the_high_table_leaves_the_low_one_what_its_limit_says() -> None:
    def shares(limit: int) -> dict[int, float]:
        port = Port(RATE, high=((0, 64),), low=((1, 64),), high_limit=limit)
        return share_lanes(port, {0: 1.0, 1: 1.0}, 4096)

    assert shares(0) == {0: 0.5, 1: 0.5}
    assert shares(3) == {0: 0.75, 1: 0.25}
    assert shares(255) == {0: 1.0, 1: 0.0}
    assert low_share(1, 4096) == 0.5


def test_a_lane_in_both_tables_gets_its_turn_in_each() -> None:
    # as OpenSM leaves it: lane 0 stands in the high table with weight 4 unless that is set
    port = Port(RATE, high=((0, 4),), low=QUARTERS)
    found = share_lanes(port, {0: 1.0, 1: 1.0}, 2048)
    assert found == {0: pytest.approx(0.5 + 0.5 / 4), 1: pytest.approx(0.5 * 3 / 4)}


def test_a_victim_of_the_same_lane_waits_behind_an_incast_and_another_lane_does_not() -> None:
    incast = [flow(1, 0), flow(2, 0)]
    behind = run(fabric(), [*incast, flow(1, 3, 0)], duration_s=1)
    assert gbps(behind)["1>3/0"] == 100.0
    three = run(fabric(5), [*incast, flow(4, 0), flow(1, 3, 0)], duration_s=1)
    assert gbps(three)["1>3/0"] == pytest.approx(66.667)
    beside = run(fabric(5), [*incast, flow(4, 0), flow(1, 3, 1)], duration_s=1)
    assert gbps(beside)["1>3/1"] == 150.0  # three quarters of its own host's link


def test_queue_pairs_weigh_as_many_flows() -> None:
    result = run(fabric(), [flow(1, 0, weight=3), flow(2, 0)], duration_s=1)
    assert gbps(result) == {"1>0/0": 150.0, "2>0/0": 50.0}


def test_a_level_on_the_management_lane_is_dropped_where_it_is_sent() -> None:
    result = run(fabric(lanes=(0, 15, *[0] * 14)), [flow(1, 0, 1), flow(2, 0, 0)], duration_s=1)
    assert result.flows["1>0/1"].way.fate is Fate.NO_LANE
    assert result.ports["h1", 1]["PortXmitDiscards"] == 2048 * (RETRIES + 1)
    assert gbps(result)["2>0/0"] == 200.0


def test_a_lane_without_weight_waits_for_ever_at_its_adapter() -> None:
    result = run(fabric(low=((0, 64), (1, 0))), [flow(1, 0, 1)], duration_s=1)
    assert result.flows["1>0/1"].way.fate is Fate.NO_WEIGHT
    assert result.ports["h1", 1].get("PortXmitPkts", 0) == 0


def test_a_missing_route_ends_at_the_switch_that_lacks_it() -> None:
    given = fabric()
    switch = given.nodes["s"]
    holed = Node("s", switch.ports, bytes([NO_ROUTE, NO_ROUTE, 2, 3, 4]), is_switch=True)
    result = run(Fabric({**given.nodes, "s": holed}), [flow(1, 0)], duration_s=1)
    assert result.flows["1>0/0"].way.fate is Fate.NO_ROUTE
    assert result.ports["s", 2]["PortRcvSwitchRelayErrors"] == 2048 * (RETRIES + 1)


@pytest.mark.parametrize(
    ("one", "other", "is_let"),
    [
        (0xFFFF, 0xFFFF, True),
        (0x8A01, 0x0A01, True),
        (0x0A01, 0x0A01, False),
        (0x8A01, 0x8B02, False),
        (0x0000, 0x8000, False),
    ],
)
def test_two_limited_members_and_strangers_do_not_talk(
    one: int, other: int, *, is_let: bool
) -> None:
    assert keys_match(one, other) is is_let
    result = run(fabric(), [flow(1, 0, key=one, peer_key=other)], duration_s=1)
    assert result.flows["1>0/0"].is_delivered is is_let


def test_a_switch_keeps_out_what_is_not_in_its_port_s_table() -> None:
    given = fabric()
    ports = dict(given.nodes["s"].ports)
    ports[1] = Port(RATE, ("h0", 1), lanes=ports[1].lanes, low=QUARTERS, keys=(0xFFFF, 0x8B02))
    nodes = {**given.nodes, "s": Node("s", ports, given.nodes["s"].routes, is_switch=True)}
    result = run(Fabric(nodes), [flow(1, 0, key=0x8A01)], duration_s=1)
    assert result.flows["1>0/0"].way.fate is Fate.NO_KEY
    assert result.ports["s", 1]["PortXmitConstraintErrors"] > 0


def test_a_stalled_far_end_costs_a_packet_for_each_head_of_queue_lifetime() -> None:
    stalled = fabric(stalled=frozenset({("s", 1)}))
    result = run(stalled, [flow(1, 0), flow(1, 2), flow(3, 2, 1)], duration_s=10)
    assert result.flows["1>0/0"].way.fate is Fate.STALLED
    assert result.ports["s", 1]["PortXmitDiscards"] == DIES_AFTER_S // 0.25
    assert result.ports["s", 1]["PortSwHOQLifetimeLimitDiscards"] == DIES_AFTER_S // 0.25
    # who shares the lane stands until the queue pair gives up
    assert gbps(result)["1>2/0"] == pytest.approx(50 * (1 - DIES_AFTER_S / 10), rel=1e-3)
    forever = fabric(stalled=frozenset({("s", 1)}), hoq_life_s=None)
    found = run(forever, [flow(1, 0)], duration_s=10)
    assert sum(counts["PortXmitDiscards"] for counts in found.ports.values()) == 0


def test_a_worn_link_counts_symbols_and_costs_what_goes_again() -> None:
    worn = {("s", 2): Wear(symbols_per_s=100, loss_share=0.001, recoveries_per_s=1)}
    result = run(fabric(worn=worn), [flow(1, 0)], duration_s=2)
    counts = result.ports["s", 2]
    assert (counts["SymbolErrorCounter"], counts["LinkErrorRecoveryCounter"]) == (200, 2)
    assert counts["PortRcvErrors"] == pytest.approx(counts["PortRcvPkts"] / 1000, rel=1e-3)
    share = 0.999 / (0.999 + 0.001 * RESENT_PACKETS)
    assert gbps(result)["1>0/0"] == pytest.approx(200 * share, rel=1e-4)


def test_headers_of_infiniband_leave_what_their_sizes_say() -> None:
    assert infiniband_efficiency(4096) == 4096 / (4096 + 8 + 12 + 4 + 2)
    whole = 16 * 4096 + 16 * 26 + 16
    assert infiniband_efficiency(4096, message_bytes=65536) == 65536 / whole
    assert infiniband_efficiency(4096, message_bytes=2) == 2 / (2 + 26 + 16)
