"""What the NX-OS switch shows: forms of the public captures, and one row that is no list."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.lab.devices.nxos.layout import table
from netcheck.lab.devices.nxos.state import NxosSwitch
from netcheck.lossless.dataplane.result import PortCounters
from tests.lab.nxos.nxos_labs import (
    LOSSLESS,
    PAUSE,
    PORTS,
    build_lab,
    configured,
    data_of,
    shown,
    switch_of,
)

PRIORITY_3 = (0, 0, 0, 1, 0, 0, 0, 0)


def of_priority_3(value: int) -> tuple[int, ...]:
    return tuple(value * one for one in PRIORITY_3)


@pytest.fixture
def switch(tmp_path: Path) -> NxosSwitch:
    found = switch_of(build_lab(tmp_path))
    assert configured(found, LOSSLESS) == []
    counters = PortCounters(
        rx_packets=of_priority_3(100),
        rx_bytes=of_priority_3(100_000),
        pfc_in=of_priority_3(7),
        pfc_out=of_priority_3(12),
        queue_packets=of_priority_3(90),
        queue_drops=of_priority_3(2),
        queue_marks=of_priority_3(5),
        group_drops=of_priority_3(3),
    )
    found.count("Ethernet1/1", counters)
    return found


def test_one_row_is_a_dict_and_several_are_a_list() -> None:
    assert table("x", []) == {}
    assert table("x", [{"a": 1}]) == {"TABLE_x": {"ROW_x": {"a": 1}}}
    assert table("x", [{"a": 1}, {"a": 2}]) == {"TABLE_x": {"ROW_x": [{"a": 1}, {"a": 2}]}}


def test_pfc_is_shown_as_in_public_captures(switch: NxosSwitch) -> None:
    configured(switch, "interface Ethernet1/2\npriority-flow-control mode auto")
    assert shown(switch, "show interface priority-flow-control").splitlines()[1:6] == [
        "Port               Mode Oper(VL bmap)  RxPPP      TxPPP",
        "============================================================",
        "",
        "Ethernet1/1        On   On  (8)       7          12",
        "Ethernet1/2        Auto Off           0          0",
    ]


def test_pfc_of_one_port_is_one_row(switch: NxosSwitch) -> None:
    data = data_of(switch, "show interface ethernet 1/1 priority-flow-control")
    row = data["TABLE_module"]["ROW_module"]["TABLE_pfc_interface"]["ROW_pfc_interface"]
    assert row == {
        "if_name_str": "Ethernet1/1",
        "admin": "On",
        "oper": "On  (8)",
        "rx-stats": 7,
        "tx-stats": 12,
    }


def test_pfc_detail_counts_by_priority(switch: NxosSwitch) -> None:
    text = shown(switch, "show interface eth1/1 priority-flow-control detail")
    assert "Admin Mode: On" in text
    assert "Total Tx PFC Frames: 12" in text
    received = next(line for line in text.splitlines() if line.strip().startswith("Rx"))
    assert [part.strip() for part in received.split("|")[1:9]] == list("00070000")


def test_queuing_counts_queues_drops_and_pauses(switch: NxosSwitch) -> None:
    text = shown(switch, "show queuing interface ethernet1/1")
    assert "Egress Queuing for Ethernet1/1 [System]" in text
    words = [line.split() for line in text.splitlines()]
    assert ["Ingress", "MMU", "Drop", "Pkts", "3"] in words
    assert ["3", "3", "3", "Inactive", "12", "Inactive", "7"] in words
    assert ["4", "-", "-", "Inactive", "0", "Inactive", "0"] in words


def test_queuing_as_json_has_rows_for_both_directions(switch: NxosSwitch) -> None:
    configured(switch, PAUSE)
    data = data_of(switch, "show queuing interface ethernet1/1")
    module = data["TABLE_module"]["ROW_module"]
    assert module["TABLE_interface_mtu"]["ROW_interface_mtu"]["mtu_val"] == 9216
    egress, ingress = module["TABLE_queuing_interface"]["ROW_queuing_interface"]
    assert (egress["dir"], ingress["dir"]) == ("Egress", "Ingress")
    shares = {
        row["qosgrp"]: (row["bandwidth"], row["priority"])
        for row in egress["TABLE_qosgrp_cfg"]["ROW_qosgrp_cfg"]
    }
    assert (shares["3"], shares["6"]) == (("50", "-"), ("-", "1"))
    pauses = {row["qosgrp"]: row for row in ingress["TABLE_qosgrp_cfg"]["ROW_qosgrp_cfg"]}
    assert pauses["3"]["buffer-size"] == "1698304"
    assert pauses["0"]["buffer-size"] == "-"
    assert (ingress["tx-ppp"], ingress["rx-ppp"]) == ("12", "7")


def test_marked_packets_stand_in_the_tabular_form(switch: NxosSwitch) -> None:
    row = data_of(switch, "show queuing tabular interface ethernet1/1")
    row = row["TABLE_queuing_interface"]["ROW_queuing_interface"]
    assert (row["tx_uc_ecn_pkt_qos_3"], row["tx_uc_drop_pkt_qos_3"]) == ("5", "2")
    assert (row["pfc_tx_qos_3"], row["ing_drop_pkt"]) == ("12", "3")


def test_the_watchdog_is_on_where_switch_and_interface_say_so(switch: NxosSwitch) -> None:
    configured(switch, "interface Ethernet1/2\nno priority-flow-control watch-dog-interval on")
    data = data_of(switch, "show queuing pfc-queue detail")
    assert (data["glb-wd-status"], data["glb-wd-timer"]) == ("Enabled", "200")
    rows = data["TABLE_queuing_interface"]["ROW_queuing_interface"]
    assert [row["wd-status"] for row in rows] == ["Enabled", "Disabled", "Enabled", "Enabled"]
    group = rows[0]["TABLE_qosgrp_stats"]["ROW_qosgrp_stats"]
    assert (group["pfc-cos"], group["pfc-configured"]) == ("3", "YES")
    configured(switch, "priority-flow-control watch-dog-interval off")
    text = shown(switch, "show queuing pfc-queue detail")
    assert "Interface PFC watchdog: [Enabled]" not in text


def test_policies_are_shown_where_they_are_attached(switch: NxosSwitch) -> None:
    text = shown(switch, "show policy-map system type network-qos")
    assert "policy-map type network-qos LOSSLESS" in text
    assert "      match qos-group 3\n\n      mtu 9216\n      pause pfc-cos 3" in text
    text = shown(switch, "show policy-map interface ethernet1/1 input type qos")
    assert "Service-policy (qos) input:   IN" in text
    text = shown(switch, "show policy-map interface ethernet1/1")
    assert "Class-map (queuing):   c-out-8q-q3 (match-any)" in text
    assert "queue dropped pkts : 2" in text


def test_an_interface_shows_its_mtu_drops_and_speed(switch: NxosSwitch) -> None:
    row = data_of(switch, "show interface ethernet1/1")["TABLE_interface"]["ROW_interface"]
    assert (row["eth_mtu"], row["eth_speed"], row["eth_indiscard"]) == ("9216", "400 Gb/s", 3)
    assert "  MTU 9216 bytes, BW 400000000 Kbit" in shown(switch, "show interface ethernet1/1")


def test_neighbours_are_shown_while_lldp_is_on(switch: NxosSwitch) -> None:
    rows = data_of(switch, "show lldp neighbors detail")["TABLE_nbor_detail"]["ROW_nbor_detail"]
    assert [(row["l_port_id"], row["sys_name"], row["port_id"]) for row in rows][:2] == [
        ("Eth1/1", "gpu01", "rail0"),
        ("Eth1/2", "gpu01", "rail1"),
    ]
    configured(switch, "interface Ethernet1/1\nshutdown")
    rows = data_of(switch, "show lldp neighbors detail")["TABLE_nbor_detail"]["ROW_nbor_detail"]
    assert len(rows) == len(PORTS) - 1
    assert configured(switch, "no feature lldp") == []
    assert "% Invalid command" in shown(switch, "show lldp neighbors")


def test_the_version_names_release_and_chassis(switch: NxosSwitch) -> None:
    data = data_of(switch, "show version")
    assert (data["nxos_ver_str"], data["chassis_id"]) == (
        "10.4(3)",
        "Nexus9000 C93600CD-GX Chassis",
    )
    assert data["host_name"] == "leaf01"


def test_an_output_can_be_filtered(switch: NxosSwitch) -> None:
    assert shown(switch, "show running-config | include pause") == "    pause pfc-cos 3\n"
    text = shown(switch, "show running-config | section system qos")
    assert text.splitlines()[0] == "system qos"
    assert len(text.splitlines()) == 3
    assert "cannot convert" in shown(switch, "show clock | json")
    assert "% Invalid command" in shown(switch, "show clock | include [")


def test_counters_can_be_cleared(switch: NxosSwitch) -> None:
    shown(switch, "clear counters")
    assert "Ethernet1/1        On   On  (8)       0          0" in shown(
        switch, "show interface priority-flow-control"
    )
