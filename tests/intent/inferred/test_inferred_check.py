"""What an imported intent does not say of devices is told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from netcheck.intent.inferred.check import differing, notes
from netcheck.intent.inferred.fabric import inferred
from netcheck.model.device import Device, HostFacts, Port, RdmaDevice, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN
from netcheck.model.qos import (
    Buffer,
    CongestionAction,
    DeviceQos,
    Dynamic,
    Ecn,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
)

HELD = "held, and not in the intent: "
MARKS = Ecn(100_000, 200_000, 10, CongestionAction.MARK)
WEIGHTED = Scheduler(SchedulerKind.WEIGHTED, 50)
QOS = PortQos(
    trust=Trust.DSCP,
    dscp_to_priority=FrozenMap({dscp: 3 if dscp == 26 else 0 for dscp in range(64)}),
    priority_to_queue=FrozenMap({number: 3 if number == 3 else 0 for number in range(8)}),
    pfc_tx=frozenset({3}),
    pfc_rx=frozenset({3}),
    ecn=FrozenMap({3: MARKS, 5: MARKS}),
    scheduler=FrozenMap({0: WEIGHTED, 3: WEIGHTED, 5: WEIGHTED, 7: WEIGHTED}),
    ingress_buffer=FrozenMap(
        {3: Buffer(headroom_bytes=1000), 4: Buffer(size_bytes=1000, threshold=Dynamic(1.0))}
    ),
)


def told(devices: Iterable[Device], links: tuple[Link, ...] = ()) -> list[str]:
    """Give the notes of an intent that is made of these devices, as it was inferred."""
    observed = Fabric("x", devices=FrozenMap({one.name: one for one in devices}), links=links)
    return list(notes(inferred(observed, name="x"), observed))


def switch(*ports: Port, name: str = "leaf1", qos: DeviceQos | None = None) -> Device:
    return Device(
        name,
        platform="sonic",
        qos=FrozenMap({"": qos or DeviceQos()}),
        ports=FrozenMap({one.name: one for one in ports}),
    )


def host(name: str, **environment: str) -> Device:
    return Device(
        name,
        role=Role.HOST,
        platform="linux",
        ports=FrozenMap({"eth0": Port("eth0", qos=PortQos(pfc_tx=frozenset({3})))}),
        rdma=FrozenMap({"mlx5_0": RdmaDevice("mlx5_0", ("eth0",))}),
        host=HostFacts(environment=FrozenMap(environment)),
    )


def test_queues_and_groups_of_no_class_are_told() -> None:
    said = [
        one
        for one in told([switch(Port("Ethernet0", speed_bps=400_000_000_000, qos=QOS))])
        if one.startswith((f"{HELD}ecn", f"{HELD}scheduler", f"{HELD}ingress"))
    ]
    assert said == [
        f"{HELD}ecn 5 (leaf1)",
        f"{HELD}ingress buffer 4 (leaf1)",
        f"{HELD}scheduler [5,7] (leaf1)",
    ]


def test_a_share_of_nothing_is_no_setting_that_is_lost() -> None:
    shares = {0: WEIGHTED, 3: WEIGHTED, 5: Scheduler(SchedulerKind.WEIGHTED, 0), 7: WEIGHTED}
    qos = replace(QOS, scheduler=FrozenMap(shares))
    assert f"{HELD}scheduler 7 (leaf1)" in told([switch(Port("Ethernet0", qos=qos))])


def test_a_port_that_tells_nothing_is_told_to_be_left_out() -> None:
    ports = (Port("Ethernet0", qos=QOS), Port("Ethernet8", l2_mtu=1500))
    why = "1 ports of leaf1 tell of neither pausing nor marking; they are not in the intent"
    assert why in told([switch(*ports)])


def test_a_cabled_port_that_tells_nothing_is_told_to_follow_the_policy_of_the_rest() -> None:
    ports = (Port("Ethernet0", qos=QOS), Port("Ethernet8"))
    peer = switch(Port("Ethernet0", qos=QOS), name="leaf2")
    link = Link(PortRef("leaf1", "Ethernet8"), PortRef("leaf2", "Ethernet0"))
    why = "1 ports of leaf1 tell of neither pausing nor marking; they follow policy roce"
    assert any(one.startswith(why) for one in told([switch(*ports), peer], (link,)))


def test_variables_that_hosts_state_differently_are_told() -> None:
    said = told([host("gpu1", NCCL_IB_TC="104"), host("gpu2", NCCL_IB_TC="106")])
    assert f"{HELD}variable NCCL_IB_TC (gpu[1-2])" in said


def test_variables_of_other_libraries_are_told() -> None:
    assert f"{HELD}variable NVSHMEM_IB_TRAFFIC_CLASS (gpu1)" in told(
        [host("gpu1", NVSHMEM_IB_TRAFFIC_CLASS="106")]
    )


def test_a_variable_whose_value_an_intent_takes_for_a_computed_one_is_told() -> None:
    assert f"{HELD}variable NCCL_ALGO (gpu1)" in told([host("gpu1", NCCL_ALGO="auto")])


def test_what_a_whole_switch_assumes_is_told() -> None:
    qos = DeviceQos(lossless_mtu_bytes=1024)
    assert f"{HELD}lossless mtu bytes (leaf1)" in told(
        [switch(Port("Ethernet0", qos=QOS), qos=qos)]
    )


def test_buffers_of_ports_without_a_speed_are_told_to_be_not_compared() -> None:
    other = replace(QOS, ingress_buffer=FrozenMap({3: Buffer(headroom_bytes=2000)}))
    ports = (Port("Ethernet0", qos=QOS), Port("Ethernet8", qos=other))
    why = "not compared, since their speed is not said: ingress buffers of 2 ports of leaf1"
    assert why in told([switch(*ports)])
    fast = [replace(one, speed_bps=400_000_000_000) for one in ports]
    assert why not in told([switch(*fast)])


def test_a_threshold_that_the_policy_states_is_compared_without_a_speed() -> None:
    observed = Fabric("x", devices=FrozenMap({"leaf1": switch(Port("Ethernet0", qos=QOS))}))
    intent = inferred(observed, name="x")
    other = replace(QOS, ecn=FrozenMap({3: replace(MARKS, kmax_bytes=300_000)}))
    held = Fabric("x", devices=FrozenMap({"leaf1": switch(Port("Ethernet0", qos=other))}))
    messages = {one.message for one in differing(intent, held)}
    assert messages - {one.message for one in differing(intent, observed)} == {
        "ecn 3 kmax_bytes expected 200000, found 300000"
    }


def test_whether_a_class_that_marks_is_paused_is_to_be_said_where_pfc_does_not_show() -> None:
    qos = replace(QOS, pfc_tx=UNKNOWN, pfc_rx=UNKNOWN)
    assert "to be said: delivery of roce ecn" in told([switch(Port("Ethernet0", qos=qos))])


def test_thresholds_that_no_intent_can_say_are_told_to_be_not_compared_without_a_speed() -> None:
    odd = replace(QOS, ecn=FrozenMap({3: replace(MARKS, kmin_bytes=300_000)}))
    why = "not compared, since their speed is not said: thresholds of marking of 1 ports of leaf1"
    assert why in told([switch(Port("Ethernet0", qos=odd))])
    assert why not in told([switch(Port("Ethernet0", qos=QOS))])
