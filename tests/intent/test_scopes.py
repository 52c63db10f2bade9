"""Policies with scope: several on one fabric, through completion, rendering, reading and rules."""

from dataclasses import replace
from pathlib import Path

import pytest

from netcheck import api
from netcheck.intent import IntentError
from netcheck.model.device import Device, Port
from netcheck.model.document import Document
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Severity, Stage, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known, known_or
from netcheck.model.qos import Scheduler
from netcheck.platforms.platform import load
from netcheck.rules.engine import judge

SCOPES = Path(__file__).parents[2] / "examples" / "scopes.yaml"
BOTH, STORAGE, NOTHING = frozenset({3, 4}), frozenset({4}), frozenset[int]()


@pytest.fixture(scope="module")
def fabric() -> Fabric:
    return api.complete(api.load_intent(SCOPES, deployable=True))


def port(fabric: Fabric, device: str, name: str) -> Port:
    return fabric.devices[device].ports[name]


@pytest.mark.parametrize(
    ("device", "name", "pfc"),
    [
        ("spine01", "Ethernet0", BOTH),
        ("spine01", "Ethernet64", NOTHING),
        ("leaf01", "Ethernet0", BOTH),
        ("leaf03", "Ethernet0", STORAGE),
        ("leaf03", "Ethernet8", NOTHING),
        ("leaf03", "Ethernet64", BOTH),
        ("border01", "Ethernet0", NOTHING),
        ("border01", "Ethernet64", NOTHING),
        ("gpu01", "rail0", BOTH),
        ("gpu01", "front0", NOTHING),
        ("store01", "p1", STORAGE),
    ],
)
def test_each_port_pauses_what_its_own_policy_says(
    fabric: Fabric, device: str, name: str, pfc: frozenset[int]
) -> None:
    qos = port(fabric, device, name).qos
    assert (qos.pfc_rx, qos.pfc_tx) == (pfc, pfc)


def test_headroom_follows_the_cable_of_each_port(fabric: Fabric) -> None:
    def headroom(device: str, name: str) -> Known[int]:
        buffers = port(fabric, device, name).qos.ingress_buffer
        assert is_known(buffers)
        return buffers[4].headroom_bytes

    near, far = headroom("spine01", "Ethernet0"), headroom("spine02", "Ethernet0")
    assert is_known(near)
    assert is_known(far)
    assert near < far
    assert port(fabric, "spine01", "Ethernet0").cable_m == 40
    assert port(fabric, "spine02", "Ethernet0").cable_m == 100


def test_a_marked_class_has_a_marking_queue_and_no_lossless_buffer(fabric: Fabric) -> None:
    qos = port(fabric, "leaf03", "Ethernet8").qos
    assert is_known(qos.ecn)
    assert list(qos.ecn) == [1]
    assert qos.ecn[1].kmax_bytes == 800_000
    assert qos.ingress_buffer is UNKNOWN


def test_members_and_peers_of_aggregates_are_counted_through_in_order(fabric: Fabric) -> None:
    bundles = {(one.device, one.name): (one.members, one.mlag_peer) for one in fabric.aggregates}
    assert bundles["leaf03", "PortChannel2"] == (("Ethernet2",), "leaf04")
    assert bundles["leaf04", "PortChannel2"] == (("Ethernet2",), "leaf03")
    assert bundles["spine01", "PortChannel10"] == (("Ethernet64", "Ethernet72"), UNKNOWN)


def test_a_link_between_aggregates_is_a_cable_for_each_pair_of_members(fabric: Fabric) -> None:
    cables = {(str(one.a), str(one.b)) for one in fabric.links if one.b.device == "border01"}
    assert cables == {
        ("spine01 Ethernet64", "border01 Ethernet0"),
        ("spine01 Ethernet72", "border01 Ethernet8"),
        ("spine02 Ethernet64", "border01 Ethernet16"),
        ("spine02 Ethernet72", "border01 Ethernet24"),
    }


def test_a_nic_with_two_classes_of_rdma_traffic_forces_neither(fabric: Fabric) -> None:
    gpu = fabric.devices["gpu01"]
    assert gpu.rdma["mlx5_0"].traffic_class is UNKNOWN
    assert gpu.rdma["mlx5_0"].rdma_cm_tos == 26 << 2 | 2
    assert gpu.rdma["mlx5_2"].traffic_class == 10 << 2 | 2


def test_jobs_use_the_nics_that_mark_alike_and_lossless(fabric: Fabric) -> None:
    environment = fabric.devices["gpu01"].host.environment
    assert is_known(environment)
    assert environment["NCCL_IB_HCA"] == "mlx5_0,mlx5_1"
    assert environment["NCCL_IB_TC"] == "106"


def test_the_example_has_no_finding(fabric: Fabric) -> None:
    assert [one for one in api.lint_intent(fabric) if one.verdict is Verdict.FAIL] == []


FACTS = ("trust", "dscp_to_priority", "priority_to_queue", "pfc_rx", "pfc_tx", "scheduler", "ecn")


@pytest.mark.parametrize("name", ["spine01", "leaf03", "border01", "gpu01", "store01"])
def test_what_is_rendered_for_several_scopes_reads_back(fabric: Fabric, name: str) -> None:
    device = fabric.devices[name]
    found = read_back(device, fabric)
    for each in device.ports.values():
        for fact in FACTS:
            said = getattr(each.qos, fact)
            if said is not UNKNOWN:
                assert plain(getattr(found.ports[each.name].qos, fact)) == plain(said), (
                    f"{each.name} {fact}"
                )


def plain(fact: object) -> object:
    """A scheduler without the shaper, of which the intent says nothing."""
    if not isinstance(fact, FrozenMap):
        return fact
    return {
        key: (one.kind, known_or(one.weight_percent, 0)) if isinstance(one, Scheduler) else one
        for key, one in fact.items()
    }


def read_back(device: Device, fabric: Fabric) -> Device:
    assert is_known(device.platform)
    platform = load(device.platform)
    files = platform.rendering.render(device, fabric)
    documents = [Document(file, text) for file, text in files.items()]
    return platform.parsing.parse(documents, name=device.name)


def changed(tmp_path: Path, *changes: tuple[str, str]) -> set[tuple[str, str]]:
    """Rules with the first place of each finding, after replacing text of the example."""
    text = SCOPES.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "scopes.yaml"
    file.write_text(text, encoding="utf-8")
    found = api.lint_intent(api.complete(api.load_intent(file)))
    return {
        (one.rule, str(one.where[0]))
        for one in found
        if one.verdict is Verdict.FAIL and one.severity is Severity.ERROR
    }


def test_a_lossless_class_that_ends_within_a_link_is_named(tmp_path: Path) -> None:
    front = "{speed: 400G, lanes: 4, policy: frontend}       # to the border"
    found = changed(tmp_path, (front, "{speed: 400G, lanes: 4}"))
    assert found == {("lossless-at-one-end-only", "border01 Ethernet0")}


def test_a_border_that_is_none_at_one_end_only_is_named(tmp_path: Path) -> None:
    border = '"Ethernet[0-24:8]": {speed: 400G, lanes: 4, policy: frontend}'
    front = "{speed: 400G, lanes: 4, policy: frontend}       # to the border"
    found = changed(
        tmp_path, (border, border.replace("frontend", "none")), (front, "{speed: 400G, lanes: 4}")
    )
    assert found == {("lossless-at-one-end-only", "border01 Ethernet0")}


def test_storage_that_no_spine_carries_is_split(tmp_path: Path) -> None:
    uplinks = '"Ethernet[64-88:8]": {speed: 400G, lanes: 4} '
    spine = '"Ethernet[0-56:8]": {speed: 400G, lanes: 4} '
    found = changed(
        tmp_path,
        (uplinks, uplinks.replace("}", ", policy: frontend}")),
        (spine, spine.replace("}", ", policy: frontend}")),
    )
    assert ("lossless-class-split", "leaf01") in found
    assert {rule for rule, _ in found} == {"lossless-class-split"}


def test_members_of_an_aggregate_need_one_policy(tmp_path: Path) -> None:
    ports = '"Ethernet[64-72:8]": {speed: 400G, lanes: 4, policy: frontend}'
    apart = (
        "Ethernet64: {speed: 400G, lanes: 4, policy: frontend}\n"
        "      Ethernet72: {speed: 400G, lanes: 4, policy: none}"
    )
    assert changed(tmp_path, (ports, apart)) == {("lag-policy-differs", "spine01 Ethernet72")}


def test_both_mlag_peers_need_the_aggregate(tmp_path: Path) -> None:
    peers = "mlag_peer: leaf04"
    assert ("mlag-peer-one-sided", "leaf01 PortChannel1") in changed(
        tmp_path, (peers, "mlag_peer: leaf01")
    )


def test_aggregates_of_unlike_size_are_no_link(tmp_path: Path) -> None:
    members = 'PortChannel10: {members: ["Ethernet[0-8:8]"]}'
    text = SCOPES.read_text(encoding="utf-8")
    file = tmp_path / "intent.yaml"
    file.write_text(text.replace(members, "PortChannel10: {members: [Ethernet0]}"), "utf-8")
    message = "found spine01 PortChannel10 has 2 and border01 PortChannel10 has 1"
    with pytest.raises(IntentError, match=message):
        api.load_intent(file)


def test_a_port_that_is_broken_out_is_no_port_any_more(tmp_path: Path) -> None:
    file = tmp_path / "intent.yaml"
    file.write_text(
        "netcheck: 1\ndevices:\n  leaf1:\n    ports:\n      swp1: {}\n"
        '      "swp1s[0-1]": {parent: swp1}\n',
        encoding="utf-8",
    )
    with pytest.raises(IntentError, match="swp1s1: parent swp1 is declared as a port of its own"):
        api.load_intent(file)


def test_a_port_that_pauses_where_rdma_ends_is_found(fabric: Fabric) -> None:
    leaking = port(fabric, "border01", "Ethernet64")
    leaking = replace(leaking, qos=replace(leaking.qos, pfc_rx=BOTH, pfc_tx=BOTH))
    border = fabric.devices["border01"]
    observed = replace(border, ports=border.ports.with_items({"Ethernet64": leaking}))
    whole = replace(fabric, devices=fabric.devices.with_items({"border01": observed}))
    found = judge(whole, intended=fabric, stage=Stage.LINT)
    failed = {(one.rule, str(one.where[0])) for one in found if one.verdict is Verdict.FAIL}
    assert ("pfc-outside-rdma", "border01 Ethernet64") in failed
