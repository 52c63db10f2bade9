"""Partitions with their levels, keys at their places, rounds of members that may talk."""

from __future__ import annotations

import pytest

from netcheck.model.fabric import PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.subnets import IbMatch, IbQosLevel, Partition, Subnet
from netcheck.perf.infiniband.services import index_of, rounds_of, services_of
from netcheck.perf.schedule import Depth, Endpoint, Pattern

PARTITIONS = FrozenMap({"a": Partition("a", 0x8A01), "b": Partition("b", 0x0B01)})


def level(name: str, sl: int, *partitions: str) -> IbQosLevel:
    return IbQosLevel(name, sl, matches=tuple(IbMatch(partition=one) for one in partitions))


def end(host: str, leaf: str) -> Endpoint:
    return Endpoint(host, "ib0", "mlx5_2", PortRef(leaf, host))


def test_a_partition_has_the_levels_that_name_it_else_the_default() -> None:
    levels = {"default": level("default", 0), "x": level("x", 3, "a"), "y": level("y", 1, "a")}
    subnet = Subnet("train", partitions=PARTITIONS, qos_levels=FrozenMap(levels))
    assert [one.name for one in services_of(subnet)] == [
        "train/a sl 1",
        "train/a sl 3",
        "train/b sl 0",
    ]
    assert {one.pkey for one in services_of(subnet)} == {0x0A01, 0x0B01}


def test_without_levels_a_partition_has_its_own_or_level_zero() -> None:
    assert [one.sl for one in services_of(Subnet("train", partitions=PARTITIONS))] == [0, 0]
    own = PARTITIONS.with_items({"b": Partition("b", 0x0B01, sl=3)})
    assert [one.sl for one in services_of(Subnet("train", partitions=own))] == [0, 3]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [([0xFFFF, 0x0A01], 1), ([0x0A01, 0, 0x8A01], 2), ([0xFFFF, 0], None), ([], None)],
)
def test_the_key_of_a_full_member_comes_before_that_of_a_limited_one(
    keys: list[int], expected: int | None
) -> None:
    assert index_of(keys, 0x0A01) == expected


def test_incasts_go_to_a_full_member_and_limited_ones_do_not_meet() -> None:
    ends = [end(f"gpu{n}", "leaf1") for n in range(1, 5)]
    found = rounds_of(ends, lambda one: one.host == "gpu4", {}, Depth.STANDARD)
    flows = {(a.host, b.host) for one in found for a, b in one.flows}
    assert all("gpu4" in flow for flow in flows)
    assert [one.receivers for one in found if one.pattern is Pattern.INCAST] == [{ends[3]}]


def test_adapters_that_are_alone_at_their_leaves_send_to_one() -> None:
    ends = [end(f"gpu{n}", f"leaf{n}") for n in range(1, 4)]
    islands = dict.fromkeys(("leaf1", "leaf2", "leaf3"), "all")
    found = rounds_of(ends, lambda _: True, islands, Depth.QUICK)
    assert [one.name for one in found] == ["incast onto one adapter"]
    assert len(found[0].flows) == 2


def test_two_limited_members_give_no_round() -> None:
    ends = [end("gpu1", "leaf1"), end("gpu2", "leaf1")]
    assert rounds_of(ends, lambda _: False, {}, Depth.STANDARD) == []
