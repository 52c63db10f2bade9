from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from netcheck.intent import IntentError, load_intent
from netcheck.model.device import LinkLayer, Port, Role
from netcheck.model.fabric import (
    Aggregate,
    Carries,
    Credentials,
    Delivery,
    EcnIntent,
    Expectations,
    Fabric,
    HeadroomBy,
    Policy,
    PortRef,
    Scheduling,
    TrafficClass,
)
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import BufferPool, DcbxMode, PoolKind, Trust, Watchdog, WatchdogAction

EXAMPLES = Path(__file__).parents[2] / "examples"
Write = Callable[..., Path]


def load(text: str, write: Write) -> Fabric:
    return load_intent(write(text))


def test_what_is_not_said_stays_unknown(write: Write) -> None:
    fabric = load(
        """
        {netcheck: 1, name: x, roce: {policies: {p: {classes:
          {rdma: {priority: 3, delivery: lossless}, cnp: {dscp: [48]}}}}}}
        """,
        write,
    )
    classes = {
        "rdma": TrafficClass("rdma", priority=3, delivery=Delivery.LOSSLESS),
        "cnp": TrafficClass("cnp", dscp=frozenset({48})),
    }
    policy = fabric.policies["p"]
    assert policy == Policy("p", classes=FrozenMap(classes), evidence=policy.evidence)
    assert (fabric.name, fabric.policy, len(fabric.devices)) == ("x", "p", 0)


def test_every_key_of_a_policy_reaches_the_model(write: Write) -> None:
    fabric = load(
        """
        netcheck: 1
        name: x
        roce:
          policies:
            p:
              trust: both
              l2_mtu: 9216B
              ip_mtu: 9000B
              rdma_mtu: 4096B
              roce_version: 1
              dcbx: ieee
              headroom: device
              global_pause: off
              watchdog: {detection: 0.2s, restoration: 400ms, poll: 100ms, action: forward}
              classes:
                rdma:
                  dscp: 26
                  pcp: [3, 4]
                  priority: 3
                  pfc_priority: 4
                  queue: 5
                  priority_group: 6
                  delivery: lossless
                  carries: storage
                  scheduling: weighted
                  bandwidth: 60%
                  ecn: {kmin: 150KB, kmax: 1MB, pmax: 5%}
                  load_balancing: flowlet
                quiet: {ecn: off}
                loud: {ecn: on}
        """,
        write,
    )
    policy = fabric.policies["p"]
    rdma = policy.classes["rdma"]
    assert (policy.trust, policy.dcbx, policy.headroom) == (
        Trust.BOTH,
        DcbxMode.IEEE,
        HeadroomBy.DEVICE,
    )
    assert (policy.l2_mtu, policy.ip_mtu, policy.rdma_mtu) == (9216, 9000, 4096)
    assert (policy.roce_version, policy.global_pause, policy.watchdog_poll_ms) == (1, False, 100)
    assert policy.watchdog == Watchdog(200, 400, WatchdogAction.FORWARD)
    assert (rdma.dscp, rdma.pcp) == (frozenset({26}), frozenset({3, 4}))
    assert (rdma.priority, rdma.pfc_priority, rdma.queue, rdma.priority_group) == (3, 4, 5, 6)
    assert (rdma.carries, rdma.scheduling) == (Carries.STORAGE, Scheduling.WEIGHTED)
    assert rdma.bandwidth_percent == 60
    assert rdma.ecn == EcnIntent(
        is_enabled=True, kmin_bytes=150_000, kmax_bytes=1_000_000, pmax_percent=5
    )
    assert policy.classes["quiet"].ecn == EcnIntent(is_enabled=False)
    assert policy.classes["loud"].ecn == EcnIntent(is_enabled=True)


def test_a_watchdog_that_is_off_is_absent(write: Write) -> None:
    fabric = load("{netcheck: 1, roce: {policies: {p: {watchdog: off}}}}", write)
    assert fabric.policies["p"].watchdog is ABSENT


POLICIES = """
netcheck: 1
name: x
roce:
  policy: a
  policies: {a: {}, b: {}, c: {}, d: {}}
roles:
  border: {policy: none}
  spine: {policy: b}
devices:
  leaf1: {role: leaf, ports: {e0: {}, e1: {policy: d}, e2: {policy: none}}}
  leaf2: {role: leaf, policy: c, ports: {e0: {}}}
  spine1: {role: spine, ports: {e0: {}}}
  spine2: {role: spine, policy: c, ports: {e0: {}}}
  border1: {role: border, ports: {e0: {}}}
"""


@pytest.mark.parametrize(
    ("device", "port", "expected"),
    [
        ("leaf1", "e0", "a"),
        ("leaf1", "e1", "d"),
        ("leaf1", "e2", ABSENT),
        ("leaf2", "e0", "c"),
        ("spine1", "e0", "b"),
        ("spine2", "e0", "c"),
        ("border1", "e0", ABSENT),
    ],
)
def test_the_nearest_policy_wins_and_none_ends_it(
    device: str, port: str, expected: object, write: Write
) -> None:
    assert load(POLICIES, write).devices[device].ports[port].policy == expected


def test_a_role_speaks_for_its_devices_until_they_speak_themselves(write: Write) -> None:
    fabric = load(
        """
        netcheck: 1
        roles: {leaf: {platform: sonic, model: SN5600}}
        devices: {leaf1: {role: leaf}, leaf2: {role: leaf, model: SN4700}}
        """,
        write,
    )
    found = [(one.platform, one.model) for one in fabric.devices.values()]
    assert found == [("sonic", "SN5600"), ("sonic", "SN4700")]


def test_a_narrower_name_wins_key_by_key(write: Write) -> None:
    fabric = load(
        """
        netcheck: 1
        devices:
          leaf2: {model: SN4700, ports: {e1: {speed: 200G}}}
          "leaf[1-3]": {role: leaf, model: SN5600, ports: {"e[0-1]": {speed: 400G, lanes: 4}}}
        """,
        write,
    )
    leaf2 = fabric.devices["leaf2"]
    speeds = [(port.speed_bps, port.lanes) for port in leaf2.ports.values()]
    assert (leaf2.role, leaf2.model) == (Role.LEAF, "SN4700")
    assert sorted(speeds) == [(200 * 10**9, 4), (400 * 10**9, 4)]
    assert fabric.devices["leaf3"].model == "SN5600"


def test_values_run_with_the_range_of_their_key_or_device(write: Write) -> None:
    fabric = load(
        """
        netcheck: 1
        devices:
          "gpu[1-3]":
            mgmt: "10.0.8.[1-3]"
            mgmt_port: "220[1-3]"
            rail: "[5-7]"
            rdma:
              "mlx5_[0-1]": {port: "rail[0-1]", speed: 400G, address: "10.[100-101].0.[1-3]/24"}
        """,
        write,
    )
    gpu3 = fabric.devices["gpu3"]
    addresses = {name: port.address for name, port in gpu3.ports.items()}
    assert (gpu3.mgmt, gpu3.mgmt_port, gpu3.rail) == ("10.0.8.3", 2203, 7)
    assert addresses == {"rail0": "10.100.0.3/24", "rail1": "10.101.0.3/24"}
    assert gpu3.rdma["mlx5_1"].ports == ("rail1",)


def test_every_key_of_a_port_reaches_the_model(write: Write) -> None:
    fabric = load(
        """
        netcheck: 1
        devices:
          leaf1:
            ports:
              Ethernet1:
                alias: etp1
                speed: 100G
                lanes: 2
                parent: Ethernet0
                fec: rs
                autoneg: off
                media: dac
                l2_mtu: 9216B
                ip_mtu: 9000B
                cable: 2.5m
                admin_state: up
                link_layer: infiniband
                address: 10.0.0.1/31
        """,
        write,
    )
    port = fabric.devices["leaf1"].ports["Ethernet1"]
    assert port == Port(
        "Ethernet1",
        alias="etp1",
        speed_bps=100 * 10**9,
        lanes=2,
        parent="Ethernet0",
        fec="rs",
        autoneg=False,
        media="dac",
        l2_mtu=9216,
        ip_mtu=9000,
        cable_m=3,
        admin_state=port.admin_state,
        link_layer=LinkLayer.INFINIBAND,
        address="10.0.0.1/31",
    )


def test_pools_are_taken_as_they_are_said(write: Write) -> None:
    fabric = load(
        """
        netcheck: 1
        devices:
          leaf1:
            buffers:
              oversubscription: 2
              pools:
                ingress_lossless_pool:
                  {kind: ingress, mode: dynamic, size: 100MB, shared_headroom: 5MiB}
        """,
        write,
    )
    qos = fabric.devices["leaf1"].qos[""]
    pool = BufferPool(
        kind=PoolKind.INGRESS,
        is_dynamic=True,
        size_bytes=100_000_000,
        shared_headroom_bytes=5 * 2**20,
    )
    assert (qos.oversubscription, qos.pools) == (2, FrozenMap({"ingress_lossless_pool": pool}))


def test_aggregates_have_members_and_members_know_them(write: Write) -> None:
    fabric = load(
        """
        netcheck: 1
        devices:
          "leaf[1-2]":
            ports: {"e[0-3]": {}}
            aggregates: {"po[1-2]": {members: ["e[0,2]", "e[1,3]"], mlag_peer: "leaf[2,1]"}}
        """,
        write,
    )
    assert fabric.aggregates[:2] == (
        Aggregate("po1", "leaf1", ("e0", "e1"), "leaf2"),
        Aggregate("po2", "leaf1", ("e2", "e3"), "leaf2"),
    )
    assert fabric.devices["leaf2"].ports["e3"].aggregate == "po2"


def test_a_device_without_ports_has_those_of_its_links(write: Write) -> None:
    fabric = load(
        """
        netcheck: 1
        roce: {policies: {p: {}}}
        devices: {leaf1: {}, gpu1: {policy: none}}
        links: [{a: "leaf1:e0", b: "gpu1:r0", cable: 5m, extra_delay: 1us, media: aoc}]
        """,
        write,
    )
    link = fabric.links[0]
    assert (link.a, link.b) == (PortRef("leaf1", "e0"), PortRef("gpu1", "r0"))
    assert (link.length_m, link.extra_delay_ns, link.media) == (5.0, 1000.0, "aoc")
    assert fabric.devices["leaf1"].ports["e0"].policy == "p"
    assert fabric.devices["gpu1"].ports["r0"].policy is ABSENT


def test_subnets_reach_the_model(write: Write) -> None:
    fabric = load(
        """
        netcheck: 1
        infiniband:
          subnets:
            storage:
              subnet_prefix: "0xfe80000000000001"
              routing: [ftree, updn]
              subnet_managers: ["sm[01-02]"]
              opensm: {build: inbox, version: "3.3.24"}
              lmc: 1
              partitions:
                default: {pkey: "0x7fff", ipoib: on, mtu: 4096B, members: {"gpu[1-2]": full}}
              qos: {fast: {sl: 1, vl: 1, weight: 64, high: on}}
              options: {qos: true, max_op_vls: 5}
        """,
        write,
    )
    subnet = fabric.subnets["storage"]
    partition = subnet.partitions["default"]
    assert subnet.subnet_prefix == 0xFE80000000000001
    assert (subnet.routing, subnet.subnet_managers) == (("ftree", "updn"), ("sm01", "sm02"))
    assert (subnet.opensm_build, subnet.opensm_version, subnet.lmc) == ("inbox", "3.3.24", 1)
    assert (partition.pkey, partition.is_ipoib, partition.mtu) == (0x7FFF, True, 4096)
    assert partition.members == {"gpu1": "full", "gpu2": "full"}
    assert (subnet.qos_levels["fast"].sl, subnet.qos_levels["fast"].is_high) == (1, True)
    assert subnet.options == {"qos": "TRUE", "max_op_vls": "5"}


def test_settings_reach_the_model(write: Write) -> None:
    fabric = load(
        """
        netcheck: 1
        name: x
        credentials: {lab: {username: admin, password: "env:P", key: "file:/k"}}
        jobs: {nccl: {NCCL_IB_TC: auto, NCCL_IB_TIMEOUT: 22}}
        expect: {bandwidth: 97.5%, latency: 3us, incast: 8}
        rules: {pfc-path-gap: warning}
        suppress:
          - {rule: mtu-missing, where: "leaf0[1-4] *", reason: agreed, until: 2027-01-31}
          - {rule: other, reason: known}
        """,
        write,
    )
    first, second = fabric.suppressions
    assert fabric.credentials["lab"] == Credentials("lab", "admin", "env:P", "file:/k")
    assert fabric.jobs == {"nccl": {"NCCL_IB_TC": "auto", "NCCL_IB_TIMEOUT": "22"}}
    assert fabric.expect == Expectations(97.5, 3.0, 8)
    assert fabric.severities == {"pfc-path-gap": "warning"}
    assert (first.rule, first.where, first.until) == (
        "mtu-missing",
        "leaf0[1-4] *",
        "2027-01-31",
    )
    assert (second.where, second.until, second.evidence.line) == ("*", UNKNOWN, 10)


def test_several_files_are_merged_with_what_they_include(write: Write) -> None:
    write("{netcheck: 1, roce: {policies: {p: {}}}}", "policies.yaml")
    first = write(
        """
        netcheck: 1
        name: x
        include: policies.yaml
        devices: {leaf1: {role: leaf}}
        links: [{a: "leaf1:e0", b: "leaf2:e0"}]
        """,
        "first.yaml",
    )
    second = write(
        """
        netcheck: 1
        devices: {leaf1: {model: SN5600}, leaf2: {}}
        links: [{a: "leaf1:e1", b: "leaf2:e1"}]
        """,
        "second.yaml",
    )
    fabric = load_intent([first, second])
    leaf1 = fabric.devices["leaf1"]
    assert (leaf1.role, leaf1.model, fabric.policy) == (Role.LEAF, "SN5600", "p")
    assert len(fabric.links) == 2
    assert [Path(source).name for source in fabric.sources] == [
        "first.yaml",
        "policies.yaml",
        "second.yaml",
    ]


def test_a_glob_includes_what_it_matches(write: Write) -> None:
    write("{netcheck: 1, devices: {leaf1: {}}}", "pod-1.yaml")
    write("{netcheck: 1, devices: {leaf2: {}}}", "pod-2.yaml")
    fabric = load("{netcheck: 1, include: 'pod-*.yaml'}", write)
    assert list(fabric.devices) == ["leaf1", "leaf2"]


def test_two_files_that_contradict_each_other_are_refused(write: Write) -> None:
    first = write("{netcheck: 1, devices: {leaf1: {model: SN5600}}}", "first.yaml")
    second = write("{netcheck: 1, devices: {leaf1: {model: SN4700}}}", "second.yaml")
    with pytest.raises(IntentError) as caught:
        load_intent([first, second])
    expected = f"{second}:1:40: devices.leaf1.model: said differently in {first}:1"
    assert str(caught.value) == expected


def test_a_secret_is_never_repeated(write: Write) -> None:
    text = "{netcheck: 1, credentials: {x: {username: u, password: s3cr3t, key: {a: s3cr3t}}}}"
    with pytest.raises(IntentError) as caught:
        load(text, write)
    assert "s3cr3t" not in str(caught.value)
    assert len(caught.value.complaints) == 2


def test_the_small_lab_is_one_leaf_and_two_hosts_with_two_rails() -> None:
    fabric = load_intent(EXAMPLES / "lab-small.yaml", deployable=True)
    cabled = {(str(link.a), str(link.b), link.length_m) for link in fabric.links}
    assert cabled == {
        ("gpu01 rail0", "leaf01 Ethernet0", 5.0),
        ("gpu01 rail1", "leaf01 Ethernet8", 5.0),
        ("gpu02 rail0", "leaf01 Ethernet16", 5.0),
        ("gpu02 rail1", "leaf01 Ethernet24", 5.0),
    }


def test_the_lab_wires_each_leaf_four_times_to_each_spine() -> None:
    fabric = load_intent(EXAMPLES / "lab.yaml", deployable=True)
    uplinks = [(link.a.device, link.b.device) for link in fabric.links if link.length_m == 40]
    pairs = {(f"leaf0{leaf}", f"spine0{spine}") for leaf in (1, 2, 3, 4) for spine in (1, 2)}
    assert set(uplinks) == pairs
    assert all(uplinks.count(pair) == 4 for pair in pairs)
    assert {device.role for device in fabric.devices.values()} == {
        Role.SPINE,
        Role.LEAF,
        Role.HOST,
    }


def test_the_mixed_example_holds_both_fabrics() -> None:
    fabric = load_intent(EXAMPLES / "mixed-ib.yaml", deployable=True)
    gpu = fabric.devices["gpu064"]
    assert gpu.ports["ib0"].link_layer is LinkLayer.INFINIBAND
    assert PortRef("gpu064", "rail7") in {link.a for link in fabric.links}
    assert fabric.subnets["storage"].partitions["tenant-a"].members["gpu064"] == "full"


def test_the_judging_example_is_a_whole_intent() -> None:
    fabric = load_intent(EXAMPLES / "judge-only.yaml")
    assert fabric.policy == "any"
    assert not fabric.devices
