"""Reads a list of processes: what OpenSM was started with beats what its file says.

Source: linux-rdma/opensm man/opensm.8.in.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Final

from netcheck.model.document import Document, Evidence
from netcheck.model.subnet_manager import SmOption
from netcheck.platforms.sm_reading import Reading, at_line

# a process as ps shows it (a user or not, a number, and the command at the end), or a unit's line
PROCESS: Final = re.compile(
    r"^\s*(?:\S+\s+)?\d+\s+(?:.*\s)?(?:/\S*/)?opensm(?P<ps>(?:\s.*)?)$"
    r"|^\s*ExecStart=\S*opensm(?P<unit>(?:\s.*)?)$"
)
# Switches by the option that they set, and the value of those that take none.
_SWITCHES: Final = {
    "-Q": ("qos", "TRUE"),
    "--qos": ("qos", "TRUE"),
    "-y": ("exit_on_fatal", "FALSE"),
    "--stay_on_fatal": ("exit_on_fatal", "FALSE"),
    "-z": ("connect_roots", "TRUE"),
    "--connect_roots": ("connect_roots", "TRUE"),
    "-N": ("part_enforce", "off"),
    "--no_part_enforce": ("part_enforce", "off"),
}
_VALUED: Final = {
    "-p": "sm_priority",
    "--priority": "sm_priority",
    "-R": "routing_engine",
    "--routing_engine": "routing_engine",
    "-l": "lmc",
    "--lmc": "lmc",
    "-P": "partition_config_file",
    "--Pconfig": "partition_config_file",
    "-a": "root_guid_file",
    "--root_guid_file": "root_guid_file",
    "-u": "cn_guid_file",
    "--cn_guid_file": "cn_guid_file",
    "-G": "io_guid_file",
    "--io_guid_file": "io_guid_file",
    "-Y": "qos_policy_file",
    "--qos_policy_file": "qos_policy_file",
    "-s": "sweep_interval",
    "--sweep": "sweep_interval",
    "-g": "guid",
    "--guid": "guid",
    "-f": "log_file",
    "--log_file": "log_file",
}


def started_with(document: Document) -> dict[str, SmOption]:
    """Give the options that the first OpenSM of a list of processes was started with."""
    for number, line in enumerate(document.text.split("\n"), 1):
        found = PROCESS.match(line)
        if found:
            words = _words(found["ps"] or found["unit"] or "")
            at = at_line(document, number)
            return {key: _option(key, value, at) for key, value in _pairs(words)}
    return {}


def read_processes(document: Document, reading: Reading) -> None:
    """Put the options of the command line over those of the file, where that was given."""
    if reading.options is not None:
        reading.options = {**reading.options, **started_with(document)}


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # an unclosed quote: take the words as they stand
        return text.split()


def _pairs(words: list[str]) -> Iterator[tuple[str, str]]:
    for index, word in enumerate(words):
        name, _, value = word.partition("=")
        if name in _SWITCHES:
            yield _SWITCHES[name]
        elif name in _VALUED and (value or index + 1 < len(words)):
            yield _VALUED[name], value or words[index + 1]


def _option(key: str, value: str, at: Evidence) -> SmOption:
    return SmOption(value, f"{key} {value}", at)
