"""Policies, ports and hosts of an observed fabric in the intent that is made of it."""

from __future__ import annotations

from dataclasses import replace

from netcheck.intent.defaults import complete_policy
from netcheck.intent.hosts import host_qos
from netcheck.intent.inferred.check import differing, notes
from netcheck.intent.inferred.fabric import inferred
from netcheck.intent.notes import Notes
from netcheck.intent.switches import Surroundings, switch_qos
from netcheck.model.device import (
    AdminState,
    CongestionControl,
    Device,
    HostFacts,
    Port,
    RdmaDevice,
    Role,
)
from netcheck.model.fabric import Delivery, Fabric, Link, Policy, PortRef, TrafficClass
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, is_known
from netcheck.model.qos import PortQos

SPEED_BPS = 400_000_000_000
MLX5 = frozenset({"mlx5"})


def policy(priority: int) -> Policy:
    one = TrafficClass("rdma", dscp=frozenset({26}), priority=priority, delivery=Delivery.LOSSLESS)
    return complete_policy(Policy("p", classes=FrozenMap({"rdma": one})), Notes())


def switch_port(name: str, priority: int = 3) -> Port:
    around = Surroundings("unknown", SPEED_BPS, 4, 5.0, 0.0, 9216, has_shared_headroom=False)
    qos = switch_qos(policy(priority), around, Notes())
    return Port(
        name, speed_bps=SPEED_BPS, l2_mtu=9216, cable_m=5, admin_state=AdminState.UP, qos=qos
    )


def host(name: str, priority: int = 3) -> Device:
    qos = host_qos(policy(priority), MLX5)
    points = CongestionControl(
        notification_point=frozenset({priority}), reaction_point=frozenset({priority})
    )
    rdma = RdmaDevice("mlx5_0", ("eth0",), driver="mlx5", congestion_control=points)
    return Device(
        name,
        role=Role.HOST,
        platform="linux",
        ports=FrozenMap({"eth0": Port("eth0", speed_bps=SPEED_BPS, ip_mtu=9000, qos=qos)}),
        rdma=FrozenMap({"mlx5_0": rdma}),
        host=HostFacts(environment=FrozenMap({"NCCL_IB_TC": "106", "PATH": "/bin"})),
    )


def observed(*ports: Port, hosts: tuple[Device, ...] = ()) -> Fabric:
    leaf = Device("leaf1", platform="sonic", ports=FrozenMap({one.name: one for one in ports}))
    links = tuple(
        Link(PortRef("leaf1", port.name), PortRef(one.name, "eth0"))
        for port, one in zip(ports, hosts, strict=False)
    )
    devices = {one.name: one for one in (leaf, *hosts)}
    return Fabric("observed", devices=FrozenMap(devices), links=links)


def test_a_host_that_does_not_contradict_its_switch_follows_the_same_policy() -> None:
    seen = observed(switch_port("e1"), hosts=(host("gpu1"),))
    found = inferred(seen, name="x")
    assert list(found.policies) == ["roce"]
    assert found.policy == "roce"
    assert found.devices["gpu1"].ports["eth0"].policy is UNKNOWN  # that of the fabric
    assert found.policies["roce"].classes["lossless"].dscp == frozenset({26})
    assert list(differing(found, seen)) == []


def test_a_host_that_pauses_another_priority_has_a_policy_of_its_own() -> None:
    seen = observed(switch_port("e1"), hosts=(host("gpu1", priority=4),))
    found = inferred(seen, name="x")
    assert list(found.policies) == ["roce", "hosts"]
    assert found.devices["gpu1"].ports["eth0"].policy == "hosts"
    assert found.policies["hosts"].classes["lossless"].priority == 4
    assert list(differing(found, seen)) == []


def test_a_port_without_pfc_ends_rdma_and_others_keep_theirs() -> None:
    closed = replace(switch_port("e2"), qos=PortQos(pfc_rx=frozenset(), pfc_tx=frozenset()))
    seen = observed(switch_port("e1"), closed)
    found = inferred(seen, name="x")
    assert found.devices["leaf1"].ports["e2"].policy is ABSENT
    assert found.devices["leaf1"].ports["e1"].policy is UNKNOWN
    assert "policy none: 1 ports of leaf1" in list(notes(found, seen))


def test_the_usual_frame_size_is_that_of_the_policy_another_is_said_of_its_port() -> None:
    small = replace(switch_port("e3"), l2_mtu=1518)
    found = inferred(observed(switch_port("e1"), switch_port("e2"), small), name="x")
    assert found.policies["roce"].l2_mtu == 9216
    ports = found.devices["leaf1"].ports
    assert [ports[name].l2_mtu for name in ("e1", "e2", "e3")] == [UNKNOWN, UNKNOWN, 1518]


def test_a_port_that_tells_nothing_and_has_no_neighbour_is_left_out() -> None:
    found = inferred(observed(switch_port("e1"), Port("Loopback0")), name="x")
    assert list(found.devices["leaf1"].ports) == ["e1"]


def test_the_speed_of_a_port_may_come_from_its_far_end() -> None:
    silent = replace(switch_port("e1"), speed_bps=UNKNOWN)
    found = inferred(observed(silent, hosts=(host("gpu1"),)), name="x")
    assert found.devices["leaf1"].ports["e1"].speed_bps == SPEED_BPS


def test_a_speed_that_nobody_tells_is_asked_for_and_hinders_no_comparison() -> None:
    silent = replace(switch_port("e1"), speed_bps=UNKNOWN)
    seen = observed(silent)
    found = inferred(seen, name="x")
    assert "to be said: speed of 1 ports of leaf1" in list(notes(found, seen))
    assert list(differing(found, seen)) == []


def test_headroom_that_is_not_what_the_intent_computes_is_told() -> None:
    port = switch_port("e1")
    buffers = port.qos.ingress_buffer
    assert is_known(buffers)
    halved = replace(buffers[3], headroom_bytes=1000)
    qos = replace(port.qos, ingress_buffer=buffers.with_items({3: halved}))
    seen = observed(replace(port, qos=qos))
    (finding,) = differing(inferred(seen, name="x"), seen)
    assert finding.where[0].port == "e1"
    assert finding.found == "1000"


def test_variables_of_jobs_that_hosts_state_alike_are_taken() -> None:
    other = host("gpu2")
    variables = FrozenMap({"NCCL_IB_TC": "106", "NCCL_IB_SL": "1"})
    other = replace(other, host=HostFacts(environment=variables))
    seen = observed(switch_port("e1"), switch_port("e2"), hosts=(host("gpu1"), other))
    found = inferred(seen, name="x")
    assert dict(found.jobs["nccl"]) == {"NCCL_IB_TC": "106", "NCCL_IB_SL": "1"}
    assert list(found.jobs) == ["nccl"]


def test_nothing_of_roce_gives_no_policy_and_says_so() -> None:
    seen = observed(Port("e1", speed_bps=SPEED_BPS))
    found = inferred(seen, name="x")
    assert (found.policies, found.policy) == (FrozenMap(), UNKNOWN)
    assert "no port tells of pausing or marking: the intent has no RoCE policy" in list(
        notes(found, seen)
    )
