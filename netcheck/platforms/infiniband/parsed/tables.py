"""Reads route tables: ``ibroute``, ``dump_lfts.sh``, ``dump_fts`` and OpenSM's own dumps.

These are by far the largest texts, a line for each switch and LID, so that
rows are cut by column and not matched.

Source: linux-rdma/rdma-core infiniband-diags/ibroute.c, dump_fts.c; linux-rdma/opensm
    opensm/osm_dump.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import NO_ROUTE
from netcheck.platforms.infiniband.parsed.book import SWITCH_PORT, Book, Page, Ref, Said
from netcheck.platforms.infiniband.parsed.words import KINDS

_SWITCH: Final = re.compile(
    r"Unicast lids \[.*?\] of switch (?:Lid (\d+)|DR path .*?) "
    r"guid (0x[0-9a-f]+) \('?(.*?)'?\):"
)
_DESTINATION: Final = re.compile(
    r"(0x[0-9a-f]{4}) \d+ (?::|#) \(?(Channel Adapter|Switch|Router) portguid (0x[0-9a-f]+): '(.*)'"
)
# OpenSM counts LIDs that it then leaves out of its dump, ibroute only those it shows.
_ENDED: Final = re.compile(r"(\d+) (valid )?m?lids dumped")
_ROWS: Final = re.compile(r"^0x([0-9a-f]{4}) (\d{3})\b", re.MULTILINE)
_MLID: Final = re.compile(r"0x[0-9a-f]{4} ")
_FDB: Final = re.compile(r"dump_ucast_routes: Switch (0x[0-9a-f]+)")
_LARGEST_LID: Final = 0xBFFF
_MLID_COLUMN: Final = 12  # where the ports' columns start, two characters each


def read_routes(page: Page, book: Book) -> None:
    """Read blocks of ``Unicast lids ... of switch``; the last line of each tells their number."""
    told: set[str] = set()
    for start, lines in _blocks(page.text, "Unicast lids "):
        head = _SWITCH.match(lines[0])
        if head is None:
            book.complain(page.at(start), "a switch with its GUID", lines[0])
            continue
        ref = Ref(int(head[2], 16), int(head[1] or 0), head[3])
        at = page.at(start)
        book.said.append(Said(ref, None, "kind", KINDS["Switch"], at))
        book.said.append(Said(ref, None, "description", head[3], at))
        table, missing = _table(page, book, start, lines)
        if missing:
            book.complain(page.at(start + len(lines) - 1), missing, "less: the table is cut")
        else:
            book.said.append(Said(ref, None, "routes", table, at))
        if not told:
            _destinations(page, book, start, lines)
            told.add(head[2])


def _blocks(text: str, opening: str) -> Iterator[tuple[int, list[str]]]:
    """Give each block with the number of its first line."""
    start = text.find(opening)
    if start < 0:
        return
    number = text.count("\n", 0, start)
    for block in text[start:].split("\n" + opening):
        lines = block.split("\n")
        if not lines[0].startswith(opening):
            lines[0] = opening + lines[0]
        yield number, lines
        number += len(lines)


def _table(page: Page, book: Book, start: int, lines: list[str]) -> tuple[bytes, str]:
    """Ports by LID, and what is missing for the table to be whole."""
    table = bytearray(b"\xff" * (_LARGEST_LID + 1))
    rows = _ROWS.findall("\n".join(lines))
    top = 0
    for lid, port in rows:
        number = int(lid, 16)
        if number <= _LARGEST_LID and (out := int(port)) <= NO_ROUTE:
            table[number] = out
            top = max(top, number)
    if sum(line[:2] == "0x" for line in lines) != len(rows):
        bad = next(n for n, line in enumerate(lines) if line[:2] == "0x" and not _ROWS.match(line))
        book.complain(page.at(start + bad), "LID and port", lines[bad])
    return bytes(table[: top + 1]), _missing(lines, len(rows))


def _missing(lines: list[str], count: int) -> str:
    """What the last line tells that is not there; empty where the table is whole."""
    for line in reversed(lines):
        found = _ENDED.match(line)
        if found:
            told = int(found[1])
            is_whole = told == count if found[2] else told >= count
            return "" if is_whole else f"{told} LIDs"
    return "a last line with the number of LIDs"


def _destinations(page: Page, book: Book, start: int, lines: list[str]) -> None:
    """What each LID is: every table says the same, so that one is read."""
    for number, line in enumerate(lines):
        found = _DESTINATION.match(line)
        if found is None:
            continue
        kind = KINDS[found[2]]
        ref = Ref(int(found[3], 16), int(found[1], 16), found[4])
        at = page.at(start + number)
        book.said.append(Said(ref, None, "kind", kind, at))
        book.said.append(Said(ref, None, "description", found[4], at))
        port = SWITCH_PORT if kind is KINDS["Switch"] else -1
        book.said.append(Said(ref, port, "lid", ref.lid, at))


def read_fdbs(page: Page, book: Book) -> None:
    """Read ``opensm.fdbs``: port, hops and whether they are the fewest, by LID."""
    for start, lines in _blocks(page.text, "dump_ucast_routes: Switch "):
        head = _FDB.match(lines[0])
        if head is None:
            book.complain(page.at(start), "a switch with its GUID", lines[0])
            continue
        table = bytearray(b"\xff" * (_LARGEST_LID + 1))
        top = 0
        for number, line in enumerate(lines):
            if line[:2] != "0x":
                continue
            cell = line[9:12]
            try:
                lid = int(line[:6], 16)
                table[lid] = NO_ROUTE if cell == "UNR" else int(cell)
            except (ValueError, IndexError):
                book.complain(page.at(start + number), "LID and port", line)
                continue
            top = max(top, lid)
        ref = Ref(int(head[1], 16))
        at = page.at(start)
        book.said.append(Said(ref, None, "kind", KINDS["Switch"], at))
        book.said.append(Said(ref, None, "routes", bytes(table[: top + 1]), at))


def read_multicast(page: Page, book: Book) -> None:
    """Read ``ibroute -M`` and ``dump_mlfts.sh``: ports of each multicast LID."""
    for start, lines in _blocks(page.text, "Multicast mlids "):
        head = _SWITCH.match(lines[0].replace("Multicast mlids", "Unicast lids", 1))
        if head is None:
            book.complain(page.at(start), "a switch with its GUID", lines[0])
            continue
        table = {}
        for line in lines[1:]:
            if _MLID.match(line):
                cells = line[_MLID_COLUMN::2]
                table[int(line[:6], 16)] = tuple(
                    number for number, cell in enumerate(cells) if cell == "x"
                )
        ref = Ref(int(head[2], 16), int(head[1] or 0), head[3])
        at = page.at(start)
        book.said.append(Said(ref, None, "kind", KINDS["Switch"], at))
        book.said.append(Said(ref, None, "multicast", FrozenMap(table), at))
