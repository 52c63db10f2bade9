"""What a subnet manager was started with, by a list of processes beside its file."""

from __future__ import annotations

import pytest

from netcheck.model.document import Document, Evidence
from netcheck.model.known import UNKNOWN, is_known
from netcheck.platforms.opensm.parse import parse
from netcheck.platforms.opensm.recognise import recognise

CONF = Document("opensm.conf", "sm_priority 4\nqos_sl2vl 0,1,2,3,0,0,0,0,0,0,0,0,0,0,0,15\n")
PS = "root        7355       1  0 06:18 ?        00:00:00 /usr/sbin/opensm -B -Q -p 14\n"


def values(text: str) -> dict[str, str]:
    device = parse([CONF, Document("ps.txt", text)], name="sm1")
    assert is_known(device.subnet_manager)
    assert is_known(device.subnet_manager.options)
    return {key: one.value for key, one in device.subnet_manager.options.items()}


@pytest.mark.parametrize(
    "text",
    [
        PS,
        "  PID TTY          TIME CMD\n 7355 ?        00:00:00 opensm\n",
        "[Service]\nExecStart=/usr/sbin/opensm -Q\n",
    ],
)
def test_a_list_with_a_subnet_manager_is_recognised(text: str) -> None:
    found = recognise(Document("ps.txt", text))
    assert found is not None
    assert found.form == "processes"


@pytest.mark.parametrize(
    "text", ["root 1 0 0 06:18 ? 00:00:01 /sbin/init\n", "opensm was started at 7\n"]
)
def test_other_lists_are_not(text: str) -> None:
    assert recognise(Document("ps.txt", text)) is None


def test_the_command_line_beats_the_file() -> None:
    found = values(PS)
    assert (found["sm_priority"], found["qos"]) == ("14", "TRUE")


def test_an_option_may_stand_behind_an_equals_sign() -> None:
    found = values("root 9 1 0 06:18 ? 00:00:00 opensm --routing_engine=ftree,updn -y\n")
    assert (found["routing_engine"], found["exit_on_fatal"]) == ("ftree,updn", "FALSE")


def test_without_options_the_file_holds() -> None:
    assert values("root 9 1 0 06:18 ? 00:00:00 opensm -B\n")["sm_priority"] == "4"


def test_its_place_is_the_line_of_the_process() -> None:
    device = parse([CONF, Document("ps.txt", "UID PID\n" + PS)], name="sm1")
    assert is_known(device.subnet_manager)
    assert is_known(device.subnet_manager.options)
    assert device.subnet_manager.options["qos"].evidence == Evidence("ps.txt", 2)


def test_a_process_alone_does_not_say_what_the_file_holds() -> None:
    device = parse([Document("ps.txt", PS)], name="sm1")
    assert is_known(device.subnet_manager)
    assert device.subnet_manager.options is UNKNOWN


def test_an_unclosed_quote_is_no_error() -> None:
    assert values("root 9 1 0 06:18 ? 00:00:00 opensm -R 'ftree\n")["routing_engine"] == "'ftree"
