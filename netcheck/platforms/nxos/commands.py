"""Read-only commands of NX-OS, and the allow-list that all of them are held to.

Structured output (``| json``) is asked for where a public document or reader
shows its keys; the table of PFC is read as text, since only the text shows the
priorities that pause.
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.platforms.platform import Command

# Sources: Cisco Nexus 9000 NX-OS 9.3(x) show command reference, chapters I, L, Q and V.
_COMMANDS: Final = (
    Command("show running-config", "running-config.txt", DocumentKind.CONFIG),
    Command("show version | json", "version.json", DocumentKind.STATE),
    Command(
        "show lldp neighbors detail | json",
        "lldp_neighbors.json",
        DocumentKind.STATE,
        may_fail=True,  # without `feature lldp` there is no such command
    ),
    Command("show system uptime | json", "uptime.json", DocumentKind.COUNTERS),
    Command("show interface | json", "interface.json", DocumentKind.COUNTERS),
    Command("show interface priority-flow-control", "pfc.txt", DocumentKind.COUNTERS),
    Command("show queuing interface | json", "queuing.json", DocumentKind.COUNTERS),
    Command("show queuing pfc-queue detail | json", "pfc_queue.json", DocumentKind.COUNTERS),
)

_PORT: Final = r"[A-Za-z][\w-]* ?[\d/]+"
_ABOUT: Final = r"(?:status|brief|priority-flow-control|counters(?: errors)?|transceiver)"
_SHOWS: Final = (
    r"running-config(?: all)?(?: (?:interface(?: [A-Za-z]\S*)?|ipqos|class-map|policy-map))?",
    r"version",
    r"module",
    r"inventory",
    r"system uptime",
    r"checkpoint summary",
    rf"interface(?: {_PORT})?(?: {_ABOUT})?",
    rf"queuing(?: summary)?(?: interface(?: {_PORT})?)?(?: summary)?",
    rf"queuing tabular(?: non-zero(?: drop-only)?)?(?: interface {_PORT})?",
    rf"queuing pfc-queue(?: interface {_PORT})?(?: detail)?",
    rf"policy-map interface(?: {_PORT})?(?: type (?:qos|queuing|network-qos))?",
    r"policy-map system type (?:qos|queuing|network-qos)",
    r"(?:class-map|policy-map) type (?:qos|queuing|network-qos)",
    rf"lldp (?:neighbors(?: detail)?|dcbx(?: interface {_PORT})?|tlv-select)",
    r"qos dcbxp info",
    r"hardware internal buffer info pkt-stats",
    r"clock",
)
_READ_ONLY: Final = re.compile(rf"show (?:{'|'.join(_SHOWS)})(?: \| json)?", re.ASCII)


def commands(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every switch
    """Give the read-only commands, in order; each covers all ports."""
    return _COMMANDS


def is_read_only(line: str) -> bool:
    """Tell whether a command line is, as a whole, on the allow-list.

    Example:
        >>> is_read_only("show queuing interface | json")
        True
        >>> is_read_only("show running-config ; reload")
        False
    """
    return _READ_ONLY.fullmatch(line) is not None
