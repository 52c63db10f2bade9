from pathlib import Path

import pytest

from netcheck.collect.assemble import RULE, assemble, read
from netcheck.collect.cluster import DeviceDocuments, Item
from netcheck.collect.comments import suppressions_in
from netcheck.collect.grouping import gather
from netcheck.collect.links import links_from_neighbours
from netcheck.collect.merge import merge
from netcheck.model.device import Device, Neighbour, Port, Role
from netcheck.model.document import Document, DocumentKind
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.finding import Place
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import Ecn, PortQos, Trust

GPU = """\
Priority trust state: pcp
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0
"""


def device(name: str = "leaf01", **facts: object) -> Device:
    port = Port("Ethernet0", qos=PortQos(**facts))  # type: ignore[arg-type]  # facts of each test
    return Device(name, ports=FrozenMap({"Ethernet0": port}))


def test_each_view_fills_what_the_other_does_not_know() -> None:
    merged, differences = merge(
        device(trust=Trust.DSCP), device(pfc_rx=frozenset({3}), trust=UNKNOWN)
    )
    assert merged == device(trust=Trust.DSCP, pfc_rx=frozenset({3}))
    assert differences == []


def test_the_live_value_stands_and_the_difference_is_told() -> None:
    merged, [difference] = merge(device(pfc_rx=frozenset({3, 4})), device(pfc_rx=frozenset({3})))
    assert merged.ports["Ethernet0"].qos.pfc_rx == frozenset({3})
    assert difference.owner == ("port", "Ethernet0")
    assert (difference.fact, difference.configured) == ("pfc_rx", frozenset({3, 4}))


def test_a_queue_is_compared_fact_by_fact() -> None:
    configured = FrozenMap({3: Ecn(kmin_bytes=1000, kmax_bytes=2000)})
    live = FrozenMap({3: Ecn(kmin_bytes=1000, kmax_bytes=3000, pmax_percent=5)})
    merged, [difference] = merge(device(ecn=configured), device(ecn=live))
    assert merged.ports["Ethernet0"].qos.ecn == live
    assert difference.fact == "ecn 3 kmax_bytes"


def test_a_queue_that_is_not_in_effect_is_a_difference() -> None:
    configured = FrozenMap({3: Ecn(kmin_bytes=1), 4: Ecn(kmin_bytes=1)})
    _, [difference] = merge(device(ecn=configured), device(ecn=FrozenMap({3: Ecn(kmin_bytes=1)})))
    assert difference.fact == "ecn 4"


def test_what_a_configuration_leaves_to_the_device_is_no_difference() -> None:
    merged, differences = merge(device(trust=ABSENT), device(trust=Trust.DSCP))
    assert merged.ports["Ethernet0"].qos.trust is Trust.DSCP
    assert differences == []


def lldp(name: str, port: str, far: str, far_port: str) -> Device:
    told = Port(port, neighbour=Neighbour(far, far_port))
    return Device(name, ports=FrozenMap({port: told}))


def test_neighbours_make_links() -> None:
    devices = {
        "leaf01": lldp("leaf01", "Ethernet0", "gpu01.example", "rail0"),
        "gpu01": lldp("gpu01", "rail0", "leaf01", "Ethernet0"),
    }
    [link] = links_from_neighbours(devices)
    assert {link.a, link.b} == {PortRef("leaf01", "Ethernet0"), PortRef("gpu01", "rail0")}


def test_a_neighbour_that_denies_it_makes_no_link() -> None:
    devices = {
        "leaf01": lldp("leaf01", "Ethernet0", "gpu01", "rail0"),
        "gpu01": lldp("gpu01", "rail0", "leaf02", "Ethernet0"),
    }
    assert links_from_neighbours(devices) == ()


def linux(name: str, kind: DocumentKind = DocumentKind.STATE, text: str = GPU) -> DeviceDocuments:
    return DeviceDocuments(name, "linux", (Item(Document("mlnx_qos.txt", text), kind),))


def test_an_intent_gives_names_roles_and_links() -> None:
    link = Link(PortRef("gpu01", "rail0"), PortRef("leaf01", "Ethernet0"))
    intended = Fabric(
        "lab", devices=FrozenMap({"gpu01": Device("gpu01", role=Role.HOST)}), links=(link,)
    )
    fabric = assemble([linux("GPU01.example.org")], intended).fabric
    assert list(fabric.devices) == ["gpu01"]
    assert fabric.devices["gpu01"].role is Role.HOST
    assert fabric.links == (link,)


def test_a_linux_device_is_a_host() -> None:
    assert assemble([linux("gpu01")]).fabric.devices["gpu01"].role is Role.HOST


def test_two_readings_keep_the_counters_of_both(tmp_path: Path) -> None:
    for word, amount in (("t0", 5), ("t1", 9)):
        text = f"NIC statistics:\n     rx_prio3_pause: {amount}\n     rx_discards_phy: 0\n"
        (tmp_path / word).mkdir()
        (tmp_path / word / "ethtool_rail0.txt").write_text(text, encoding="utf-8")
    [given] = gather([tmp_path]).devices
    found = read(given)
    first, second = found.before, found.device.counters
    assert isinstance(first, FrozenMap)
    assert isinstance(second, FrozenMap)
    moved = {key.name: (first[key].value, second[key].value) for key in first if key in second}
    assert moved["rx_prio3_pause"] == (5, 9)


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        (
            "# netcheck: ignore pfc-watchdog-off until 2027-01-31 -- lab only",
            ("pfc-watchdog-off", "2027-01-31", "lab only"),
        ),
        ("! netcheck: ignore some-rule -- known", ("some-rule", UNKNOWN, "known")),
        ("// netcheck: ignore some-rule", ("some-rule", UNKNOWN, "")),
        ("/* netcheck: ignore some-rule -- known */", ("some-rule", UNKNOWN, "known")),
    ],
)
def test_comments_suppress_on_their_device(comment: str, expected: tuple[str, object, str]) -> None:
    [found] = suppressions_in([Document("a.cfg", f"first\n{comment}\n")], "leaf01")
    assert (found.rule, found.until, found.reason) == expected
    assert (found.where, found.evidence.line) == ("leaf01", 2)


def test_a_difference_is_a_finding_at_its_port() -> None:
    script = Document("qos.sh", "mlnx_qos -i rail0 --trust dscp\n")
    live = Document("mlnx_qos.txt", GPU, command="mlnx_qos -i rail0")
    items = (Item(script, DocumentKind.CONFIG), Item(live, DocumentKind.STATE))
    found = assemble([DeviceDocuments("gpu01", "linux", items)]).findings
    assert [(each.rule, each.where, each.message) for each in found] == [
        (RULE, (Place("gpu01", "rail0"),), "trust configured dscp, in effect pcp")
    ]
