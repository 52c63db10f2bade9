"""Reads ``smpquery`` and ``ibportstate``: one node or port, and its tables.

Source: linux-rdma/rdma-core infiniband-diags/smpquery.c, libibmad/dump.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Final

from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.infiniband.parsed.book import SWITCH_PORT, Book, Page, Ref, Said
from netcheck.platforms.infiniband.parsed.words import (
    KINDS,
    LANES,
    STATES,
    hexadecimal,
    speed_of,
    speeds_of,
    widths_of,
)

_HEAD: Final = re.compile(
    r"# (Port info|Node info|Switch info|SL2VL table|VLArbitration tables|GUID info"
    r"|MLNX ext Port info): (?:Lid (\d+)|(DR path .*?))(?: port (\d+))?(?:\s.*)?$"
)
_FIELD: Final = re.compile(r"\s*(\w[\w ]*?):\.+(.*)$")
_SL_ROW: Final = re.compile(r"ports: in\s+(\d+), out\s+(\d+):\s*\|(.*)\|")
_PKEYS: Final = re.compile(r"\s*(\d+):((?: 0x[0-9a-fA-F]{4})+)\s*$")
_CAPACITY: Final = re.compile(r"(\d+) pkeys capacity for this port")
_ARGUMENTS: Final = re.compile(
    r"smpquery\s+(?P<options>.*?)\b(?P<operation>pkeys|nodedesc|ND|PK\w*)\s+(?P<rest>.*)",
    re.IGNORECASE,
)
_DIRECT: Final = re.compile(r"(^|\s)(-D|--Direct)\b")
_BY_GUID: Final = re.compile(r"(^|\s)(-G|--Guid)\b")
SERVICE_LEVELS: Final = 16

Read = Callable[[str], object]


def _number(text: str) -> object:
    return hexadecimal(text.split(maxsplit=1)[0]) if text.split() else None


PORT_FIELDS: Final[dict[str, tuple[str, Read]]] = {
    "GidPrefix": ("subnet_prefix", _number),
    "Lid": ("lid", _number),
    "SMLid": ("sm_lid", _number),
    "LMC": ("lmc", _number),
    "LinkWidthEnabled": ("widths_enabled", widths_of),
    "LinkWidthSupported": ("widths", widths_of),
    "LinkWidthActive": ("width", lambda text: next(iter(widths_of(text)), None)),
    "LinkState": ("state", STATES.get),
    "PhysLinkState": ("physical_state", str),
    "NeighborMTU": ("mtu", _number),
    "MtuCap": ("mtu_cap", _number),
    "VLCap": ("vl_cap", LANES.get),
    "OperVLs": ("oper_vls", LANES.get),
    "VLHighLimit": ("vl_high_limit", _number),
    "HoqLife": ("hoq_life", _number),
}
SPEED_FIELDS: Final[dict[str, tuple[str, Read]]] = {
    "LinkSpeedActive": ("speed", speed_of),
    "LinkSpeedSupported": ("speeds", speeds_of),
    "LinkSpeedEnabled": ("speeds_enabled", speeds_of),
}
NODE_FIELDS: Final[dict[str, tuple[str, Read]]] = {
    "NodeType": ("kind", KINDS.get),
    "NumPorts": ("port_count", _number),
    "SystemGuid": ("system_guid", _number),
    "Guid": ("guid", _number),
    "DevId": ("device_id", _number),
    "VendorId": ("vendor_id", _number),
}


def port_facts(fields: Iterable[tuple[str, str]]) -> dict[str, object]:
    """Give the facts of one PortInfo; the extended speeds count where the port has them."""
    text = dict(fields)
    found: dict[str, object] = {}
    for name, (fact, read) in PORT_FIELDS.items():
        if name in text:
            found[fact] = read(text[name])
    for name, (fact, read) in SPEED_FIELDS.items():
        plain = text.get(name, "")
        extended = text.get(name.replace("LinkSpeed", "LinkSpeedExt"), "")
        value = read(plain) if plain else None
        above = read(extended) if extended else None
        if fact == "speed":
            found[fact] = above or value
        elif plain or extended:
            found[fact] = (value or frozenset()) | (above or frozenset())  # type: ignore[operator]  # both are sets
    # zero is "not set" for a LID; a down port's other fields mean nothing (IBTA C14-24.2.1)
    unset = {name for name in ("lid", "sm_lid", "subnet_prefix") if found.get(name) == 0}
    return {name: value for name, value in found.items() if value is not None and name not in unset}


def read_query(page: Page, book: Book) -> None:
    """Read whatever table each headline opens."""
    lines = page.text.splitlines()
    ends = [number for number, line in enumerate(lines) if _HEAD.match(line)] + [len(lines)]
    if ends[0] > 0:
        _headless(page, book, lines[: ends[0]])
    for start, end in pairwise(ends):
        head = _HEAD.match(lines[start])
        if head is not None and head[2]:
            _table(page, book, head, start, lines[start + 1 : end])


def _table(page: Page, book: Book, head: re.Match[str], start: int, lines: list[str]) -> None:
    ref = Ref(lid=int(head[2]))
    port = int(head[4]) if head[4] else SWITCH_PORT
    at = page.at(start)
    if head[1] == "Port info":
        facts = port_facts(_fields(lines))
        book.said += (Said(ref, port, name, value, at) for name, value in facts.items())
        if not facts:
            book.complain(at, "fields of a port", "none")
    elif head[1] == "Node info":
        for name, text in _fields(lines):
            if name in NODE_FIELDS:
                fact, read = NODE_FIELDS[name]
                value = read(text)
                if value is not None:
                    book.said.append(Said(ref, None, fact, value, at))
    elif head[1] == "SL2VL table":
        read_sl_to_vl(page, book, ref, start + 1, lines)
    elif head[1] == "VLArbitration tables":
        _vlarb(page, book, ref, port, start, lines)


def _fields(lines: Iterable[str]) -> list[tuple[str, str]]:
    found = (_FIELD.match(line) for line in lines)
    return [(one[1], one[2].strip()) for one in found if one]


def read_sl_to_vl(page: Page, book: Book, ref: Ref, start: int, lines: list[str]) -> None:
    """Read rows of an SL2VL table: one for each port that packets come in at."""
    tables: dict[int, dict[int, tuple[int, ...]]] = {}
    for number, line in enumerate(lines, start):
        row = _SL_ROW.match(line)
        if row is None:
            continue
        lanes = tuple(int(each) for each in row[3].split("|") if each.strip().isdigit())
        if len(lanes) != SERVICE_LEVELS:
            book.complain(page.at(number), f"{SERVICE_LEVELS} lanes", line)
            continue
        tables.setdefault(int(row[2]), {})[int(row[1])] = lanes
    for port, table in tables.items():
        value = FrozenMap(table)
        book.said.append(Said(ref, port, "sl_to_vl", value, page.at(start - 1)))


def _vlarb(page: Page, book: Book, ref: Ref, port: int, start: int, lines: list[str]) -> None:
    name, lanes = "", []
    for number, line in enumerate(lines, start + 1):
        if line.startswith("# "):
            name = "vlarb_high" if "High" in line else "vlarb_low"
        elif line.startswith("VL "):
            lanes = [hexadecimal(each.strip()) for each in line.split("|")[1:] if each.strip()]
        elif line.startswith("WEIGHT") and name:
            weights = [hexadecimal(each.strip()) for each in line.split("|")[1:] if each.strip()]
            if len(weights) != len(lanes) or None in (*weights, *lanes):
                book.complain(page.at(number), "a weight for each lane", line)
                continue
            value = tuple(zip(lanes, weights, strict=True))
            book.said.append(Said(ref, port, name, value, page.at(number)))


def _headless(page: Page, book: Book, lines: list[str]) -> None:
    """Tables that do not say whose they are: the command does."""
    keys = _keys(page, book, lines)
    subject = _subject(page.command)
    if keys:
        if subject is None:
            book.pass_over(page.at(0))
            return
        ref, port = subject
        book.said.append(Said(ref, port, "pkeys", keys, page.at(0)))
        return
    for number, line in enumerate(lines):
        field = _FIELD.match(line)
        if field and field[1] == "Node Description" and subject is not None:
            text = field[2].strip()
            book.said.append(Said(subject[0], None, "description", text, page.at(number)))


def _keys(page: Page, book: Book, lines: list[str]) -> tuple[int, ...]:
    """Partition keys by index, as far as a key stands."""
    slots: list[int] = []
    capacity = 0
    for number, line in enumerate(lines):
        row = _PKEYS.match(line)
        if row:
            if int(row[1]) != len(slots):
                book.complain(page.at(number), f"index {len(slots)} of a key table", line)
                return ()
            slots += (int(each, 16) for each in row[2].split())
        found = _CAPACITY.match(line)
        capacity = int(found[1]) if found else capacity
    if slots and not len(slots) >= capacity > 0:
        expected = f"{capacity} keys" if capacity else "the capacity after the keys"
        book.complain(page.at(len(lines) - 1), expected, f"{len(slots)} keys")
        return ()
    while len(slots) > 1 and not slots[-1]:
        slots.pop()
    return tuple(slots)


def _subject(command: str) -> tuple[Ref, int] | None:
    """Node and port that a command asks for: ``smpquery -G pkeys 0x...1 1``."""
    found = _ARGUMENTS.search(command)
    if found is None or _DIRECT.search(command):
        return None
    words = found["rest"].split()
    numbers = [hexadecimal(word) for word in words]
    if not numbers or numbers[0] is None:
        return None
    port = numbers[1] if len(numbers) > 1 and numbers[1] is not None else SWITCH_PORT
    if _BY_GUID.search(command):
        return Ref(guid=numbers[0]), port
    return Ref(lid=numbers[0]), port
