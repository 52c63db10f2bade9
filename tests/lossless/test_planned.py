"""An intended subnet beside a seen one: names, GUIDs and what is expected of links."""

from __future__ import annotations

from dataclasses import replace

import pytest

from netcheck.lossless.planned import Planned
from netcheck.lossless.seen import Seen
from netcheck.model.cables import Cables, is_reached, port_number
from netcheck.model.device import Device, LinkLayer, Port, RdmaDevice, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import IbEnd, IbNode, IbPort, IbSubnet, NodeKind, PortState
from netcheck.model.known import UNKNOWN
from netcheck.model.subnets import IbExpectations, Subnet

HOST = Device(
    "gpu1",
    role=Role.HOST,
    ports=FrozenMap({"ib0": Port("ib0")}),
    rdma=FrozenMap(
        {"mlx5_0": RdmaDevice("mlx5_0", ports=("ib0",), link_layer=LinkLayer.INFINIBAND)}
    ),
)
LEAF = Device("leaf1", role=Role.LEAF, ports=FrozenMap({"1": Port("1")}))
LINK = Link(PortRef("gpu1", "ib0"), PortRef("leaf1", "1"))


def node(key: str, kind: NodeKind, device: str, adapter: str, peer: str, guid: int) -> IbNode:
    port = IbPort(1, guid=guid, width=4, speed="EDR", peer=IbEnd(peer, 1), state=PortState.ACTIVE)
    return IbNode(key, kind, guid, device=device, adapter=adapter, ports=FrozenMap({1: port}))


def seen(host: str = "gpu1", leaf: str = "leaf1") -> Seen:
    nodes = {
        "0x000000000000000a": node(
            "0x000000000000000a", NodeKind.ADAPTER, host, "mlx5_0", "0x000000000000000b", 10
        ),
        "0x000000000000000b": node(
            "0x000000000000000b", NodeKind.SWITCH, leaf, "", "0x000000000000000a", 11
        ),
    }
    return Seen("sub", IbSubnet(nodes=FrozenMap(nodes), is_whole=True))


def planned(
    at: Seen, host: Device = HOST, leaf: Device = LEAF, subnet: Subnet | None = None
) -> Planned:
    subnets = FrozenMap({subnet.name: subnet}) if subnet else FrozenMap[str, Subnet]()
    devices = FrozenMap({"gpu1": host, "leaf1": leaf})
    plan = Fabric("plan", devices=devices, links=(LINK,), subnets=subnets)
    return Planned(at, plan, Cables(plan))


@pytest.mark.parametrize(("host", "leaf"), [("gpu1", "leaf1"), ("GPU1.example", "Leaf1.example")])
def test_nodes_are_found_by_their_names(host: str, leaf: str) -> None:
    found = planned(seen(host, leaf)).end_of
    assert found[LINK.a] == IbEnd("0x000000000000000a", 1)
    assert found[LINK.b] == IbEnd("0x000000000000000b", 1)


def test_a_guid_finds_a_node_of_any_name() -> None:
    rdma = FrozenMap({"mlx5_0": replace(HOST.rdma["mlx5_0"], port_guid=10)})
    found = planned(
        seen("localhost", "Quantum"), replace(HOST, rdma=rdma), replace(LEAF, node_guid=11)
    )
    assert found.end_of[LINK.a] == IbEnd("0x000000000000000a", 1)
    assert found.end_of[LINK.b] == IbEnd("0x000000000000000b", 1)


def test_a_switch_of_another_guid_is_another_switch() -> None:
    assert planned(seen(), leaf=replace(LEAF, node_guid=99)).end_of[LINK.b] is None


def test_the_rate_of_a_port_comes_before_that_of_the_subnet() -> None:
    subnet = Subnet("compute", expect=IbExpectations(width=4, speed="NDR"))
    ports = FrozenMap({"1": Port("1", speed_bps=200_000_000_000)})
    [cable] = seen().cables
    assert planned(seen(), subnet=subnet).rate(cable) == (4, "NDR")
    assert planned(seen(), leaf=replace(LEAF, ports=ports), subnet=subnet).rate(cable) == (
        4,
        "HDR",
    )
    assert planned(seen()).rate(cable) is None


def test_a_subnet_that_states_its_speed_alone_leaves_the_width() -> None:
    subnet = Subnet("compute", expect=IbExpectations(speed="HDR"))
    [cable] = seen().cables
    assert planned(seen(), subnet=subnet).rate(cable) == (4, "HDR")


def test_a_switch_with_one_infiniband_link_has_no_others() -> None:
    spine = Device("spine1", role=Role.SPINE, ports=FrozenMap({"1": Port("1")}))
    up = Link(PortRef("leaf1", "2"), PortRef("spine1", "1"))
    leaf = replace(LEAF, ports=FrozenMap({"1": Port("1"), "2": Port("2")}))
    other = Link(PortRef("tor1", "1"), PortRef("tor2", "1"))
    tors = {name: Device(name, role=Role.LEAF) for name in ("tor1", "tor2")}
    devices = FrozenMap({"gpu1": HOST, "leaf1": leaf, "spine1": spine, **tors})
    plan = Fabric("plan", devices=devices, links=(LINK, up, other))
    assert Cables(plan).links == (LINK, up)
    assert Cables(plan).devices == ("gpu1", "leaf1", "spine1")


def test_what_a_manager_alone_serves_is_not_logged_in_to() -> None:
    ports = FrozenMap({"1": Port("1", link_layer=LinkLayer.INFINIBAND)})
    unmanaged = replace(LEAF, ports=ports)
    assert not is_reached(unmanaged)
    assert is_reached(replace(unmanaged, mgmt="10.0.0.1"))
    assert is_reached(LEAF)
    assert not is_reached(HOST)
    assert is_reached(replace(HOST, mgmt="10.0.0.2"))
    assert is_reached(replace(HOST, rdma=FrozenMap()))


@pytest.mark.parametrize(
    ("name", "number"),
    [("7", 7), ("IB1/5", 5), ("swp12", 12), ("1/5/2", 10), ("1/1/1", 1), ("mgmt", None)],
)
def test_a_port_has_the_number_that_its_name_ends_in(name: str, number: int | None) -> None:
    assert port_number(name) == number


def test_what_no_end_tells_is_unknown() -> None:
    assert seen().port(IbEnd("0x000000000000000a", 7)).peer is UNKNOWN
