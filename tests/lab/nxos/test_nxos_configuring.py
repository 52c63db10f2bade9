"""Lines typed into the NX-OS switch: what they replace, what they remove, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.lab.devices.nxos.patterns import compact, forms, numbers_of
from netcheck.lab.devices.nxos.state import NxosSwitch
from netcheck.lab.devices.nxos.tree import read_tree, write_tree
from tests.lab.nxos.nxos_labs import (
    LOSSLESS,
    PAUSE,
    PORTS,
    build_lab,
    configured,
    shown,
    switch_of,
    typed,
)

CAPTURES = Path(__file__).resolve().parents[4] / "shared" / "captures" / "configs"


@pytest.fixture
def switch(tmp_path: Path) -> NxosSwitch:
    return switch_of(build_lab(tmp_path))


def lines_of(switch: NxosSwitch, port: str) -> list[str]:
    return list(switch.root[f"interface {port}"])


def test_text_and_tree_are_the_same_thing() -> None:
    text = "hostname a\n\nclass-map type qos match-any X\n  match dscp 26\n"
    assert write_tree(read_tree(text)) == text
    assert read_tree("! remark\n\nvlan 1\n") == read_tree("vlan 1")


def test_numbers_are_written_as_ranges() -> None:
    assert compact({1, 2, 4}) == "1-2,4"
    assert numbers_of("1-2,4") == {1, 2, 4}


def test_a_pattern_gives_every_form_it_allows() -> None:
    assert forms("a [b c] <d>") == (("a", "b", "c", "<d>"), ("a", "<d>"))


def test_a_line_replaces_the_one_that_sets_the_same(switch: NxosSwitch) -> None:
    configured(switch, "interface Ethernet1/1\nmtu 9216\npriority-flow-control mode off")
    configured(switch, "interface Ethernet1/1\npriority-flow-control mode on send-tlv")
    assert lines_of(switch, "Ethernet1/1") == [
        "mtu 9216",
        "priority-flow-control mode on send-tlv",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "mtu 1500",
        "no mtu",
        "no mtu 9216",
        "default mtu",
    ],
)
def test_what_is_default_is_not_kept(switch: NxosSwitch, line: str) -> None:
    configured(switch, f"interface Ethernet1/1\nmtu 9216\n{line}")
    assert lines_of(switch, "Ethernet1/1") == []


def test_abbreviations_names_and_ranges_are_written_in_full(switch: NxosSwitch) -> None:
    lines = "class-map type qos match-any A\nmat dscp af31,cs6,30-29"
    assert "% Invalid" in configured(switch, lines)[0]
    assert (
        configured(switch, "class-map match-any A\nmat dscp af31,cs6,27\nint e1/1-2\nmtu 9216")
        == []
    )
    assert list(switch.root["class-map type qos match-any A"]) == ["match dscp 26-27,48"]
    assert [lines_of(switch, port) for port in PORTS] == [["mtu 9216"], ["mtu 9216"], [], []]


def test_an_inner_mode_ends_where_an_outer_line_begins(switch: NxosSwitch) -> None:
    console = switch.new_shell()
    typed(console, ["configure terminal", "policy-map type qos P", "class class-default"])
    assert console.prompt == "leaf01(config-pmap-c-qos)# "
    typed(console, ["set qos-group 1", "interface Ethernet1/1", "mtu 9216", "exit"])
    assert console.prompt == "leaf01(config)# "
    typed(console, ["vlan 10", "name storage", "interface Ethernet1/2", "mtu 9216", "end"])
    assert console.prompt == "leaf01# "
    assert list(switch.root["vlan 10"]) == ["name storage"]
    assert lines_of(switch, "Ethernet1/2") == ["mtu 9216"]


def test_what_another_session_removed_cannot_be_edited(switch: NxosSwitch) -> None:
    console = switch.new_shell()
    typed(console, ["configure terminal", "policy-map type qos P"])
    assert configured(switch, "no policy-map type qos P") == []
    assert "% Invalid command" in typed(console, ["class class-default"])[0]
    assert console.prompt == "leaf01(config)# "


@pytest.mark.parametrize(
    "line", ["policy-map type", "class-map type qos", "system jumbomtu x", "match dscp ²", "mtu ²"]
)
def test_half_a_line_is_refused_and_changes_nothing(switch: NxosSwitch, line: str) -> None:
    before = switch.root.copy()
    assert "% In" in configured(switch, line)[0]
    assert switch.root == before


def test_everything_is_removed_in_the_documented_order(switch: NxosSwitch) -> None:
    before = switch.root.copy()
    assert configured(switch, LOSSLESS + PAUSE) == []
    removals = """interface Ethernet1/1-4
no priority-flow-control mode on
no priority-flow-control watch-dog-interval on
no mtu
no service-policy type qos input IN
no service-policy type queuing input PAUSE
exit
no priority-flow-control watch-dog-interval on
no priority-flow-control watch-dog interval
no priority-flow-control auto-restore multiplier 2
no system qos
no policy-map type network-qos LOSSLESS
no policy-map type queuing OUT
no policy-map type queuing PAUSE
no policy-map type qos IN
no class-map type qos match-any RDMA
no class-map type qos CNP
"""
    assert configured(switch, removals) == []
    assert switch.root == before


def test_only_the_named_policy_is_taken_off(switch: NxosSwitch) -> None:
    configured(switch, LOSSLESS)
    configured(switch, "interface Ethernet1/1\nno service-policy type qos input OTHER")
    assert "service-policy type qos input IN" in lines_of(switch, "Ethernet1/1")


def test_routed_ports_take_any_mtu(switch: NxosSwitch) -> None:
    assert configured(switch, "interface Ethernet1/1\nno switchport\nmtu 9000") == []
    assert lines_of(switch, "Ethernet1/1") == ["no switchport", "mtu 9000"]


def test_a_checkpoint_brings_the_whole_configuration_back(switch: NxosSwitch) -> None:
    configured(switch, LOSSLESS)
    before = switch.root.copy()
    console = switch.new_shell()
    typed(console, ["checkpoint good"])
    configured(switch, "interface Ethernet1/1\nmtu 1500\nno class-map type qos NOSUCH")
    text = "".join(typed(console, ["show diff rollback-patch running-config checkpoint good"]))
    assert "interface Ethernet1/1\n  mtu 9216" in text
    assert "good" in "".join(typed(console, ["show checkpoint summary"]))
    text = "".join(typed(console, ["rollback running-config checkpoint good atomic"]))
    assert "Rollback completed successfully." in text
    assert switch.root == before
    text = "".join(typed(console, ["rollback running-config checkpoint good"]))
    assert "Rollback Patch is Empty" in text
    assert typed(console, ["no checkpoint good"]) == []
    assert "does not exist" in typed(console, ["rollback running-config checkpoint good"])[0]


def test_what_runs_and_what_is_saved_are_two_things(switch: NxosSwitch) -> None:
    configured(switch, LOSSLESS)
    assert "LOSSLESS" not in shown(switch, "show startup-config")
    assert "Copy complete." in shown(switch, "copy running-config startup-config")
    assert "LOSSLESS" in shown(switch, "show startup-config")


def test_parts_of_the_configuration_can_be_shown(switch: NxosSwitch) -> None:
    configured(switch, LOSSLESS)
    ipqos = shown(switch, "show running-config ipqos")
    assert "policy-map type qos IN" in ipqos
    assert "hostname" not in ipqos
    text = shown(switch, "show running-config interface ethernet1/1")
    assert "interface Ethernet1/1" in text
    assert "interface Ethernet1/2" not in text
    text = shown(switch, "show running-config interface ethernet1/2 all")
    assert "  flowcontrol receive off\n" in text


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="public captures are not beside the repository")
def test_a_public_configuration_is_taken_as_it_stands(switch: NxosSwitch) -> None:
    text = (CAPTURES / "nxos_roce_paregupt_rendered.cfg").read_text("utf-8")
    assert configured(switch, text) == []
    port = switch.hardware().ports["Ethernet1/1"]
    assert port.pauses_sent == {3}
    assert [port.priority_of_dscp[dscp] for dscp in (0, 24, 26, 31, 48)] == [0, 3, 3, 3, 7]
    ecn = port.queues[3].ecn
    assert ecn is not None
    assert (ecn.kmin_bytes, ecn.kmax_bytes, ecn.pmax_percent) == (950_000, 3_000_000, 7.0)
    assert port.queues[7].is_strict
    assert switch.hardware().ports["Ethernet1/3"].pauses_sent == frozenset()
