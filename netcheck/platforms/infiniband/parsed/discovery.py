"""Reads ``ibnetdiscover`` (plain, ``-p``, ``-l``, a loaded cache), ``ibhosts`` and ``ibswitches``.

Source: linux-rdma/rdma-core infiniband-diags/ibnetdiscover.c.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.infiniband import (
    IbDuplicate,
    IbEnd,
    NodeKind,
    PortState,
    guid_key,
)
from netcheck.model.known import ABSENT
from netcheck.platforms.infiniband.parsed.book import SWITCH_PORT, Book, Draft, Page, Ref, Said
from netcheck.platforms.infiniband.parsed.words import KINDS

_HEAD: Final = re.compile(r"(vendid|devid|sysimgguid|switchguid|caguid|rtguid)=(0x[0-9a-f]+)")
_NODE: Final = re.compile(
    r'(Switch|Ca|Hca|Rt)\s+(\d+)\s+"([SHR])-([0-9a-f]{1,16})"\s*#?\s*"(.*?)"'
    r"(?:\s+(?:base|enhanced) port 0 lid (\d+) lmc (\d+))?"
)
_PORT: Final = re.compile(
    r'\[(\d+)\](?:\[ext \d+\])?(?:\(([0-9a-f]+)\))?\s+"([SHR])-([0-9a-f]{1,16})"\[(\d+)\]'
    r"(?:\[ext \d+\])?\s*(?:\(([0-9a-f]+)\))?"
    r'\s*#\s*(?:lid (\d+) lmc (\d+) )?"(.*)" lid (\d+)(?: (\d+)x(\S+))?'
)
_DUPLICATE: Final = re.compile(
    r"Duplicate (Port|Node)?.*?guid (0x[0-9a-f]+) already exists|duplicated? node GUID:? (0x\w+)",
    re.IGNORECASE,
)
_LIST: Final = re.compile(
    r"(Ca|Hca|Switch|Rt)\s*: (0x[0-9a-f]+) ports (\d+)"
    r"(?: devid (0x[0-9a-f]+) vendid (0x[0-9a-f]+))?"
    r' "(.*)"(?:\s+(?:base|enhanced) port 0 lid (\d+) lmc (\d+))?'
)
_ROW: Final = re.compile(
    r"(CA|SW|RT)\s+(\d+)\s+(\d+) (0x[0-9a-f]{16}) (\d+)x (\S+)"
    r"(?: - (CA|SW|RT)\s+(\d+)\s+(\d+) (0x[0-9a-f]{16}) \( '(.*)' - '(.*)' \)|\s+'(.*)')"
)
# What else stands in such a file: comments, chassis, and lines of a diff or of a simulator.
_OTHER: Final = re.compile(r"#|Chassis |Hostname: |Non-Chassis |include |module |do ")
_PAST: Final = frozenset({"vendid", "devid", "sysimgguid"})


@dataclass(slots=True)
class _Reading:
    """One topology file on its way through."""

    page: Page
    book: Book
    heads: dict[str, int] = field(default_factory=dict)
    draft: Draft | None = None
    key: str = ""
    kind: NodeKind = NodeKind.SWITCH
    described: dict[str, str] = field(default_factory=dict)
    named: dict[str, int] = field(default_factory=dict)
    guids: dict[int, str] = field(default_factory=dict)
    port_guids: dict[int, tuple[str, int]] = field(default_factory=dict)


def read_topology(page: Page, book: Book) -> None:
    """Read the plain form: a block for each node, a line for each of its cabled ports."""
    reading = _Reading(page, book)
    for number, line in page.numbered():
        first = line[:1]
        if first == "[":
            _port(reading, number, line)
        elif first in "SCHR" and first:
            _node(reading, number, line)
        elif first:
            _head(reading, number, line)
    _check_ends(reading)
    book.is_whole = True


def _head(reading: _Reading, number: int, line: str) -> None:
    found = _HEAD.match(line)
    if found:
        if found[1] in reading.heads or reading.draft is not None:
            reading.heads = {}
            reading.draft = None
        reading.heads[found[1]] = int(found[2], 16)
        return
    duplicate = _DUPLICATE.search(line)
    if duplicate:
        _told_twice(reading, number, duplicate)
    elif not _OTHER.match(line) and line.strip():
        reading.book.complain(reading.page.at(number), "a line of a topology file", line)


def _told_twice(reading: _Reading, number: int, found: re.Match[str]) -> None:
    guid = int(found[2] or found[3], 16)
    is_port = (found[1] or "").lower() == "port"
    reading.book.duplicates.append(IbDuplicate(guid, is_port, evidence=reading.page.at(number)))


def _node(reading: _Reading, number: int, line: str) -> None:
    found = _NODE.match(line)
    book = reading.book
    if found is None:
        reading.draft = None
        if not _OTHER.match(line):
            book.complain(reading.page.at(number), "a node of a topology file", line)
        return
    kind, guid = KINDS[found[1]], int(found[4], 16)
    reading.kind, reading.key = kind, guid_key(guid)
    reading.draft = draft = book.node(guid, kind)
    _check_twice(reading, number, guid, found[5])
    draft.put("description", found[5])
    draft.put("port_count", int(found[2]))
    draft.put("evidence", reading.page.at(number))
    _identify(draft, reading.heads)
    reading.described[reading.key] = found[5]
    if found[6] is not None:
        _lid(reading, SWITCH_PORT, int(found[6]), int(found[7]))
    if kind is NodeKind.SWITCH:
        book.by_port_guid.setdefault(guid, (reading.key, SWITCH_PORT))


def _identify(draft: Draft, heads: dict[str, int]) -> None:
    names = {"vendid": "vendor_id", "devid": "device_id", "sysimgguid": "system_guid"}
    for head, name in names.items():
        if head in heads:
            draft.put(name, heads[head])


def _check_twice(reading: _Reading, number: int, guid: int, description: str) -> None:
    """Two blocks of one GUID; the head of a block counts where it and its name differ."""
    heads = reading.heads
    stated = heads.get("switchguid", heads.get("caguid", heads.get("rtguid", guid)))
    for each in dict.fromkeys((stated, guid)):
        if each in reading.guids:
            names = (reading.guids[each], description)
            at = reading.page.at(number)
            reading.book.duplicates.append(IbDuplicate(each, False, names, at))  # noqa: FBT003 -- a record
        reading.guids.setdefault(each, description)


def _lid(reading: _Reading, port: int, lid: int, lmc: int) -> None:
    draft, book = reading.draft, reading.book
    if not lid or draft is None:
        return
    if port == SWITCH_PORT:
        draft.put("lid", lid)
        draft.put("lmc", lmc)
    facts = draft.port(port)
    facts.setdefault("lid", lid)
    facts.setdefault("lmc", lmc)
    for one in range(lid, lid + (1 << min(lmc, 7))):
        book.has_lid(one, reading.key, port)


def _port(reading: _Reading, number: int, line: str) -> None:
    found = _PORT.match(line)
    draft, book = reading.draft, reading.book
    if found is None or draft is None:
        book.complain(reading.page.at(number), "a port of a topology file", line)
        return
    here = int(found[1])
    facts = draft.port(here)
    if "peer" in facts:
        return  # the block of a GUID that another node has too; told already
    far = guid_key(int(found[4], 16))
    facts["peer"] = IbEnd(far, int(found[5]))
    facts["state"] = PortState.ACTIVE
    facts["evidence"] = reading.page.at(number)
    reading.named.setdefault(far, number)
    if found[11] is not None:
        facts["width"], facts["speed"] = int(found[11]), found[12]
    if found[2] is not None:
        _port_guid(reading, number, here, int(found[2], 16))
        _lid(reading, here, int(found[7] or 0), int(found[8] or 0))


def _port_guid(reading: _Reading, number: int, port: int, guid: int) -> None:
    here = (reading.key, port)
    other = reading.port_guids.setdefault(guid, here)
    if other != here:
        names = (reading.described[other[0]], reading.described[reading.key])
        at = reading.page.at(number)
        reading.book.duplicates.append(IbDuplicate(guid, True, names, at))  # noqa: FBT003 -- a record
    if reading.draft is not None:
        reading.draft.port(port).setdefault("guid", guid)
    reading.book.by_port_guid.setdefault(guid, here)


def _check_ends(reading: _Reading) -> None:
    """A node that others name and that has no block of its own: the text ends too early."""
    missing = {key: number for key, number in reading.named.items() if key not in reading.described}
    if missing and reading.described:
        key, number = next(iter(missing.items()))
        reading.book.complain(
            reading.page.at(number),
            "a block for every node that a port leads to: the text is cut or a partial scan",
            f"{len(missing)} nodes without one, first {key}",
        )


def read_list(page: Page, book: Book) -> None:
    """Read ``ibnetdiscover -l``, ``ibhosts`` and ``ibswitches``: one line a node."""
    for number, line in page.numbered():
        found = _LIST.match(line)
        if found is None:
            duplicate = _DUPLICATE.search(line)
            if duplicate:
                _told_twice(_Reading(page, book), number, duplicate)
            elif line.strip() and not line.startswith("#"):
                book.complain(page.at(number), "a node of a list", line)
            continue
        draft = book.node(int(found[2], 16), KINDS[found[1]])
        draft.put("port_count", int(found[3]))
        draft.put("description", found[6])
        draft.put("evidence", page.at(number))
        if found[4] is not None:
            draft.put("device_id", int(found[4], 16))
            draft.put("vendor_id", int(found[5], 16))
        if found[7] is not None:
            reading = _Reading(page, book, draft=draft, key=guid_key(int(found[2], 16)))
            _lid(reading, SWITCH_PORT, int(found[7]), int(found[8]))


def read_ports(page: Page, book: Book) -> None:
    """Read ``ibnetdiscover -p``: one line a port, with its port GUID."""
    for number, line in page.numbered():
        found = _ROW.match(line)
        if found is None:
            if line.strip() and not line.startswith("#"):
                book.complain(page.at(number), "a port of a list", line)
            continue
        at = page.at(number)
        here = Ref(int(found[4], 16), int(found[2]), found[11] or found[13] or "")
        port = int(found[3])

        def say(name: str, value: object, here: Ref = here, port: int = port) -> None:
            book.said.append(Said(here, port, name, value, at))  # noqa: B023 -- called at once

        book.said.append(Said(here, None, "kind", KINDS[found[1]], at))
        if here.description:
            book.said.append(Said(here, None, "description", here.description, at))
        if KINDS[found[1]] is not NodeKind.SWITCH:
            say("guid", here.guid)
        if found[7] is None:
            say("peer", ABSENT)
            continue
        say("width", int(found[5]))
        say("speed", found[6])
        say("state", PortState.ACTIVE)
        say("peer", (Ref(int(found[10], 16), int(found[8]), found[12]), int(found[9])))
