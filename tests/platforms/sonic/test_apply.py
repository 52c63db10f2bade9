"""What changes on a switch, what stays, and which way the change goes."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings

from netcheck.model.device import Device
from netcheck.model.errors import InputError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import Buffer, Ecn
from netcheck.platforms.capabilities import capabilities
from netcheck.platforms.platform import Change, Impact, Run, Upload
from netcheck.platforms.sonic.apply import CONFIG, PATCH, holdings, plan
from netcheck.platforms.sonic.commands import is_read_only
from netcheck.platforms.sonic.render import render
from tests.platforms.sonic.sonic_policies import can_follow, on_a_switch, switches
from tests.platforms.sonic.sonic_switch import (
    DYNAMIC,
    FABRIC,
    LOSSLESS,
    LOSSLESS_QOS,
    MARKING,
    TRADITIONAL,
    WATCHDOG,
    leaf,
    port,
    switch,
)
from tests.platforms.strategies import RELAXED

Tables = dict[str, dict[str, dict[str, Any]]]  # Any: what json gives

# synthetic: a switch with upstream's default QoS; Ethernet504 is not in the intent
SHIPPED: Tables = {
    "DEVICE_METADATA": {
        "localhost": {"hwsku": "ACS-SN5600", "hostname": "leaf1", "buffer_model": "traditional"}
    },
    "VERSIONS": {"DATABASE": {"VERSION": "version_202411_01"}},
    "PORT": {
        name: {"lanes": "1,2", "speed": "400000", "mtu": "9100", "admin_status": "up"}
        for name in ("Ethernet0", "Ethernet8", "Ethernet16", "Ethernet504")
    },
    "VLAN_MEMBER": {"Vlan10|Ethernet504": {"tagging_mode": "untagged"}},
    "NTP_SERVER": {"10.0.0.1": {}},
    "SNMP": {"LOCATION": {"Location": 'rack "7"', "list": ["a", "b"]}},
    "CABLE_LENGTH": {"AZURE": dict.fromkeys(("Ethernet0", "Ethernet8", "Ethernet504"), "300m")},
    "DSCP_TO_TC_MAP": {"AZURE": {"3": "3", "26": "1"}, "spare": {"0": "0"}},
    "TC_TO_QUEUE_MAP": {"AZURE": {"3": "3"}},
    "SCHEDULER": {
        "scheduler.0": {"type": "DWRR", "weight": "14"},
        "scheduler.1": {"type": "STRICT"},
    },
    "WRED_PROFILE": {"AZURE_LOSSLESS": {"ecn": "ecn_all", "green_min_threshold": "1048576"}},
    "PORT_QOS_MAP": {
        "global": {"dscp_to_tc_map": "AZURE"},
        "Ethernet0": {"dscp_to_tc_map": "AZURE", "pfc_enable": "3,4", "scheduler": "scheduler.1"},
        "Ethernet504": {"tc_to_queue_map": "AZURE", "pfc_enable": ""},
    },
    "QUEUE": {
        "Ethernet0|0-2": {"scheduler": "scheduler.0"},
        "Ethernet0|3-4": {"wred_profile": "AZURE_LOSSLESS"},
        "Ethernet504|0-7": {"scheduler": "scheduler.0"},
    },
    "BUFFER_POOL": {
        "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "52161690"},
        "egress_lossless_pool": {"type": "egress", "mode": "dynamic", "size": "158229504"},
    },
    "BUFFER_PROFILE": {
        "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
        "pg_lossless_400000_300m_profile": {
            "pool": "ingress_lossless_pool",
            "size": "1",
            "xoff": "1",
            "dynamic_th": "0",
        },
    },
    "BUFFER_PG": {
        "Ethernet0|0": {"profile": "ingress_lossy_profile"},
        "Ethernet0|3-4": {"profile": "pg_lossless_400000_300m_profile"},
        "Ethernet8|0-7": {"profile": "ingress_lossy_profile"},
    },
    "PFC_WD": {
        "GLOBAL": {"POLL_INTERVAL": "400"},
        "Ethernet0": {"action": "alert", "detection_time": "400", "pfc_stat_history": "enable"},
        "Ethernet16": {"action": "drop", "detection_time": "400", "restoration_time": "400"},
        "Ethernet504": {"action": "drop", "detection_time": "400", "restoration_time": "400"},
    },
    "FLEX_COUNTER_TABLE": {"PORT": {"FLEX_COUNTER_STATUS": "disable", "POLL_INTERVAL": "10000"}},
}


def _plan(
    device: Device, held: Tables, build: str = "202411.1", asic_type: str = "broadcom"
) -> Change:
    version = f"---\nbuild_version: '{build}'\nasic_type: {asic_type}\n"
    files = {"config_db.json": json.dumps(held), "sonic_version.yml": version}
    return plan(device, render(device, FABRIC), files)


def _after(change: Change, held: Tables) -> Tables:
    """What a switch holds after the steps of a change."""
    now = deepcopy(held)
    for step in change.steps:
        if isinstance(step, Upload) and step.path == CONFIG:
            now = json.loads(step.text)
        elif isinstance(step, Upload):
            for operation in json.loads(step.text):
                _take(operation, now)
    return now


def _take(operation: dict[str, Any], tables: Tables) -> None:
    """One operation of RFC 6902 on what is there; a wrong path is a KeyError."""
    *parents, last = (
        part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]
    )
    at: Any = tables
    for part in parents:
        at = at[part]
    if operation["op"] == "add":
        at[last] = deepcopy(operation["value"])
    elif operation["op"] == "replace":
        assert last in at
        at[last] = operation["value"]
    else:
        del at[last]


def _settled() -> Tables:
    """What the switch holds once the intent is on it."""
    return _after(_plan(leaf(), SHIPPED), SHIPPED)


def test_the_commands_that_show_what_is_held_are_read_only() -> None:
    assert all(is_read_only(command.line) for command in holdings(leaf()))


def test_a_second_run_changes_nothing() -> None:
    assert _plan(leaf(), _settled()) == Change()


def test_what_is_not_owned_stays_as_it_is() -> None:
    after = _settled()
    for table in ("VLAN_MEMBER", "NTP_SERVER", "SNMP", "VERSIONS", "BUFFER_POOL"):
        assert after[table] == SHIPPED[table]
    for table in ("PORT", "PORT_QOS_MAP", "QUEUE", "PFC_WD"):
        of_others = {key: row for key, row in SHIPPED[table].items() if "Ethernet504" in key}
        assert of_others == {key: row for key, row in after[table].items() if "Ethernet504" in key}
    assert after["CABLE_LENGTH"]["AZURE"]["Ethernet504"] == "300m"
    assert after["PORT"]["Ethernet0"] == {
        **SHIPPED["PORT"]["Ethernet0"],
        "mtu": "9216",
        "pfc_asym": "off",
    }
    assert after["PORT_QOS_MAP"]["Ethernet0"]["scheduler"] == "scheduler.1"
    assert after["PFC_WD"]["Ethernet0"]["pfc_stat_history"] == "enable"
    assert after["FLEX_COUNTER_TABLE"]["PORT"] == {
        "FLEX_COUNTER_STATUS": "enable",
        "POLL_INTERVAL": "10000",
    }


@pytest.mark.slow
@settings(RELAXED, max_examples=25)
@given(before=switches(), after=switches())
def test_any_policy_replaces_any_other_and_then_nothing_is_left_to_do(
    before: Device, after: Device
) -> None:
    assume(can_follow(before, after))
    held = on_a_switch(before)
    for build in ("202411.1", "master.1"):
        now = _after(_plan(after, held, build), held)
        assert _plan(after, now, build) == Change()
        assert now["BUFFER_PG"]["Ethernet504|0"] == held["BUFFER_PG"]["Ethernet504|0"]


def test_only_what_is_declared_as_owned_changes() -> None:
    owned = capabilities("sonic").owned
    for table, rows in _settled().items():
        before = SHIPPED.get(table, {})
        for key in rows.keys() | before.keys():
            old, new = before.get(key, {}), rows.get(key, {})
            changed = {name for name in old | new if old.get(name) != new.get(name)}
            assert all(owned[table].holds(key, name) for name in changed), f"{table}|{key}"


@pytest.mark.parametrize(
    ("asic_type", "expected"), [("mellanox", []), ("broadcom", ["Ethernet0|3"])]
)
def test_lossless_groups_of_ports_that_are_down_are_left_to_buffermgrd(
    asic_type: str, expected: list[str]
) -> None:
    held = deepcopy(SHIPPED)
    held["PORT"]["Ethernet0"]["admin_status"] = "down"
    change = _plan(leaf(), held, asic_type=asic_type)
    groups = _after(change, held)["BUFFER_PG"]
    assert [key for key in groups if key in {"Ethernet0|3", "Ethernet0|3-4"}] == expected


def test_stale_objects_go_and_are_listed() -> None:
    change = _plan(leaf(), SHIPPED)
    assert {removal.object for removal in change.removals} == {
        "DSCP_TO_TC_MAP|AZURE",
        "DSCP_TO_TC_MAP|spare",
        "WRED_PROFILE|AZURE_LOSSLESS",
        "BUFFER_PROFILE|pg_lossless_400000_300m_profile",
        "BUFFER_PG|Ethernet0|3-4",
        "BUFFER_PG|Ethernet8|0-7",
        "QUEUE|Ethernet0|0-2",
        "QUEUE|Ethernet0|3-4",
        "PFC_WD|Ethernet16",
    }


def test_shared_objects_that_a_port_outside_the_intent_uses_stay() -> None:
    after = _settled()
    assert "AZURE" in after["TC_TO_QUEUE_MAP"]
    assert "scheduler.0" in after["SCHEDULER"]


def test_a_range_that_overlaps_a_lossless_group_keeps_its_other_groups() -> None:
    groups = _settled()["BUFFER_PG"]
    assert {key: row["profile"] for key, row in groups.items() if "Ethernet8" in key} == {
        "Ethernet8|0-2": "ingress_lossy_profile",
        "Ethernet8|3": "pg_lossless_400000_5m_profile",
        "Ethernet8|4-7": "ingress_lossy_profile",
    }


def test_what_is_not_said_of_a_port_of_the_intent_stays() -> None:
    held = deepcopy(SHIPPED)
    held["PORT_QOS_MAP"]["Ethernet16"] = {"dscp_to_tc_map": "AZURE", "pfc_enable": "3,4"}
    held["QUEUE"]["Ethernet16|0-7"] = {"scheduler": "scheduler.0"}
    held["BUFFER_PG"]["Ethernet16|3-4"] = {"profile": "pg_lossless_400000_300m_profile"}
    after = _after(_plan(leaf(), held), held)
    assert after["PORT_QOS_MAP"]["Ethernet16"] == {"dscp_to_tc_map": "AZURE", "pfc_enable": ""}
    assert after["QUEUE"]["Ethernet16|0-7"] == {"scheduler": "scheduler.0"}
    assert after["BUFFER_PG"]["Ethernet16|3-4"] == held["BUFFER_PG"]["Ethernet16|3-4"]


def test_one_of_two_facts_of_a_queue_may_be_said() -> None:
    held = deepcopy(SHIPPED)
    held["QUEUE"]["Ethernet0|3-4"] = {"scheduler": "scheduler.0", "wred_profile": "AZURE_LOSSLESS"}
    after = _after(_plan(leaf(ecn=UNKNOWN), held), held)
    assert after["QUEUE"]["Ethernet0|3-4"] == {"wred_profile": "AZURE_LOSSLESS"}
    assert after["QUEUE"]["Ethernet0|3"] == {"scheduler": "dwrr_50"}


def test_objects_show_what_differs_before_and_after() -> None:
    shown = {name: (old, new) for name, old, new in _plan(leaf(), SHIPPED).objects}
    assert shown["PORT|Ethernet0"] == ("mtu=9100", "mtu=9216, pfc_asym=off")
    assert shown["DSCP_TO_TC_MAP|backend"] == ("", "0-25=0, 26=3, 27-47=0, 48=6, 49-63=0")
    assert shown["PFC_WD|GLOBAL"] == ("POLL_INTERVAL=400", "POLL_INTERVAL=200")


def test_new_buffer_profiles_go_by_reload_with_the_whole_device_disturbed() -> None:
    change = _plan(leaf(), SHIPPED, "master.1")
    assert change.steps[1] == Run("sudo config reload -y", 600.0)
    assert change.impact is Impact.DEVICE
    assert "add BUFFER_PROFILE|pg_lossless_400000_5m_profile" in change.reason
    assert change.source


def test_the_way_back_from_a_reload_is_what_was_held() -> None:
    change = _plan(leaf(), SHIPPED)
    (kept,) = change.save
    assert isinstance(kept, Upload)
    assert json.loads(kept.text) == SHIPPED
    assert kept.path in str(change.undo[0])
    assert change.undo[-1] == Run("sudo config reload -y", 600.0)


def _tuned(ecn: Ecn) -> Device:
    return leaf(ecn=FrozenMap({3: ecn}))


@pytest.mark.parametrize(
    ("device", "build", "hwsku", "impact"),
    [
        (leaf(dscp_to_priority=FrozenMap({26: 3, 48: 6})), "", "", Impact.QUEUE),
        (leaf(watchdog=replace(WATCHDOG, detection_ms=300)), "", "ACS-SN5600", Impact.QUEUE),
        (leaf(watchdog=replace(WATCHDOG, detection_ms=300)), "", "Fantasy", Impact.DEVICE),
        (leaf(watchdog=ABSENT), "", "ACS-SN5600", Impact.QUEUE),
        (_tuned(replace(MARKING, pmax_percent=5)), "master.1-abc", "", Impact.QUEUE),
        (_tuned(replace(MARKING, pmax_percent=5)), "202605.1", "", Impact.QUEUE),
        (_tuned(replace(MARKING, pmax_percent=5)), "20241100.12", "ACS-SN5600", Impact.DEVICE),
        (_tuned(replace(MARKING, pmax_percent=5)), "", "ACS-SN5600", Impact.DEVICE),
    ],
)
def test_gcu_limits_decide_the_way(device: Device, build: str, hwsku: str, impact: Impact) -> None:
    device = switch(*device.ports.values(), qos=replace(TRADITIONAL, dscp_to_priority=ABSENT))
    start = switch(*leaf().ports.values(), qos=replace(TRADITIONAL, dscp_to_priority=ABSENT))
    held = _after(_plan(start, SHIPPED), SHIPPED)
    held["DEVICE_METADATA"]["localhost"]["hwsku"] = hwsku
    change = _plan(device, held, build)
    assert change.impact is impact
    assert (change.steps[0].path if isinstance(change.steps[0], Upload) else "") == (
        CONFIG if impact is Impact.DEVICE else PATCH
    )


@pytest.mark.parametrize(
    ("account", "expected"),
    [
        (replace(LOSSLESS, headroom_bytes=283649), PATCH),
        (replace(LOSSLESS, size_bytes=303105), CONFIG),
    ],
)
def test_headroom_alone_may_be_patched_and_its_size_may_not(account: Buffer, expected: str) -> None:
    device = leaf(ingress_buffer=FrozenMap({3: account}))
    step = _plan(device, _settled()).steps[0]
    assert isinstance(step, Upload)
    assert step.path == expected


def test_a_patch_is_undone_by_the_checkpoint_taken_before() -> None:
    change = _plan(leaf(dscp_to_priority=FrozenMap({26: 3})), _settled())
    assert change.save == (Run("sudo config checkpoint netcheck-before"),)
    assert change.undo[0] == Run("sudo config rollback netcheck-before", 600.0)
    assert change.persist == (Run("sudo config save -y"),)


def _patched() -> tuple[Device, Tables, list[dict[str, Any]]]:
    """A change of many tables that goes by patch, the start and its operations."""
    before = replace(
        LOSSLESS_QOS,
        ingress_buffer=FrozenMap({3: LOSSLESS, 4: LOSSLESS}),
        pfc_rx=frozenset({3, 4}),
        pfc_tx=frozenset({3, 4}),
        dscp_to_priority=FrozenMap({3: 3}),
    )
    start = switch(
        port("Ethernet0", before, policy="old"), qos=replace(TRADITIONAL, dscp_to_priority=ABSENT)
    )
    device = switch(port("Ethernet0"), qos=replace(TRADITIONAL, dscp_to_priority=ABSENT))
    held = _after(_plan(start, SHIPPED), SHIPPED)
    (upload, _) = _plan(device, held, "master.1").steps
    assert isinstance(upload, Upload)
    assert upload.path == PATCH
    return device, held, json.loads(upload.text)


def test_a_patch_cut_off_anywhere_is_completed_by_the_next_plan() -> None:
    device, held, steps = _patched()
    whole = _after(_plan(device, held, "master.1"), held)
    now = deepcopy(held)
    for step in steps:
        _take(step, now)
        rest = _plan(device, now, "master.1")
        assert _after(rest, now) == whole


def test_no_step_of_a_patch_leaves_a_name_without_its_object() -> None:
    _, held, steps = _patched()
    now = deepcopy(held)
    for step in steps:
        _take(step, now)
        maps = {
            row["dscp_to_tc_map"] for row in now["PORT_QOS_MAP"].values() if "dscp_to_tc_map" in row
        }
        assert maps <= set(now["DSCP_TO_TC_MAP"])
        assert {row["profile"] for row in now["BUFFER_PG"].values()} <= set(now["BUFFER_PROFILE"])


def test_a_range_makes_way_before_one_of_its_groups_is_added() -> None:
    _, _, steps = _patched()
    paths = [step["path"] for step in steps]
    assert paths.index("/BUFFER_PG/Ethernet0|3-4") < paths.index("/BUFFER_PG/Ethernet0|3")


def test_the_last_row_of_a_table_takes_the_table_with_it_since_gcu_refuses_empty_ones() -> None:
    held = _settled()
    del held["PFC_WD"]["GLOBAL"]
    del held["PFC_WD"]["Ethernet504"]
    device = leaf(watchdog=ABSENT)
    device = switch(*device.ports.values(), qos=replace(TRADITIONAL, watchdog_poll_ms=ABSENT))
    after = _after(_plan(device, held), held)
    assert "PFC_WD" not in after


def test_another_buffer_model_goes_by_reload() -> None:
    change = _plan(switch(port("Ethernet0"), qos=DYNAMIC), SHIPPED)
    assert change.impact is Impact.DEVICE
    assert change.reason.startswith("the buffer model changes")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "leaf1 config_db.json: is not there"),
        ("", "leaf1 config_db.json: not JSON"),
        ('{"PORT": ', "leaf1 config_db.json: not JSON"),
        ("[]", "leaf1 config_db.json: expected tables of objects"),
        ('{"PORT": {"Ethernet0": "up"}}', "leaf1 config_db.json: expected tables of objects"),
        ("{}", r"leaf1 PORT\|Ethernet0: expected on the switch, found no port at all"),
    ],
)
def test_a_held_text_that_cannot_be_used_is_named(text: str | None, message: str) -> None:
    held = {} if text is None else {"config_db.json": text}
    with pytest.raises(InputError, match=message):
        plan(leaf(), render(leaf(), FABRIC), held)


def test_a_port_that_the_switch_does_not_have_is_an_error_and_not_made_up() -> None:
    with pytest.raises(InputError, match=r"leaf1 PORT\|Ethernet24: expected on the switch"):
        _plan(switch(port("Ethernet24")), SHIPPED)


def test_a_pool_that_is_neither_on_the_switch_nor_said_is_an_error() -> None:
    held: Tables = {**SHIPPED, "BUFFER_POOL": {"other_pool": {}}}
    with pytest.raises(InputError, match="expected pool ingress_lossless_pool"):
        _plan(leaf(), held)


def test_a_watchdog_faster_than_the_switch_looks_is_refused() -> None:
    device = switch(port("Ethernet0"), qos=replace(TRADITIONAL, watchdog_poll_ms=UNKNOWN))
    with pytest.raises(InputError, match=r"PFC_WD\|Ethernet0 detection_time: expected >= 400 ms"):
        _plan(device, SHIPPED)


def test_a_schema_that_wants_brackets_is_refused() -> None:
    held = {**SHIPPED, "VERSIONS": {"DATABASE": {"VERSION": "version_3_0_2"}}}
    with pytest.raises(InputError, match="expected version_3_0_3 or later, found version_3_0_2"):
        _plan(leaf(), held)
