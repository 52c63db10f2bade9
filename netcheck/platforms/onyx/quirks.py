"""Behaviour that nobody would guess, named and sourced."""

from __future__ import annotations

import re
from typing import Final

# Changing or removing anything of the default partition asks for a "yes"; setting with
# ``force`` does not ask, and no document says that ``no`` takes the word.
# Source: Teradata/stacki stack/switch/m7800.py, add_partition, del_partition_member.
ASKS: Final = "Type 'yes' to continue:"

_OLD_HEAD: Final = re.compile(r"  (?P<name>\S+)\s*")
_NEW_HEAD: Final = re.compile(r"(?P<name>\S+):\s*")


def partition_head(line: str) -> str:
    """Name of the partition whose lines follow in ``show ib partition``; empty where it is none.

    From 3.6.8010 on a name stands at the margin with a colon; before, two blanks in and
    without one, as the word "members" does.

    Source: Teradata/stacki stack/switch/m7800.py and its captured outputs.

    Example:
        >>> partition_head("Default:"), partition_head("  Default"), partition_head("  members:")
        ('Default', 'Default', '')
    """
    found = _NEW_HEAD.fullmatch(line) or _OLD_HEAD.fullmatch(line)
    name = found["name"] if found else ""
    return "" if name.rstrip(":") == "members" else name
