"""Live outputs: counters, state and links; what is rounded, cut or missing is never zero."""

from __future__ import annotations

import pytest

from netcheck.model.counters import CounterClass, Meaning
from netcheck.model.device import AdminState, DefectKind, Device, Neighbour
from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import CongestionAction, Dynamic, Ecn, Scheduler, SchedulerKind, Trust
from netcheck.platforms.cumulus.parse import parse
from tests.platforms.cumulus import cumulus_texts as texts

QOS = "nv show interface swp1 counters qos"


def read(text: str, command: str) -> Device:
    return parse([Document("output", text, command)], name="leaf07")


def values(device: Device) -> dict[tuple[Meaning, int, str], object]:
    assert isinstance(device.counters, FrozenMap)
    return {
        (key.meaning, key.number, key.name.split(" ")[-1]): one.value
        for key, one in device.counters.items()
        if key.port == "swp1"
    }


def test_counters_in_text_are_read_where_they_are_exact() -> None:
    found = values(read(texts.COUNTERS_TEXT, QOS))
    assert found[Meaning.PFC_RX, 3, "rx-pause-frames"] == 11
    assert found[Meaning.PFC_TX, 3, "tx-pause-frames"] == 13
    assert found[Meaning.PFC_RX_DURATION, 3, "rx-pause-duration"] == 250
    assert found[Meaning.QUEUE_DROP, 3, "tx-uc-buffer-discards"] == 7
    assert found[Meaning.WRED_DROP, 3, "wred-discards"] == 2
    assert found[Meaning.PRIORITY_GROUP_DROP, 3, "rx-buffer-discards"] == 12
    assert found[Meaning.PRIORITY_GROUP_DROP, 3, "rx-shared-buffer-discards"] is UNKNOWN
    assert found[Meaning.QUEUE_BYTES, 3, "tx-bytes"] is UNKNOWN
    assert found[Meaning.QUEUE_BYTES, 0, "tx-bytes"] == 640
    assert found[Meaning.ECN_MARKED, -1, "transmit"] == 21
    assert found[Meaning.GLOBAL_PAUSE_RX, -1, "receive"] == 4


def test_counters_in_json_are_exact() -> None:
    device = read(texts.COUNTERS_JSON, f"{QOS} -o json")
    found = values(device)
    assert found[Meaning.QUEUE_BYTES, 3, "tx-bytes"] == 1_100_000
    assert found[Meaning.QUEUE_PACKETS, 3, "tx-frames"] == 900
    assert found[Meaning.ECN_MARKED, 3, "ecn-marked-frames"] == 21
    assert found[Meaning.PFC_TX, 3, "tx-pause-frames"] == 13
    assert (Meaning.PFC_TX, 0, "tx-pause-frames") not in found


def test_counters_of_switchd_have_their_meaning() -> None:
    device = read(texts.ETHTOOL, "ethtool -S swp1")
    found = values(device)
    assert found[Meaning.PFC_RX, 3, "HwIfInPfc3Pkt"] == 8
    assert found[Meaning.PFC_TX, 3, "HwIfOutPfc3Pkt"] == 9
    assert found[Meaning.PORT_INGRESS_DROP, -1, "HwIfInDiscards"] == 3
    assert found[Meaning.PORT_EGRESS_DROP, -1, "HwIfOutQDrops"] == 4
    assert isinstance(device.counters, FrozenMap)
    kinds = {key.name: one.kind for key, one in device.counters.items()}
    assert kinds["HwIfInErrors"] is CounterClass.MUST_BE_ZERO


@pytest.mark.parametrize("line", range(len(texts.COUNTERS_TEXT.splitlines())))
def test_a_deleted_line_never_makes_a_counter_zero(line: int) -> None:
    lines = texts.COUNTERS_TEXT.splitlines(keepends=True)
    whole = values(read(texts.COUNTERS_TEXT, QOS))
    cut = read("".join(lines[:line] + lines[line + 1 :]), QOS)
    found = values(cut) if isinstance(cut.counters, FrozenMap) else {}
    assert {
        key: value for key, value in found.items() if value not in (whole.get(key), UNKNOWN)
    } == {}


@pytest.mark.parametrize("end", range(1, len(texts.COUNTERS_TEXT), 41))
def test_a_cut_text_never_makes_a_counter_smaller(end: int) -> None:
    whole = values(read(texts.COUNTERS_TEXT, QOS))
    cut = read(texts.COUNTERS_TEXT[:end], QOS)
    found = values(cut) if isinstance(cut.counters, FrozenMap) else {}
    assert {key: value for key, value in found.items() if value not in (whole[key], UNKNOWN)} == {}


def test_cut_json_gives_no_counter_at_all() -> None:
    device = read(texts.COUNTERS_JSON[:-30], f"{QOS} -o json")
    assert device.counters == FrozenMap({})
    assert [one.kind for one in device.defects] == [DefectKind.MALFORMED_VALUE]


def test_the_watchdog_counts_deadlocks() -> None:
    device = read(texts.WATCHDOG, "nv show interface swp1 qos pfc-watchdog")
    found = values(device)
    assert found[Meaning.WATCHDOG_STORM, 3, "deadlock-count"] == 2
    assert found[Meaning.WATCHDOG_STORM, 0, "deadlock-count"] == 0


def test_the_summary_of_roce_is_what_the_switch_does() -> None:
    device = read(texts.ROCE, "nv show qos roce")
    port = device.ports["default-global"]
    marking = Ecn(150_000, 1_500_000, 100, CongestionAction.MARK, is_active=True)
    assert (port.qos.trust, port.cable_m) == (Trust.BOTH, 40)
    assert (port.qos.pfc_rx, port.qos.pfc_tx) == (frozenset({3}), frozenset())
    assert port.qos.ecn == {0: marking, 3: marking}
    assert port.qos.scheduler == {
        0: Scheduler(SchedulerKind.WEIGHTED, 50),
        3: Scheduler(SchedulerKind.WEIGHTED, 50),
        6: Scheduler(SchedulerKind.STRICT),
    }
    (defect,) = device.defects
    assert defect.kind is DefectKind.REJECTED_BY_DEVICE
    assert "RoCE PFC Priority Mismatch" in defect.message


def test_a_summary_that_does_not_fit_its_mode_leaves_the_rest_open() -> None:
    text = texts.ROCE.replace("0  3    26    3", "0  3    26    5")
    port = read(text, "nv show qos roce").ports["default-global"]
    assert port.qos.dscp_to_priority is UNKNOWN


def test_headroom_is_what_the_switch_shows() -> None:
    command = "nv show interface swp1 qos buffer ingress-priority-group -o json"
    accounts = read(texts.GROUPS, command).ports["swp1"].qos.ingress_buffer
    assert isinstance(accounts, FrozenMap)
    assert (accounts[3].headroom_bytes, accounts[3].is_lossless) == (98_304, True)
    assert (accounts[3].threshold, accounts[3].xoff_bytes) == (Dynamic(1.0), UNKNOWN)
    assert (accounts[0].is_lossless, accounts[0].threshold) == (False, Dynamic(8.0))


def test_links_and_neighbours_of_all_ports() -> None:
    device = read(texts.INTERFACES, "nv show interface -o json")
    assert list(device.ports) == ["swp1", "swp2"]
    first, second = device.ports["swp1"], device.ports["swp2"]
    assert (first.l2_mtu, first.operational_speed_bps) == (9216, 400_000_000_000)
    assert (first.link_state, second.link_state) == (AdminState.UP, AdminState.DOWN)
    assert (first.neighbour, second.neighbour) == (Neighbour("spine01", "swp4"), ABSENT)
    assert second.operational_speed_bps is UNKNOWN


def test_a_boot_id_is_read_whole_or_not_at_all() -> None:
    command = "cat /proc/sys/kernel/random/boot_id"
    assert read(texts.BOOT_ID, command).boot_id == texts.BOOT_ID.strip()
    assert read(texts.BOOT_ID[:20], command).boot_id is UNKNOWN


def test_an_empty_output_is_told_and_says_nothing() -> None:
    device = read("\n", QOS)
    assert device.counters is UNKNOWN
    assert [one.touches_qos for one in device.defects] == [False]


@pytest.mark.parametrize("digit", ["²", "٣", "1²"])
def test_digits_of_other_scripts_stop_no_reader(digit: str) -> None:
    for text in (texts.ROCE, texts.COUNTERS_TEXT, texts.STARTUP, texts.GROUPS):
        for command in ("", "nv show qos roce", "nv config show"):
            assert read(text.replace("3", digit), command).name == "leaf07"
