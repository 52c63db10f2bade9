"""Which NIC sends to which."""

from netcheck.model.fabric import PortRef
from netcheck.perf.schedule import Endpoint, Pattern, Round, rounds


def ends(hosts: int, *leaves: str) -> list[Endpoint]:
    return [
        Endpoint(f"{leaf}-gpu{n}", "rail0", "mlx5_0", PortRef(leaf, f"Ethernet{8 * n}"))
        for leaf in leaves
        for n in range(hosts)
    ]


def named(found: list[Round]) -> list[str]:
    return [item.name for item in found]


def test_every_host_link_carries_a_pair_in_both_directions() -> None:
    pairs = rounds(ends(4, "leaf01"))[0]
    assert {sender for sender, _ in pairs.flows} == {receiver for _, receiver in pairs.flows}
    assert len(pairs.flows) == 4


def test_every_nic_is_a_paused_sender_of_some_incast() -> None:
    every = ends(4, "leaf01", "leaf02")
    senders = {
        sender
        for item in rounds(every)
        if item.pattern is Pattern.INCAST
        for sender, _ in item.flows
    }
    assert senders == set(every)


def test_pairs_within_a_leaf_do_not_leave_it() -> None:
    pairs = rounds(ends(4, "leaf01", "leaf02"))[0]
    assert all(sender.leaf.device == receiver.leaf.device for sender, receiver in pairs.flows)


def test_leaves_are_joined_in_a_ring_by_pairs_by_many_flows_and_by_incast() -> None:
    found = rounds(ends(2, "leaf01", "leaf02", "leaf03"))
    for item in found:
        if "leaf to leaf" in item.name:
            crossed = {(a.leaf.device, b.leaf.device) for a, b in item.flows}
            assert crossed == {("leaf01", "leaf02"), ("leaf02", "leaf03"), ("leaf03", "leaf01")}
    assert sum("leaf to leaf" in name for name in named(found)) == 3


def test_one_leaf_has_no_round_over_spines() -> None:
    assert not any("leaf to leaf" in name for name in named(rounds(ends(4, "leaf01"))))


def test_a_host_never_sends_to_itself() -> None:
    host = [
        Endpoint("gpu01", f"rail{n}", f"mlx5_{n}", PortRef("leaf01", f"Ethernet{8 * n}"))
        for n in range(2)
    ]
    assert rounds(host) == []


def test_leaves_that_no_switch_joins_send_nothing_to_each_other() -> None:
    every = ends(2, "leaf01", "leaf02", "leaf03", "leaf04")
    islands = {"leaf01": "a", "leaf03": "a", "leaf02": "b"}
    crossed = {
        (sender.leaf.device, receiver.leaf.device)
        for item in rounds(every, islands)
        for sender, receiver in item.flows
        if sender.leaf.device != receiver.leaf.device
    }
    assert crossed == {("leaf01", "leaf03"), ("leaf03", "leaf01")}


def test_a_leaf_with_fewer_nics_gets_one_sender_each() -> None:
    pairs = rounds([*ends(4, "leaf01"), *ends(2, "leaf02")])[1]
    assert pairs.pattern is Pattern.ACROSS
    received = [receiver for _, receiver in pairs.flows]
    assert len(received) == len(set(received))
