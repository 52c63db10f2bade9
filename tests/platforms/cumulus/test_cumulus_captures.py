"""Outputs of the reference material: each is recognised, and says what it shows.

Own samples of the same kinds are in ``cumulus_texts.py`` and the tests beside this one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.model.counters import Meaning
from netcheck.model.device import DefectKind, Device
from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN
from netcheck.model.qos import (
    Buffer,
    CongestionAction,
    Dynamic,
    Ecn,
    Scheduler,
    SchedulerKind,
    Trust,
)
from netcheck.platforms.cumulus.parse import parse
from netcheck.platforms.cumulus.recognise import recognise

pytestmark = pytest.mark.shared
STRICT = Scheduler(SchedulerKind.STRICT)


def capture(shared: Path, name: str) -> Device:
    text = (shared / "captures" / "cumulus" / name).read_text()
    return parse([Document(name, text)], name="switch")


def test_every_output_is_recognised_and_no_line_about_qos_is_left(shared: Path) -> None:
    folder = shared / "captures" / "cumulus"
    names = [path.name for path in sorted(folder.glob("nv_*.txt"))]
    assert len(names) == 13
    for name in names:
        found = recognise(Document(name, (folder / name).read_text()))
        assert found is not None, name
        assert found.platform == "cumulus"
        unknown = [
            one
            for one in capture(shared, name).defects
            if one.kind is DefectKind.UNKNOWN_LINE and one.touches_qos
        ]
        assert unknown == [], name


def test_counters_of_roce(shared: Path) -> None:
    device = capture(shared, "nv_show_interface_swp16_qos_roce_counters.txt")
    assert isinstance(device.counters, FrozenMap)
    found = {(key.meaning, key.number): one.value for key, one in device.counters.items()}
    assert found[Meaning.QUEUE_PACKETS, 3] == 803_785_675_319
    assert found[Meaning.QUEUE_DROP, 3] == 663_060_754_115
    assert found[Meaning.ECN_MARKED, -1] == 693_777_677_344
    assert found[Meaning.PRIORITY_GROUP_DROP, 0] == 55
    assert found[Meaning.QUEUE_BYTES, 3] is UNKNOWN
    assert {key.port for key in device.counters} == {"swp16"}


def test_status_of_roce_on_a_port(shared: Path) -> None:
    qos = capture(shared, "nv_show_interface_swp16_qos_roce_status.txt").ports["swp16"].qos
    assert (qos.trust, qos.pfc_rx, qos.pfc_tx) == (Trust.BOTH, frozenset({3}), frozenset({3}))
    assert isinstance(qos.ecn, FrozenMap)
    assert sorted(qos.ecn) == [0, 3]
    assert (qos.ecn[3].kmin_bytes, qos.ecn[3].kmax_bytes) == (UNKNOWN, 1_500_000)
    assert isinstance(qos.dscp_to_priority, FrozenMap)
    assert (qos.dscp_to_priority[26], qos.dscp_to_priority[48]) == (3, 6)


@pytest.mark.parametrize("release", ["5.14", "5.17"])
def test_summary_of_lossless_roce(shared: Path, release: str) -> None:
    device = capture(shared, f"nv_show_qos_roce_lossless-single-ipool_{release}.txt")
    port = device.ports["default-global"]
    assert (port.qos.pfc_tx, port.cable_m) == (frozenset({3}), 100)
    assert port.qos.priority_to_queue == {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 0}
    marking = Ecn(150_000, 1_500_000, 100, CongestionAction.MARK, is_active=True)
    assert port.qos.ecn == {0: marking, 3: marking}
    assert isinstance(port.qos.scheduler, FrozenMap)
    assert port.qos.scheduler[6] == STRICT
    assert device.defects == ()


def test_summary_of_lossy_roce_with_several_queues(shared: Path) -> None:
    qos = capture(shared, "nv_show_qos_roce_lossy-multi-tc_5.14.txt").ports["default-global"].qos
    assert qos.pfc_tx == frozenset()
    assert isinstance(qos.dscp_to_priority, FrozenMap)
    assert [qos.dscp_to_priority[dscp] for dscp in (1, 4, 6, 40, 63)] == [1, 2, 3, 4, 0]
    assert isinstance(qos.scheduler, FrozenMap)
    assert qos.scheduler[3] == Scheduler(SchedulerKind.WEIGHTED, 22)
    assert isinstance(qos.ecn, FrozenMap)
    assert qos.ecn[1] == Ecn(UNKNOWN, UNKNOWN, 5, CongestionAction.MARK, is_active=True)


def test_counters_by_queue_and_priority(shared: Path) -> None:
    device = capture(shared, "nv_show_interface_swp1_counters_qos.txt")
    assert isinstance(device.counters, FrozenMap)
    meanings = [key.meaning for key in device.counters]
    assert meanings.count(Meaning.PFC_RX) == meanings.count(Meaning.QUEUE_DROP) == 8
    assert {one.value for one in device.counters.values()} == {0}


def test_deadlocks_of_the_watchdog(shared: Path) -> None:
    device = capture(shared, "nv_show_interface_swp1_qos_pfc-watchdog.txt")
    assert isinstance(device.counters, FrozenMap)
    found = {key.number: one.value for key, one in device.counters.items()}
    assert found == {0: 0, 1: 3, 2: 2, 3: 0, 4: 0, 5: 0, 6: 0, 7: 3}


def test_accounts_of_priority_groups(shared: Path) -> None:
    name = "nv_show_interface_swp5_qos_buffer_ingress-priority-group.txt"
    accounts = capture(shared, name).ports["swp5"].qos.ingress_buffer
    assert isinstance(accounts, FrozenMap)
    assert accounts[0] == Buffer(
        size_bytes=0, xon_bytes=0, threshold=Dynamic(8.0), is_lossless=False
    )
    assert (accounts[9].size_bytes, accounts[9].headroom_bytes) == (UNKNOWN, UNKNOWN)


def test_profiles_of_all_ports(shared: Path) -> None:
    marks = capture(shared, "nv_show_qos_congestion-control_default-global.txt")
    marking = Ecn(40_000, 200_000, 100, CongestionAction.MARK, is_active=True)
    assert marks.ports["default-global"].qos.ecn == {4: marking, 5: marking, 7: marking}
    services = capture(shared, "nv_show_qos_egress-scheduler_default-global.txt")
    assert services.ports["default-global"].qos.scheduler == {
        0: STRICT,
        1: STRICT,
        2: Scheduler(SchedulerKind.WEIGHTED, 30),
        3: Scheduler(SchedulerKind.WEIGHTED, 20),
        4: Scheduler(SchedulerKind.WEIGHTED, 20),
        5: STRICT,
        6: Scheduler(SchedulerKind.WEIGHTED, 30),
        7: STRICT,
    }
    port = capture(shared, "nv_show_qos_pfc_default-global.txt").ports["default-global"]
    assert (port.qos.pfc_tx, port.qos.pfc_rx, port.cable_m) == (frozenset({0}), frozenset(), 50)
    assert isinstance(port.qos.ingress_buffer, FrozenMap)
    account = port.qos.ingress_buffer[0]
    assert (account.size_bytes, account.xoff_bytes, account.xon_bytes) == (25_000, 10_000, 8_000)


def test_marking_of_a_port_in_rounded_units_stays_unknown(shared: Path) -> None:
    name = "nv_show_interface_swp5_qos_congestion-control.txt"
    marks = capture(shared, name).ports["swp5"].qos.ecn
    assert marks == {0: Ecn(UNKNOWN, UNKNOWN, 100, CongestionAction.MARK, is_active=True)}


def test_a_group_name_that_does_not_meet(shared: Path) -> None:
    path = shared / "cases" / "021-cumulus-traffic-conf-group-name" / "traffic.conf"
    device = parse([Document("traffic.conf", path.read_text())], name="switch")
    assert [one.place for one in device.defects] == [
        "pfc.port_group_list",
        "ecn_red.port_group_list",
    ]
    assert device.ports["default-global"].qos.trust is Trust.DSCP
    maps = device.ports["default-global"].qos.dscp_to_priority
    assert isinstance(maps, FrozenMap)
    assert (maps[26], maps[48], maps[0]) == (3, 2, 0)
