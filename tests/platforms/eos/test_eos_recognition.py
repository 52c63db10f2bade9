"""Which texts are of EOS, and which read-only commands it is asked."""

from __future__ import annotations

import pytest

from netcheck.model.device import Device
from netcheck.model.document import Document, DocumentKind
from netcheck.platforms.eos.commands import commands, is_read_only
from netcheck.platforms.eos.recognise import recognise
from netcheck.platforms.eos.render import render
from netcheck.platforms.platform import recognise as recognise_any
from tests.platforms.eos.eos_switch import FABRIC, leaf
from tests.platforms.eos.eos_texts import ECN, OUTPUTS, PFC, QOS_MAPS, QUEUES, ROCE

NXOS = """\
hostname leaf04
interface Ethernet1/1
  priority-flow-control mode on
  mtu 9216
  service-policy type qos input QOS_CLASSIFICATION
"""


def test_a_running_config_names_its_switch_and_is_whole() -> None:
    found = recognise(Document("leaf01.cfg", ROCE))
    assert found is not None
    assert (found.device, found.is_whole, found.kind) == ("leaf01", True, DocumentKind.CONFIG)
    assert "interface Ethernet1/1" in found.objects


def test_what_is_rendered_is_recognised_as_a_part() -> None:
    text = render(leaf(), FABRIC)["running-config.txt"]
    found = recognise_any(Document("running-config.txt", text))
    assert found is not None
    assert (found.platform, found.is_whole) == ("eos", False)


@pytest.mark.parametrize(
    ("text", "form"),
    [(PFC, "priority-flow-control"), (ECN, "ecn"), (QUEUES, "queue counters"), (QOS_MAPS, "maps")],
)
def test_tables_are_recognised_by_their_heads(text: str, form: str) -> None:
    found = recognise_any(Document("out.txt", text))
    assert found is not None
    assert (found.platform, found.form) == ("eos", form)


@pytest.mark.parametrize("name", OUTPUTS)
def test_json_is_recognised_by_its_fields(name: str) -> None:
    found = recognise(Document(f"{name}.json", OUTPUTS[name]))
    assert found is not None
    assert found.kind in {DocumentKind.STATE, DocumentKind.COUNTERS}


@pytest.mark.parametrize(
    "text",
    [NXOS, "", "{}", '{"a": 1}', "interface Ethernet1\n   mtu 9214\n", '{"interfaces": {}}', "[1]"],
)
def test_texts_of_others_are_not_recognised(text: str) -> None:
    assert recognise(Document("x.txt", text)) is None


def test_every_command_is_on_the_allow_list() -> None:
    assert [one.line for one in commands(Device("leaf01")) if not is_read_only(one.line)] == []


def test_every_output_has_its_own_file() -> None:
    files = [one.file for one in commands(Device("leaf01"))]
    assert len(files) == len(set(files))


def test_counters_tell_the_boot_as_well() -> None:
    lines = [one.line for one in commands(Device("l")) if one.kind is DocumentKind.COUNTERS]
    assert lines[0] == "show version | json"


@pytest.mark.parametrize(
    "line",
    [
        "show running-config all",
        "show interfaces Ethernet1/1 counters queue detail",
        "show priority-flow-control counters watchdog | json",
        "show qos interfaces ethernet 1 ecn",
    ],
)
def test_reading_commands_are_allowed(line: str) -> None:
    assert is_read_only(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "configure",
        "configure session x",
        "write memory",
        "clear counters",
        "reload now",
        "bash reboot",
        "show version | redirect flash:x",
        "show version | json | tee flash:x",
        "show running-config > flash:x",
        "show version\nreload",
        "show version\n",
        "show tech-support",
        "copy running-config flash:x",
    ],
)
def test_anything_else_is_refused(line: str) -> None:
    assert not is_read_only(line)
