from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netcheck.intent import IntentError, complete, load_intent
from netcheck.intent.explain import explain, explanations
from netcheck.lossless.headroom import HeadroomQuestion, headroom
from netcheck.model.device import CongestionControl, LinkLayer, Port
from netcheck.model.fabric import (
    Delivery,
    EcnIntent,
    Fabric,
    HeadroomBy,
    Policy,
    Scheduling,
    TrafficClass,
)
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, read
from netcheck.model.qos import (
    Buffer,
    CongestionAction,
    DcbxMode,
    Dynamic,
    Ecn,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)

EXAMPLES = Path(__file__).parents[2] / "examples"
G400 = 400_000_000_000
Write = Callable[..., Path]


@pytest.fixture(scope="module")
def small() -> Fabric:
    return complete(load_intent(EXAMPLES / "lab-small.yaml", deployable=True))


def with_classes(classes: dict[str, TrafficClass], **said: Any) -> Fabric:  # Any: fields of Policy
    """The small lab under another policy."""
    fabric = load_intent(EXAMPLES / "lab-small.yaml")
    policy = Policy("backend", classes=FrozenMap(classes), **said)
    return complete(replace(fabric, policies=FrozenMap({"backend": policy})))


T = TypeVar("T")


def of(fact: Known[T]) -> T:
    """The value of a fact that has to be known."""
    return read(fact, "fact")


def leaf_port(fabric: Fabric) -> Port:
    return fabric.devices["leaf01"].ports["Ethernet0"]


def host_port(fabric: Fabric) -> Port:
    return fabric.devices["gpu01"].ports["rail0"]


def test_a_switch_port_holds_the_whole_policy(small: Fabric) -> None:
    room = headroom(HeadroomQuestion("spectrum-4", G400, 5, lanes=4, l2_mtu=9216))
    port = leaf_port(small)
    identity = FrozenMap({number: number for number in range(8)})
    marks = {26: 3, 48: 6}
    assert port.qos == PortQos(
        trust=Trust.DSCP,
        dscp_to_priority=FrozenMap({dscp: marks.get(dscp, 0) for dscp in range(64)}),
        priority_to_queue=identity,
        priority_to_priority_group=FrozenMap({n: 3 if n == 3 else 0 for n in range(8)}),
        pfc_rx=frozenset({3}),
        pfc_tx=frozenset({3}),
        pfc_priority_to_queue=identity,
        pfc_priority_to_priority_group=identity,
        dcbx_mode=DcbxMode.DISABLED,
        global_pause_rx=False,
        global_pause_tx=False,
        scheduler=FrozenMap(
            {
                0: Scheduler(SchedulerKind.WEIGHTED, 50),
                3: Scheduler(SchedulerKind.WEIGHTED, 50),
                6: Scheduler(SchedulerKind.STRICT),
            }
        ),
        ecn=FrozenMap({3: Ecn(1_600_000, 6_400_000, 20, CongestionAction.MARK, is_active=True)}),
        ingress_buffer=FrozenMap(
            {
                3: Buffer(
                    size_bytes=room.size_bytes,
                    headroom_bytes=room.headroom_bytes,
                    xon_bytes=room.xon_bytes,
                    threshold=Dynamic(1.0),
                    pool="ingress_lossless_pool",
                    is_lossless=True,
                )
            }
        ),
        watchdog=Watchdog(200, 400, WatchdogAction.DROP, frozenset({3})),
    )
    assert (port.l2_mtu, port.cable_m, port.speed_bps) == (9216, 5, G400)


def test_equal_ports_share_one_object(small: Fabric) -> None:
    ports = small.devices["leaf01"].ports
    assert ports["Ethernet0"].qos is ports["Ethernet24"].qos


def test_a_host_port_holds_its_side_of_the_policy(small: Fabric) -> None:
    port = host_port(small)
    qos = port.qos
    assert qos.dscp_to_priority == {dscp: dscp >> 3 for dscp in range(64)}
    assert (qos.pfc_rx, qos.pfc_tx) == (frozenset({3}), frozenset({3}))
    assert qos.priority_to_queue == {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 0}
    assert (qos.trust, qos.dcbx_mode) == (Trust.DSCP, DcbxMode.HOST)
    assert (port.ip_mtu, port.l2_mtu, port.cable_m) == (9000, UNKNOWN, 5)
    assert (qos.ecn, qos.watchdog, qos.ingress_buffer) == (UNKNOWN, UNKNOWN, UNKNOWN)


def test_an_rdma_device_marks_what_the_policy_says(small: Fabric) -> None:
    device = small.devices["gpu01"].rdma["mlx5_1"]
    assert (device.traffic_class, device.rdma_cm_tos, device.rdma_cm_roce_v2) == (106, 106, True)
    assert (device.active_mtu, device.link_layer) == (4096, LinkLayer.ETHERNET)
    assert device.congestion_control == CongestionControl(
        notification_point=frozenset({3}),
        reaction_point=frozenset({3}),
        cnp_dscp=48,
        cnp_pcp=6,
    )


def test_job_settings_are_computed_for_each_host(small: Fabric) -> None:
    assert small.devices["gpu02"].host.environment == {
        "NCCL_IB_HCA": "mlx5_0,mlx5_1",
        "NCCL_IB_GID_INDEX": "3",
        "NCCL_IB_TC": "106",
    }
    assert small.devices["leaf01"].host.environment is UNKNOWN


def test_only_the_devices_of_the_fabric_are_named_exactly_where_names_begin_alike(
    write: Write,
) -> None:
    text = """
        {netcheck: 1, roce: {policies: {p: {}}}, jobs: {nccl: {NCCL_IB_HCA: auto}}, devices: {
          gpu1: {role: host, rdma: {mlx5_1: {port: r1}, mlx5_10: {port: r2, policy: none}}}}}
        """
    fabric = complete(load_intent(write(text)))
    assert fabric.devices["gpu1"].host.environment == {"NCCL_IB_HCA": "=mlx5_1"}


@pytest.mark.parametrize("name", ["lab-small", "lab", "mixed-ib", "judge-only"])
def test_completing_twice_gives_the_same(name: str) -> None:
    once = complete(load_intent(EXAMPLES / f"{name}.yaml"))
    assert complete(once) == once


def test_what_was_defaulted_and_computed_is_explained(small: Fabric) -> None:
    rows = explanations(small)
    assert ("default", "roce.policies.backend.headroom", "explicit") in rows
    assert any(row.fact.endswith("ecn at 400G") and "1600000B" in row.how for row in rows)
    assert any("headroom at 400G 5m spectrum-4" in row.fact for row in rows)
    assert len(explain(small).splitlines()) == len(rows)


def test_what_is_said_is_not_listed_as_defaulted(small: Fabric) -> None:
    said = ("trust", "l2_mtu", "dcbx", "watchdog.detection_ms", "classes.rdma.bandwidth")
    facts = {row.fact for row in explanations(small)}
    assert not facts & {f"roce.policies.backend.{key}" for key in said}


def test_an_intent_of_one_class_gets_a_default_class_and_shares() -> None:
    fabric = with_classes({"rdma": TrafficClass("rdma", dscp=frozenset({26}))})
    classes = fabric.policies["backend"].classes
    found = {name: (one.priority, one.bandwidth_percent) for name, one in classes.items()}
    assert found == {"rdma": (3, 50), "default": (0, 50)}


def test_a_lossy_policy_pauses_and_reserves_nothing() -> None:
    fabric = with_classes({"bulk": TrafficClass("bulk", dscp=frozenset({10}), priority=1)})
    qos = leaf_port(fabric).qos
    assert (qos.pfc_rx, qos.pfc_tx, qos.ecn) == (frozenset(), frozenset(), FrozenMap())
    assert (qos.ingress_buffer, qos.watchdog) == (UNKNOWN, ABSENT)
    assert set(of(qos.priority_to_priority_group).values()) == {0}
    assert fabric.devices["gpu01"].rdma["mlx5_0"].traffic_class == 40


def test_an_ecn_class_marks_and_does_not_pause() -> None:
    one = TrafficClass("rdma", dscp=frozenset({26}), priority=3, delivery=Delivery.ECN)
    qos = leaf_port(with_classes({"rdma": one})).qos
    assert qos.pfc_rx == frozenset()
    assert set(of(qos.ecn)) == {3}


def test_two_lossless_classes_have_a_group_each() -> None:
    classes = {
        name: TrafficClass(name, dscp=frozenset({8 * n}), priority=n, delivery=Delivery.LOSSLESS)
        for name, n in (("rdma", 3), ("storage", 4))
    }
    qos = leaf_port(with_classes(classes)).qos
    assert qos.pfc_rx == frozenset({3, 4})
    assert set(of(qos.ingress_buffer)) == {3, 4}
    assert qos.watchdog == Watchdog(200, 400, WatchdogAction.DROP, frozenset({3, 4}))


def test_lossy_classes_leave_group_0_to_a_lossless_class_of_priority_0() -> None:
    classes = {
        "rdma": TrafficClass("rdma", dscp=frozenset({10}), priority=0, delivery=Delivery.LOSSLESS),
        "default": TrafficClass("default", priority=1),
    }
    qos = leaf_port(with_classes(classes)).qos
    assert qos.priority_to_priority_group == {0: 0, **dict.fromkeys(range(1, 8), 1)}
    assert of(qos.dscp_to_priority)[0] == 1


def test_a_queue_of_another_number_is_used_by_nothing_else() -> None:
    one = TrafficClass(
        "rdma", dscp=frozenset({26}), priority=3, queue=4, delivery=Delivery.LOSSLESS
    )
    qos = leaf_port(with_classes({"rdma": one})).qos
    queues = of(qos.priority_to_queue)
    assert [priority for priority, queue in queues.items() if queue == 4] == [3]
    assert of(qos.pfc_priority_to_queue)[3] == 4


def test_trust_pcp_gives_a_pcp_map_and_no_dscp_map() -> None:
    one = TrafficClass("rdma", pcp=frozenset({3}), priority=3, delivery=Delivery.LOSSLESS)
    qos = leaf_port(with_classes({"rdma": one})).qos
    assert qos.trust is Trust.PCP
    assert qos.pcp_to_priority == {n: 3 if n == 3 else 0 for n in range(8)}
    assert qos.dscp_to_priority is UNKNOWN


def test_the_device_computes_headroom_where_the_policy_says_so() -> None:
    one = TrafficClass("rdma", dscp=frozenset({26}), priority=3, delivery=Delivery.LOSSLESS)
    fabric = with_classes({"rdma": one}, headroom=HeadroomBy.DEVICE)
    account = Buffer(is_lossless=True, is_computed=True)
    assert leaf_port(fabric).qos.ingress_buffer == {3: account}
    assert fabric.devices["leaf01"].qos[""].is_headroom_computed is True


def test_stated_thresholds_are_kept_and_missing_ones_computed() -> None:
    ecn = EcnIntent(is_enabled=True, kmax_bytes=1_000_000)
    one = TrafficClass(
        "rdma", dscp=frozenset({26}), priority=3, delivery=Delivery.LOSSLESS, ecn=ecn
    )
    qos = leaf_port(with_classes({"rdma": one})).qos
    found = of(qos.ecn)[3]
    assert (found.kmin_bytes, found.kmax_bytes, found.pmax_percent) == (250_000, 1_000_000, 20)


def test_marks_are_sent_without_ect_where_nothing_marks() -> None:
    ecn = EcnIntent(is_enabled=False)
    one = TrafficClass(
        "rdma", dscp=frozenset({26}), priority=3, delivery=Delivery.LOSSLESS, ecn=ecn
    )
    fabric = with_classes({"rdma": one})
    assert fabric.devices["gpu01"].rdma["mlx5_0"].traffic_class == 104
    assert fabric.devices["gpu01"].rdma["mlx5_0"].congestion_control == CongestionControl()


FABRIC = """
netcheck: 1
name: x
roce: {{policies: {{p: {{l2_mtu: 4200B, classes: {{rdma: {{dscp: 26, delivery: lossless}}}}}}}}}}
devices:
  leaf1:
    role: leaf
    model: SN5600
    ports: {{e0: {{speed: 400G}}, e1: {{}}, e2: {{speed: 400G, {port}}}}}
  spine1: {{role: spine, model: {model}, ports: {{e0: {{speed: 400G, l2_mtu: {mtu}}}}}}}
  gpu1: {{role: host, ports: {{r0: {{speed: 400G}}}}}}
links:
  - {{a: "leaf1:e0", b: "spine1:e0", cable: {cable}, extra_delay: {delay}}}
  - {{a: "leaf1:e1", b: "gpu1:r0"}}
"""


def completed(write: Write, **values: str) -> Fabric:
    said = {"model": "SN5600", "mtu": "4200B", "cable": "40m", "delay": "0ns", "port": ""}
    return complete(load_intent(write(FABRIC.format(**(said | values)))))


def headroom_of(fabric: Fabric, device: str = "leaf1", port: str = "e0") -> int:
    accounts = fabric.devices[device].ports[port].qos.ingress_buffer
    return of(of(accounts)[3].headroom_bytes)


def test_headroom_covers_the_larger_mtu_of_both_ends(write: Write) -> None:
    assert (
        headroom_of(completed(write, mtu="9216B"))
        == headroom(HeadroomQuestion("spectrum-4", G400, 40, l2_mtu=9216)).headroom_bytes
    )


@pytest.mark.parametrize("worse", [{"cable": "100m"}, {"delay": "1us"}])
def test_headroom_grows_with_the_way(worse: dict[str, str], write: Write) -> None:
    assert headroom_of(completed(write, **worse)) > headroom_of(completed(write))


def test_lanes_that_are_not_said_come_from_the_asic(write: Write) -> None:
    fabric = completed(write, model="SN4700")
    expected = headroom(HeadroomQuestion("spectrum-3", G400, 40, lanes=8, l2_mtu=4200))
    account = of(fabric.devices["spine1"].ports["e0"].qos.ingress_buffer)[3]
    assert account.xon_bytes == expected.xon_bytes
    assert "lanes of 400G ports of spectrum-3 = 8" in fabric.defaulted


def test_an_unknown_model_is_computed_by_the_careful_common_law(write: Write) -> None:
    fabric = completed(write, model="NOBODY-1")
    assert fabric.devices["spine1"].asic == "unknown"
    assert headroom_of(fabric, "spine1") > headroom_of(completed(write), "spine1")


def test_a_speed_that_is_not_said_is_that_of_the_far_end(write: Write) -> None:
    assert completed(write).devices["leaf1"].ports["e1"].speed_bps == G400


def test_cables_that_are_not_said_are_defaulted_and_listed(write: Write) -> None:
    fabric = completed(write)
    assert fabric.devices["leaf1"].ports["e1"].cable_m == 40
    assert "link leaf1 e1 - gpu1 r0 cable = 40m" in fabric.defaulted
    assert fabric.devices["leaf1"].ports["e2"].cable_m == 300


def test_rdma_ends_where_the_policy_is_none(write: Write) -> None:
    port = completed(write, port="policy: none").devices["leaf1"].ports["e2"]
    assert port.policy is ABSENT
    assert port.qos == PortQos(pfc_rx=frozenset(), pfc_tx=frozenset(), watchdog=ABSENT)


def test_a_port_without_speed_cannot_be_completed(write: Write) -> None:
    text = FABRIC.replace("e2: {{speed: 400G, {port}}}", "e2: {{}}")
    with pytest.raises(IntentError, match="leaf1 e2: has no speed, needed for headroom"):
        complete(load_intent(write(text.format(model="X", mtu="1500B", cable="5m", delay="0s"))))


def test_infiniband_ports_are_left_alone() -> None:
    fabric = complete(load_intent(EXAMPLES / "mixed-ib.yaml", deployable=True))
    port = fabric.devices["gpu001"].ports["ib0"]
    environment = fabric.devices["gpu001"].host.environment
    assert (port.qos, port.ip_mtu) == (PortQos(), UNKNOWN)
    assert isinstance(environment, FrozenMap)
    assert "mlx5_8" not in environment["NCCL_IB_HCA"]


CLASSES = st.builds(
    TrafficClass,
    name=st.just(""),
    dscp=st.one_of(st.just(UNKNOWN), st.frozensets(st.integers(0, 63), min_size=1, max_size=3)),
    priority=st.one_of(st.just(UNKNOWN), st.integers(0, 7)),
    delivery=st.one_of(st.just(UNKNOWN), st.sampled_from(list(Delivery))),
    scheduling=st.one_of(st.just(UNKNOWN), st.sampled_from(list(Scheduling))),
    bandwidth_percent=st.one_of(st.just(UNKNOWN), st.integers(1, 100)),
)


@given(classes=st.lists(CLASSES, max_size=5))
@settings(max_examples=60, deadline=None)
def test_every_policy_gives_whole_maps_and_pauses_only_lossless_classes(
    classes: list[TrafficClass],
) -> None:
    named = {f"c{n}": replace(one, name=f"c{n}") for n, one in enumerate(classes)}
    fabric = with_classes(named)
    qos = leaf_port(fabric).qos
    lossless = {
        of(one.pfc_priority)
        for one in fabric.policies["backend"].classes.values()
        if one.delivery is Delivery.LOSSLESS
    }
    assert of(qos.pfc_rx) == of(qos.pfc_tx) == lossless
    assert qos.trust is Trust.DSCP
    assert set(of(qos.dscp_to_priority)) == set(range(64))
    assert set(of(qos.priority_to_queue)) == set(range(8))
    assert set(of(qos.ingress_buffer) if lossless else ()) == lossless


def test_a_host_of_a_subnet_manager_alone_runs_no_job(write: Write) -> None:
    text = """
        {netcheck: 1, jobs: {nccl: {NCCL_IB_HCA: auto}}, devices: {sm01: {role: host,
          platform: opensm, rdma: {mlx5_0: {port: ib0, link_layer: infiniband}}}}}
        """
    fabric = complete(load_intent(write(text)))
    assert fabric.devices["sm01"].host.environment is UNKNOWN
