"""Live outputs: what they say, and that what is cut or damaged says nothing."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping

import pytest

from netcheck.model.counters import CounterClass, Meaning
from netcheck.model.device import AdminState, DefectKind, Device, Neighbour
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.qos import DcbxMode, PfcMode, Scheduler, SchedulerKind, Static, Watchdog
from netcheck.platforms.nxos.quirks import rows
from tests.platforms.nxos.nxos_texts import (
    INTERFACE,
    PFC,
    QUEUING,
    STUCK,
    queuing_json,
    read,
    read_json,
)


def values(device: Device, port: str = "Ethernet1/1") -> Mapping[tuple[Meaning, int], Known[int]]:
    """Readings of a port by meaning and number, without those of no meaning."""
    assert is_known(device.counters)
    return {
        (key.meaning, key.number): counter.value
        for key, counter in device.counters.items()
        if key.port == port and key.meaning is not Meaning.OTHER
    }


EXPECTED = {
    (Meaning.QUEUE_PACKETS, 0): 107,
    (Meaning.QUEUE_BYTES, 0): 64700,
    (Meaning.QUEUE_DROP, 0): 4,
    (Meaning.QUEUE_PACKETS, 3): 900,
    (Meaning.QUEUE_BYTES, 3): 3600000,
    (Meaning.QUEUE_DROP, 3): 0,
    (Meaning.WRED_DROP, -1): 9,
    (Meaning.PRIORITY_GROUP_DROP, -1): 11,
    (Meaning.PFC_TX, 0): 0,
    (Meaning.PFC_RX, 0): 0,
    (Meaning.PFC_TX, 3): 34,
    (Meaning.PFC_RX, 3): 12,
}


def test_the_table_of_pfc_tells_mode_and_priorities() -> None:
    device = read(PFC)
    assert set(device.ports) == {"Ethernet1/1", "Ethernet1/2", "Ethernet1/3/1"}
    qos = device.ports["Ethernet1/2"].qos
    assert (qos.pfc_mode, qos.pfc_rx) == (PfcMode.AUTO, frozenset())
    assert device.ports["Ethernet1/1"].qos.pfc_tx == frozenset({3})
    assert device.ports["Ethernet1/3/1"].qos.pfc_tx == frozenset({3, 4})
    assert device.defects == ()


def test_the_table_of_pfc_is_read_in_json_too() -> None:
    row = {
        "if_name_str": "Ethernet1/1",
        "admin": "On",
        "oper": "On (8)",
        "rx-stats": "12",
        "tx-stats": "34",
    }
    module = {"TABLE_pfc_interface": {"ROW_pfc_interface": row}}
    device = read_json({"TABLE_module": {"ROW_module": module}})
    qos = device.ports["Ethernet1/1"].qos
    assert (qos.pfc_mode, qos.pfc_tx) == (PfcMode.ON, frozenset({3}))


def test_the_detail_of_pfc_counts_each_priority() -> None:
    cells = "".join(f"|{150 if priority == 5 else 0:<13}" for priority in range(8))
    text = (
        "Ethernet1/51\n    Admin Mode: On\n    Oper Mode: On\n    VL bitmap: (20)\n"
        "    Total Rx PFC Frames: 0\n    Total Tx PFC Frames: 150\n    -----\n"
        "        |  Priority0  |  Priority1  |  Priority2  |  Priority3  |  Priority4\n    -----\n"
        f"    Rx  {'|0            ' * 8}\n    -----\n    Tx  {cells}\n"
    )
    device = read(text)
    assert device.defects == ()
    assert device.ports["Ethernet1/51"].qos.pfc_tx == frozenset({5})
    found = values(device, "Ethernet1/51")
    assert (found[Meaning.PFC_TX, 5], found[Meaning.PFC_RX, 5], len(found)) == (150, 0, 16)


def test_queues_are_counted_over_unicast_and_multicast() -> None:
    device = read(QUEUING)
    assert values(device) == EXPECTED
    assert device.defects == ()


def test_losses_must_be_zero_and_pauses_tell_of_congestion() -> None:
    counters = read(QUEUING).counters
    assert is_known(counters)
    kinds = {key.meaning: counter.kind for key, counter in counters.items()}
    assert kinds[Meaning.QUEUE_DROP] is CounterClass.MUST_BE_ZERO
    assert kinds[Meaning.PRIORITY_GROUP_DROP] is CounterClass.MUST_BE_ZERO
    assert kinds[Meaning.PFC_TX] is CounterClass.CONGESTION


def test_queuing_shows_service_and_accounts() -> None:
    qos = read(QUEUING).ports["Ethernet1/1"].qos
    assert qos.scheduler == {
        0: Scheduler(SchedulerKind.WEIGHTED, 40),
        3: Scheduler(SchedulerKind.WEIGHTED, 60),
        7: Scheduler(SchedulerKind.STRICT),
    }
    assert is_known(qos.ingress_buffer)
    assert qos.ingress_buffer[3].threshold == Static(46800)


@pytest.mark.parametrize("line", range(1, len(QUEUING.splitlines()) + 1))
def test_a_line_that_is_missing_changes_no_other_counter(line: int) -> None:
    lines = QUEUING.splitlines(keepends=True)
    found = values(read("".join(lines[: line - 1] + lines[line:]), "show queuing interface"))
    assert {key: EXPECTED[key] for key in found} == found


@pytest.mark.parametrize("at", range(40, len(QUEUING), 97))
def test_a_text_that_is_cut_says_less_and_nothing_else(at: int) -> None:
    device = read(QUEUING[:at], "show queuing interface")
    found = values(device) if is_known(device.counters) else {}
    assert {key: EXPECTED[key] for key in found} == found


def test_damaged_rows_of_pfc_are_told_and_say_nothing() -> None:
    device = read(PFC.replace("On   On  (8)        12", "On   On  (8)        1x"))
    assert "Ethernet1/1" not in device.ports
    assert [defect.kind for defect in device.defects] == [DefectKind.MALFORMED_VALUE]


@pytest.mark.parametrize("ports", [1, 2])
def test_queuing_in_json_is_read_whatever_its_rows(ports: int) -> None:
    device = read_json(queuing_json(ports))
    assert set(device.ports) == {f"Ethernet1/{number}" for number in range(1, ports + 1)}
    assert values(device, f"Ethernet1/{ports}") == {
        (Meaning.QUEUE_PACKETS, 3): 900,
        (Meaning.QUEUE_BYTES, 3): 3600000,
        (Meaning.ECN_MARKED, 3): 5,
        (Meaning.PRIORITY_GROUP_DROP, -1): 11,
        (Meaning.PFC_TX, 3): 34,
        (Meaning.PFC_RX, 3): 12,
    }


def test_envelopes_of_the_api_are_taken_off() -> None:
    body = queuing_json()
    envelope = {"ins_api": {"outputs": {"output": {"body": body, "code": "200"}}}}
    assert read_json(envelope).counters == read_json(body).counters


def test_a_counter_without_a_number_is_unknown() -> None:
    data = copy.deepcopy(queuing_json())
    text = json.dumps(data).replace('"eq-uc-stat-value": "900"', '"eq-uc-stat-value": "-"')
    assert values(read(text))[Meaning.QUEUE_PACKETS, 3] is UNKNOWN


def test_json_that_breaks_off_is_told_and_counts_nothing() -> None:
    device = read(json.dumps(queuing_json())[:-40], "show queuing interface | json")
    assert [defect.kind for defect in device.defects] == [DefectKind.MALFORMED_VALUE]
    assert device.counters is UNKNOWN


def test_marks_are_counted_in_the_table_of_queues() -> None:
    row = {"if_name_str": "Ethernet1/1", "tx_uc_ecn_pkt_qos_3": "7", "tx_uc_pkt_qos_3": "9"}
    device = read_json({"TABLE_queuing_interface": {"ROW_queuing_interface": row}})
    assert values(device) == {(Meaning.ECN_MARKED, 3): 7, (Meaning.QUEUE_PACKETS, 3): 9}


def test_an_older_form_counts_a_port_apart_from_its_slice() -> None:
    text = (
        "Ingress Queuing for Ethernet1/51\n"
        "-----------------------------------------------------\n"
        "QoS-Group#                 Pause\n"
        "           Buff Size       Pause Th      Resume Th\n"
        "      5         348608        77376        75712\n"
        "      4              -            -            -\n"
        "Per Port Ingress Statistics\n"
        "     Hi Priority Drop Pkts                           0\n"
        "Ingress Overflow Drop Pkts                       19\n"
        "Per Slice Ingress Statistics\n"
        "Ingress Overflow Drop Pkts                       71206\n"
        "PFC Statistics\n"
        "TxPPP:                  150,   RxPPP:                    0\n"
        "PFC_COS QOS_Group   TxPause             TxCount   RxPause             RxCount\n"
        "      5         5  Inactive                 150  Inactive                   0\n"
    )
    device = read(text)
    assert device.defects == ()
    assert values(device, "Ethernet1/51") == {
        (Meaning.PRIORITY_GROUP_DROP, -1): 19,
        (Meaning.PFC_TX, 5): 150,
        (Meaning.PFC_RX, 5): 0,
    }
    accounts = device.ports["Ethernet1/51"].qos.ingress_buffer
    assert is_known(accounts)
    assert accounts[5].headroom_bytes == 348608 - 77376


def test_the_watchdog_tells_what_it_guards_and_what_it_did() -> None:
    device = read(STUCK)
    watchdog = device.ports["Ethernet1/1"].qos.watchdog
    assert isinstance(watchdog, Watchdog)
    assert watchdog.priorities == frozenset({3})
    assert values(device) == {
        (Meaning.WATCHDOG_STORM, 3): 1,
        (Meaning.WATCHDOG_RESTORED, 3): 2,
        (Meaning.WATCHDOG_DROP, 3): 4,
    }


@pytest.mark.parametrize(
    ("switch", "port", "expected"),
    [
        ("Enabled", "Enabled", Watchdog(200, 2000)),
        ("Enabled", "Disabled", ABSENT),
        ("Disabled", "Enabled", ABSENT),
    ],
)
def test_the_watchdog_runs_where_switch_and_port_have_it(
    switch: str, port: str, expected: Known[Watchdog]
) -> None:
    data = {
        "glb-wd-status": switch,
        "glb-wd-timer": "100",
        "glb-wd-timer-thresh": "2",
        "glb-auto-restore": "20",
        "glb-fixed-restore": "0",
        "TABLE_queuing_interface": {
            "ROW_queuing_interface": {
                "if_name_str": "Ethernet1/1 Interface PFC watchdog: [Enabled]",
                "wd-status": port,
                "disable-action": "",
            }
        },
    }
    device = read_json(data)
    assert device.ports["Ethernet1/1"].qos.watchdog == expected
    assert device.qos[""].watchdog_poll_ms == 100


def test_interfaces_show_state_mtu_speed_and_errors() -> None:
    device = read_json({"TABLE_interface": {"ROW_interface": [INTERFACE, {"interface": "mgmt0"}]}})
    port = device.ports["Ethernet1/1"]
    assert set(device.ports) == {"Ethernet1/1"}
    assert (port.link_state, port.l2_mtu) == (AdminState.UP, 9216)
    assert port.operational_speed_bps == 400_000_000_000
    found = values(device)
    assert found[Meaning.PORT_INGRESS_DROP, -1] == 3
    assert found[Meaning.PHYSICAL_ERROR, -1] == 1


def test_neighbours_and_start_time_are_read() -> None:
    row = {"l_port_id": "Eth1/1", "sys_name": "gpu01", "port_id": "rail0"}
    device = read_json({"TABLE_nbor_detail": {"ROW_nbor_detail": row}})
    assert device.ports["Ethernet1/1"].neighbour == Neighbour("gpu01", "rail0")
    assert (
        read_json({"sys_st_time": "Fri Oct 17 13:50:28 2025"}).boot_id == "Fri Oct 17 13:50:28 2025"
    )
    text = "System start time:          Fri Oct 17 13:50:28 2025\nSystem uptime:  2 days\n"
    assert read(text).boot_id == "Fri Oct 17 13:50:28 2025"


def test_the_dcbx_that_a_peer_speaks_is_read() -> None:
    device = read("Ethernet1/1  Detected: CIN         Willing: No\n")
    qos = device.ports["Ethernet1/1"].qos
    assert (qos.dcbx_mode, qos.dcbx_willing) == (DcbxMode.CEE, False)


def test_release_and_model_are_read() -> None:
    device = read_json({"nxos_ver_str": "10.3(4a)", "chassis_id": "Nexus9000 C93600CD-GX Chassis"})
    assert device.os_version == "10.3(4a)"


def test_an_empty_output_is_told() -> None:
    [defect] = read("\n", "show queuing interface | json").defects
    assert defect.kind is DefectKind.MALFORMED_VALUE


@pytest.mark.parametrize("table", [{}, {"TABLE_x": ""}, {"TABLE_x": {"ROW_x": ""}}, [], None, 3])
def test_tables_without_rows_give_none(table: object) -> None:
    assert list(rows(table, "x")) == []
