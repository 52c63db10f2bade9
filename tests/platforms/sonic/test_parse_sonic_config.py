"""CONFIG_DB into a device: what tables say, what they lack, and what is wrong in them."""

from __future__ import annotations

import pytest

from netcheck.model.device import AdminState, Defect, DefectKind, Device
from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing
from netcheck.model.qos import (
    Buffer,
    BufferPool,
    CongestionAction,
    Dynamic,
    Ecn,
    HeadroomRow,
    PfcMode,
    PoolKind,
    Scheduler,
    SchedulerKind,
    Static,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.sonic.parse import parse
from tests.platforms.sonic.sonic_texts import (
    LOOKUP,
    Tables,
    config,
    part,
    read_tables,
    text_of,
)

THREE = frozenset({3})
LOOKUP_FILE = Document("pg_profile_lookup.ini", LOOKUP)
LOSSLESS = Buffer(
    size_bytes=303104,
    headroom_bytes=283648,
    xoff_bytes=ABSENT,
    xon_bytes=19456,
    xon_offset_bytes=ABSENT,
    threshold=Dynamic(1.0),
    pool="ingress_lossless_pool",
    profile="pg_lossless_400000_40m_profile",
    is_lossless=True,
    is_computed=False,
)


def groups(device: Device, port: str = "Ethernet0") -> FrozenMap[int, Buffer]:
    """The accounts of a port's priority groups, which have to be known."""
    found: Known[FrozenMap[int, Buffer]] = device.ports[port].qos.ingress_buffer
    assert not isinstance(found, Missing)
    return found


def only(device: Device) -> Defect:
    """The one defect of a device."""
    (defect,) = device.defects
    return defect


def test_a_whole_configuration_has_no_defect_and_is_whole() -> None:
    device = read_tables(config())
    assert (device.defects, device.is_whole, device.model) == ((), True, "ACS-SN5600")
    assert (device.platform, device.variant) == ("sonic", "community")


def test_port_facts_come_from_its_row() -> None:
    port = read_tables(config()).ports["Ethernet0"]
    assert (port.speed_bps, port.lanes, port.l2_mtu) == (400_000_000_000, 8, 9216)
    assert (port.fec, port.cable_m, port.admin_state) == ("rs", 40, AdminState.UP)


def test_qos_of_a_lossless_port_is_read_whole() -> None:
    qos = read_tables(config()).ports["Ethernet0"].qos
    assert qos.trust is Trust.DSCP
    assert qos.dscp_to_priority == {n: {26: 3, 48: 6}.get(n, 0) for n in range(64)}
    assert qos.priority_to_queue == {n: n for n in range(8)}
    assert qos.priority_to_priority_group == {n: 3 if n == 3 else 0 for n in range(8)}
    assert (qos.pfc_rx, qos.pfc_tx, qos.pfc_mode) == (THREE, THREE, PfcMode.ON)
    assert qos.pfc_priority_to_priority_group is ABSENT
    assert qos.scheduler == {
        0: Scheduler(SchedulerKind.WEIGHTED, 50, ABSENT),
        3: Scheduler(SchedulerKind.WEIGHTED, 50, ABSENT),
        6: Scheduler(SchedulerKind.STRICT, ABSENT, ABSENT),
    }
    assert qos.ecn == {3: Ecn(150_000, 1_500_000, 100, CongestionAction.MARK, is_active=True)}
    assert qos.watchdog == Watchdog(200, 400, WatchdogAction.DROP, frozenset({3}))


def test_ports_that_are_alike_share_one_qos() -> None:
    tables = config()
    del tables["BUFFER_PG"]["Ethernet0|0"]
    ports = read_tables(tables).ports
    assert ports["Ethernet0"].qos is ports["Ethernet8"].qos


def test_buffers_come_from_the_bound_profile() -> None:
    qos = read_tables(config()).ports["Ethernet0"].qos
    assert groups(read_tables(config()))[3] == LOSSLESS
    assert qos.egress_buffer == {
        queue: Buffer(
            0, ABSENT, ABSENT, ABSENT, ABSENT, Dynamic(128.0), "egress_lossless_pool",
            "egress_lossless_profile", is_lossless=True, is_computed=False,
        )
        for queue in (3, 4)
    }  # fmt: skip


def test_lossy_profile_has_no_headroom() -> None:
    lossy = groups(read_tables(config()))[0]
    assert (lossy.is_lossless, lossy.headroom_bytes, lossy.xon_bytes) == (False, ABSENT, ABSENT)


def test_pools_are_read_and_shared_headroom_is_absent_where_not_set() -> None:
    assert read_tables(config()).qos[""].pools == {
        "ingress_lossless_pool": BufferPool(PoolKind.INGRESS, True, 52161690, ABSENT, ABSENT),  # noqa: FBT003 -- positional for brevity
        "egress_lossless_pool": BufferPool(PoolKind.EGRESS, True, 158229504, ABSENT, ABSENT),  # noqa: FBT003 -- as above
    }


def test_device_wide_facts_are_read() -> None:
    qos = read_tables(config()).qos[""]
    assert (qos.watchdog_poll_ms, qos.is_headroom_computed) == (200, False)
    assert qos.counters_enabled == frozenset({"WRED_ECN_QUEUE"})
    assert qos.oversubscription is ABSENT


def test_port_without_any_row_lacks_everything_in_a_whole_configuration() -> None:
    qos = read_tables(config()).ports["Ethernet16"].qos
    assert (qos.trust, qos.pfc_tx, qos.pfc_mode) == (ABSENT, ABSENT, PfcMode.OFF)
    assert (qos.ecn, qos.scheduler, qos.watchdog) == (ABSENT, ABSENT, ABSENT)
    assert (qos.ingress_buffer, qos.egress_buffer) == (ABSENT, ABSENT)


def test_table_that_is_in_no_given_file_is_unknown() -> None:
    device = read_tables(part("PORT_QOS_MAP", "DSCP_TO_TC_MAP"))
    qos = device.ports["Ethernet0"].qos
    assert (qos.pfc_tx, qos.trust) == (THREE, Trust.DSCP)
    assert (qos.ecn, qos.ingress_buffer, qos.priority_to_queue) == (UNKNOWN, UNKNOWN, UNKNOWN)
    assert qos.watchdog == Watchdog(priorities=THREE)  # its times stand in another table
    assert (device.qos[""].pools, device.is_whole, device.defects) == (UNKNOWN, False, ())


def test_part_that_is_to_be_merged_is_not_whole() -> None:
    tables = part("PORT", "BUFFER_PG")
    tables["DEVICE_METADATA"] = {"localhost": {"buffer_model": "traditional"}}
    for row in tables["PORT"].values():
        del row["speed"]
    device = read_tables(tables)
    assert (device.is_whole, device.defects) == (False, ())


def test_port_without_mtu_has_an_unknown_mtu() -> None:
    tables = config()
    del tables["PORT"]["Ethernet0"]["mtu"]
    assert read_tables(tables).ports["Ethernet0"].l2_mtu is UNKNOWN


def test_asymmetric_pfc_obeys_all_priorities() -> None:
    tables = config()
    tables["PORT"]["Ethernet0"]["pfc_asym"] = "on"
    qos = read_tables(tables).ports["Ethernet0"].qos
    assert (qos.pfc_rx, qos.pfc_tx) == (frozenset(range(8)), THREE)


def test_empty_pfc_enable_is_no_priority() -> None:
    tables = config()
    tables["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = ""
    device = read_tables(tables)
    qos = device.ports["Ethernet0"].qos
    assert (qos.pfc_tx, qos.pfc_mode, device.defects) == (frozenset(), PfcMode.OFF, ())


def test_map_of_the_switch_does_not_stand_in_for_a_port() -> None:
    tables = config()
    del tables["PORT_QOS_MAP"]["Ethernet0"]["dscp_to_tc_map"]
    qos = read_tables(tables).ports["Ethernet0"].qos
    assert (qos.trust, qos.dscp_to_priority) == (UNKNOWN, UNKNOWN)
    del tables["PORT_QOS_MAP"]["global"]
    qos = read_tables(tables).ports["Ethernet0"].qos
    assert (qos.trust, qos.dscp_to_priority) == (ABSENT, ABSENT)


@pytest.mark.parametrize(
    ("fields", "ecn"),
    [
        ({}, Ecn(1, 2, 5, CongestionAction.DROP, is_active=False)),
        ({"ecn": "ecn_none"}, Ecn(1, 2, 5, CongestionAction.DROP, is_active=False)),
        ({"ecn": "ecn_green"}, Ecn(1, 2, 5, CongestionAction.MARK, is_active=False)),
        (
            {"ecn": "ecn_all", "wred_green_enable": "true"},
            Ecn(1, 2, 5, CongestionAction.MARK, is_active=True),
        ),
        (
            {"ecn": "ecn_red", "wred_green_enable": "false"},
            Ecn(1, 2, 5, CongestionAction.DROP, is_active=False),
        ),
        ({"ecn": "ecn_blue"}, Ecn(1, 2, 5, UNKNOWN, is_active=False)),
    ],
)
def test_thresholds_alone_mark_nothing(fields: dict[str, str], ecn: Ecn) -> None:
    numbers = {
        "green_min_threshold": "1",
        "green_max_threshold": "2",
        "green_drop_probability": "5",
    }
    device = read_tables({"WRED_PROFILE": {"LOSSY": {**numbers, **fields}}})
    assert device.qos[""].ecn_profiles == {"LOSSY": ecn}


# --- priority groups that the switch makes itself


def without_groups() -> Tables:
    """The switch before buffermgrd wrote its priority groups."""
    tables = config()
    tables["BUFFER_PG"] = {"Ethernet0|0": {"profile": "ingress_lossy_profile"}}
    del tables["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"]
    return tables


def test_group_without_row_is_unknown_while_the_lookup_table_is_not_given() -> None:
    accounts = groups(read_tables(without_groups()))
    assert (set(accounts), accounts[3]) == ({0, 3}, Buffer())


def test_group_without_row_takes_its_numbers_from_the_lookup_table() -> None:
    device = read_tables(without_groups(), LOOKUP_FILE)
    assert groups(device)[3] == Buffer(
        303104, 283648, ABSENT, 19456, ABSENT, Dynamic(1.0), "ingress_lossless_pool",
        "pg_lossless_400000_40m_profile", is_lossless=True, is_computed=False,
    )  # fmt: skip
    assert device.defects == ()


def test_profile_that_is_there_is_kept_whatever_the_lookup_table_says() -> None:
    tables = without_groups()
    old = {**config()["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"], "xoff": "1000"}
    tables["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"] = old
    assert groups(read_tables(tables, LOOKUP_FILE))[3].headroom_bytes == 1000


def test_speed_and_cable_without_row_make_no_group_and_a_defect() -> None:
    tables = without_groups()
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "30m"
    device = read_tables(tables, LOOKUP_FILE)
    assert set(groups(device)) == {0}
    defect = only(device)
    assert (defect.kind, defect.ports, defect.indices) == (
        DefectKind.DANGLING_REFERENCE,
        ("Ethernet0",),
        (3,),
    )
    assert defect.place == "pg_profile_lookup.ini 400000 30m"


def test_cable_of_no_length_makes_no_group_in_silence() -> None:
    tables = without_groups()
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "0m"
    device = read_tables(tables, LOOKUP_FILE)
    assert (set(groups(device)), device.defects) == ({0}, ())


def test_static_pool_takes_the_threshold_as_bytes() -> None:
    tables = without_groups()
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["mode"] = "static"
    assert groups(read_tables(tables, LOOKUP_FILE))[3].threshold == Static(0)


def test_groups_are_unknown_where_pfc_is_not_told() -> None:
    accounts = groups(read_tables(part("BUFFER_PG", "BUFFER_PROFILE", "BUFFER_POOL")))
    assert (accounts[3], accounts[4]) == (LOSSLESS, Buffer())


def test_dynamic_model_makes_no_groups_itself() -> None:
    tables = without_groups()
    tables["DEVICE_METADATA"]["localhost"]["buffer_model"] = "dynamic"
    assert set(groups(read_tables(tables, LOOKUP_FILE))) == {0}


def test_null_profile_is_computed_by_the_switch() -> None:
    tables = without_groups()
    tables["DEVICE_METADATA"]["localhost"]["buffer_model"] = "dynamic"
    tables["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] = {
        "AZURE": {"default_dynamic_th": "-1", "over_subscribe_ratio": "2"}
    }
    tables["BUFFER_PG"]["Ethernet0|3-4"] = {"profile": "NULL"}
    device = read_tables(tables)
    assert groups(device)[4] == Buffer(
        threshold=Dynamic(0.5), pool="ingress_lossless_pool", is_lossless=True, is_computed=True
    )
    assert (device.qos[""].is_headroom_computed, device.qos[""].oversubscription) == (True, 2)
    assert device.defects == ()


def test_profile_with_dynamic_headroom_is_computed() -> None:
    tables = config()
    tables["BUFFER_PROFILE"]["own"] = {
        "pool": "ingress_lossless_pool",
        "dynamic_th": "1",
        "headroom_type": "dynamic",
    }
    tables["BUFFER_PG"]["Ethernet0|3"] = {"profile": "own"}
    device = read_tables(tables)
    account = groups(device)[3]
    assert (account.is_computed, account.is_lossless) == (True, True)
    assert (account.headroom_bytes, account.threshold) == (UNKNOWN, Dynamic(2.0))
    assert device.defects == ()


def test_unused_port_with_zero_profiles_is_out_of_rdma() -> None:
    tables = config()
    tables["BUFFER_PROFILE"]["zero"] = {
        "pool": "ingress_lossless_pool",
        "size": "0",
        "dynamic_th": "-8",
    }
    tables["BUFFER_PG"]["Ethernet16|0"] = {"profile": "zero"}
    ports = read_tables(tables).ports
    assert (ports["Ethernet16"].policy, ports["Ethernet0"].policy) == (ABSENT, UNKNOWN)


# --- keys


def test_ranges_and_lists_of_ports_name_each_port_and_index() -> None:
    tables = config()
    tables["BUFFER_PG"] = {"Ethernet0,Ethernet8|3-4": {"profile": "pg_lossless_400000_40m_profile"}}
    device = read_tables(tables)
    assert groups(device) == groups(device, "Ethernet8") == {3: LOSSLESS, 4: LOSSLESS}


def test_row_for_several_ports_binds_each_of_them() -> None:
    tables = part("PORT_QOS_MAP")
    tables["PORT_QOS_MAP"] = {"Ethernet0,Ethernet8": {"pfc_enable": "3,4"}}
    ports = read_tables(tables).ports
    assert {name: port.qos.pfc_tx for name, port in ports.items()} == {
        "Ethernet0": frozenset({3, 4}),
        "Ethernet8": frozenset({3, 4}),
    }


def test_overlapping_groups_are_told_and_unknown_where_they_differ() -> None:
    tables = config()
    tables["BUFFER_PG"]["Ethernet0|3-4"] = {"profile": "ingress_lossy_profile"}
    device = read_tables(tables)
    defect = only(device)
    assert (defect.kind, defect.ports, defect.indices) == (
        DefectKind.DUPLICATE_KEY,
        ("Ethernet0",),
        (3,),
    )
    assert groups(device)[3] == Buffer()
    assert groups(device)[4].profile == "ingress_lossy_profile"


def test_queue_rows_that_set_different_fields_add_up() -> None:
    tables = config()
    del tables["QUEUE"]["Ethernet0|0"]
    tables["QUEUE"]["Ethernet0|3"] = {"wred_profile": "ROCE"}
    tables["QUEUE"]["Ethernet0|0-5"] = {"scheduler": "half"}
    device = read_tables(tables)
    scheduler = device.ports["Ethernet0"].qos.scheduler
    assert not isinstance(scheduler, Missing)
    assert (sorted(scheduler), device.defects) == ([0, 1, 2, 3, 4, 5, 6], ())


def test_key_that_names_no_group_leaves_the_port_unknown() -> None:
    tables = config()
    tables["BUFFER_PG"]["Ethernet0|x"] = {"profile": "ingress_lossy_profile"}
    device = read_tables(tables)
    assert device.ports["Ethernet0"].qos.ingress_buffer is UNKNOWN
    assert (only(device).kind, only(device).ports) == (DefectKind.MALFORMED_VALUE, ("Ethernet0",))


# --- values and references


@pytest.mark.parametrize(
    ("table", "key", "field", "text"),
    [
        ("BUFFER_POOL", "ingress_lossless_pool", "xoff", ""),
        ("BUFFER_POOL", "ingress_lossless_pool", "size", "12MB"),
        ("BUFFER_POOL", "ingress_lossless_pool", "mode", "flexible"),
        ("BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "8"),
        ("BUFFER_PROFILE", "ingress_lossy_profile", "size", "-1"),
        ("PORT", "Ethernet0", "mtu", "9217"),
        ("PORT", "Ethernet0", "speed", "400G"),
        ("CABLE_LENGTH", "AZURE", "Ethernet0", "40"),
        ("DSCP_TO_TC_MAP", "ROCE", "26", "16"),
        ("DSCP_TO_TC_MAP", "ROCE", "64", "3"),
        ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "8"),
        ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "3;4"),
        ("PORT_QOS_MAP", "Ethernet0", "dscp_to_tc_map", ""),
        ("SCHEDULER", "half", "weight", "0"),
        ("SCHEDULER", "half", "type", "WRED"),
        ("WRED_PROFILE", "ROCE", "green_drop_probability", "101"),
        ("WRED_PROFILE", "ROCE", "ecn", "yes"),
        ("PFC_WD", "Ethernet0", "action", "shutdown"),
        ("PFC_WD", "GLOBAL", "POLL_INTERVAL", "99"),
    ],
)
def test_malformed_value_is_told_with_its_place(
    table: str, key: str, field: str, text: str
) -> None:
    tables = config()
    tables[table][key][field] = text
    defects = read_tables(tables).defects
    assert defects[0].kind is DefectKind.MALFORMED_VALUE
    assert f"{table}|{key}" in defects[0].place
    assert defects[0].evidence.line > 0
    assert len(defects) == 1


def test_malformed_value_is_unknown_and_never_a_default() -> None:
    tables = config()
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = ""
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "40"
    tables["DSCP_TO_TC_MAP"]["ROCE"]["26"] = "x"
    tables["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = "9"
    tables["PFC_WD"]["Ethernet0"]["detection_time"] = "soon"
    device = read_tables(tables)
    pools, port = device.qos[""].pools, device.ports["Ethernet0"]
    assert not isinstance(pools, Missing)
    assert pools["ingress_lossless_pool"].shared_headroom_bytes is UNKNOWN
    assert (port.cable_m, port.qos.dscp_to_priority) == (UNKNOWN, UNKNOWN)
    assert (port.qos.pfc_rx, port.qos.pfc_tx, port.qos.pfc_mode) == (UNKNOWN, UNKNOWN, UNKNOWN)
    assert port.qos.watchdog == Watchdog(UNKNOWN, 400, WatchdogAction.DROP, frozenset({3}))


@pytest.mark.parametrize(
    ("table", "key", "field", "ports", "indices"),
    [
        ("BUFFER_QUEUE", "Ethernet0|3-4", "profile", ("Ethernet0",), (3, 4)),
        ("BUFFER_PG", "Ethernet0|3", "profile", ("Ethernet0",), (3,)),
        ("BUFFER_PROFILE", "ingress_lossy_profile", "pool", (), ()),
        ("QUEUE", "Ethernet0|3", "wred_profile", ("Ethernet0",), (3,)),
        ("QUEUE", "Ethernet0|3", "scheduler", ("Ethernet0",), (3,)),
        ("PORT_QOS_MAP", "Ethernet0", "tc_to_queue_map", ("Ethernet0",), ()),
    ],
)
def test_dangling_reference_names_ports_and_indices(
    table: str, key: str, field: str, ports: tuple[str, ...], indices: tuple[int, ...]
) -> None:
    tables = config()
    tables[table][key][field] = "nothing"
    defect = only(read_tables(tables))
    assert (defect.kind, defect.found) == (DefectKind.DANGLING_REFERENCE, "nothing")
    assert (defect.ports, defect.indices) == (ports, indices)


def test_dangling_reference_leaves_its_facts_unknown() -> None:
    tables = config()
    tables["BUFFER_PG"]["Ethernet0|3"]["profile"] = "nothing"
    tables["PORT_QOS_MAP"]["Ethernet0"]["tc_to_queue_map"] = "nothing"
    device = read_tables(tables)
    assert groups(device)[3] == Buffer(profile="nothing")
    assert device.ports["Ethernet0"].qos.priority_to_queue is UNKNOWN


def test_row_for_a_port_that_is_not_there_dangles() -> None:
    tables = config()
    tables["QUEUE"]["Ethernet99|3"] = {"scheduler": "half"}
    device = read_tables(tables)
    assert (only(device).kind, only(device).found) == (DefectKind.DANGLING_REFERENCE, "Ethernet99")
    assert "Ethernet99" not in device.ports


def test_missing_mandatory_field_is_told_and_unknown() -> None:
    tables = config()
    del tables["BUFFER_PG"]["Ethernet0|3"]["profile"]
    device = read_tables(tables)
    assert (only(device).kind, only(device).indices) == (DefectKind.MALFORMED_VALUE, (3,))
    assert groups(device)[3] == Buffer()


def with_brackets(version: str) -> Tables:
    """The switch with one reference in the old form."""
    tables = config()
    tables["BUFFER_PG"]["Ethernet0|3"]["profile"] = (
        "[BUFFER_PROFILE|pg_lossless_400000_40m_profile]"
    )
    if version:
        tables["VERSIONS"] = {"DATABASE": {"VERSION": version}}
    return tables


@pytest.mark.parametrize("version", ["version_1_0_6", "version_3_0_2"])
def test_old_schema_takes_references_in_brackets(version: str) -> None:
    device = read_tables(with_brackets(version))
    assert (device.defects, groups(device)[3]) == ((), LOSSLESS)


@pytest.mark.parametrize("version", ["version_3_0_3", "version_202305_01", ""])
def test_newer_schema_refuses_references_in_brackets(version: str) -> None:
    device = read_tables(with_brackets(version))
    defect = only(device)
    assert defect.kind is DefectKind.MALFORMED_REFERENCE
    assert defect.expected == "pg_lossless_400000_40m_profile"
    assert groups(device)[3] == LOSSLESS


@pytest.mark.parametrize(
    ("version", "has_bare"), [("", False), ("version_3_0_3", False), ("", True)]
)
def test_brackets_alone_are_only_wrong_where_the_version_is_known(
    version: str,
    has_bare: bool,  # noqa: FBT001 -- a parameter of the test
) -> None:
    tables = {
        "BUFFER_POOL": {"p": {"type": "egress", "mode": "dynamic", "size": "1000000"}},
        "BUFFER_PROFILE": {"a": {"pool": "[BUFFER_POOL|p]", "size": "0", "dynamic_th": "1"}},
        "BUFFER_QUEUE": {"Ethernet0|3": {"profile": "a" if has_bare else "[BUFFER_PROFILE|a]"}},
    }
    if version:
        tables["VERSIONS"] = {"DATABASE": {"VERSION": version}}
    (defect, *_) = read_tables(tables).defects
    assert defect.kind is DefectKind.MALFORMED_REFERENCE
    assert defect.touches_qos is bool(version or has_bare)


def test_queues_that_only_keys_of_the_whole_chassis_name_are_unknown() -> None:
    tables = config()
    tables["QUEUE"] = {"linecard1|asic0|Ethernet0|3": {"scheduler": "scheduler.0"}}
    qos = read_tables(tables).ports["Ethernet0"].qos
    assert (qos.ecn, qos.scheduler) == (UNKNOWN, UNKNOWN)


def test_old_schema_lets_the_watchdog_follow_pfc() -> None:
    tables = config()
    del tables["PORT_QOS_MAP"]["Ethernet0"]["pfcwd_sw_enable"]
    tables["VERSIONS"] = {"DATABASE": {"VERSION": "version_3_0_4"}}
    watchdog = read_tables(tables).ports["Ethernet0"].qos.watchdog
    assert watchdog == Watchdog(200, 400, WatchdogAction.DROP, frozenset({3}))


def test_new_schema_without_watchdog_field_guards_nothing() -> None:
    tables = config()
    del tables["PORT_QOS_MAP"]["Ethernet0"]["pfcwd_sw_enable"]
    watchdog = read_tables(tables).ports["Ethernet0"].qos.watchdog
    assert watchdog == Watchdog(200, 400, WatchdogAction.DROP, ABSENT)


def test_profile_and_pool_modes_stay_visible_where_no_port_uses_them() -> None:
    tables = part("BUFFER_POOL")
    tables["BUFFER_POOL"]["egress_lossless_pool"]["mode"] = "static"
    tables["BUFFER_PROFILE"] = {
        "zero": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "-8"}
    }
    qos = read_tables(tables).qos[""]
    assert not isinstance(qos.pools, Missing)
    assert not isinstance(qos.buffer_profiles, Missing)
    assert qos.pools["egress_lossless_pool"].is_dynamic is False
    assert qos.buffer_profiles["zero"].threshold == Dynamic(2.0**-8)


def test_unknown_field_that_may_touch_qos_is_told() -> None:
    tables = config()
    tables["WRED_PROFILE"]["ROCE"]["green_ecn_threshold"] = "7"
    tables["PORT"]["Ethernet0"]["description"] = "to gpu01"
    assert only(read_tables(tables)).kind is DefectKind.UNKNOWN_LINE


def test_unknown_table_is_told_only_where_it_may_touch_qos() -> None:
    tables = config()
    tables["PFC_SOMETHING"] = {"a": {"b": "c"}}
    tables["SNMP_COMMUNITY"] = {"public": {"TYPE": "RO"}}
    device = read_tables(tables)
    assert only(device).place == "PFC_SOMETHING"
    assert len(device.unread) == 1


def test_flat_keys_say_the_same_as_nested_tables() -> None:
    flat = {f"{t}|{key}": row for t, rows in config().items() for key, row in rows.items()}
    assert read_tables(flat).ports == read_tables(config()).ports


def test_old_name_of_the_watchdog_table_is_read() -> None:
    tables = config()
    tables["PFC_WD_TABLE"] = tables.pop("PFC_WD")
    assert read_tables(tables).ports == read_tables(config()).ports


def test_byte_order_mark_is_no_damage() -> None:
    device = parse([Document("config_db.json", "\ufeff" + text_of(config()))], name="leaf1")
    assert device.ports == read_tables(config()).ports


def test_evidence_points_at_the_line_of_the_field() -> None:
    tables = part("PORT_QOS_MAP")
    device = read_tables(tables)
    place = device.find_evidence("port Ethernet8", "pfc_tx")
    assert (place.file, place.line, place.column) == ("config_db.json", 19, 13)


def test_lookup_table_is_read_as_rows() -> None:
    device = read_tables({}, LOOKUP_FILE)
    assert device.qos[""].headroom_table == (
        HeadroomRow(100_000_000_000, 5, 65536, 47104, 18432),
        HeadroomRow(400_000_000_000, 40, 303104, 283648, 19456),
    )


def test_damaged_lookup_row_makes_the_table_unknown() -> None:
    cut = Document("pg_profile_lookup.ini", LOOKUP.replace("283648   0", "2836"))
    device = read_tables(without_groups(), cut)
    assert device.qos[""].headroom_table is UNKNOWN
    assert groups(device)[3] == Buffer()
    assert only(device).kind is DefectKind.MALFORMED_VALUE


def test_configurations_of_several_asics_are_read_together() -> None:
    host = {"DEVICE_METADATA": {"localhost": {"hostname": "chassis", "hwsku": "two-asics"}}}
    asics = {}
    for number, port in enumerate(("Ethernet0", "Ethernet8")):
        tables = config()
        tables["DEVICE_METADATA"]["localhost"]["hostname"] = f"asic{number}"
        for name in ("PORT", "PORT_QOS_MAP", "PFC_WD"):
            tables[name] = {port: tables[name][port]}
        for name in ("QUEUE", "BUFFER_PG", "BUFFER_QUEUE"):
            tables[name] = {k: row for k, row in tables[name].items() if k.startswith(f"{port}|")}
        tables["CABLE_LENGTH"] = {"AZURE": {port: "40m"}}
        asics[f"asic{number}"] = tables
    device = read_tables({"localhost": host, **asics})
    assert (set(device.ports), device.model) == ({"Ethernet0", "Ethernet8"}, "two-asics")
    assert (device.defects, device.is_whole) == ((), True)
    assert {port.cable_m for port in device.ports.values()} == {40}
    assert groups(device, "Ethernet8")[3] == LOSSLESS
