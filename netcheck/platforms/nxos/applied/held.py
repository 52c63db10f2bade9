"""A running-config as objects and lines that can be compared with what is rendered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.document import Document
from netcheck.platforms.nxos.parsed.sections import Line, read_lines
from netcheck.platforms.nxos.parsed.words import DSCP_NAMES, number_list, numbers, port_names

MAP: Final = re.compile(
    r"(class|policy)-map(?: type (qos|queuing|network-qos))?(?: match-(?:any|all))? (\S+)"
)
_MATCH: Final = re.compile(r"match (dscp|cos) (.+)")
# What a port or the system does where a line is missing; the running-config leaves these out.
DEFAULTS: Final[Mapping[str, str]] = {
    "priority-flow-control mode": "priority-flow-control mode auto",
    "priority-flow-control watch-dog-interval": "priority-flow-control watch-dog-interval off",
    "flowcontrol receive": "flowcontrol receive off",
    "flowcontrol send": "flowcontrol send off",
    "mtu": "mtu 1500",
}
GLOBAL_DEFAULTS: Final[Mapping[str, str]] = {
    "priority-flow-control watch-dog interval": "priority-flow-control watch-dog interval 100",
    "priority-flow-control watch-dog shutdown-multiplier": (
        "priority-flow-control watch-dog shutdown-multiplier 1"
    ),
    "priority-flow-control auto-restore multiplier": (
        "priority-flow-control auto-restore multiplier 10"
    ),
}
_PORT_SUBJECTS: Final = (
    *DEFAULTS,
    "service-policy type qos input",
    "service-policy type queuing input",
    "service-policy type queuing output",
)
_GLOBAL_SUBJECTS: Final = (
    "priority-flow-control watch-dog-interval",
    *GLOBAL_DEFAULTS,
    "lldp tlv-select dcbxp",
    "feature lldp",
)


@dataclass(slots=True)
class Held:
    """Objects of one text.

    Attributes:
        maps: ``(class or policy, type, name) -> (header, class -> lines)``;
            match lines stand under the empty class.
        ports: ``port -> subject -> line``.
        system: ``subject -> line`` of ``system qos``.
        globals: ``subject -> line``.
        bound: Names of policy-maps that any port or the system binds, by line.
    """

    maps: dict[tuple[str, str, str], tuple[str, dict[str, list[str]]]] = field(default_factory=dict)
    ports: dict[str, dict[str, str]] = field(default_factory=dict)
    system: dict[str, str] = field(default_factory=dict)
    globals: dict[str, str] = field(default_factory=dict)
    has_host: bool = False


def read_held(text: str) -> Held:
    """Give the objects of a running-config, or of a rendered part of one."""
    held = Held()
    for line in read_lines(Document("running-config", text)):
        match = MAP.fullmatch(line.words)
        if match is not None:
            _add_map(line, match, held)
        elif line.words == "system qos":
            held.system.update(_by_subject(line.children, _SYSTEM_SUBJECTS))
        elif line.words.lower().startswith("interface "):
            for name in port_names(line.words.partition(" ")[2]) or ():
                held.ports.setdefault(name, {}).update(_by_subject(line.children, _PORT_SUBJECTS))
        elif line.words.startswith(("hostname ", "switchname ")):
            held.has_host = True
        else:
            held.globals.update(_by_subject([line], _GLOBAL_SUBJECTS))
    return held


_SYSTEM_SUBJECTS: Final = (
    "service-policy type network-qos",
    "service-policy type qos input",
    "service-policy type queuing input",
    "service-policy type queuing output",
)


def _by_subject(lines: list[Line], subjects: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for line in lines:
        for subject in sorted(subjects, key=len, reverse=True):
            if line.words == subject or line.words.startswith(f"{subject} "):
                yield subject, line.words
                break


def _add_map(line: Line, match: re.Match[str], held: Held) -> None:
    key = (match[1], match[2] or "qos", match[3])
    _, classes = held.maps.setdefault(key, (line.words, {}))
    for below in line.children:
        if match[1] == "class":
            classes.setdefault("", []).append(_normal(below.words))
        else:
            classes.setdefault(below.words, []).extend(each.words for each in below.children)


def _normal(words: str) -> str:
    """A match line with its numbers in order, however they were typed."""
    match = _MATCH.fullmatch(words)
    found = numbers(match[2], 63, DSCP_NAMES) if match else None
    return f"match {match[1]} {number_list(found)}" if match and found else words
