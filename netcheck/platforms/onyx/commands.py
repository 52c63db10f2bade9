"""Read-only commands of a switch, and the allow-list that all of them are held to."""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.platforms.onyx.parsed.forms import COMMANDS, FILES, Form
from netcheck.platforms.platform import Command

# What the switch shows of partitions is what it was told, as its running configuration is.
_COMMANDS: Final = tuple(
    Command(
        COMMANDS[form],
        FILES[form],
        DocumentKind.STATE if form is Form.VERSION else DocumentKind.CONFIG,
    )
    for form in Form
)
_NAME: Final = r"[A-Za-z0-9_.-]+"
_SHOWS: Final = (
    r"running-config",
    r"version",
    r"ib sm(?: [a-z0-9-]+)?",
    rf"ib smnodes?(?: {_NAME})?(?: sm-(?:priority|running|state|licensed))?",
    rf"ib partition(?: {_NAME}(?: member)?)?",
    r"interfaces ib(?: \d+(?:/\d+)*)?(?: status)?",
    r"guids",
    r"inventory",
)
_READ_ONLY: Final = re.compile(rf"show (?:{'|'.join(_SHOWS)})", re.ASCII)


def commands(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every switch
    """Give the read-only commands, in order."""
    return _COMMANDS


def is_read_only(line: str) -> bool:
    """Tell whether a command line is, as a whole, on the allow-list.

    Example:
        >>> is_read_only("show ib partition Default member")
        True
        >>> is_read_only("show running-config ; reload")
        False
    """
    return _READ_ONLY.fullmatch(line) is not None
