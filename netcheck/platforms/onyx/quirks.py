"""Behaviour that nobody would guess, named and sourced."""

from __future__ import annotations

import re
from typing import Final

# Changing or removing anything of the default partition asks for a "yes"; setting with
# ``force`` does not ask, and no document says that ``no`` takes the word.
# Source: Teradata/stacki stack/switch/m7800.py, add_partition, del_partition_member.
ASKS: Final = "Type 'yes' to continue:"

_OLD_HEAD: Final = re.compile(r"  (?P<name>[^\s:]+)\s*")
_NEW_HEAD: Final = re.compile(r"(?P<name>\S+):\s*")
_FIRST: Final = re.compile(r"\s+PKey\b.*")


def partition_head(line: str, following: str) -> str:
    """Name of the partition whose lines follow in ``show ib partition``; empty where it is none.

    From 3.6.8010 on a name stands at the margin with a colon. Before, it stands two blanks
    in and without one, as the word "members" does, or what is left of a line that was cut:
    there the key, which comes first of a partition, has to follow.

    Source: Teradata/stacki stack/switch/m7800.py and its captured outputs.

    Args:
        line: The line itself.
        following: The next line that is not blank.

    Example:
        >>> key = "    PKey      = 0x7FFF"
        >>> partition_head("Default:", ""), partition_head("  Default", key)
        ('Default', 'Default')
        >>> partition_head("  members:", key), partition_head("  memb", "    GUID='ALL'")
        ('', '')
    """
    found = _NEW_HEAD.fullmatch(line)
    if found is None and _FIRST.fullmatch(following):
        found = _OLD_HEAD.fullmatch(line)
    return found["name"] if found else ""
