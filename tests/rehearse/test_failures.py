"""What has to hold after a failure, as far as it goes without a subnet manager."""

from __future__ import annotations

from dataclasses import replace

from netcheck.lab.opensm.network import End, Network
from netcheck.model.device import Device
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import IbNode, IbPort, IbSubnet, NodeKind
from netcheck.rehearse.failures import cut_off
from netcheck.rehearse.reading import Reading, Reply

NETWORK = Network(
    "",
    names={f"H-{n}": f"gpu0{n} mlx5_0" for n in (1, 2, 3)},
    guids={(f"H-{n}", 1): n for n in (1, 2, 3)} | {("S-9", 0): 9},
)


def reading(*guids: int, failed: tuple[Reply, ...] = ()) -> Reading:
    """A reading that shows adapters with these port GUIDs."""
    nodes = {
        str(guid): IbNode(str(guid), NodeKind.ADAPTER, ports=FrozenMap({1: IbPort(1, guid=guid)}))
        for guid in guids
    }
    seen = IbSubnet(nodes=FrozenMap(nodes))
    return Reading(Device("subnet", seen_subnet=seen), (), failed=failed)


def names(found: Reading, lost: frozenset[End] = frozenset()) -> list[str]:
    return [one.where[0].device for one in cut_off(NETWORK, found, lost)]


def test_hosts_that_are_gone_and_were_not_on_what_failed_are_cut_off() -> None:
    assert names(reading(1, 2, 3)) == []
    assert names(reading(2)) == ["gpu01", "gpu03"]
    assert names(reading(2), frozenset({("H-3", 1)})) == ["gpu01"]


def test_a_subnet_that_was_not_read_cuts_nobody_off() -> None:
    failed = Reply("ibnetdiscover", "timed out", 1)
    assert names(reading(failed=(failed,))) == []
    assert names(reading(2, failed=(Reply("sminfo", "timed out", 1),))) == ["gpu01", "gpu03"]


def test_a_host_with_two_cables_keeps_the_one_that_was_not_on_what_failed() -> None:
    network = replace(NETWORK, guids={("H-1", 1): 1, ("H-1", 2): 2})
    lost = frozenset({("H-1", 1)})
    assert [*cut_off(network, reading(2), lost)] == []
    (found,) = cut_off(network, reading(), lost)
    assert found.where[0].device == "gpu01"
