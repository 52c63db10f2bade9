"""Configurations in every form that people hand over: what each says, and what it leaves open."""

from __future__ import annotations

import pytest

from netcheck.model.device import DefectKind, Device
from netcheck.model.document import Document
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import (
    CongestionAction,
    DcbxMode,
    Ecn,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.cumulus.parse import parse
from tests.platforms.cumulus import cumulus_texts as texts
from tests.platforms.cumulus.regenerate_golden import GOLDEN, rendered


def read(*given: str, command: str = "") -> Device:
    documents = [Document(f"text{n}", text, command) for n, text in enumerate(given)]
    return parse(documents, name="leaf07")


def test_a_startup_file_says_what_it_is_of() -> None:
    device = read(texts.STARTUP)
    assert (device.model, device.os_version, device.is_whole) == ("SN5600", "5.14.0", True)
    assert list(device.ports) == ["swp1", "swp2", "swp3"]
    assert device.defects == ()


def test_a_profile_of_a_port_goes_before_that_of_all_ports() -> None:
    device = read(texts.STARTUP)
    first, third = device.ports["swp1"].qos, device.ports["swp3"].qos
    assert first.trust is Trust.DSCP
    assert isinstance(first.dscp_to_priority, FrozenMap)
    assert (first.dscp_to_priority[24], first.dscp_to_priority[26]) == (0, 3)
    assert (third.trust, third.dscp_to_priority) == (Trust.PCP, ABSENT)
    assert (first.pfc_tx, third.pfc_tx) == (frozenset({3}), frozenset())


def test_ranges_and_lists_of_ids_are_spelled_out() -> None:
    port = read(texts.STARTUP).ports["swp2"]
    marking = Ecn(200_000, 800_000, 40, CongestionAction.MARK, is_active=True)
    assert port.qos.ecn == FrozenMap({3: marking, 4: marking})
    assert (port.l2_mtu, port.speed_bps, port.cable_m) == (9100, 400_000_000_000, 40)


def test_numbers_of_a_pfc_profile_become_levels() -> None:
    accounts = read(texts.STARTUP).ports["swp1"].qos.ingress_buffer
    assert isinstance(accounts, FrozenMap)
    account = accounts[3]
    assert (account.size_bytes, account.headroom_bytes) == (120_000, 100_000)
    assert (account.xoff_bytes, account.xon_bytes) == (20_000, 19_000)
    assert (account.is_lossless, account.is_computed) == (True, False)


def test_the_watchdog_detects_after_so_many_intervals() -> None:
    device = read(texts.STARTUP)
    assert device.ports["swp1"].qos.watchdog == Watchdog(
        1000, 200, WatchdogAction.DROP, frozenset({3})
    )
    assert device.ports["swp3"].qos.watchdog is ABSENT
    assert device.qos[""].watchdog_poll_ms == 200


def test_queues_pools_and_dcbx_of_a_startup_file() -> None:
    device = read(texts.STARTUP)
    qos = device.ports["swp1"].qos
    assert qos.priority_to_queue == {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 4, 6: 6, 7: 7}
    pools = device.qos[""].pools
    assert isinstance(pools, FrozenMap)
    assert {name: pool.size_percent for name, pool in pools.items()} == {
        "ingress_lossless_pool": 60,
        "ingress_lossy_pool": 40,
    }
    assert qos.dcbx_mode is DcbxMode.IEEE
    assert device.ports["swp3"].qos.dcbx_mode is DcbxMode.DISABLED


def test_set_lines_say_only_what_they_say() -> None:
    device = read(texts.LINES)
    assert list(device.ports) == ["swp1", "swp2", "swp3", "swp4", "swp6"]
    qos = device.ports["swp6"].qos
    assert qos.pfc_tx == frozenset({3, 5})
    assert qos.trust is Trust.DSCP
    assert isinstance(qos.dscp_to_priority, FrozenMap)
    assert [qos.dscp_to_priority[dscp] for dscp in (10, 21, 36, 26)] == [0, 0, 0, 3]
    assert qos.scheduler == {
        2: Scheduler(SchedulerKind.WEIGHTED, 30),
        7: Scheduler(SchedulerKind.STRICT),
    }
    assert (qos.ecn, qos.priority_to_queue, qos.watchdog) == (UNKNOWN, UNKNOWN, UNKNOWN)
    assert (device.is_whole, device.ports["swp1"].l2_mtu) == (False, UNKNOWN)


@pytest.mark.parametrize("word", ["enable: on", "state: enabled"])
def test_one_click_roce_is_what_it_expands_to(word: str) -> None:
    head = texts.STARTUP.partition("- set:")[0]
    text = f"{head}- set:\n    interface:\n      swp1: {{type: swp}}\n    qos:\n      roce:\n"
    port = read(f"{text}        {word}\n        mode: lossless\n").ports["swp1"]
    marking = Ecn(150_000, 1_500_000, 100, CongestionAction.MARK, is_active=True)
    assert port.qos.trust is Trust.BOTH
    assert port.qos.ecn == {0: marking, 3: marking}
    assert port.qos.priority_to_queue == {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 0}
    assert (port.qos.pfc_rx, port.cable_m) == (frozenset({3}), 100)
    assert port.qos.dcbx_mode is DcbxMode.IEEE


@pytest.mark.parametrize("mode", ["lossy", "lossy-multi-tc"])
def test_lossy_roce_pauses_nothing(mode: str) -> None:
    device = read(f"nv set qos roce mode {mode}\nnv set interface swp1 link mtu 9216\n")
    assert device.ports["swp1"].qos.pfc_tx == frozenset()
    assert device.ports["swp1"].cable_m is UNKNOWN


def test_roce_that_is_off_says_nothing() -> None:
    device = read("nv set qos roce enable off\nnv set interface swp1 link mtu 9216\n")
    assert device.ports["swp1"].qos.pfc_tx is UNKNOWN


def test_the_files_of_switchd_say_the_same_things() -> None:
    device = read(texts.FEATURES, texts.INFRA)
    assert device.defects == ()
    first, fifth = device.ports["swp1"].qos, device.ports["swp5"].qos
    assert (first.trust, first.pfc_tx, first.pfc_rx) == (
        Trust.BOTH,
        frozenset({3}),
        frozenset(),
    )
    assert isinstance(first.dscp_to_priority, FrozenMap)
    assert [first.dscp_to_priority[dscp] for dscp in (25, 26, 48, 63)] == [0, 3, 6, 0]
    assert first.ecn == {3: Ecn(40_000, 200_000, 100, CongestionAction.MARK, is_active=True)}
    assert first.scheduler == {
        3: Scheduler(SchedulerKind.WEIGHTED, 70),
        7: Scheduler(SchedulerKind.STRICT),
    }
    assert first.remark_dscp == {1: 40}
    assert isinstance(first.priority_to_queue, FrozenMap)
    assert first.priority_to_queue[3] == 4
    assert (isinstance(first.watchdog, Watchdog), fifth.watchdog) == (True, ABSENT)
    pools = device.qos[""].pools
    assert isinstance(pools, FrozenMap)
    assert pools["ingress_lossless_pool"].size_percent == 50


def test_a_group_that_is_listed_and_not_described_leaves_pfc_open() -> None:
    text = texts.FEATURES.replace("[backend]", "[BACKEND]")
    device = read(text)
    (defect,) = device.defects
    assert defect.kind is DefectKind.DANGLING_REFERENCE
    assert defect.message == (
        "pfc.port_group_list names BACKEND, which has no settings;"
        " settings are there for backend, which is not listed"
    )
    assert defect.evidence.line == 10
    assert device.ports["swp1"].qos.pfc_tx is UNKNOWN


def test_a_profile_that_is_not_there_is_told_with_its_line() -> None:
    text = texts.STARTUP.replace("            profile: backend", "            profile: beckend", 1)
    defects = read(text).defects
    assert [(one.kind, one.ports) for one in defects] == [
        (DefectKind.DANGLING_REFERENCE, ("swp1",)),
        (DefectKind.DANGLING_REFERENCE, ("swp2",)),
    ]
    assert defects[0].evidence.line == 24


@pytest.mark.parametrize(
    ("old", "new", "kind", "place"),
    [
        ("tx: enable", "tx: maybe", DefectKind.MALFORMED_VALUE, "qos pfc backend tx"),
        ("trust: l3", "trust: l4", DefectKind.MALFORMED_VALUE, "qos mapping backend trust"),
        ("cable-length", "cable-lenght", DefectKind.UNKNOWN_LINE, "qos pfc backend cable-lenght"),
        (
            "      pfc:\n        backend:",
            "      pfcc:\n        backend:",
            DefectKind.UNKNOWN_LINE,
            "qos pfcc",
        ),
        (
            "dcbx-pfc-tlv: on",
            "dcbx-pfc-tlv: 5",
            DefectKind.MALFORMED_VALUE,
            "interface swp1-2 lldp dcbx-pfc-tlv",
        ),
    ],
)
def test_what_nvue_does_not_know_is_told(old: str, new: str, kind: DefectKind, place: str) -> None:
    found = [one for one in read(texts.STARTUP.replace(old, new, 1)).defects if one.place == place]
    assert [(one.kind, one.touches_qos) for one in found] == [(kind, True)]


def test_a_line_of_the_files_that_is_not_known_is_told() -> None:
    device = read(texts.FEATURES + "pfc.backend.colour = red\n")
    assert [(one.kind, one.place) for one in device.defects] == [
        (DefectKind.UNKNOWN_LINE, "pfc.backend.colour")
    ]


def test_a_cut_startup_file_is_no_whole_configuration() -> None:
    text = texts.STARTUP.partition("      pfc-watchdog:\n        polling")[0] + "      pfc: [1,\n"
    device = read(text)
    assert not device.is_whole
    assert any(one.kind is DefectKind.MALFORMED_VALUE for one in device.defects)
    assert device.ports["swp3"].qos.pfc_tx is UNKNOWN


@pytest.mark.parametrize("cut", range(0, len(texts.STARTUP), 97))
def test_no_prefix_of_a_startup_file_stops_the_parser(cut: int) -> None:
    assert read(texts.STARTUP[:cut] or "\n", command="nv config show").name == "leaf07"


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_a_plain_text_and_one_that_needs_a_yaml_reader_say_the_same(name: str) -> None:
    text = rendered(name)
    assert read(text).ports == read(f"# a comment\n{text}").ports


def test_a_startup_file_with_flow_style_says_the_same() -> None:
    flow = texts.STARTUP.replace("          mtu: 9100\n", "          mtu: '9100'\n").replace(
        "        qos:\n          mapping:\n            profile: backend\n",
        "        qos:\n          mapping: {profile: backend}\n",
    )
    assert flow != texts.STARTUP
    assert read(flow).ports == read(texts.STARTUP).ports


def test_members_of_a_bond_and_breakout_ports_are_known_as_such() -> None:
    text = texts.STARTUP.replace(
        "      swp3:\n",
        "      bond1:\n        bond:\n          member:\n            swp1-2: {}\n"
        "        type: bond\n"
        "      swp4s0:\n        type: swp\n      swp3:\n",
    )
    ports = read(text).ports
    assert list(ports) == ["swp1", "swp2", "swp3", "swp4s0"]
    assert [one.aggregate for one in ports.values()] == ["bond1", "bond1", ABSENT, ABSENT]
    assert [one.parent for one in ports.values()] == [ABSENT, ABSENT, ABSENT, "swp4"]


def test_a_port_that_names_the_profile_of_all_ports_has_none_of_its_own() -> None:
    text = texts.STARTUP.replace(
        "      swp3:\n",
        "      swp3:\n        qos:\n          link-pause:\n            profile: default-global\n",
    )
    device = read(text)
    assert device.defects == ()
    assert device.ports["swp3"].qos.global_pause_rx is False


def test_a_whole_view_with_all_defaults_is_read_as_the_defaults() -> None:
    text = (
        '{"header": {"nvue-api-version": "nvue_v1", "version": "Cumulus Linux 5.5.1"},'
        ' "interface": {"swp1": {"link": {"mtu": 9216, "speed": "auto", "state": {"up": {}}},'
        ' "type": "swp"}}, "qos": {"pfc": {}, "roce": {"enable": "off"}, "link-pause": {}}}'
    )
    port = read(text).ports["swp1"]
    assert (port.qos.trust, port.qos.pfc_tx) == (Trust.PCP, frozenset())
    assert isinstance(port.qos.ecn, FrozenMap)
    assert port.qos.ecn[0].kmin_bytes == 150_000
    assert (port.l2_mtu, port.speed_bps) == (9216, UNKNOWN)
