"""Reads ``ibqueryerrors`` and all forms of ``perfquery``.

Source: linux-rdma/rdma-core infiniband-diags/ibqueryerrors.c, perfquery.c; widths in
    libibmad/fields.c (PortCounters, PortCountersExtended).
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.platforms.infiniband.parsed.book import Book, Count, Page, Ref, Said
from netcheck.platforms.infiniband.parsed.links import read_row

_ERRORS_FOR: Final = re.compile(r'(?:Errors|Data Counters) for (?:(0x[0-9a-f]+) )?"(.*)"')
_ROW: Final = re.compile(r"\s+GUID (0x[0-9a-f]+) port (\d+|ALL):(.*)")
_ITEM: Final = re.compile(r"\[(\w+) == (\d+)(?: \([^)]*\))?\]")
_SUMMARY: Final = re.compile(r"## Summary: (\d+) nodes checked")
_SUPPRESSED: Final = re.compile(r"## Suppressed:(.*)")
_THRESHOLD: Final = re.compile(r"\[(\w+) = (\d+)\]")
_TABLE: Final = re.compile(r"# (\w[\w ]*?)(?: counters)?: Lid (\d+) port (\d+|ALL)", re.IGNORECASE)
_FIELD: Final = re.compile(r"(\w+):\.*(0x[0-9a-fA-F]+|\d+)\s*$")
_ALL_PORTS: Final = 255
_NOT_COUNTERS: Final = frozenset(
    {"PortSelect", "CounterSelect", "CounterSelect2", "counterSelect2", "PortVLXmitWaitCounters"}
)


def read_errors(page: Page, book: Book) -> None:
    """Read the rows of each port; what a clean port does not show is zero.

    That holds only where the summary at the end is there.
    """
    is_data = "Data Counters for" in page.text[:2000]
    is_ended = False
    name = ""
    for number, line in page.numbered():
        row = _ROW.match(line)
        header = None if row else _ERRORS_FOR.match(line)
        if row:
            _row(page, book, number, row, name)
        elif header:
            name = header[2]
        elif "Link info:" in line:
            read_row(book, page.at(number), line, Ref())
        elif line.startswith("## "):
            is_ended |= _summary(book, line)
        elif line.strip() and not line.startswith("#"):
            book.complain(page.at(number), "a row of ibqueryerrors", line)
    if is_ended:
        book.counts_all |= not is_data
    elif not is_data:
        book.complain(
            page.at(page.text.count("\n")), "a summary at the end: the text is cut", "none"
        )


def _summary(book: Book, line: str) -> bool:
    suppressed = _SUPPRESSED.match(line)
    if suppressed:
        book.hidden_errors.update(suppressed[1].split())
    for name, limit in _THRESHOLD.findall(line):
        if int(limit):
            book.hidden_errors.add(name)
    return bool(_SUMMARY.match(line))


def _row(page: Page, book: Book, number: int, row: re.Match[str], name: str) -> None:
    ref = Ref(int(row[1], 16), description=name)
    if name:
        book.said.append(Said(ref, None, "description", name, page.at(number)))
    port = None if row[2] == "ALL" else int(row[2])
    items = _ITEM.findall(row[3])
    rest = _ITEM.sub("", row[3]).strip()
    if rest:
        book.complain(page.at(number), "counters of a port", rest)
    for counter, value in items:
        book.counts.append(Count(ref, port, counter, int(value), page.at(number, counter)))


def read_perfquery(page: Page, book: Book) -> None:
    """Read the tables of ``perfquery``: one counter a line, port and LID in the headline."""
    ref, port = Ref(), 0
    for number, line in page.numbered():
        table = _TABLE.match(line)
        if table:
            ref = Ref(lid=int(table[2]))
            port = _ALL_PORTS if table[3] == "ALL" else int(table[3])
            continue
        field = _FIELD.match(line.strip())
        if field is None or not ref.lid:
            if line.startswith(("perfquery: ", "ibwarn: ")):
                book.pass_over(page.at(number))
            elif line.strip() and not line.startswith("#"):
                book.complain(page.at(number), "a counter of perfquery", line)
            continue
        if field[1] in _NOT_COUNTERS:
            continue
        at = page.at(number, field[1])
        value = int(field[2], 16 if field[2].startswith("0x") else 10)
        where = None if port == _ALL_PORTS else port
        book.counts.append(Count(ref, where, field[1], value, at))
