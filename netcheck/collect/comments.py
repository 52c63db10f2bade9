"""Suppressions that stand as comments in configurations.

``# netcheck: ignore RULE until 2027-01-31 -- reason`` accepts findings of a
rule on the device whose file holds the comment. Comment marks are ``#``,
``!``, ``//``, ``;`` and ``/*``; JSON has none. A reason is required, which a
rule sees to; the day is optional.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from netcheck.model.document import Document, Evidence
from netcheck.model.fabric import Suppression
from netcheck.model.known import UNKNOWN

_COMMENT = re.compile(
    r"(?:#|!|//|;|/\*)\s*netcheck:\s*ignore\s+(?P<rule>[\w-]+|\*)"
    r"(?:\s+until\s+(?P<until>\d{4}-\d{2}-\d{2}))?"
    r"(?:\s*--\s*(?P<reason>.*?))?\s*(?:\*/)?\s*$",
    re.MULTILINE,
)


def suppressions_in(documents: Iterable[Document], device: str) -> Iterator[Suppression]:
    """Suppressions that the documents of one device carry.

    Example:
        >>> text = "# netcheck: ignore mtu-below-rdma until 2027-01-31 -- replaced in May"
        >>> [found] = suppressions_in([Document("leaf01.cfg", text)], "leaf01")
        >>> found.rule, found.until, found.reason
        ('mtu-below-rdma', '2027-01-31', 'replaced in May')
    """
    for document in documents:
        if "netcheck:" not in document.text:
            continue
        for match in _COMMENT.finditer(document.text):
            line = document.text.count("\n", 0, match.start()) + document.first_line
            yield Suppression(
                rule=match["rule"],
                where=device,
                reason=match["reason"] or "",
                until=match["until"] or UNKNOWN,
                evidence=Evidence(document.name, line),
            )
