"""What the renderer writes, table by table, and what it refuses to write."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from netcheck.model.device import Device
from netcheck.model.errors import RefusalError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import (
    Buffer,
    BufferPool,
    CongestionAction,
    DcbxMode,
    DeviceQos,
    Dynamic,
    PfcMode,
    PoolKind,
    PortQos,
    Scheduler,
    SchedulerKind,
    Static,
    Trust,
)
from netcheck.platforms.capabilities import capabilities
from netcheck.platforms.sonic.render import refusals, render
from tests.platforms.sonic.sonic_switch import (
    COMPUTED,
    DSCP,
    DYNAMIC,
    FABRIC,
    GBPS,
    LOSSLESS,
    LOSSLESS_QOS,
    MARKING,
    TRADITIONAL,
    WATCHDOG,
    leaf,
    port,
    switch,
    tables,
)


def test_every_row_names_objects_that_are_rendered_too() -> None:
    found = tables(leaf())
    named = {(table, name) for table in found for name in found[table]}
    for row in found["PORT_QOS_MAP"].values():
        assert ("DSCP_TO_TC_MAP", row.get("dscp_to_tc_map", "backend")) in named
    assert {row["scheduler"] for row in found["QUEUE"].values()} == set(found["SCHEDULER"])
    assert {row["profile"] for row in found["BUFFER_PG"].values()} == set(found["BUFFER_PROFILE"])


def test_a_lossless_profile_has_the_name_that_buffermgrd_would_give_it() -> None:
    assert tables(leaf())["BUFFER_PROFILE"] == {
        "pg_lossless_400000_5m_profile": {
            "pool": "ingress_lossless_pool",
            "size": "303104",
            "xon": "19456",
            "xoff": "283648",
            "dynamic_th": "0",
        }
    }


def test_neighbouring_lossless_priority_groups_share_a_row_as_buffermgrd_writes_them() -> None:
    found = tables(leaf(ingress_buffer=FrozenMap({3: LOSSLESS, 4: LOSSLESS, 6: LOSSLESS})))
    assert [key for key in found["BUFFER_PG"] if key.startswith("Ethernet0|")] == [
        "Ethernet0|3-4",
        "Ethernet0|6",
    ]


def test_wred_marks_every_colour() -> None:
    (profile,) = tables(leaf())["WRED_PROFILE"].values()
    assert profile["ecn"] == "ecn_all"
    assert {profile[f"wred_{colour}_enable"] for colour in ("green", "yellow", "red")} == {"true"}


@pytest.mark.parametrize(
    ("change", "ecn", "enabled"),
    [
        ({"action": CongestionAction.DROP}, "ecn_none", "true"),
        ({"is_active": False}, "ecn_all", "false"),
    ],
)
def test_marking_that_drops_or_is_inactive_is_written_so(
    change: dict[str, Any], ecn: str, enabled: str
) -> None:
    (profile,) = tables(leaf(ecn=FrozenMap({3: replace(MARKING, **change)})))[
        "WRED_PROFILE"
    ].values()
    assert (profile["ecn"], profile["wred_green_enable"]) == (ecn, enabled)


def test_no_priorities_is_an_empty_list_since_a_missing_field_leaves_pfc_on() -> None:
    assert tables(leaf())["PORT_QOS_MAP"]["Ethernet16"] == {"pfc_enable": ""}


def test_what_is_not_said_is_not_rendered() -> None:
    found = tables(
        switch(port("Ethernet0", PortQos(), l2_mtu=UNKNOWN, cable_m=UNKNOWN), qos=DeviceQos())
    )
    assert found == {}


def test_what_is_said_to_be_absent_leaves_an_empty_table() -> None:
    absent = PortQos(scheduler=ABSENT, ecn=ABSENT, watchdog=ABSENT, ingress_buffer=ABSENT)
    found = tables(
        switch(port("Ethernet0", absent, l2_mtu=UNKNOWN, cable_m=ABSENT), qos=DeviceQos())
    )
    assert found == {
        name: {}
        for name in (
            "CABLE_LENGTH",
            "SCHEDULER",
            "WRED_PROFILE",
            "QUEUE",
            "BUFFER_PROFILE",
            "BUFFER_PG",
            "PFC_WD",
        )
    }


@pytest.mark.parametrize(("rx", "expected"), [({3}, "off"), (set(range(8)), "on")])
def test_honouring_all_priorities_and_sending_some_is_asymmetric_pfc(
    rx: set[int], expected: str
) -> None:
    assert tables(leaf(pfc_rx=frozenset(rx)))["PORT"]["Ethernet0"]["pfc_asym"] == expected


def test_policies_with_equal_maps_share_one_map() -> None:
    device = switch(port("Ethernet0", policy="b"), port("Ethernet8", policy="a"))
    assert list(tables(device)["DSCP_TO_TC_MAP"]) == ["a"]


def test_two_maps_of_one_policy_are_told_apart_by_speed() -> None:
    other = replace(LOSSLESS_QOS, dscp_to_priority=FrozenMap({**DSCP, 27: 3}))
    device = switch(
        port("Ethernet0"), port("Ethernet8", other, speed_bps=800 * GBPS), qos=DeviceQos()
    )
    assert list(tables(device)["DSCP_TO_TC_MAP"]) == ["backend_400g", "backend_800g"]


def test_a_policy_called_as_the_mark_of_another_gets_maps_of_its_own() -> None:
    marked = [replace(LOSSLESS_QOS, dscp_to_priority=FrozenMap({0: one})) for one in range(3)]
    device = switch(
        port("Ethernet0", marked[0]),
        port("Ethernet8", marked[1], speed_bps=800 * GBPS),
        port("Ethernet16", marked[2], policy="backend_400g"),
        qos=DeviceQos(),
    )
    maps, bound = tables(device)["DSCP_TO_TC_MAP"], tables(device)["PORT_QOS_MAP"]
    found = [maps[bound[name]["dscp_to_tc_map"]] for name in device.ports]
    assert found == [{"0": "0"}, {"0": "1"}, {"0": "2"}]


def test_two_maps_of_one_policy_and_speed_are_told_apart_by_a_digest() -> None:
    other = replace(LOSSLESS_QOS, dscp_to_priority=FrozenMap({**DSCP, 27: 3}))
    device = switch(port("Ethernet0"), port("Ethernet8", other), qos=DeviceQos())
    names = list(tables(device)["DSCP_TO_TC_MAP"])
    assert [len(name) for name in names] == [len("backend_12345678")] * 2


@pytest.mark.parametrize("policy", ["", "9" * 40, "a policy/with odd characters", "_x", "é"])
def test_names_are_legal_whatever_the_policy_is_called(policy: str) -> None:
    (name,) = tables(switch(port("Ethernet0", policy=policy)))["WRED_PROFILE"]
    assert name.isascii()
    assert name[0].isalnum()
    assert len(name) <= 32
    assert name.endswith("_q3")


def test_the_dynamic_model_names_no_profile_and_states_the_pattern() -> None:
    device = switch(
        port("Ethernet0", replace(LOSSLESS_QOS, ingress_buffer=FrozenMap({3: COMPUTED}))),
        qos=DYNAMIC,
    )
    found = tables(device)
    assert found["DEVICE_METADATA"] == {"localhost": {"buffer_model": "dynamic"}}
    assert found["BUFFER_PG"] == {"Ethernet0|3": {"profile": "NULL"}}
    assert found["BUFFER_PROFILE"] == {}
    assert found["LOSSLESS_TRAFFIC_PATTERN"] == {
        "AZURE": {"mtu": "1024", "small_packet_percentage": "100"}
    }
    assert found["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] == {
        "AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "2"}
    }


def test_explicit_headroom_in_the_dynamic_model_avoids_the_names_of_its_own_profiles() -> None:
    device = switch(port("Ethernet0"), qos=DYNAMIC)
    assert list(tables(device)["BUFFER_PROFILE"]) == ["backend_lossless_pg3"]


def test_an_account_that_only_names_a_profile_leaves_the_profile_to_the_device() -> None:
    found = tables(leaf(egress_buffer=FrozenMap({3: Buffer(profile="egress_lossless_profile")})))
    assert found["BUFFER_QUEUE"]["Ethernet0|3"] == {"profile": "egress_lossless_profile"}
    assert "egress_lossless_profile" not in found["BUFFER_PROFILE"]


def test_pools_are_rendered_only_when_they_are_said() -> None:
    pool = BufferPool(PoolKind.INGRESS, is_dynamic=True, size_bytes=1000, shared_headroom_bytes=10)
    said = replace(TRADITIONAL, pools=FrozenMap({"ingress_lossless_pool": pool}))
    assert "BUFFER_POOL" not in tables(leaf())
    assert tables(switch(port("Ethernet0"), qos=said))["BUFFER_POOL"] == {
        "ingress_lossless_pool": {
            "type": "ingress",
            "mode": "dynamic",
            "size": "1000",
            "xoff": "10",
        }
    }


def test_counters_that_prove_losslessness_are_on_where_a_port_pauses() -> None:
    assert tables(leaf())["FLEX_COUNTER_TABLE"]["WRED_ECN_QUEUE"] == {
        "FLEX_COUNTER_STATUS": "enable"
    }


def test_rendering_twice_gives_the_same_bytes_whatever_the_order_of_the_ports() -> None:
    device = leaf()
    turned = replace(device, ports=FrozenMap(dict(reversed(list(device.ports.items())))))
    assert render(device, FABRIC) == render(turned, FABRIC)


def test_the_text_is_json_with_four_spaces_and_a_final_newline() -> None:
    text = render(leaf(), FABRIC)["config_db.json"]
    assert text == json.dumps(json.loads(text), indent=4) + "\n"


def _account(**changed: Any) -> Device:
    return leaf(ingress_buffer=FrozenMap({3: replace(LOSSLESS, **changed)}))


def _scheduler(**changed: Any) -> Device:
    return leaf(scheduler=FrozenMap({3: Scheduler(**{"kind": SchedulerKind.WEIGHTED, **changed})}))


def _queue_account(**changed: Any) -> Device:
    said = Buffer(size_bytes=0, pool="egress_lossless_pool", threshold=Dynamic(128.0))
    return leaf(egress_buffer=FrozenMap({3: replace(said, **changed)}))


def _device(port_qos: PortQos = LOSSLESS_QOS, **changed: Any) -> Device:
    return switch(port("Ethernet0", port_qos), qos=replace(TRADITIONAL, **changed))


def _pool(**changed: Any) -> Device:
    said = BufferPool(PoolKind.INGRESS, is_dynamic=True)
    return _device(pools=FrozenMap({"p": replace(said, **changed)}))


REFUSED = [
    ("trust", leaf(trust=Trust.PCP)),
    ("trust", leaf(trust=Trust.PORT)),
    ("trust", leaf(trust=Trust.NONE)),
    ("dscp-device-wide", leaf(dscp_to_priority=ABSENT)),
    ("lossless-accounts-follow-pfc", leaf(ingress_buffer=FrozenMap({4: LOSSLESS}))),
    ("dscp", leaf(dscp_to_priority=FrozenMap({64: 3}))),
    ("switch-priority", leaf(dscp_to_priority=FrozenMap({26: 16}))),
    ("pcp", leaf(trust=Trust.BOTH, pcp_to_priority=FrozenMap({8: 3}))),
    ("queue", leaf(priority_to_queue=FrozenMap({3: 10}))),
    ("pfc-queue", leaf(pfc_priority_to_queue=FrozenMap({3: 8}))),
    ("priority-group", leaf(priority_to_priority_group=FrozenMap({3: 8}))),
    ("pfc-priority", leaf(pfc_rx=frozenset({8}), pfc_tx=frozenset({8}))),
    ("pfc-asymmetric", leaf(pfc_rx=frozenset({3, 4}))),
    ("pfc-asymmetric", leaf(pfc_rx=UNKNOWN)),
    ("pfc-mode", leaf(pfc_mode=PfcMode.AUTO)),
    ("pfc-mode", leaf(pfc_mode=PfcMode.OFF)),
    ("dcbx", leaf(dcbx_mode=DcbxMode.IEEE)),
    ("dcbx", leaf(dcbx_willing=True)),
    ("global-pause", leaf(global_pause_rx=True)),
    ("remark-pcp", leaf(remark_pcp=FrozenMap({3: 3}))),
    ("mtu-by-priority", leaf(mtu_by_priority=FrozenMap({3: 4096}))),
    ("port-mtu", switch(port("Ethernet0", l2_mtu=9217))),
    ("scheduler-kind", _scheduler(kind=SchedulerKind.VENDOR)),
    ("scheduler-weight", _scheduler(weight_percent=0)),
    ("scheduler-weight", _scheduler(weight_percent=101)),
    ("scheduler-weight", _scheduler()),
    ("scheduler-shaper", _scheduler(weight_percent=1, shaper_bps=8)),
    ("ecn-incomplete", leaf(ecn=FrozenMap({3: replace(MARKING, pmax_percent=UNKNOWN)}))),
    ("ecn-thresholds", leaf(ecn=FrozenMap({3: replace(MARKING, kmin_bytes=1_500_001)}))),
    ("ecn-probability", leaf(ecn=FrozenMap({3: replace(MARKING, pmax_percent=101)}))),
    ("buffer-incomplete", _account(pool=UNKNOWN)),
    ("buffer-incomplete", _account(xon_bytes=UNKNOWN)),
    ("buffer-xoff-level", _account(xoff_bytes=1)),
    ("buffer-lossy-headroom", _account(is_lossless=False)),
    ("buffer-egress-headroom", _queue_account(headroom_bytes=1)),
    ("threshold-alpha", _account(threshold=Dynamic(3.0))),
    ("threshold-alpha", _account(threshold=Dynamic(256.0))),
    ("threshold-alpha", _account(threshold=Dynamic(0.0))),
    ("threshold-static", _account(threshold=Static(-1))),
    ("static-headroom-only", leaf(ingress_buffer=FrozenMap({3: COMPUTED}))),
    (
        "computed-headroom-numbers",
        switch(
            port(
                "Ethernet0",
                replace(
                    LOSSLESS_QOS,
                    ingress_buffer=FrozenMap({3: replace(LOSSLESS, is_computed=True)}),
                ),
            ),
            qos=DYNAMIC,
        ),
    ),
    ("lossless-profile-name", switch(port("Ethernet0", cable_m=UNKNOWN))),
    ("lossless-profile-name", _account(profile="mine")),
    (
        "lossless-profile-name",
        leaf(ingress_buffer=FrozenMap({3: LOSSLESS, 4: replace(LOSSLESS, size_bytes=1)})),
    ),
    ("lossless-priority-groups", leaf(ingress_buffer=FrozenMap(dict.fromkeys(range(5), LOSSLESS)))),
    ("cable-length", switch(port("Ethernet0", cable_m=0))),
    ("headroom-table", _device(headroom_table=("row",))),
    ("lossless-pattern", _device(lossless_mtu_bytes=1024)),
    ("lossless-pattern-mtu", _device(lossless_mtu_bytes=9217, small_packet_percent=0)),
    ("lossless-pattern-small-packets", _device(lossless_mtu_bytes=1, small_packet_percent=101)),
    ("lossless-default-threshold", _device(lossless_alpha_exponent=8)),
    ("oversubscription", _device(lossless_alpha_exponent=0, oversubscription=2)),
    ("pool-incomplete", _pool(kind=UNKNOWN)),
    ("pool-percentage", _pool(size_percent=50)),
    ("watchdog-detection", leaf(watchdog=replace(WATCHDOG, detection_ms=5001))),
    ("watchdog-detection", leaf(watchdog=replace(WATCHDOG, detection_ms=UNKNOWN))),
    ("watchdog-restoration", leaf(watchdog=replace(WATCHDOG, restoration_ms=60001))),
    ("watchdog-poll", _device(watchdog_poll_ms=99)),
    ("watchdog-below-poll", leaf(watchdog=replace(WATCHDOG, detection_ms=199))),
    ("counter-group", _device(counters_enabled=frozenset({"FANTASY"}))),
    ("multi-asic", replace(leaf(), qos=FrozenMap({"asic0": DeviceQos(), "asic1": DeviceQos()}))),
]


@pytest.mark.parametrize(
    ("limit", "device"), REFUSED, ids=[f"{limit}-{n}" for n, (limit, _) in enumerate(REFUSED)]
)
def test_what_cannot_be_expressed_is_refused_by_name(limit: str, device: Device) -> None:
    found = refusals(device, FABRIC)
    assert limit in {refusal.limit for refusal in found}
    with pytest.raises(RefusalError, match="leaf1"):
        render(device, FABRIC)


def test_every_limit_is_hit_by_a_case() -> None:
    assert {limit for limit, _ in REFUSED} == set(capabilities("sonic").limits)


def test_a_policy_that_can_be_expressed_is_not_refused() -> None:
    assert refusals(leaf(), FABRIC) == []


def test_the_device_pool_of_an_absent_set_is_an_empty_table() -> None:
    assert tables(_device(pools=ABSENT))["BUFFER_POOL"] == {}
