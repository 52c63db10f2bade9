"""Every SONiC capture of the reference material, by values that it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.model.counters import Meaning
from netcheck.model.device import DefectKind, Device
from netcheck.model.document import Document, DocumentKind
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing
from netcheck.model.qos import (
    BufferPool,
    CongestionAction,
    Dynamic,
    Ecn,
    PoolKind,
    SchedulerKind,
    Static,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.sonic.parse import parse
from netcheck.platforms.sonic.recognise import recognise

pytestmark = pytest.mark.shared

# Lists of sources, a table of pool sizes, and REST bodies of another system.
NO_CAPTURES = {"SOURCES.md", "buffer-pools.csv", "dell_enterprise_rest_examples.json"}
COMMANDS = {
    "show_pg_wm_shared.json": "show priority-group watermark shared --json",
    "show_pg_wm_hdrm.json": "show priority-group watermark headroom --json",
    "show_pg_persistent_wm_hdrm.json": "show priority-group persistent-watermark headroom --json",
    "show_buffer_information.txt": "show buffer information",
}
# file -> port, meaning, number -> reading
COUNTED: dict[str, dict[tuple[str, Meaning, int], Known[int]]] = {
    "queuestat_trim.json": {("Ethernet0", Meaning.OTHER, 12): UNKNOWN},
    "redis_counters_db_subset.json": {
        ("Ethernet8", Meaning.PFC_RX, 3): 803,
        ("Ethernet8", Meaning.PFC_TX, 3): 813,
        ("Ethernet8", Meaning.PFC_RX_DURATION, 3): 80_000_003,
        ("Ethernet8", Meaning.PORT_INGRESS_DROP, -1): 10,
        ("Ethernet8", Meaning.PRIORITY_GROUP_DROP, 3): 103,
        ("Ethernet8", Meaning.HEADROOM_WATERMARK, 3): 803,
        ("Ethernet8", Meaning.QUEUE_PACKETS, 4): 54,
        ("Ethernet8", Meaning.QUEUE_DROP, 4): 62,
        ("Ethernet8", Meaning.ECN_MARKED, 4): 62,
        ("Ethernet8", Meaning.WATCHDOG_STORM, 4): 3,
        ("Ethernet8", Meaning.WATCHDOG_DROP, 4): 300,
    },
    "show_buffer_pool_wm.txt": {("", Meaning.SHARED_WATERMARK, -1): 3000},
    "show_hdrm_pool_wm.txt": {("", Meaning.HEADROOM_WATERMARK, -1): 432_640},
    "show_pfc_counters.txt": {
        ("Ethernet0", Meaning.PFC_RX, 0): 1200,
        ("Ethernet8", Meaning.PFC_TX, 7): 817,
    },
    "show_pfc_counters_after_clear.txt": {("Ethernet4", Meaning.PFC_RX, 3): 0},
    "show_pfc_counters_history.txt": {("Ethernet8", Meaning.PFC_RX_DURATION, 3): 80_000_003},
    "show_pfc_counters_multi_asic.txt": {("Ethernet-BP260", Meaning.PFC_TX, 7): 117},
    "show_pfcwd_stats.txt": {
        ("Ethernet8", Meaning.WATCHDOG_STORM, 4): 3,
        ("Ethernet8", Meaning.WATCHDOG_RESTORED, 4): 2,
    },
    "show_pfcwd_stats_multi_asic.txt": {("Ethernet0", Meaning.WATCHDOG_STORM, 15): 1},
    "show_pfcwd_stats_multi_queue.txt": {("Ethernet4", Meaning.WATCHDOG_RESTORED, 3): 2},
    "show_pg_drop_counters.txt": {("Ethernet4", Meaning.PRIORITY_GROUP_DROP, 7): 407},
    "show_pg_persistent_wm_hdrm.json": {("Ethernet4", Meaning.HEADROOM_WATERMARK, 3): 503},
    "show_pg_persistent_wm_hdrm.txt": {("Ethernet4", Meaning.HEADROOM_WATERMARK, 3): 503},
    "show_pg_wm_hdrm.json": {("Ethernet4", Meaning.HEADROOM_WATERMARK, 3): 403},
    "show_pg_wm_hdrm.txt": {("Ethernet4", Meaning.HEADROOM_WATERMARK, 3): 403},
    "show_pg_wm_shared.json": {("Ethernet4", Meaning.SHARED_WATERMARK, 3): 403},
    "show_pg_wm_shared.txt": {("Ethernet4", Meaning.SHARED_WATERMARK, 3): 403},
    "show_queue_counters.json": {
        ("Ethernet0", Meaning.QUEUE_PACKETS, 3): 52,
        ("Ethernet0", Meaning.QUEUE_PACKETS, 20): UNKNOWN,
    },
    "show_queue_counters.txt": {
        ("Ethernet0", Meaning.QUEUE_DROP, 3): 19,
        ("Ethernet0", Meaning.QUEUE_DROP, 29): UNKNOWN,
    },
    "show_queue_counters_Ethernet8.json": {("Ethernet8", Meaning.QUEUE_BYTES, 3): 97},
    "show_queue_counters_Ethernet8.txt": {("Ethernet8", Meaning.QUEUE_BYTES, 3): 97},
    "show_queue_counters_voq.json": {("Ethernet8", Meaning.QUEUE_DROP, 3): 70},
    "show_queue_wm_all.json": {("Ethernet4", Meaning.QUEUE_WATERMARK, 24): 2567},
    "show_queue_wm_all.txt": {("Ethernet4", Meaning.QUEUE_WATERMARK, 24): 2567},
    "show_queue_wm_unicast.json": {("Ethernet4", Meaning.QUEUE_WATERMARK, 3): 1986},
    "show_queue_wm_unicast.txt": {("Ethernet0", Meaning.QUEUE_WATERMARK, 0): 2_057_328},
    "show_queue_wredcounters.txt": {
        ("Ethernet0", Meaning.ECN_MARKED, 1): 39,
        ("Ethernet0", Meaning.WRED_DROP, 3): 52,
    },
    "show_queue_wredcounters_Ethernet0.txt": {("Ethernet8", Meaning.ECN_MARKED, 3): 63},
    "show_queue_wredcounters_port.json": {("Ethernet8", Meaning.WRED_DROP, 3): 11},
}
CONFIGURED = {
    "config_db_qos_map_table_expected.json",
    "config_db_qos_map_table_input.json",
    "config_db_reclaiming-buffer-dynamic-single-pool-expected.json",
    "config_db_reclaiming-buffer-traditional-single-pool-expected.json",
    "config_db_reference_format_new.json",
    "config_db_reference_format_old.json",
    "example-lossless-dynamic.json",
    "example-lossless-traditional.json",
    "redis_config_db_subset.json",
    "redis_state_db_subset.json",
    "show_buffer_configuration.txt",
    "show_buffer_information.txt",
    "show_ecn.txt",
    "show_pfc_asymmetric.txt",
    "show_pfc_priority.txt",
    "show_pfcwd_config.txt",
}


@pytest.fixture
def captures(shared: Path) -> Path:
    return shared / "captures" / "sonic"


def document(captures: Path, name: str) -> Document:
    """A capture, with its command where the text does not say what it shows."""
    return Document(name, (captures / name).read_text(), COMMANDS.get(name, ""))


def read(captures: Path, name: str) -> Device:
    """The device of one capture."""
    return parse([document(captures, name)], name="switch")


def test_every_capture_is_tested_here(captures: Path) -> None:
    names = {path.name for path in captures.iterdir()} - NO_CAPTURES
    assert names == COUNTED.keys() | CONFIGURED


@pytest.mark.parametrize("name", sorted(COUNTED.keys() | CONFIGURED))
def test_capture_is_recognised(captures: Path, name: str) -> None:
    found = recognise(document(captures, name))
    assert found is not None
    assert (found.kind is DocumentKind.COUNTERS) == (name in COUNTED)


@pytest.mark.parametrize(
    "name", sorted((COUNTED.keys() | CONFIGURED) - {"redis_config_db_subset.json"})
)
def test_capture_has_no_defect(captures: Path, name: str) -> None:
    assert read(captures, name).defects == ()


@pytest.mark.parametrize("name", sorted(COUNTED))
def test_counters_of_a_capture_hold_its_values(captures: Path, name: str) -> None:
    found = read(captures, name).counters
    assert not isinstance(found, Missing)
    readings: dict[tuple[str, Meaning, int], set[Known[int]]] = {}
    for key, counter in found.items():
        readings.setdefault((key.port, key.meaning, key.number), set()).add(counter.value)
    missing = {
        key: value for key, value in COUNTED[name].items() if value not in readings.get(key, set())
    }
    assert missing == {}


def test_example_of_the_traditional_model(captures: Path) -> None:
    device = read(captures, "example-lossless-traditional.json")
    qos = device.ports["Ethernet0"].qos
    buffers, scheduler = qos.ingress_buffer, qos.scheduler
    assert not isinstance(buffers, Missing)
    assert not isinstance(scheduler, Missing)
    assert (device.is_whole, device.qos[""].is_headroom_computed) == (True, False)
    assert (qos.trust, qos.pfc_tx) == (Trust.DSCP, frozenset({3}))
    assert (buffers[3].headroom_bytes, buffers[3].threshold) == (283_648, Dynamic(1.0))
    assert scheduler[6].kind is SchedulerKind.STRICT
    assert qos.ecn == {3: Ecn(150_000, 1_500_000, 100, CongestionAction.MARK, is_active=True)}


def test_example_of_the_dynamic_model(captures: Path) -> None:
    device = read(captures, "example-lossless-dynamic.json")
    buffers = device.ports["Ethernet8"].qos.ingress_buffer
    assert not isinstance(buffers, Missing)
    assert (device.qos[""].is_headroom_computed, device.qos[""].oversubscription) == (True, 2)
    assert (buffers[3].is_computed, buffers[3].headroom_bytes) == (True, UNKNOWN)


def test_old_and_new_references_read_the_same(captures: Path) -> None:
    old = read(captures, "config_db_reference_format_old.json")
    new = read(captures, "config_db_reference_format_new.json")
    assert old.ports == new.ports
    buffers = new.ports["Ethernet0"].qos.ingress_buffer
    assert not isinstance(buffers, Missing)
    assert buffers[4].profile == "pg_lossless_100000_40m_profile"


def test_old_references_are_malformed_in_the_new_schema(captures: Path) -> None:
    text = (captures / "config_db_reference_format_old.json").read_text()
    newer = Document("config_db.json", text.replace("version_3_0_1", "version_3_0_3"))
    kinds = {defect.kind for defect in parse([newer], name="switch").defects}
    assert kinds == {DefectKind.MALFORMED_REFERENCE}


def test_reclaimed_buffers_of_the_traditional_model(captures: Path) -> None:
    device = read(captures, "config_db_reclaiming-buffer-traditional-single-pool-expected.json")
    pools, buffers = device.qos[""].pools, device.ports["Ethernet28"].qos.ingress_buffer
    assert not isinstance(pools, Missing)
    assert not isinstance(buffers, Missing)
    assert pools["ingress_lossless_pool"] == BufferPool(
        PoolKind.INGRESS, True, 5_088_768, ABSENT, 688_128  # noqa: FBT003 -- positional for brevity
    )  # fmt: skip
    assert (buffers[3].size_bytes, buffers[3].headroom_bytes) == (19_456, 23_552)
    assert device.ports["Ethernet0"].policy is ABSENT  # all its profiles are zero profiles


def test_reclaimed_buffers_of_the_dynamic_model(captures: Path) -> None:
    device = read(captures, "config_db_reclaiming-buffer-dynamic-single-pool-expected.json")
    buffers = device.ports["Ethernet8"].qos.ingress_buffer
    assert not isinstance(buffers, Missing)
    assert buffers[3].profile == "customized_ingress_lossless_profile"


@pytest.mark.parametrize(
    ("name", "watched"),
    [
        ("config_db_qos_map_table_input.json", None),
        ("config_db_qos_map_table_expected.json", frozenset({3, 4})),
    ],
)
def test_flat_migration_tables(captures: Path, name: str, watched: frozenset[int] | None) -> None:
    device = read(captures, name)
    qos = device.ports["Ethernet0"].qos
    assert qos.pfc_tx == frozenset({3, 4})
    assert qos.priority_to_queue == {0: 0}
    assert device.ports["Ethernet92"].qos.pfc_tx is ABSENT
    text = (captures / name).read_text()
    assert ("pfcwd_sw_enable" in text) == (watched is not None)


def test_flat_dump_of_the_configuration(captures: Path) -> None:
    device = read(captures, "redis_config_db_subset.json")
    watchdog = device.ports["Ethernet0"].qos.watchdog
    assert watchdog == Watchdog(600, 600, WatchdogAction.DROP, ABSENT)
    assert device.ports["Ethernet0"].speed_bps == 40_000_000_000
    # the mock holds old references, and one to a scheduler that was cut away
    assert {defect.kind for defect in device.defects} == {
        DefectKind.MALFORMED_REFERENCE,
        DefectKind.DANGLING_REFERENCE,
    }


def test_state_database_gives_the_packet_buffer(captures: Path) -> None:
    assert read(captures, "redis_state_db_subset.json").qos[""].mmu_bytes == 13_945_824


def test_shown_buffer_configuration(captures: Path) -> None:
    qos = read(captures, "show_buffer_configuration.txt").qos[""]
    assert not isinstance(qos.pools, Missing)
    assert not isinstance(qos.buffer_profiles, Missing)
    assert (qos.oversubscription, qos.pools["egress_lossless_pool"].size_bytes) == (2, 13_945_824)
    assert qos.buffer_profiles["ingress_lossless_profile_hbm"].threshold == Static(12_121_212)
    assert qos.buffer_profiles["headroom_profile"].headroom_bytes == 32_768
    assert qos.buffer_profiles["alpha_profile"].is_computed is True


def test_shown_applied_buffers(captures: Path) -> None:
    qos = read(captures, "show_buffer_information.txt").qos[""]
    assert not isinstance(qos.pools, Missing)
    assert qos.pools["ingress_lossless_pool"].size_bytes == 4_580_864


def test_shown_ecn(captures: Path) -> None:
    qos = read(captures, "show_ecn.txt").qos[""]
    ecn = Ecn(1_048_576, 2_097_152, 5, CongestionAction.MARK, is_active=True)
    assert qos.ecn_profiles == {"AZURE_LOSSLESS": ecn}


def test_shown_pfc(captures: Path) -> None:
    names = ("show_pfc_asymmetric.txt", "show_pfc_priority.txt")
    device = parse([document(captures, name) for name in names], name="switch")
    assert len(device.ports) == 32
    assert device.ports["Ethernet4"].qos.pfc_rx == frozenset({3, 4})
    assert device.ports["Ethernet8"].qos.pfc_rx is UNKNOWN


def test_shown_watchdog(captures: Path) -> None:
    device = read(captures, "show_pfcwd_config.txt")
    assert device.ports["Ethernet8"].qos.watchdog == Watchdog(
        600, 600, WatchdogAction.DROP, UNKNOWN
    )
    assert device.qos[""].watchdog_poll_ms == 600
