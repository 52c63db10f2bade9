from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from netcheck.lab.devices.sonic.checks import find_refused, refusal_texts
from netcheck.lab.devices.sonic.layout import simple
from tests.lab.labs import build, lossless_tables, set_up, sh, switch_of

# where in the good configuration something is put, and which refusal follows
BAD: list[tuple[str, str, str, str | None, str]] = [
    ("PORT_QOS_MAP", "Ethernet0", "dscp_to_tc_map", "nosuch", "dangling-map"),
    ("PORT_QOS_MAP", "Ethernet0", "dscp_to_tc_map", "[DSCP_TO_TC_MAP|m]", "bracket-reference"),
    ("PORT_QOS_MAP", "Ethernet4", "pfc_enable", "3", "port-missing"),
    ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "9", "pfc-enable-pattern"),
    ("PORT_QOS_MAP", "Ethernet0", "pfc_enabled", "3", "unknown-field"),
    ("QUEUE", "Ethernet0|3", "scheduler", "nosuch", "dangling-scheduler"),
    ("QUEUE", "Ethernet0|3", "wred_profile", "nosuch", "dangling-wred"),
    ("QUEUE", "Ethernet0|77", "scheduler", "half", "queue-range"),
    ("BUFFER_PG", "Ethernet0|3", "profile", "nosuch", "dangling-profile"),
    ("BUFFER_PG", "Ethernet0|8", "profile", "mine", "pg-range"),
    ("BUFFER_PROFILE", "mine", "pool", "nosuch", "dangling-pool"),
    ("BUFFER_PROFILE", "mine", "size", None, "mandatory-missing"),
    ("BUFFER_PROFILE", "mine", "dynamic_th", "8", "dynamic-th-range"),
    ("BUFFER_PROFILE", "mine", "static_th", "1", "threshold-kind"),
    ("BUFFER_PROFILE", "mine", "xoff", "98 KB", "not-a-number"),
    ("BUFFER_POOL", "ingress_lossless_pool", "mode", "elastic", "pool-mode"),
    ("DSCP_TO_TC_MAP", "m", "64", "3", "dscp-range"),
    ("DSCP_TO_TC_MAP", "m", "26", "16", "tc-range"),
    ("TC_TO_QUEUE_MAP", "m", "3", "8", "queue-range"),
    ("TC_TO_PRIORITY_GROUP_MAP", "m", "3", "8", "pg-range"),
    ("MAP_PFC_PRIORITY_TO_QUEUE", "m", "8", "3", "pcp-range"),
    ("PORT", "Ethernet0", "mtu", "9217", "mtu-range"),
    ("PORT", "Ethernet0", "speed", "400G", "speed-range"),
    ("CABLE_LENGTH", "AZURE", "Ethernet0", "5 m", "cable-pattern"),
    ("SCHEDULER", "half", "type", "WFQ", "scheduler-type"),
    ("SCHEDULER", "half", "weight", "0", "scheduler-weight"),
    ("WRED_PROFILE", "w", "ecn", "on", "ecn-mode"),
    ("WRED_PROFILE", "w", "green_drop_probability", "101", "wred-probability"),
    ("WRED_PROFILE", "w", "green_max_threshold", "1", "wred-threshold-order"),
    ("PFC_WD", "Ethernet0", "action", "reboot", "watchdog-action"),
    ("PFC_WD", "Ethernet0", "detection_time", "99", "watchdog-detection"),
    ("PFC_WD", "Ethernet0", "restoration_time", "60001", "watchdog-restoration"),
    ("PFC_WD", "GLOBAL", "POLL_INTERVAL", "50", "watchdog-poll"),
    ("PFC_WD", "GLOBAL", "POLL_INTERVAL", "300", "watchdog-below-poll"),
    ("DEVICE_METADATA", "localhost", "buffer_model", "static", "buffer-model"),
    ("not a table", "x", "y", "z", "unknown-table"),
]


def good_tables(tmp_path: Path) -> dict[str, Any]:
    tables: dict[str, Any] = copy.deepcopy(switch_of(build(tmp_path)).config)
    for table, rows in lossless_tables().items():
        tables.setdefault(table, {}).update(copy.deepcopy(rows))
    return tables


def test_a_good_configuration_is_taken(tmp_path: Path) -> None:
    assert find_refused(good_tables(tmp_path)) == []


@pytest.mark.parametrize(("table", "key", "field", "value", "name"), BAD)
def test_the_switch_refuses_what_sonic_refuses(
    tmp_path: Path, table: str, key: str, field: str, value: str | None, name: str
) -> None:
    tables = good_tables(tmp_path)
    row = tables.setdefault(table, {}).setdefault(key, {})
    if value is None:
        del row[field]
    else:
        row[field] = value
    assert name in {refused.name for refused in find_refused(tables)}


def test_every_refusal_has_its_words_and_its_source_and_is_tried() -> None:
    texts = refusal_texts()
    assert all(set(row) == {"says", "source"} and all(row.values()) for row in texts.values())
    assert {name for *_, name in BAD} == {name for name in texts if not name.startswith("gcu-")}


def test_a_refused_file_leaves_the_switch_as_it_was(tmp_path: Path) -> None:
    switch = switch_of(build(tmp_path))
    before = copy.deepcopy(switch.config)
    bad = copy.deepcopy(before)
    bad["BUFFER_PROFILE"]["ingress_lossy_profile"]["pool"] = "nosuch"
    switch.files.write("/root/bad.json", json.dumps(bad), user="root")
    output, status = sh(switch, "config reload -y -f /root/bad.json")
    assert status == 1
    assert "fails YANG validation" in output
    assert switch.config == before


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (
            {"op": "replace", "path": "/BUFFER_POOL/ingress_lossless_pool/size", "value": "1"},
            "Modification of BUFFER_POOL table is illegal",
        ),
        (
            {"op": "replace", "path": "/BUFFER_PROFILE/mine/size", "value": "1"},
            "Modification of BUFFER_PROFILE table is illegal",
        ),
        (
            {"op": "replace", "path": "/WRED_PROFILE/w/green_max_threshold", "value": "7000000"},
            "Modification of WRED_PROFILE table is illegal",
        ),
        (
            {"op": "remove", "path": "/SCHEDULER/nosuch"},
            "can't remove a non-existent object 'nosuch'",
        ),
        (
            {"op": "remove", "path": "/SCHEDULER/half"},
            "points to a non-existing leaf",
        ),
        (
            {"op": "replace", "path": "/VERSIONS", "value": {}},
            "empty tables",
        ),
    ],
)
def test_a_patch_is_refused_for_its_reason(
    tmp_path: Path, operation: dict[str, object], reason: str
) -> None:
    building = build(tmp_path)
    set_up(building)
    switch = switch_of(building)
    before = copy.deepcopy(switch.config)
    switch.files.write("/root/p.json", json.dumps([operation]), user="root")
    output, status = sh(switch, "config apply-patch /root/p.json")
    assert status == 2
    assert reason in output
    assert switch.config == before


def test_a_patch_a_checkpoint_and_the_way_back(tmp_path: Path) -> None:
    building = build(tmp_path)
    set_up(building)
    switch = switch_of(building)
    before = copy.deepcopy(switch.config)
    patch = [
        {"op": "replace", "path": "/BUFFER_PROFILE/mine/xoff", "value": "65536"},
        {"op": "add", "path": "/PORT_QOS_MAP/Ethernet0/pfc_enable", "value": "3,4"},
    ]
    switch.files.write("/root/p.json", json.dumps(patch), user="root")
    assert sh(switch, "config checkpoint before")[1] == 0
    assert sh(switch, "config apply-patch /root/p.json")[1] == 0
    assert switch.config["BUFFER_PROFILE"]["mine"]["xoff"] == "65536"
    assert json.loads(sh(switch, "config list-checkpoints")[0]) == ["before"]
    assert sh(switch, "config rollback before")[1] == 0
    assert switch.config == before
    assert sh(switch, "config delete-checkpoint before")[1] == 0
    assert sh(switch, "config rollback before")[1] == 2


def test_what_runs_and_what_is_saved_are_two_things(tmp_path: Path) -> None:
    switch = switch_of(build(tmp_path))
    assert sh(switch, "config interface mtu Ethernet0 9216")[1] == 0
    saved = json.loads(sh(switch, "cat /etc/sonic/config_db.json")[0])
    running = json.loads(sh(switch, "sonic-cfggen -d --print-data")[0])
    assert (saved["PORT"]["Ethernet0"]["mtu"], running["PORT"]["Ethernet0"]["mtu"]) == (
        "9100",
        "9216",
    )
    assert sh(switch, "config save -y")[1] == 0
    assert json.loads(sh(switch, "cat /etc/sonic/config_db.json")[0]) == running


def test_a_lookup_miss_is_only_logged(tmp_path: Path) -> None:
    building = build(tmp_path)
    set_up(building)
    switch = switch_of(building)
    tables = copy.deepcopy(switch.config)
    del tables["BUFFER_PG"]["Ethernet0|3"]
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "7m"
    switch.change(tables)
    assert ("Ethernet0", 3) not in switch.applied.groups
    log, _ = sh(switch, "grep -c 'No PG profile configured' /var/log/syslog")
    assert log == "1\n"


def test_the_lookup_table_makes_the_profile_of_a_pfc_port(tmp_path: Path) -> None:
    building = build(tmp_path)
    set_up(building)
    switch = switch_of(building)
    tables = copy.deepcopy(switch.config)
    del tables["BUFFER_PG"]["Ethernet0|3"]
    switch.change(tables)
    assert switch.applied.groups["Ethernet0", 3] == "pg_lossless_400000_5m_profile"
    assert switch.config["BUFFER_PROFILE"]["pg_lossless_400000_5m_profile"]["xoff"] == "231424"


def test_the_dynamic_model_computes_what_no_table_says(tmp_path: Path) -> None:
    building = build(tmp_path)
    set_up(building)
    switch = switch_of(building)
    tables = copy.deepcopy(switch.config)
    tables["DEVICE_METADATA"]["localhost"]["buffer_model"] = "dynamic"
    tables["BUFFER_PG"]["Ethernet0|3"] = {"profile": "NULL"}
    switch.restart(tables)
    name = switch.applied.groups["Ethernet0", 3]
    assert name == "pg_lossless_400000_5m_mtu9216_profile"
    assert switch.applied.profiles[name]["xoff"] == "231424"
    assert name not in switch.config["BUFFER_PROFILE"]


def test_only_root_changes_a_switch(tmp_path: Path) -> None:
    switch = switch_of(build(tmp_path))
    output, status = sh(switch, "config save -y", user="admin")
    assert (output, status) == ("Root privileges are required for this operation\n", 1)


def test_databases_are_dumped_in_the_form_of_redis_dumps(tmp_path: Path) -> None:
    switch = switch_of(build(tmp_path))
    output, _ = sh(switch, 'sonic-db-dump -n APPL_DB -k "LLDP_ENTRY_TABLE:*" -y')
    entry = json.loads(output)["LLDP_ENTRY_TABLE:Ethernet16"]
    assert (entry["type"], entry["value"]["lldp_rem_sys_name"]) == ("hash", "gpu02")
    assert sh(switch, "sonic-db-cli CONFIG_DB HGET 'PORT|Ethernet0' speed") == ("400000\n", 0)


def test_tables_look_as_tabulate_makes_them() -> None:
    shown = simple(["Port Rx", "PFC0"], [["Ethernet0", "1,200"]], right=True)
    assert shown == "  Port Rx    PFC0\n---------  ------\nEthernet0   1,200\n"
    assert simple([], [["mode", "dynamic"]]) == "----  -------\nmode  dynamic\n----  -------\n"
