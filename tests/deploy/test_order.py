"""The order of change: who is paused before who pauses, one failure domain at a time."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from netcheck.deploy.order import batches, tier_of
from netcheck.model.device import Device, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.subnets import Subnet

HOSTS = {f"gpu{n:02}": ("leaf01", "leaf02") for n in range(1, 9)} | {
    f"gpu{n:02}": ("leaf03", "leaf04") for n in range(9, 17)
}
LEAVES = ("leaf01", "leaf02", "leaf03", "leaf04")
SPINES = ("spine01", "spine02")


def make_fabric() -> Fabric:
    """Two spines, four leaves, sixteen hosts on two rails."""
    roles = (
        dict.fromkeys(SPINES, Role.SPINE)
        | dict.fromkeys(LEAVES, Role.LEAF)
        | dict.fromkeys(HOSTS, Role.HOST)
    )
    cables = [(host, leaf) for host, pair in HOSTS.items() for leaf in pair]
    cables += [(leaf, spine) for leaf in LEAVES for spine in SPINES]
    return Fabric(
        "train",
        devices=FrozenMap({name: Device(name, role=role) for name, role in roles.items()}),
        links=tuple(Link(PortRef(a, b), PortRef(b, a)) for a, b in cables),
    )


@pytest.mark.parametrize("size", [1, 4, 32])
def test_every_device_changes_once_in_batches_of_the_size(size: int) -> None:
    found = batches(make_fabric(), make_fabric().devices, size=size)
    names = [name for batch in found for name in batch]
    assert sorted(names) == sorted(make_fabric().devices)
    assert max(map(len, found)) <= size


def test_hosts_change_before_leaves_before_spines() -> None:
    fabric = make_fabric()
    tiers = [tier_of(fabric.devices[b[0]]) for b in batches(fabric, fabric.devices)]
    assert all(first <= second for first, second in pairwise(tiers))
    assert set(tiers) == {0, 1, 2}


def test_each_tier_begins_with_one_canary() -> None:
    found = batches(make_fabric(), make_fabric().devices)
    firsts: dict[str, tuple[str, ...]] = {}
    for batch in found:
        firsts.setdefault(batch[0][:3], batch)
    assert set(firsts.values()) == {("gpu01",), ("leaf01",), ("spine01",)}


def test_devices_that_stand_in_for_each_other_never_share_a_batch() -> None:
    found = batches(make_fabric(), make_fabric().devices)
    for batch in found:
        assert len(set(batch) & {"leaf01", "leaf02"}) <= 1
        assert len(set(batch) & {"leaf03", "leaf04"}) <= 1
        assert len(set(batch) & set(SPINES)) <= 1


def test_leaves_of_different_hosts_may_share_a_batch() -> None:
    assert batches(make_fabric(), LEAVES) == (("leaf01",), ("leaf02", "leaf03"), ("leaf04",))


def test_a_said_tier_counts_before_the_role() -> None:
    device = Device("a", role=Role.SPINE, tier=1)
    assert tier_of(device) == 1


def test_a_device_of_no_known_role_changes_last() -> None:
    fabric = Fabric("x", devices=FrozenMap({"a": Device("a"), "b": Device("b", role=Role.SPINE)}))
    assert batches(fabric, ["a", "b"]) == (("b",), ("a",))


def test_nothing_to_change_is_no_batch() -> None:
    assert batches(make_fabric(), []) == ()


def test_of_a_subnets_managers_the_standby_changes_first_and_alone() -> None:
    fabric = make_fabric()
    subnet = Subnet(
        "s",
        subnet_managers=("gpu01", "gpu09", "gpu16"),
        priorities=FrozenMap({"gpu01": 9, "gpu09": 14, "gpu16": 3}),
    )
    whole = replace(fabric, subnets=FrozenMap({"s": subnet}))
    found = batches(whole, ["gpu09", "gpu01", "gpu16", "gpu04", "leaf01"])
    assert found == (("gpu04",), ("gpu16",), ("gpu01",), ("gpu09",), ("leaf01",))
