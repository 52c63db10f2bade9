"""Live databases: what the switch applied, what it counts, whom it sees."""

from __future__ import annotations

import pytest

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.device import AdminState, Device, Neighbour
from netcheck.model.document import Document
from netcheck.model.known import ABSENT, UNKNOWN, Missing
from netcheck.model.qos import Buffer, Dynamic
from netcheck.platforms.sonic.commands import commands
from netcheck.platforms.sonic.parse import parse
from netcheck.platforms.sonic.recognise import recognise
from tests.platforms.sonic.sonic_texts import config, dump, read_text, text_of

BUFFERS = 'sonic-db-dump -n APPL_DB -k "BUFFER_*" -y'
PORTS = 'sonic-db-dump -n APPL_DB -k "PORT_TABLE:*" -y'
NEIGHBOURS = 'sonic-db-dump -n APPL_DB -k "LLDP_ENTRY_TABLE:*" -y'
LIMITS = 'sonic-db-dump -n STATE_DB -k "BUFFER_MAX_PARAM_TABLE|*" -y'
COUNTERS = "sonic-db-dump -n COUNTERS_DB -y"

APPLIED = {
    "BUFFER_POOL_TABLE:ingress_lossless_pool": {
        "type": "ingress",
        "mode": "dynamic",
        "size": "52161690",
        "xoff": "3702784",
    },
    "BUFFER_PROFILE_TABLE:pg_lossless_400000_40m_profile": {
        "pool": "ingress_lossless_pool",
        "size": "19456",
        "xon": "19456",
        "xoff": "283648",
        "dynamic_th": "0",
    },
    "BUFFER_PG_TABLE:Ethernet0:3-4": {"profile": "pg_lossless_400000_40m_profile"},
}


def state(hashes: dict[str, dict[str, str]], command: str) -> Device:
    """The device that one dump describes."""
    return read_text(dump(hashes), command)


def test_applied_groups_are_read_with_their_numbers() -> None:
    qos = state(APPLIED, BUFFERS).ports["Ethernet0"].qos
    account = Buffer(
        19456, 283648, ABSENT, 19456, ABSENT, Dynamic(1.0), "ingress_lossless_pool",
        "pg_lossless_400000_40m_profile", is_lossless=True, is_computed=UNKNOWN,
    )  # fmt: skip
    assert qos.ingress_buffer == {3: account, 4: account}
    assert (qos.pfc_tx, qos.trust, qos.ecn) == (UNKNOWN, UNKNOWN, UNKNOWN)


def test_table_that_a_whole_dump_does_not_show_is_empty() -> None:
    device = state({"BUFFER_PG_TABLE:Ethernet0:3": {"profile": "rejected"}}, BUFFERS)
    assert device.qos[""].pools == {}
    assert device.ports["Ethernet0"].qos.egress_buffer is ABSENT


def test_part_of_a_table_says_nothing_of_the_rest() -> None:
    command = 'sonic-db-dump -n APPL_DB -k "BUFFER_PG_TABLE:Ethernet0:3-4" -y'
    device = state({"BUFFER_PG_TABLE:Ethernet0:3-4": {"profile": "x"}}, command)
    assert (device.qos[""].pools, device.defects) == (UNKNOWN, ())


def test_applied_profile_that_is_missing_dangles() -> None:
    device = state({"BUFFER_PG_TABLE:Ethernet0:3": {"profile": "rejected"}}, BUFFERS)
    assert [defect.place for defect in device.defects] == ["BUFFER_PG|Ethernet0|3 profile"]


def test_live_ports_have_link_state_and_speed() -> None:
    row = {"speed": "400000", "mtu": "9100", "admin_status": "up", "lanes": "1,2,3,4"}
    hashes = {
        "PORT_TABLE:Ethernet0": {**row, "oper_status": "up"},
        "PORT_TABLE:Ethernet8": {**row, "oper_status": "down"},
        "PORT_TABLE:PortInitDone": {"lanes": "0"},
    }
    ports = state(hashes, PORTS).ports
    assert {name: port.link_state for name, port in ports.items()} == {
        "Ethernet0": AdminState.UP,
        "Ethernet8": AdminState.DOWN,
    }
    assert ports["Ethernet0"].operational_speed_bps == 400_000_000_000
    assert ports["Ethernet8"].operational_speed_bps is ABSENT
    assert (ports["Ethernet0"].l2_mtu, ports["Ethernet0"].admin_state) == (9100, AdminState.UP)


def test_neighbour_is_read_and_silence_is_unknown() -> None:
    seen = {"lldp_rem_sys_name": "gpu01", "lldp_rem_port_id": "rail0"}
    hashes = {
        "LLDP_ENTRY_TABLE:Ethernet0": seen,
        "LLDP_ENTRY_TABLE:Ethernet8": {"lldp_rem_sys_name": "gpu02"},
        "LLDP_ENTRY_TABLE:eth0": seen,
    }
    ports = state(hashes, NEIGHBOURS).ports
    assert set(ports) == {"Ethernet0", "Ethernet8"}
    assert ports["Ethernet0"].neighbour == Neighbour("gpu01", "rail0")
    assert ports["Ethernet8"].neighbour is UNKNOWN


def test_limits_of_the_hardware_are_read() -> None:
    hashes = {
        "BUFFER_MAX_PARAM_TABLE|global": {"mmu_size": "158229504"},
        "BUFFER_MAX_PARAM_TABLE|Ethernet0": {"max_headroom_size": "1443840"},
        "BUFFER_MAX_PARAM_TABLE|Ethernet8": {"max_queues": "16"},
    }
    documents = [
        Document("config_db.json", text_of(config())),
        Document("state_db_buffers.json", dump(hashes), LIMITS),
    ]
    device = parse(documents, name="leaf1")
    assert device.qos[""].mmu_bytes == 158229504
    assert device.ports["Ethernet0"].max_headroom_bytes == 1443840
    assert device.ports["Ethernet8"].max_headroom_bytes is UNKNOWN


# --- counters

NAMES = {
    "COUNTERS_PORT_NAME_MAP": {"Ethernet0": "oid:0x1"},
    "COUNTERS_QUEUE_NAME_MAP": {"Ethernet0:3": "oid:0x2", "switch|Ethernet4:3": "oid:0x5"},
    "COUNTERS_PG_NAME_MAP": {"Ethernet0:3": "oid:0x3"},
    "COUNTERS_BUFFER_POOL_NAME_MAP": {"ingress_lossless_pool": "oid:0x4"},
}
ZERO, CONGESTION = CounterClass.MUST_BE_ZERO, CounterClass.CONGESTION
INFORMATION, GAUGE = CounterClass.INFORMATION, CounterClass.GAUGE


@pytest.mark.parametrize(
    ("oid", "name", "key", "kind", "unit"),
    [
        ("1", "SAI_PORT_STAT_IF_IN_DISCARDS", (Meaning.PORT_INGRESS_DROP, -1), ZERO, "packets"),
        ("1", "SAI_PORT_STAT_IF_OUT_DISCARDS", (Meaning.PORT_EGRESS_DROP, -1), ZERO, "packets"),
        ("1", "SAI_PORT_STAT_IF_IN_ERRORS", (Meaning.PHYSICAL_ERROR, -1), ZERO, "packets"),
        ("1", "SAI_PORT_STAT_PFC_3_RX_PKTS", (Meaning.PFC_RX, 3), CONGESTION, "packets"),
        ("1", "SAI_PORT_STAT_PFC_3_TX_PKTS", (Meaning.PFC_TX, 3), CONGESTION, "packets"),
        (
            "1",
            "EST_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US",
            (Meaning.PFC_RX_DURATION, 3),
            CONGESTION,
            "us",
        ),
        ("1", "SAI_PORT_STAT_IF_IN_OCTETS", (Meaning.OTHER, -1), INFORMATION, "bytes"),
        ("2", "SAI_QUEUE_STAT_PACKETS", (Meaning.QUEUE_PACKETS, 3), INFORMATION, "packets"),
        ("2", "SAI_QUEUE_STAT_BYTES", (Meaning.QUEUE_BYTES, 3), INFORMATION, "bytes"),
        ("2", "SAI_QUEUE_STAT_DROPPED_PACKETS", (Meaning.QUEUE_DROP, 3), ZERO, "packets"),
        (
            "2",
            "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS",
            (Meaning.ECN_MARKED, 3),
            CONGESTION,
            "packets",
        ),
        (
            "2",
            "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED",
            (Meaning.WATCHDOG_STORM, 3),
            ZERO,
            "events",
        ),
        (
            "2",
            "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS",
            (Meaning.WATCHDOG_DROP, 3),
            ZERO,
            "packets",
        ),
        (
            "3",
            "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS",
            (Meaning.PRIORITY_GROUP_DROP, 3),
            ZERO,
            "packets",
        ),
        (
            "3",
            "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES",
            (Meaning.HEADROOM_WATERMARK, 3),
            GAUGE,
            "bytes",
        ),
    ],
)
def test_counter_has_its_meaning(
    oid: str, name: str, key: tuple[Meaning, int], kind: CounterClass, unit: str
) -> None:
    device = state({**NAMES, f"COUNTERS:oid:0x{oid}": {name: "12"}}, COUNTERS)
    meaning, number = key
    assert device.counters == {
        CounterKey("Ethernet0", meaning, number, name): Counter(12, kind, unit)
    }


def test_pool_watermark_belongs_to_no_port() -> None:
    hashes = {**NAMES, "COUNTERS:oid:0x4": {"SAI_BUFFER_POOL_STAT_WATERMARK_BYTES": "9"}}
    name = "ingress_lossless_pool SAI_BUFFER_POOL_STAT_WATERMARK_BYTES"
    key = CounterKey("", Meaning.SHARED_WATERMARK, -1, name)
    assert state(hashes, COUNTERS).counters == {key: Counter(9, GAUGE, "bytes")}


def test_user_watermarks_have_a_name_of_their_own() -> None:
    field = "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES"
    hashes = {**NAMES, "USER_WATERMARKS:oid:0x3": {field: "5"}}
    key = CounterKey("Ethernet0", Meaning.SHARED_WATERMARK, 3, f"USER_WATERMARKS {field}")
    assert state(hashes, COUNTERS).counters == {key: Counter(5, GAUGE, "bytes")}


def test_reading_that_is_no_number_is_unknown() -> None:
    hashes = {**NAMES, "COUNTERS:oid:0x2": {"SAI_QUEUE_STAT_PACKETS": "N/A"}}
    found = state(hashes, COUNTERS).counters
    assert not isinstance(found, Missing)
    assert [counter.value for counter in found.values()] == [UNKNOWN]


def test_settings_among_counters_are_no_counters() -> None:
    fields = {"PFC_WD_STATUS": "operational", "PFC_WD_DETECTION_TIME": "200000"}
    device = state({**NAMES, "COUNTERS:oid:0x2": fields}, COUNTERS)
    assert device.counters == {}


def test_no_name_map_gives_no_counters() -> None:
    device = state({"COUNTERS:oid:0x2": {"SAI_QUEUE_STAT_PACKETS": "1"}}, COUNTERS)
    assert device.counters is UNKNOWN


def test_evidence_of_counters_names_the_command() -> None:
    hashes = {**NAMES, "COUNTERS:oid:0x1": {"SAI_PORT_STAT_IF_IN_DISCARDS": "0"}}
    place = state(hashes, COUNTERS).find_evidence("port Ethernet0 counters")
    assert (place.command, place.line > 0) == (COUNTERS, True)


def test_boot_and_release_are_read() -> None:
    boot = "0b9f6a3e-1111-4222-8333-444455556666"
    documents = [
        Document("boot_id.txt", boot + "\n", "cat /proc/sys/kernel/random/boot_id"),
        Document(
            "sonic_version.yml",
            "build_version: 'SONiC.202311.7'\nasic_type: mellanox\n",
            "cat /etc/sonic/sonic_version.yml",
        ),
    ]
    device = parse(documents, name="leaf1")
    assert (device.boot_id, device.os_version) == (boot, "SONiC.202311.7")


def test_cut_boot_id_is_unknown() -> None:
    device = read_text("0b9f6a3e-1111", "cat /proc/sys/kernel/random/boot_id")
    assert (device.boot_id, len(device.defects)) == (UNKNOWN, 1)


def test_every_output_of_the_commands_is_recognised_by_its_command_alone() -> None:
    texts = {"config_db.json": text_of(config()), "sonic_version.yml": "build_version: 'x'"}
    unknown = [
        command.file
        for command in commands(Device("leaf1"))
        if recognise(Document(command.file, texts.get(command.file, "{}"), command.line)) is None
    ]
    assert unknown == ["boot_id.txt"]  # every Linux has one
