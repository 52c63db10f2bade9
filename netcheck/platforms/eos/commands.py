"""Read-only commands of EOS, and the allow-list that all of them are held to.

JSON where its shape is public; the table of queues as text, whose columns are.
Sources: aristanetworks/anta anta/tests/interfaces.py; facebook/DNE-TaaC
dsf_pfc_health_check.py; amd/node-scraper scale-out Arista collector.
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.platforms.platform import Command

_CONFIG: Final = DocumentKind.CONFIG
_STATE: Final = DocumentKind.STATE
_COUNTERS: Final = DocumentKind.COUNTERS
_COMMANDS: Final = (
    Command("show running-config", "running-config.txt", _CONFIG),
    Command("show interfaces | json", "interfaces.json", _STATE),
    Command("show lldp neighbors | json", "lldp.json", _STATE),
    Command("show priority-flow-control", "pfc.txt", _STATE),
    Command("show qos maps", "qos_maps.txt", _STATE, may_fail=True),
    Command("show version | json", "version.json", _COUNTERS),
    Command("show interfaces counters | json", "counters.json", _COUNTERS),
    Command("show interfaces counters discards | json", "discards.json", _COUNTERS),
    Command("show interfaces counters errors | json", "errors.json", _COUNTERS),
    Command("show interfaces counters queue detail", "queues.txt", _COUNTERS),
    Command("show interfaces priority-flow-control counters detail | json", "pfc.json", _COUNTERS),
    Command("show qos interfaces ecn counters queue | json", "ecn.json", _COUNTERS),
    # of Trident and Tomahawk alone
    Command("show platform trident counters | json", "chip.json", _COUNTERS, may_fail=True),
    Command(
        "show priority-flow-control counters watchdog | json",
        "watchdog.json",
        _COUNTERS,
        may_fail=True,
    ),
)
_PORT: Final = r"(?:[Ee]thernet ?)?\d+(?:/\d+){0,3}(?:-\d+)?"
_SHOWS: Final = (
    r"version",
    r"hostname",
    r"running-config(?: all)?",
    r"startup-config",
    rf"interfaces(?: {_PORT})?(?: (?:status|mtu|flow-control|switchport))?",
    rf"interfaces(?: {_PORT})? counters(?: (?:discards|errors|rates|queue(?: (?:detail|drops))?))?",
    rf"interfaces(?: {_PORT})? priority-flow-control(?: (?:status|counters|counters detail))?",
    r"priority-flow-control(?: (?:status|counters|counters detail|counters watchdog))?",
    r"lldp neighbors(?: detail)?",
    r"qos (?:maps|profile|profile summary)",
    rf"qos interfaces(?: {_PORT})?(?: (?:trust|ecn))?",
    rf"qos interfaces(?: {_PORT})? ecn counters queue",
    rf"dcbx(?: {_PORT})?",
    r"platform trident (?:counters|mmu queue status)",
    r"configuration sessions",
    r"session-config diffs",
)
_READ_ONLY: Final = re.compile(rf"show (?:{'|'.join(_SHOWS)})(?: \| json)?", re.ASCII)


def commands(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every switch
    """Give the read-only commands, in order."""
    return _COMMANDS


def is_read_only(line: str) -> bool:
    """Tell whether a command line is, as a whole, on the allow-list.

    Example:
        >>> is_read_only("show priority-flow-control counters | json")
        True
        >>> is_read_only("show version | redirect flash:x")
        False
    """
    return _READ_ONLY.fullmatch(line) is not None
