"""Suppressions written as comments in configurations.

The form is ``netcheck: suppress RULE [until DATE] REASON`` after any comment
sign, on the device that the text belongs to; ``at PORT`` narrows it:

    # netcheck: suppress pfcwd-absent at Ethernet8 until 2026-12-31 lab port
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from netcheck.model.document import Document, Evidence
from netcheck.model.fabric import Suppression
from netcheck.model.known import UNKNOWN

COMMENT = re.compile(
    r"(?:#|!|//|/\*|--|;)\s*netcheck:\s*suppress\s+(?P<rule>[a-z0-9*-]+)"
    r"(?:\s+at\s+(?P<port>\S+))?"
    r"(?:\s+until\s+(?P<until>\d{4}-\d{2}-\d{2}))?"
    r"(?P<reason>.*?)(?:\*/)?\s*$"
)


def suppressions_in(documents: Iterable[Document], device: str) -> Iterator[Suppression]:
    """Yield the suppressions that a device's texts carry in comments.

    One without a reason is given too; ``settle`` complains of it and does not heed it.

    Example:
        >>> text = "! netcheck: suppress pfcwd-absent at Ethernet8 lab port"
        >>> found, = suppressions_in([Document("a.cfg", text)], "leaf1")
        >>> found.where, found.reason
        ('leaf1 Ethernet8', 'lab port')
    """
    for document in documents:
        for number, line in enumerate(document.text.splitlines(), document.first_line):
            match = COMMENT.search(line)
            if match:
                place = f"{device} {match['port']}" if match["port"] else device
                yield Suppression(
                    rule=match["rule"],
                    where=place,
                    reason=match["reason"].strip(" :"),
                    until=match["until"] or UNKNOWN,
                    evidence=Evidence(document.name, number, match.start() + 1),
                )
