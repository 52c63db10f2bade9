"""Partitions, lanes and paths of a subnet against its intent, on records made by hand."""

from dataclasses import replace

import pytest

from netcheck.compare.lanes import compare_lanes, intended_lanes
from netcheck.compare.partitions import (
    Memberships,
    compare_enforced,
    compare_first,
    compare_keys,
)
from netcheck.compare.path_records import PathQuestion, Services, compare_paths
from netcheck.compare.subnet import compare_engine, compare_managers
from netcheck.model.device import Device, LinkLayer, RdmaDevice
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding, Place, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import (
    IbEnd,
    IbManager,
    IbNode,
    IbPath,
    IbPort,
    IbSubnet,
    NodeKind,
    SmState,
)
from netcheck.model.known import UNKNOWN
from netcheck.model.subnets import IbMatch, IbQosLevel, Partition, Subnet

GUIDS = {"gpu1": 0xA1, "gpu2": 0xA2, "sm1": 0xB1}


def device(name: str) -> Device:
    rdma = RdmaDevice("mlx5_0", link_layer=LinkLayer.INFINIBAND, port_guid=GUIDS[name])
    return Device(name, rdma=FrozenMap({"mlx5_0": rdma}))


def fabric(subnet: Subnet) -> Fabric:
    devices = FrozenMap({name: device(name) for name in GUIDS})
    return Fabric("f", devices=devices, subnets=FrozenMap({subnet.name: subnet}))


def subnet(*partitions: Partition, **facts: object) -> Subnet:
    by_name = FrozenMap({one.name: one for one in partitions})
    return Subnet("s", partitions=by_name, **facts)  # type: ignore[arg-type]  # as each test says


def partition(name: str, pkey: int, **members: str) -> Partition:
    return Partition(name, pkey, members=FrozenMap(members))


DEFAULT = partition("default", 0x7FFF, all="limited", sm="full")
TENANT = partition("tenant", 0x0A01, gpu1="full", gpu2="limited")


def host(name: str, **facts: object) -> tuple[IbNode, IbPort]:
    port = IbPort(1, guid=GUIDS[name], lid=GUIDS[name], **facts)  # type: ignore[arg-type]  # as above
    return IbNode(name, kind=NodeKind.ADAPTER, device=name, adapter="mlx5_0"), port


def keys_of(name: str, *keys: int) -> list[Finding]:
    wanted = subnet(DEFAULT, TENANT)
    memberships = Memberships(fabric(wanted), wanted, manager_guid=GUIDS["sm1"])
    return [*compare_keys(memberships, [host(name, pkeys=(*keys, 0, 0))])]


@pytest.mark.parametrize(
    ("name", "keys"),
    [("gpu1", (0x7FFF, 0x8A01)), ("gpu2", (0x7FFF, 0x0A01)), ("sm1", (0xFFFF,))],
)
def test_tables_as_intended_are_no_finding(name: str, keys: tuple[int, ...]) -> None:
    assert keys_of(name, *keys) == []


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ((0x7FFF,), "lacks 0x8a01 (tenant)"),
        ((0x7FFF, 0x0A01), "lacks 0x8a01 (tenant) and holds 0x0a01 (tenant) that nobody intends"),
        ((0x7FFF, 0x8A01, 0x8B02), "holds 0x8b02 that nobody intends"),
        ((0xFFFF, 0x8A01), "lacks 0x7fff (default) and holds 0xffff (default) that nobody intends"),
    ],
)
def test_a_table_that_differs_says_how(keys: tuple[int, ...], message: str) -> None:
    (finding,) = keys_of("gpu1", *keys)
    assert finding.message == f"P_Key table {message}"
    assert finding.where == (Place("gpu1", "mlx5_0"),)


def test_a_table_without_an_answer_is_unverified() -> None:
    wanted = subnet(DEFAULT)
    memberships = Memberships(fabric(wanted), wanted)
    (finding,) = compare_keys(memberships, [host("gpu1")])
    assert finding.verdict is Verdict.UNVERIFIED


def test_the_default_partition_may_be_there_though_nobody_says_it() -> None:
    wanted = subnet(TENANT)
    memberships = Memberships(fabric(wanted), wanted)
    assert [*compare_keys(memberships, [host("gpu1", pkeys=(0x7FFF, 0x8A01))])] == []


def test_two_limited_members_may_not_talk() -> None:
    wanted = subnet(partition("files", 0x0A01, sm1="full", gpu1="limited", gpu2="limited"))
    memberships = Memberships(fabric(wanted), wanted)
    gpu1, gpu2, store = (memberships.of(GUIDS[name], NodeKind.ADAPTER) for name in GUIDS)
    assert gpu1.talks_to(gpu2) == frozenset()
    assert gpu1.talks_to(store) == store.talks_to(gpu2) == {0x0A01}


FAST = IbQosLevel("fast", 1, vl=1, weight=128, is_high=True)
BULK = IbQosLevel("bulk", 9, vl=9, weight=64)
IDENTITY = tuple(range(16))


def lanes_of(**facts: object) -> list[Finding]:
    levels = FrozenMap({one.name: one for one in (FAST, BULK)})
    intent = intended_lanes(subnet(qos_levels=levels))
    return [*compare_lanes(intent, [host("gpu1", **facts)], most_vls=8)]


def test_lanes_as_intended_are_no_finding_and_lanes_that_are_not_there_are_not_judged() -> None:
    table = FrozenMap({0: (*IDENTITY[:9], 1, *IDENTITY[10:])})
    assert lanes_of(sl_to_vl=table, vlarb_high=((1, 128), (0, 0)), vlarb_low=()) == []


def test_a_service_level_on_another_lane_is_named_with_the_lanes_in_operation() -> None:
    table = FrozenMap({0: (0,) * 16})
    high = ((1, 128),)
    (finding,) = lanes_of(sl_to_vl=table, vlarb_high=high, vlarb_low=(), oper_vls=1)
    assert (finding.expected, finding.found) == ("SL 1 on VL 1", "SL 1 on VL 0")
    assert finding.message.endswith("; 1 lanes are in operation")


def test_a_weight_that_differs_is_named() -> None:
    table = FrozenMap({0: IDENTITY})
    (finding,) = lanes_of(sl_to_vl=table, vlarb_high=((1, 44),), vlarb_low=())
    assert finding.rule == "vl-weights-differ"
    assert (finding.expected, finding.found) == ("VL 1: 128", "VL 1: 44")


def question(pkey: int, *, is_allowed: bool = True) -> PathQuestion:
    places = (Place("gpu1", "mlx5_0"), Place("gpu2", "mlx5_0"))
    return PathQuestion(places, (0xA1, 0xA2), (1, 2), pkey, is_allowed)


def paths_of(asked: PathQuestion, *paths: IbPath) -> list[str]:
    matched = IbQosLevel("tenant", 2, mtu_limit=2048, matches=(IbMatch(partition="tenant"),))
    levels = FrozenMap({"tenant": matched, "default": IbQosLevel("default", 0)})
    wanted = subnet(DEFAULT, TENANT, qos_levels=levels)
    services = Services(fabric(wanted), wanted)
    return [one.rule for one in compare_paths(services, [asked], {asked: paths})]


@pytest.mark.parametrize(
    ("asked", "paths", "rules"),
    [
        (question(0x0A01), [IbPath(1, 2, sl=2, mtu=2048)], []),
        (question(0x7FFF), [IbPath(1, 2, sl=0)], []),
        (question(0x0A01), [], ["path-missing"]),
        (question(0x0A01), [IbPath(1, 2, sl=0)], ["path-on-other-sl"]),
        (question(0x0A01), [IbPath(1, 2, sl=2, mtu=4096)], ["path-above-limit"]),
        (question(0, is_allowed=False), [], []),
        (question(0, is_allowed=False), [IbPath(1, 2)], ["path-across-partitions"]),
    ],
)
def test_paths_follow_partitions_and_services(
    asked: PathQuestion, paths: list[IbPath], rules: list[str]
) -> None:
    assert paths_of(asked, *paths) == rules


def test_an_engine_that_gives_way_is_named_and_no_log_is_unverified() -> None:
    wanted = Subnet("s", routing=("ftree", "updn", "no_fallback"))
    assert [*compare_engine(wanted, "ftree")] == []
    (next_one,) = compare_engine(wanted, "updn")
    assert "the intent's next choice" in next_one.message
    (other,) = compare_engine(wanted, "minhop")
    assert "which the intent does not name" in other.message
    (none,) = compare_engine(wanted, UNKNOWN)
    assert none.verdict is Verdict.UNVERIFIED


def test_managers_are_asked_for_by_their_ports() -> None:
    wanted = Subnet("s", subnet_managers=("sm1", "gpu1"), priorities=FrozenMap({"sm1": 14}))
    master = IbManager(GUIDS["sm1"], 1, 14, SmState.MASTER)
    standby = IbManager(GUIDS["gpu1"], 2, 3, SmState.STANDBY)

    def rules(*managers: IbManager) -> list[tuple[str, tuple[Place, ...]]]:
        seen = IbSubnet(managers=managers, lists_managers=True)
        found = compare_managers(fabric(wanted), wanted, seen)
        return [(one.rule, one.where) for one in found]

    assert rules(master, standby) == []
    assert rules(master) == [("manager-missing", (Place("gpu1"),))]
    low = IbManager(GUIDS["sm1"], 1, 5, SmState.MASTER)
    assert rules(low, standby) == [("manager-not-preferred", (Place("sm1"),))]
    swapped = (
        IbManager(GUIDS["sm1"], 1, 14, SmState.STANDBY),
        IbManager(GUIDS["gpu1"], 2, 15, SmState.MASTER),
    )
    assert rules(*swapped) == [("manager-not-preferred", (Place("sm1"),))]


def leaf(*ports: IbPort) -> IbNode:
    return IbNode(
        "leaf1", kind=NodeKind.SWITCH, ports=FrozenMap({one.number: one for one in ports})
    )


def enforced(*keys: int) -> list[Finding]:
    wanted = subnet(DEFAULT, partition("both", 0x0A01, gpu1="both"))
    memberships = Memberships(fabric(wanted), wanted)
    node, port = host("gpu1")
    peer = IbPort(3, peer=IbEnd("gpu1", 1), pkeys=keys)
    whole = replace(node, ports=FrozenMap({1: port}))
    seen = IbSubnet(nodes=FrozenMap({"gpu1": whole, "leaf1": leaf(peer)}))
    return [*compare_enforced(memberships, seen, [(leaf(peer), peer)])]


def test_a_switch_enforces_the_full_key_of_a_port_that_has_both() -> None:
    assert enforced(0x7FFF, 0x8A01, 0) == []
    (finding,) = enforced(0x7FFF, 0x0A01)
    assert finding.rule == "switch-keys-differ"
    assert (finding.expected, finding.found) == ("0x7fff 0x8a01", "0x0a01 0x7fff")
    assert finding.message.endswith("at the far end is gpu1 mlx5_0")


def test_the_key_at_index_0_is_the_one_that_is_to_be_first() -> None:
    first = replace(TENANT, is_first=True)
    wanted = subnet(DEFAULT, first)
    memberships = Memberships(fabric(wanted), wanted)
    assert [*compare_first(memberships, [host("gpu1", pkeys=(0x8A01, 0x7FFF))])] == []
    (finding,) = compare_first(memberships, [host("gpu1", pkeys=(0x7FFF, 0x8A01))])
    assert (finding.expected, finding.found) == ("0x0a01 (tenant)", "0x7fff")


@pytest.mark.parametrize(
    ("match", "asked", "fits"),
    [
        (IbMatch(service_ids=("0x10-0x1f",)), {"service_id": 0x1F}, True),
        (IbMatch(service_ids=("0x10-0x1f",)), {"service_id": 0x20}, False),
        (IbMatch(ulp="rds"), {"service_id": 0x10648CA}, True),
        (IbMatch(ulp="rds"), {}, False),
        (IbMatch(qos_classes=("7-9",)), {"qos_class": 9}, True),
        (IbMatch(qos_classes=("0-9",)), {}, False),
        (IbMatch(ulp="ipoib"), {}, False),
    ],
)
def test_a_service_is_told_by_what_a_request_names(
    match: IbMatch,
    asked: dict[str, int],
    fits: bool,  # noqa: FBT001 -- parametrised
) -> None:
    level = IbQosLevel("bulk", 3, matches=(match,))
    wanted = subnet(DEFAULT, TENANT, qos_levels=FrozenMap({"bulk": level}))
    services = Services(fabric(wanted), wanted)
    request = replace(question(0x0A01), **asked)  # type: ignore[arg-type]  # numbers by name
    assert (services.level(request) is level) is fits
