"""Reads ``iblinkinfo``, plain and with ``--line``, and the same rows of ``ibqueryerrors -r``.

Source: linux-rdma/rdma-core infiniband-diags/iblinkinfo.c, ibdiag_common.c (get_max_msg).
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.document import Evidence
from netcheck.model.infiniband import NodeKind
from netcheck.model.known import ABSENT
from netcheck.platforms.infiniband.parsed.book import Book, Page, Ref, Said
from netcheck.platforms.infiniband.parsed.words import KINDS, STATES, speed_of

_HEADER: Final = re.compile(r"(Switch|CA|Router): (?:(0x[0-9a-f]+) )?(.*):$")
_ROW: Final = re.compile(
    r'\s*(?:(0x[0-9a-f]+)\s+)?(?:"\s*(.*?)"\s+)?(?:Link info:\s*)?(\d+)\s+(\d+)\[.*?\]\s+'
    r"==\(\s*(.*?)/\s*(\w+)\)(?: \(HOQ:(\d+) VL_Stall:\d+\))?==>\s*(.*)$"
)
_LINK: Final = re.compile(r"(\d+)X\s+(.*?)\s+(\w+)$")
_FAR: Final = re.compile(r'(?:(0x[0-9a-f]+)\s+)?(\d+)\s+(\d+)\[.*?\]\s+"(.*)"\s+\((.*)\)\s*$')
_COULD: Final = re.compile(r"Could be ([\d.]+X)?\s*([\d.]+ Gbps)?")


def read_links(page: Page, book: Book) -> None:
    """Read every row; a header names the node of the plain form."""
    header, kind = Ref(), None
    for number, line in page.numbered():
        found = _HEADER.match(line)
        if found:
            header, kind = _header(page, book, number, found), KINDS[found[1]]
        elif "==(" in line:
            read_row(book, page.at(number), line, header, kind)
        elif line.strip() and not line.startswith("#"):
            book.complain(page.at(number), "a link of iblinkinfo", line)


def _header(page: Page, book: Book, number: int, found: re.Match[str]) -> Ref:
    """The node of the rows that follow; an adapter's row has the GUID."""
    guid = int(found[2], 16) if found[2] else 0
    ref = Ref(guid, 0, found[3])
    if guid:
        at = page.at(number)
        book.said.append(Said(ref, None, "description", found[3], at))
    return ref


def read_row(
    book: Book, at: Evidence, line: str, header: Ref, kind: NodeKind | None = None
) -> None:
    """Read one row: the port, what the link runs at, and the far end."""
    found = _ROW.match(line)
    if found is None:
        book.complain(at, "a link of iblinkinfo", line)
        return
    guid = int(found[1], 16) if found[1] else header.guid
    ref = Ref(guid, int(found[3]), found[2] or header.description)
    port = int(found[4])
    said = {"physical_state": found[6], **_running(found[5]), **_far_end(found[8])}
    if found[7]:
        said["hoq_life"] = int(found[7])
    book.said += (Said(ref, port, name, value, at) for name, value in said.items())
    if kind is not None:
        book.said.append(Said(ref, None, "kind", kind, at))
    if ref.description and not header.guid:
        book.said.append(Said(ref, None, "description", ref.description, at))


def _running(text: str) -> dict[str, object]:
    """Width, speed and state: ``4X  53.125 Gbps Active``, or ``Down`` alone."""
    link = _LINK.match(text)
    words = text.split()
    said: dict[str, object] = {}
    if words and words[-1] in STATES:
        said["state"] = STATES[words[-1]]
    if link is None:
        return said
    said["width"] = int(link[1])
    speed = speed_of(link[2])
    if speed is not None:
        said["speed"] = speed
    return said


def _far_end(text: str) -> dict[str, object]:
    far = _FAR.match(text)
    if far is None:
        return {"peer": ABSENT}
    ref = Ref(int(far[1], 16) if far[1] else 0, int(far[2]), far[4])
    could = _COULD.search(far[5])
    said: dict[str, object] = {"peer": (ref, int(far[3]))}
    if could is None:
        said["could_be"] = ABSENT
    else:
        words = (could[1], speed_of(could[2]) if could[2] else None)
        said["could_be"] = " ".join(word for word in words if word)
    return said
