"""Interfaces that are set alike are read once, and each still has its own lines and changes."""

from __future__ import annotations

import pytest

from netcheck.model.device import DefectKind, Device
from netcheck.model.document import Document
from netcheck.platforms.cumulus.parse import parse

HEAD = """\
- header:
    model: SN5600
    nvue-api-version: nvue_v1
    version: Cumulus Linux 5.14.0
- set:
    interface:
"""
PORT = """\
      {name}:
        link:
          mtu: 9100
        qos:
          pfc:
            profile: {profile}
        type: swp
"""
PROFILE = """\
    qos:
      pfc:
        backend:
          switch-priority:
            '3': {}
"""


def startup(*profiles: str) -> str:
    ports = (
        PORT.format(name=f"swp{number}", profile=profile)
        for number, profile in enumerate(profiles, start=1)
    )
    return "".join((HEAD, *ports, PROFILE))


def read(*texts: str) -> Device:
    return parse([Document(f"text{n}", text) for n, text in enumerate(texts)], name="leaf")


def test_each_of_many_ports_alike_has_what_it_says_and_its_own_line() -> None:
    device = read(startup("backend", "backend", "backend"))
    assert [port.qos.pfc_tx for port in device.ports.values()] == [frozenset({3})] * 3
    assert [port.l2_mtu for port in device.ports.values()] == [9100] * 3
    lines = [device.evidence[f"port swp{number}"].line for number in (1, 2, 3)]
    assert lines == [7, 14, 21]
    assert device.evidence["port swp3 pfc_tx"].line == 30


def test_what_is_wrong_with_ports_alike_is_told_of_each_with_its_line() -> None:
    defects = read(startup("other", "other", "other")).defects
    assert [(one.kind, one.ports, one.evidence.line) for one in defects] == [
        (DefectKind.DANGLING_REFERENCE, ("swp1",), 12),
        (DefectKind.DANGLING_REFERENCE, ("swp2",), 19),
        (DefectKind.DANGLING_REFERENCE, ("swp3",), 26),
    ]


def test_a_word_that_nvue_does_not_know_is_told_of_each_port_alike() -> None:
    text = startup("backend", "backend").replace("          pfc:\n", "          pfcc:\n")
    assert [(one.kind, one.place, one.evidence.line) for one in read(text).defects] == [
        (DefectKind.UNKNOWN_LINE, "interface swp1 qos pfcc", 11),
        (DefectKind.UNKNOWN_LINE, "interface swp2 qos pfcc", 18),
    ]


@pytest.mark.parametrize("changed", ["swp1", "swp2", "swp3"])
def test_a_later_line_changes_the_one_port_that_it_names(changed: str) -> None:
    device = read(
        startup("backend", "backend", "backend"), f"nv set interface {changed} link mtu 1500\n"
    )
    expected = {name: 1500 if name == changed else 9100 for name in ("swp1", "swp2", "swp3")}
    assert {name: port.l2_mtu for name, port in device.ports.items()} == expected


def test_a_blank_line_and_a_last_line_without_its_end_make_no_difference() -> None:
    text = startup("backend", "backend").replace("        type: swp\n", "        type: swp\n\n", 1)
    assert read(text.rstrip("\n")).ports == read(startup("backend", "backend")).ports


def test_a_line_too_deep_for_the_plain_form_is_read_by_the_yaml_reader() -> None:
    text = startup("backend", "backend").replace(
        "profile: backend\n", "profile: {}\n          x: 1\n"
    )
    assert [one.place for one in read(text).defects if one.kind is DefectKind.UNKNOWN_LINE] == [
        "interface swp1 qos x",
        "interface swp2 qos x",
    ]


@pytest.mark.parametrize(
    "path",
    [
        "interface swp1 qos " + "- " * 5000,
        "interface swp1-4000 qos mapping profile 1-4000 pcp 1-4000 switch-priority 1-4000",
    ],
)
def test_a_line_that_is_none_of_nvue_is_told_and_others_are_read(path: str) -> None:
    text = f"nv set interface swp1 link speed 400G\nnv set {path}\nnv set interface swp2 type swp\n"
    device = parse([Document("commands.txt", text)], name="leaf01")
    assert set(device.ports) == {"swp1", "swp2"}
    (defect,) = [one for one in device.defects if one.evidence.line == 2]
    assert "expected at most 64 words" in defect.message
