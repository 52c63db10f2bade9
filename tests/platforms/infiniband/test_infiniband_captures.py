"""Outputs of a real OpenSM and infiniband-diags on a simulated subnet, and what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.lossless.channels import dependencies, find_loops, unreachable
from netcheck.lossless.seen import Seen
from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.model.infiniband import IbSubnet, NodeKind, SmState
from netcheck.model.known import UNKNOWN, is_known
from netcheck.platforms.infiniband.parse import parse
from netcheck.platforms.infiniband.recognise import recognise

pytestmark = pytest.mark.shared

# What is no output of a subnet, or is of another platform.
FOREIGN = frozenset({"check_lft_balance", "ibcacheedit-na", "ibstat"})
LEAF1 = "0x0002c90200200000"
NODE1 = "0x0002c90300100000"


def read(shared: Path, *names: str) -> Device:
    folder = shared / "captures" / "ib"
    return parse([Document(name, (folder / name).read_text()) for name in names], name="ib")


def subnet(shared: Path, *names: str) -> IbSubnet:
    device = read(shared, *names)
    assert device.defects == ()
    assert is_known(device.seen_subnet)
    return device.seen_subnet


def test_every_output_is_recognised_and_read_without_a_defect(shared: Path) -> None:
    folder = shared / "captures" / "ib"
    files = [*(folder / "ft16").glob("*.txt"), *(folder / "ft16_dumps").iterdir()]
    damaged, foreign = {}, set()
    for file in files:
        document = Document(file.name, file.read_text())
        if recognise(document) is None:
            foreign.add(file.stem)
        elif defects := parse([document], name="ib").defects:
            damaged[file.name] = defects
    assert damaged == {}
    assert foreign == FOREIGN | {"stdout", "opensm-updn-roots"}


@pytest.mark.parametrize(
    ("names", "nodes", "cables"),
    [
        (["ft16/ibnetdiscover.txt"], 22, 32),
        (["ft16/ibnetdiscover-p.txt"], 22, 32),
        (["ft16/iblinkinfo.txt"], 22, 32),
        (["ft16/iblinkinfo-line.txt"], 22, 32),
        (["ft16_dumps/opensm-subnet.lst"], 22, 32),
        (["ft16_dumps/neighbors"], 22, 32),
        (["ft16/fault-unlink-ibnetdiscover.txt"], 22, 31),
        (["ft16/ibnetdiscover.txt", "ft16/iblinkinfo.txt", "ft16/ibnetdiscover-p.txt"], 22, 32),
        (["ft16/ibhosts.txt", "ft16/ibswitches.txt", "ft16/ibnetdiscover-l.txt"], 22, 0),
    ],
)
def test_outputs_agree_on_nodes_and_cables(
    shared: Path, names: list[str], nodes: int, cables: int
) -> None:
    seen = Seen("ib", subnet(shared, *names))
    assert (len(seen.subnet.nodes), len(seen.cables)) == (nodes, cables)


def test_a_switch_and_a_host_hold_what_all_outputs_say_of_them(shared: Path) -> None:
    found = subnet(
        shared,
        "ft16/ibnetdiscover.txt",
        "ft16/smpquery-portinfo.txt",
        "ft16/smpquery-pkeys-host1.txt",
        "ft16/smpquery-sl2vl-sw.txt",
        "ft16/smpquery-vlarb-sw.txt",
        "ft16/saquery-lft.txt",
    )
    leaf, host = found.nodes[LEAF1], found.nodes[NODE1]
    assert (leaf.device, leaf.kind, leaf.lid) == ("leaf01", NodeKind.SWITCH, 2)
    assert is_known(leaf.routes)
    assert list(leaf.routes[:8]) == [255, 1, 0, 5, 5, 7, 2, 5]
    assert leaf.ports[5].vlarb_high == ((1, 64), (2, 32), *((0, 0),) * 6)
    assert is_known(leaf.ports[5].sl_to_vl)
    assert len(leaf.ports[5].sl_to_vl) == 9
    port = host.ports[1]
    assert port.pkeys == (0xFFFF, 0x8A01, 0x0B02)
    assert (port.mtu, port.oper_vls, port.subnet_prefix) == (2048, 8, 0xFE800000000000A1)


def test_counters_stand_at_the_port_that_has_them(shared: Path) -> None:
    device = read(shared, "ft16/ibnetdiscover.txt", "ft16/err-ibqueryerrors.txt")
    assert is_known(device.counters)
    found = {(key.port, key.name): one.value for key, one in device.counters.items()}
    assert found["leaf01 5", "PortXmitDiscards"] == 4242
    assert found["leaf01 5", "VL15Dropped"] == 5
    assert {port for port, _ in found} == {"leaf01 5"}


def test_a_clean_list_knows_that_there_is_nothing(shared: Path) -> None:
    device = read(shared, "ft16/ibqueryerrors-clean.txt")
    assert is_known(device.counters)
    assert dict(device.counters) == {}


def test_perfquery_tells_the_same_counters_by_lid(shared: Path) -> None:
    names = ("err-perfquery", "err-perfquery-x", "err-perfquery-xmtdisc", "err-perfquery-vlxmit")
    device = read(shared, "ft16/ibnetdiscover.txt", *(f"ft16/{name}.txt" for name in names))
    assert is_known(device.counters)
    found = {key.name: one.value for key, one in device.counters.items()}
    assert found["PortXmitDiscards"] == 4242
    assert found["PortSwHOQLifetimeLimitDiscards"] == 77
    assert found["PortVLXmitWait1"] == 555
    assert {key.port for key in device.counters} == {"leaf01 5"}


def test_paths_tell_the_level_that_a_partition_gets(shared: Path) -> None:
    found = subnet(shared, "ft16/qos_pathrecords.txt")
    levels = {(one.pkey, one.sl) for one in found.paths}
    assert levels == {(0x8A01, 0), (0x0A01, 1), (0x8A01, 1), (0x0B02, 2), (0x0B02, 0)}
    assert is_known(found.groups)
    assert [(one.mlid, one.pkey, one.mtu) for one in found.groups] == [
        (0xC001, 0x8A01, 2048),
        (0xC000, 0xFFFF, 4096),
    ]


def test_managers_of_a_failover_are_both_known(shared: Path) -> None:
    found = subnet(shared, "faults/sm_failover.txt")
    assert is_known(found.managers)
    assert {one.lid: one.state for one in found.managers} == {
        24: SmState.MASTER,
        22: SmState.STANDBY,
    }


def test_the_log_tells_the_engine(shared: Path) -> None:
    found = subnet(shared, "ft16_dumps/osm.log")
    assert (found.engine, found.is_up) == ("updn", True)


@pytest.mark.parametrize(
    "routes", ["ft16/dump_fts.txt", "ft16_dumps/opensm-lfts.dump", "ft16_dumps/opensm.fdbs"]
)
def test_routes_of_a_tree_close_no_ring(shared: Path, routes: str) -> None:
    names = [routes, "ft16_dumps/opensm-subnet.lst", "ft16_dumps/guid2lid"]
    network = Seen("ib", subnet(shared, *names)).network
    graph = dependencies(network)
    assert (len(graph), sum(map(len, graph.values()))) == (16, 48)
    assert find_loops(network) == []
    assert list(unreachable(network)) == []


def test_the_ring_that_another_checker_found_is_found(shared: Path) -> None:
    seen = Seen("ib", subnet(shared, "oracle/ring_dump_fts.txt", "oracle/ring_ibnetdiscover.txt"))
    [loop] = find_loops(seen.network)
    told = {(seen.switches[one.switch].key, one.port) for one in loop}
    oracle = (shared / "captures/ib/oracle/ibdmchk_F_f_ring_minhop.txt").read_text()
    lines = [line for line in oracle.splitlines() if "/P4 VL: 0" in line]
    assert told == {(f"0x{line.split(': S')[1][:16]}", 4) for line in lines}


def test_a_guid_that_two_nodes_have_is_told(shared: Path) -> None:
    found = subnet(shared, "topo/f_dupguid.topo")
    assert [one.names for one in found.duplicates] == [("node0007 mlx5_0", "node0008 mlx5_0")]


def test_what_the_topology_lacks_stays_unknown(shared: Path) -> None:
    found = subnet(shared, "topo/ft16.topo")
    assert found.nodes[LEAF1].lid is UNKNOWN
    assert found.nodes[LEAF1].routes is UNKNOWN
