"""Commands are read-only and listed; texts are taken for what they are."""

from __future__ import annotations

import json

import pytest

from netcheck.model.document import Document, DocumentKind
from netcheck.platforms.nxos.apply import holdings
from netcheck.platforms.nxos.commands import commands, is_read_only
from netcheck.platforms.nxos.parsed.forms import commanded_form
from netcheck.platforms.nxos.recognise import recognise
from tests.platforms.nxos.nxos_switch import leaf
from tests.platforms.nxos.nxos_texts import CONFIG, PFC, QUEUING, queuing_json


@pytest.mark.parametrize("line", [each.line for each in (*commands(leaf()), *holdings(leaf()))])
def test_every_command_is_on_the_allow_list(line: str) -> None:
    assert is_read_only(line)


@pytest.mark.parametrize(
    "line",
    [
        "configure terminal",
        "show running-config > bootflash:x",
        "show version ; reload",
        "show version\nreload",
        "clear counters",
        "copy running-config startup-config",
        "show running-config | redirect bootflash:x",
        "show tech-support",
    ],
)
def test_other_lines_are_not(line: str) -> None:
    assert not is_read_only(line)


@pytest.mark.parametrize("command", commands(leaf()))
def test_the_form_of_each_output_is_told_by_its_command(command: object) -> None:
    assert commanded_form(getattr(command, "line", "")) is not None


def test_counters_are_read_without_the_configuration() -> None:
    kinds = {each.file: each.kind for each in commands(leaf())}
    assert kinds["queuing.json"] is kinds["uptime.json"] is DocumentKind.COUNTERS
    assert kinds["running-config.txt"] is DocumentKind.CONFIG


def test_a_configuration_names_its_host_and_objects() -> None:
    found = recognise(Document("leaf7.cfg", CONFIG))
    assert found is not None
    assert (found.device, found.is_whole, found.kind) == ("leaf7", True, DocumentKind.CONFIG)
    assert {"interface Ethernet1/1", "policy-map", "system qos"} & found.objects


@pytest.mark.parametrize("text", [PFC, QUEUING, json.dumps(queuing_json())])
def test_outputs_name_their_ports(text: str) -> None:
    found = recognise(Document("x", text))
    assert found is not None
    assert found.kind is DocumentKind.COUNTERS
    assert any(each.endswith("Ethernet1/1") for each in found.objects)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hostname sw1\ninterface Ethernet1\n   mtu 9214\n   priority-flow-control on\n",
        "system qos\n trust-map dscp new-dscp-map\n service-policy input type network-qos p\n",
        '{"PORT": {"Ethernet0": {"mtu": "9100"}}}',
        '{"interfaces": {}}',
        "set class-of-service interfaces et-0/0/0\n",
        "just some words\n",
    ],
)
def test_texts_of_others_are_left_alone(text: str) -> None:
    assert recognise(Document("x", text)) is None
