"""Read-only commands at a host of the subnet: discovery, counters, managers, routes.

All of them are queries; those that can also set or reset something are allowed
only without the options that do.
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import DocumentKind
from netcheck.platforms.platform import Command

_STATE, _COUNTERS = DocumentKind.STATE, DocumentKind.COUNTERS

COMMANDS: Final = (
    Command("ibnetdiscover", "ibnetdiscover.txt", _STATE),
    Command("iblinkinfo --line", "iblinkinfo.txt", _STATE),
    Command("sminfo", "sminfo.txt", _STATE, may_fail=True),
    Command("saquery SMIR", "saquery_smir.txt", _STATE, may_fail=True),
    Command("saquery -g", "saquery_groups.txt", _STATE, may_fail=True),
    Command("dump_fts", "dump_fts.txt", _STATE, may_fail=True),
    # prints findings and exits 1 where a counter is above its threshold
    Command("ibqueryerrors || true", "ibqueryerrors.txt", _COUNTERS),
)
_WORD: Final = r"[\w.,:/-]+"
_READ_ONLY: Final = re.compile(
    r"(?:sudo )?(?:"
    # -r and -R of perfquery, -k and -K of ibqueryerrors reset counters
    rf"ibqueryerrors(?: (?!-\w*[kK]|--clear){_WORD})*(?: \|\| true)?"
    rf"|perfquery(?: (?!-\w*[rR]|--[rR]eset){_WORD})*"
    # --Outfile and the cache options write files
    rf"|(?:ibnetdiscover|iblinkinfo)(?: (?!--cache|-o|--Out){_WORD})*"
    # -s, -p and -a of sminfo set state, priority and activity of a manager
    r"|sminfo(?: -[GDL]| [\da-fx,]+)*"
    rf"|(?:smpquery|saquery|ibroute|ibaddr|ibtracert)(?: {_WORD})*"
    r"|ibhosts|ibswitches|ibrouters|dump_fts(?: -n)?|dump_lfts\.sh|dump_mlfts\.sh|ibstat|ibstatus"
    r")"
)


def commands(_device: Device) -> tuple[Command, ...]:
    """Read-only commands, in order."""
    return COMMANDS


def is_read_only(line: str) -> bool:
    """Whether a command line is, as a whole, on the allow-list.

    Example:
        >>> is_read_only("perfquery -x 2 5")
        True
        >>> is_read_only("perfquery -R 2 5")
        False
    """
    return _READ_ONLY.fullmatch(line) is not None
