"""Headroom that ports share: enough while few overrun at once, and short when all do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from netcheck.lossless.dataplane.engine import Engine
from netcheck.lossless.dataplane.network import Network, Node
from netcheck.lossless.filled import SHARED_HEADROOM, Filling
from netcheck.model.device import Device, Port, Role
from netcheck.model.fabric import Fabric, Origin
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.qos import Buffer, BufferPool, DeviceQos, PortQos
from tests.lossless.dataplane.small_networks import RDMA, incast, switch_port

SPEED_BPS = 400_000_000_000
SENDERS = 8
HEADROOM_BYTES = 82056  # 400G over 3 m, published
STEP_S = 100e-9


def _drops(shared_bytes: int) -> int:
    port = switch_port(SPEED_BPS, headroom_bytes=HEADROOM_BYTES, alpha=1 / 8)
    groups = {**port.groups, RDMA: replace(port.groups[RDMA], headroom_pool="shared")}
    network, flows = incast(
        SENDERS,
        replace(port, groups=groups),
        pool_bytes=2_000_000,
        cable_m=3,
        reacts=False,
        queue_pairs=1,
    )
    leaf = network.nodes["leaf"]
    shared: Node = replace(leaf, pools={**leaf.pools, "shared": shared_bytes})
    engine = Engine(
        Network({**network.nodes, "leaf": shared}, network.cables), flows, step_s=STEP_S
    )
    engine.run_until(0.3e-3)
    return sum(flow.sender.dropped for flow in engine.flows)


def test_room_for_all_who_overrun_at_once_loses_nothing() -> None:
    assert _drops(SENDERS * HEADROOM_BYTES) == 0


@pytest.mark.parametrize("share", [2, 4])
def test_room_for_a_part_of_them_loses_packets(share: int) -> None:
    assert _drops(SENDERS * HEADROOM_BYTES // share) > 0


@pytest.mark.parametrize("shared_bytes", [0, 500_000])
def test_a_filled_account_takes_its_headroom_from_where_the_fabric_says(shared_bytes: int) -> None:
    buffers = FrozenMap({3: Buffer(headroom_bytes=HEADROOM_BYTES, is_lossless=True, pool="p")})
    port = Port("Ethernet0", qos=PortQos(ingress_buffer=buffers))
    pools = FrozenMap({"p": BufferPool(size_bytes=10**6, shared_headroom_bytes=shared_bytes)})
    leaf = Device(
        "leaf01",
        role=Role.LEAF,
        ports=FrozenMap({port.name: port}),
        qos=FrozenMap({"": DeviceQos(pools=pools)}),
    )
    fabric = Fabric("f", origin=Origin.INTENDED, devices=FrozenMap({leaf.name: leaf}))
    node = Filling(fabric).network([leaf.name]).nodes[leaf.name]
    assert node.pools.get(SHARED_HEADROOM, 0) == shared_bytes
    assert bool(node.ports[port.name].groups[3].headroom_pool) is bool(shared_bytes)
