"""The base of simulated command lines: patterns, modes, configuration trees, filters."""

from __future__ import annotations

import pytest

from netcheck.lab.devices.cli.config import Section, write
from netcheck.lab.devices.cli.grammar import Kinds, Pattern
from netcheck.lab.devices.cli.pipes import PipeError, filtered

KINDS: Kinds = {"PORT": lambda word: f"Ethernet{word[2:]}" if word.startswith("Et") else None}
LINES = "a 1\n   b 2\n      c 3\na 4\n   d 5\n"


@pytest.mark.parametrize(
    ("pattern", "line", "words", "key"),
    [
        ("mtu = <68-9214>", "mtu 9214", "mtu 9214", "mtu"),
        ("mtu = <68-9214>", "mt 68", "mtu 68", "mtu"),
        ("mtu = <68-9214>", "mtu 9215", None, ""),
        ("mtu = <68-9214>", "mtu", None, ""),
        ("mtu = <68-9214>", "mtu 1 2", None, ""),
        ("timeout = <0.01-60>", "timeout 0.20", "timeout 0.20", "timeout"),
        ("timeout = <0.01-60>", "timeout 0.001", None, ""),
        ("<0-7> end", "3.5 end", None, ""),
        ("interface PORT", "int Et1/1", "interface Ethernet1/1", "interface Ethernet1/1"),
        ("interface PORT", "int Vl1", None, ""),
        ("description = LINE", "desc to  spine 1", "description to spine 1", "description"),
        ("map <0-63>... to class = <0-7>", "map 1 2 to c 3", "map 1 2 to class 3", ""),
        ("map <0-63>... to class = <0-7>", "map to class 3", None, ""),
        ("qos trust [dscp|cos]", "qos trust", "qos trust", "qos trust"),
        ("qos trust [dscp|cos]", "qos trust cos", "qos trust cos", "qos trust cos"),
        ("rate (percent <1-100>|<1-9> [kbps])", "rate 5 kb", "rate 5 kbps", "rate 5 kbps"),
        ("rate (percent <1-100>|<1-9> [kbps])", "rate percent", None, ""),
    ],
)
def test_a_pattern_takes_its_lines_and_says_what_they_set(
    pattern: str, line: str, words: str | None, key: str
) -> None:
    found = Pattern(pattern).match(line.split(), KINDS)
    assert (found.line if found else None) == words
    if found and key:
        assert found.key == key


@pytest.mark.parametrize(
    ("pattern", "line", "key"),
    [
        ("mtu = <68-9214>", "mtu", "mtu"),
        ("mtu = <68-9214>", "mtu 9000", "mtu"),
        ("priority <0-7> = (drop|no-drop)", "priority 3", "priority 3"),
        ("priority <0-7> = (drop|no-drop)", "priority", None),
        ("interface PORT", "interface Et1", "interface Ethernet1"),
        ("interface PORT", "interface", None),
    ],
)
def test_what_is_forgotten_is_named_with_or_without_its_value(
    pattern: str, line: str, key: str | None
) -> None:
    found = Pattern(pattern).match_setting(line.split(), KINDS)
    assert (found.key if found else None) == key


@pytest.mark.parametrize("pattern", ["a )", "a ] b"])
def test_a_pattern_that_cannot_be_read_is_an_error(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern cannot be read"):
        Pattern(pattern).match(["a"], KINDS)


def test_a_configuration_is_written_in_rank_and_number_order() -> None:
    section = Section()
    for number in (10, 2):
        block = section.block(f"interface Ethernet{number}", rank=5)
        block.set("mtu", "mtu 9000")
        block.block("queue 3").set("bandwidth", "bandwidth 5")
    section.set("hostname", "hostname sw1", rank=0)
    assert write(section) == [
        "hostname sw1",
        "!",
        "interface Ethernet2",
        "   mtu 9000",
        "   !",
        "   queue 3",
        "      bandwidth 5",
        "!",
        "interface Ethernet10",
        "   mtu 9000",
        "   !",
        "   queue 3",
        "      bandwidth 5",
    ]


def test_a_copy_is_a_configuration_of_its_own() -> None:
    section = Section()
    section.block("interface Ethernet1").set("mtu", "mtu 9000")
    other = section.copy()
    other.block("interface Ethernet1").set("mtu", "mtu 1500")
    assert section.held("interface Ethernet1").value("mtu") == "9000"


@pytest.mark.parametrize(
    ("pipe", "expected"),
    [
        ("include a|d", "a 1\na 4\n   d 5\n"),
        ("inc c", "      c 3\n"),
        ("exclude [a-c]", "   d 5\n"),
        ("begin a 4", "a 4\n   d 5\n"),
        ("section a 1", "a 1\n   b 2\n      c 3\n"),
        ("no-more", LINES),
        ("count", "5\n"),
        ("grep b", "   b 2\n"),
    ],
)
def test_a_filter_lets_its_lines_through(pipe: str, expected: str) -> None:
    assert filtered(LINES, pipe) == expected


@pytest.mark.parametrize("pipe", ["", "redirect flash:x", "include ["])
def test_what_is_no_filter_is_refused(pipe: str) -> None:
    with pytest.raises(PipeError):
        filtered(LINES, pipe)
