"""Read-only commands of a host that runs a subnet manager."""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.platforms.opensm.rendered.options import FILE_KEYS, OPENSM
from netcheck.platforms.platform import Command
from netcheck.platforms.sm_subject import FOLDER

FILES: Final = (OPENSM, *FILE_KEYS)
_COMMANDS: Final = tuple(
    Command(f"sudo cat {FOLDER}/{file}", file, DocumentKind.CONFIG, may_fail=file != OPENSM)
    for file in FILES
)
# Which routing engine set the tables: nothing else tells, and a failed one gives way in silence.
ENGINE_LINE: Final = "sudo grep -h 'tables configured on all switches' /var/log/opensm.log"
_READ_ONLY: Final = re.compile(rf"(?:sudo )?cat {FOLDER}/[\w.-]+(?:/[\w.-]+)?", re.ASCII)


def commands(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every manager
    """Give the read-only commands, in order."""
    return _COMMANDS


def is_read_only(line: str) -> bool:
    """Tell whether a command line is, as a whole, on the allow-list.

    Example:
        >>> is_read_only("sudo cat /etc/opensm/opensm.conf")
        True
        >>> is_read_only("sudo cat /etc/opensm/opensm.conf > /etc/passwd")
        False
    """
    if line == ENGINE_LINE:
        return True
    return _READ_ONLY.fullmatch(line) is not None and ".." not in line
