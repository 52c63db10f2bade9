"""What has been read so far, and where the subnet manager does something else than is written."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.digits import MOST_DIGITS
from netcheck.model.document import Document, Evidence
from netcheck.model.finding import Severity
from netcheck.model.hidden import HIDDEN
from netcheck.model.known import UNKNOWN, Known
from netcheck.model.subnet_manager import (
    SmGuids,
    SmMisreading,
    SmMistake,
    SmOption,
    SmPartition,
    SmPolicy,
)
from netcheck.platforms.placeholders import is_placeholder

_NUMBER: Final = re.compile(r"[+]?(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")


@dataclass(slots=True)
class Reading:
    """Facts of one subnet manager, as its files are read one by one."""

    options: dict[str, SmOption] | None = None
    partitions: Known[tuple[SmPartition, ...]] = UNKNOWN
    policy: Known[SmPolicy] = UNKNOWN
    guids: dict[str, SmGuids] = field(default_factory=dict)
    names: dict[int, str] | None = None
    misreadings: list[SmMisreading] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    strays: list[Evidence] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)

    def misread(
        self,
        kind: SmMistake,
        key: str,
        *,
        expected: str,
        written: str,
        effect: str,
        at: Evidence,
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Note one place that is not taken as it is written."""
        self.misreadings.append(SmMisreading(kind, key, expected, written, effect, at, severity))


def at_line(document: Document, line: int, column: int = 0) -> Evidence:
    """Give the place of a line, the first being 1, in the document's file."""
    return Evidence(
        document.name, document.first_line + line - 1, column=column, command=document.command
    )


_LARGEST = (1 << 64) - 1  # what strtoul gives for all numbers beyond


def c_number(text: str) -> int | None:
    """Give a number as C's strtoul with base 0 reads the whole text; None where it does not.

    Example:
        >>> [c_number(text) for text in ("12", "0x1f", "010", "08", "ten", "")]
        [12, 31, 8, None, None, None]
    """
    if not _NUMBER.fullmatch(text) or len(text) > MOST_DIGITS:
        return None
    digits = text.removeprefix("+")
    is_octal = digits[0] == "0" and digits[1:].isdigit()
    return int(digits, 8) if is_octal else int(digits, 0)


def c_prefix_number(text: str) -> int:
    """Give the number that a text begins with, as strtoul does; 0 where it begins with none."""
    found = _NUMBER.match(text.strip())
    if found is not None and len(found[0]) > MOST_DIGITS:
        return _LARGEST
    return (c_number(found[0]) or 0) if found else 0


def secret_option(written: str, at: Evidence) -> SmOption:
    """Give a secret option: hidden, with a token that tells equal values and gives none away.

    Twenty-four bits of a digest leave a key of 64 bits unknown.
    """
    if is_placeholder(written):
        return SmOption(written, written, at)
    number = c_number(written)
    shown = f"netcheck {written if number is None else number}"
    token = hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()[:6]
    return SmOption(HIDDEN, HIDDEN, at, token)
