"""InfiniBand subnets of an intent, and the names that they use."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from netcheck.intent.complaint import IntentError
from netcheck.intent.load import load_intent
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.guids import nodes_of, ports_of
from netcheck.model.subnets import IbExpectations, IbMatch, Subnet

Write = Callable[..., Path]
DISCOVERY = """\
#
# Topology file: generated on Mon Nov 30 10:00:00 2026
#
vendid=0x2c9
devid=0xd2f0
sysimgguid=0x2c90200300000
switchguid=0x2c90200300000(2c90200300000)
Switch\t40 "S-0002c90200300000"\t\t# "MF0;spine01:MQM8700/U1" enhanced port 0 lid 4 lmc 0
[1]\t"H-0002c90300100000"[1](2c90300100001) \t\t# "gpu01 mlx5_0" lid 1 4xHDR

vendid=0x2c9
devid=0x101b
sysimgguid=0x2c90300100000
caguid=0x2c90300100000
Ca\t1 "H-0002c90300100000"\t\t# "gpu01 mlx5_0"
[1](2c90300100001) \t"S-0002c90200300000"[1]\t\t# lid 1 lmc 0 "MF0;spine01:MQM8700/U1" lid 4 4xHDR
"""


def load(folder: Path, text: str, *, deployable: bool = False) -> Fabric:
    path = folder / "intent.yaml"
    path.write_text(dedent(text), encoding="utf-8")
    return load_intent(path, deployable=deployable)


def subnet(folder: Path, text: str) -> Subnet:
    return load(folder, text).subnets["s"]


def complaints(folder: Path, text: str, *, deployable: bool = False) -> list[str]:
    with pytest.raises(IntentError) as error:
        load(folder, text, deployable=deployable)
    return [one.message for one in error.value.complaints]


def test_managers_keys_and_failover_reach_the_model(tmp_path: Path) -> None:
    found = subnet(
        tmp_path,
        """
        netcheck: 1
        infiniband:
          subnets:
            s:
              subnet_managers: ["sm[1-2]"]
              priorities: {"sm[1-2]": 9, sm2: 4}
              failover: {poll: 1s, retries: 3}
              m_key: "env:M_KEY"
              m_key_lease: 60s
              m_key_protection: 1
              sm_key: "file:~/sm.key"
              sa_key: "command:pass show sa[1]"
        """,
    )
    assert found.priorities == {"sm1": 9, "sm2": 4}
    assert (found.poll_ms, found.poll_retries) == (1000, 3)
    assert (found.m_key, found.m_key_lease_s, found.m_key_protection) == ("env:M_KEY", 60, 1)
    assert (found.sm_key, found.sa_key) == ("file:~/sm.key", "command:pass show sa[1]")


def test_routing_and_expectations_reach_the_model(tmp_path: Path) -> None:
    found = subnet(
        tmp_path,
        """
        netcheck: 1
        infiniband:
          subnets:
            s:
              opensm: {build: nvidia, version: "5.17"}
              routing: [updn, no_fallback]
              adaptive_routing: on
              roots: ["spine[1-2]"]
              io_nodes: [store1]
              compute_nodes: host
              expect: {width: 4, speed: NDR, firmware: {leaf: "31.2012"}, cables: on}
        """,
    )
    assert (found.routing, found.adaptive_routing) == (("updn", "no_fallback"), True)
    assert (found.roots, found.io_nodes) == (("spine1", "spine2"), ("store1",))
    assert found.compute_nodes == ("host",)
    assert found.expect == IbExpectations(4, "NDR", found.expect.firmware, are_cables_stated=True)
    assert found.expect.firmware == {"leaf": "31.2012"}


def test_lanes_and_services_reach_the_model(tmp_path: Path) -> None:
    found = subnet(
        tmp_path,
        """
        netcheck: 1
        infiniband:
          subnets:
            s:
              vls: 4
              sl2vl: [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15]
              vlarb: {high: {1: 64}, low: {0: 64, 2: 32}, limit: 4}
              partitions:
                a: {pkey: "0x0a01", ipoib: on, sl: 1, rate: 200G, index0: on, default: full}
              qos:
                fast:
                  sl: 1
                  mtu_limit: 4096B
                  rate_limit: 100G
                  packet_life: 18
                  match:
                    - {ulp: sdp, ports: [900, 10-20]}
                    - partition: a
                      source: ["gpu[1-2]"]
                      service_ids: "0x10-0x1f"
                      qos_class: [7-9]
        """,
    )
    level = found.qos_levels["fast"]
    assert (found.data_vls, found.sl_to_vl) == (4, (0, 1, 2, 3, *([0] * 11), 15))
    assert (found.vl_high, found.high_limit) == (FrozenMap({1: 64}), 4)
    assert found.vl_low == FrozenMap({0: 64, 2: 32})
    assert (level.mtu_limit, level.rate_limit, level.packet_life) == (4096, "100G", 18)
    assert level.matches == (
        IbMatch(ulp="sdp", port_numbers=("900", "10-20")),
        IbMatch(
            partition="a",
            source=("gpu1", "gpu2"),
            service_ids=("0x10-0x1f",),
            qos_classes=("7-9",),
        ),
    )
    one = found.partitions["a"]
    assert (one.sl, one.rate, one.is_first, one.default_membership) == (1, "200G", True, "full")


def test_names_become_guids_by_the_intent_and_by_a_discovery(tmp_path: Path) -> None:
    (tmp_path / "net.txt").write_text(DISCOVERY, encoding="utf-8")
    fabric = load(
        tmp_path,
        """
        netcheck: 1
        infiniband:
          subnets:
            s:
              fabric: net.txt
              roots: [spine01]
              partitions:
                a: {pkey: "0x1", members: {"gpu[01-03]": full, "gpu03:mlx5_1": limited}}
        devices:
          spine01: {role: spine}
          gpu01: {role: host}
          gpu02: {role: host, rdma: {mlx5_0: {port: ib0, guid: "0x0002c90300100011"}}}
          gpu03:
            role: host
            rdma:
              mlx5_[0-1]: {port: "ib[0-1]", link_layer: infiniband, guid: "0x0002c903001001[20-21]"}
        """,
    )
    found = fabric.subnets["s"]
    assert nodes_of(fabric, found, ["spine", "spine01"]).found == (0x2C90200300000,)
    hosts = ports_of(fabric, found, found.partitions["a"].members)
    assert [f"{guid:x}" for guid in hosts.found] == [
        "2c90300100001",
        "2c90300100011",
        "2c90300100120",
        "2c90300100121",
    ]
    assert hosts.missing == ()


def test_a_name_without_a_guid_is_missing_and_keeps_an_intent_from_deployment(
    tmp_path: Path,
) -> None:
    text = """
        netcheck: 1
        infiniband:
          subnets:
            s:
              roots: [spine]
              partitions: {a: {pkey: "0x1", members: {host: full}}}
        credentials: {lab: {username: u}}
        devices:
          spine1: {role: spine, platform: onyx, mgmt: 10.0.0.1, credentials: lab}
          gpu1:
            role: host
            platform: linux
            mgmt: 10.0.0.2
            credentials: lab
            rdma: {mlx5_0: {port: ib0, link_layer: infiniband}}
        """
    fabric = load(tmp_path, text)
    assert ports_of(fabric, fabric.subnets["s"], ["host"]).missing == ("gpu1:mlx5_0",)
    found = complaints(tmp_path, text, deployable=True)
    hint = "has no guid; say it, or name an ibnetdiscover file (fabric)"
    assert [one for one in found if "guid" in one] == [
        f"infiniband.subnets.s.roots: spine1 {hint}",
        f"infiniband.subnets.s.partitions.a.members: gpu1:mlx5_0 {hint}",
    ]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ('partitions: {a: {pkey: "0x1"}, b: {pkey: "0x8001"}}', "b: pkey 0x0001 is that of"),
        ("qos: {x: {sl: 1, vl: 1}, y: {sl: 1, vl: 2}}", "y: sl 1 goes to vl 1 by x, not 2"),
        ("qos: {x: {sl: 1, match: [{partition: tenant}]}}", "partition tenant is not declared"),
        ("roots: [spin1]", "roots: spin1 is no device, role or GUID; did you mean spine1"),
        ("fabric: missing.txt", "No such file"),
        ("vls: 3", "expected one of"),
        ("sl2vl: [0, 1]", "sl2vl"),
        ("failover: {poll: 10}", "poll"),
        ("opensm: {build: mofed}", "build"),
        ('partitions: {a: {pkey: "0x1", rate: 111G}}', "rate"),
        ("priorities: {sm9: 4}", "sm9 is no manager"),
    ],
)
def test_what_cannot_be_meant_is_a_complaint(said: str, message: str, tmp_path: Path) -> None:
    text = "netcheck: 1\ndevices: {spine1: {role: spine}}\n"
    text += f"infiniband: {{subnets: {{s: {{{said}}}}}}}\n"
    found = complaints(tmp_path, text)
    assert any(message in one for one in found), found


def test_a_file_that_is_no_discovery_is_a_complaint(tmp_path: Path) -> None:
    (tmp_path / "net.txt").write_text("nothing\n", encoding="utf-8")
    found = complaints(tmp_path, "netcheck: 1\ninfiniband: {subnets: {s: {fabric: net.txt}}}\n")
    assert "found no node" in found[0]
