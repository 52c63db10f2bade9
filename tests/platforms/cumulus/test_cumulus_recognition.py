"""Texts of Cumulus Linux are known by their look, those of others are not; commands only read."""

from __future__ import annotations

import pytest

from netcheck.model.document import Document, DocumentKind
from netcheck.platforms.cumulus.commands import commands, is_read_only
from netcheck.platforms.cumulus.recognise import recognise
from tests.platforms.cumulus import cumulus_texts as texts
from tests.platforms.cumulus.cumulus_switch import leaf


@pytest.mark.parametrize(
    ("text", "form", "kind"),
    [
        (texts.STARTUP, "nvue", DocumentKind.CONFIG),
        (texts.LINES, "nv_set", DocumentKind.CONFIG),
        (texts.FEATURES, "switchd", DocumentKind.CONFIG),
        (texts.INFRA, "switchd", DocumentKind.CONFIG),
        (texts.COUNTERS_TEXT, "nv_show x", DocumentKind.COUNTERS),
        (texts.COUNTERS_JSON, "nv_show_json x", DocumentKind.COUNTERS),
        (texts.WATCHDOG, "nv_show x", DocumentKind.COUNTERS),
        (texts.ROCE, "nv_show x", DocumentKind.STATE),
        (texts.INTERFACES, "nv_show_json x", DocumentKind.STATE),
        (texts.ETHTOOL, "ethtool_switchd x", DocumentKind.COUNTERS),
        (texts.REVISIONS, "nv_revisions", DocumentKind.STATE),
    ],
)
def test_a_text_is_known_by_its_look(text: str, form: str, kind: DocumentKind) -> None:
    found = recognise(Document("x", text))
    assert found is not None
    assert (found.platform, found.form, found.kind) == ("cumulus", form, kind)


def test_a_startup_file_names_its_switch_and_is_whole() -> None:
    found = recognise(Document("startup.yaml", texts.STARTUP))
    assert found is not None
    assert (found.device, found.is_whole) == ("leaf07", True)
    assert {"qos", "interface"} <= found.objects


@pytest.mark.parametrize(
    "text",
    [
        "",
        "netcheck: 1\nname: x\nroce: {policies: {}}\n",
        '{"PORT": {"Ethernet0": {"mtu": "9100"}}}',
        "NIC statistics:\n     rx_prio3_pause: 5\n",
        "- hosts: all\n  tasks: []\n",
        "interface Ethernet1/1\n  priority-flow-control mode on\n",
        "3f1c2b4a-0d5e-4f60-8a7b-9c8d7e6f5a4b\n",
    ],
)
def test_texts_of_others_are_left_to_them(text: str) -> None:
    assert recognise(Document("x", text)) is None


def test_every_command_of_cumulus_reads_only() -> None:
    lines = [one.line.replace("{port}", "swp1s0") for one in commands(leaf())]
    assert [line for line in lines if not is_read_only(line)] == []


@pytest.mark.parametrize(
    "line",
    [
        "nv set qos roce",
        "nv config apply -y",
        "nv config save",
        "nv action clear interface swp1 qos roce counters",
        "nv show qos roce; nv config apply",
        "cat /etc/shadow",
        "ethtool -G swp1 rx 8",
    ],
)
def test_a_line_that_changes_something_is_not_allowed(line: str) -> None:
    assert not is_read_only(line)
