"""Read-only commands of Cumulus Linux, and the allow-list that all of them are held to.

NVUE's JSON is taken for state and QoS counters, since its text rounds to human
units; ``ethtool -S`` gives the exact counters of a port that switchd keeps.
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.platforms.platform import Command

# Sources: CumulusNetworks/docs nvue-reference Config-Commands.md (nv config show, revision),
# Show-Commands Interface.md, QoS.md, LLDP.md (each with -o json), cumulus-linux-514
# Monitoring Interfaces and Transceivers (ethtool -S).
_COMMANDS: Final = (
    Command("nv config show", "nvue.yaml", DocumentKind.CONFIG),
    Command("nv show system -o json", "system.json", DocumentKind.STATE),
    Command("nv show interface -o json", "interfaces.json", DocumentKind.STATE),
    Command(
        "nv show interface {port} qos buffer ingress-priority-group -o json",
        "priority_groups_{port}.json",
        DocumentKind.STATE,
        may_fail=True,  # not there before 5.4
    ),
    Command("cat /proc/sys/kernel/random/boot_id", "boot_id.txt", DocumentKind.COUNTERS),
    Command(
        "nv show interface {port} counters qos -o json",
        "counters_qos_{port}.json",
        DocumentKind.COUNTERS,
    ),
    Command("ethtool -S {port}", "ethtool_{port}.txt", DocumentKind.COUNTERS),
    Command(
        "nv show interface {port} qos pfc-watchdog -o json",
        "pfc_watchdog_{port}.json",
        DocumentKind.COUNTERS,
        may_fail=True,  # a port without a watchdog, or a release before 5.6
    ),
)

_PORT: Final = r"[a-z][\w.-]*"
_NAME: Final = r"[\w-]+"
_OPTIONS: Final = (
    r"(?: (?:-o|--output)[ =](?:json|yaml)| --rev[ =]\w+| --(?:operational|applied|all))*"
)
_READ_ONLY: Final = re.compile(
    "|".join(
        (
            rf"nv config (?:show|revision|history|find {_NAME})(?: -a| --all)?{_OPTIONS}",
            rf"nv config diff(?: {_NAME}){{0,2}}{_OPTIONS}",
            rf"nv show system(?: (?:version|hostname))?{_OPTIONS}",
            rf"nv show platform(?: (?:hardware|software|inventory))?{_OPTIONS}",
            rf"nv show interface(?: {_PORT})?{_OPTIONS}",
            rf"nv show interface(?: {_PORT})? (?:link|lldp|counters|qos)(?: {_NAME})*{_OPTIONS}",
            rf"nv show qos(?: {_NAME})*{_OPTIONS}",
            r"cat /proc/sys/kernel/random/boot_id",
            r"cat /etc/(?:os-release|lsb-release|nvue\.d/startup\.yaml)",
            r"cat /etc/cumulus/datapath/(?:traffic\.conf|qos/qos_features\.conf)",
            r"cat /etc/mlx/datapath/qos/qos_infra\.conf",
            rf"(?:sudo )?ethtool(?: -S)? {_PORT}",
            r"(?:sudo )?lldpctl(?: -f (?:json|json0))?",
        )
    ),
    re.ASCII,
)


def commands(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every switch
    """Give the read-only commands, in order."""
    return _COMMANDS


def is_read_only(line: str) -> bool:
    """Tell whether a command line is, as a whole, on the allow-list.

    Example:
        >>> is_read_only("nv show interface swp1 counters qos -o json")
        True
        >>> is_read_only("nv config apply -y")
        False
    """
    return _READ_ONLY.fullmatch(line) is not None
