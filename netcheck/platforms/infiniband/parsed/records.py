"""Reads ``saquery``: records of the subnet administrator.

Source: linux-rdma/rdma-core infiniband-diags/saquery.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Final

from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import NO_ROUTE, IbGroup, IbManager, IbPath
from netcheck.model.known import UNKNOWN, Known
from netcheck.platforms.infiniband.parsed.book import SWITCH_PORT, Book, Page, Ref, Said
from netcheck.platforms.infiniband.parsed.dumps import read_groups
from netcheck.platforms.infiniband.parsed.queries import SERVICE_LEVELS, port_facts
from netcheck.platforms.infiniband.parsed.words import (
    KINDS,
    MTU_CODES,
    RATE_CODES,
    SELECTOR,
    SM_STATES,
    hexadecimal,
)

_DUMP: Final = re.compile(r"(\w[\w ]*?)(?: (group|member))? dump:\s*$")
_FIELD: Final = re.compile(r"\s+([A-Za-z_][\w /]*?):?\.+:?\s*(.*)$")
_KEYS: Final = re.compile(r"\s*((?:0x[0-9a-fA-F]{4}\s*)+)$")
_LANES: Final = re.compile(r"\s*(VL|Weight)\s*:((?:\s*\d+\|)+)\s*$")
_ROUTE: Final = re.compile(r"\s+(\d+)\s+(\d+)\s*$")
_LOOSE_PATH: Final = re.compile(r"\s+(dlid|slid)\.+(\d+)\s*$")
_LIST: Final = re.compile(r"IsSM ports|IsSMdisabled ports")
_PKEYS_IN_BLOCK: Final = 32
_LIDS_IN_BLOCK: Final = 64
_VLARB_IN_BLOCK: Final = 32


@dataclass(slots=True)
class Record:
    """One record: its kind, its fields, and the lines that are no field."""

    kind: str
    start: int
    section: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    lines: list[tuple[int, str]] = field(default_factory=list)

    def number(self, name: str) -> Known[int]:
        """A field that is a number; UNKNOWN where it is not there or none."""
        value = hexadecimal(self.fields.get(name, ""))
        return UNKNOWN if value is None else value

    def plain(self, name: str) -> int:
        """A field that is a number, else 0."""
        return hexadecimal(self.fields.get(name, "")) or 0


def read_records(page: Page, book: Book) -> None:
    """Read every record that the text holds."""
    for record in _records(page):
        reader = _READERS.get(record.kind)
        if reader is not None:
            reader(record, page.at(record.start), book)
        elif record.kind not in _PASSED_OVER:
            book.pass_over(page.at(record.start))
    if "SMInfoRecord dump:" in page.text or _LIST.search(page.text):
        book.lists_managers = True
        book.managers = book.managers or []
    if "MC Group 0x" in page.text:
        read_groups(page, book)


def _records(page: Page) -> Iterator[Record]:
    record: Record | None = None
    section = ""
    for number, line in page.numbered():
        head = _DUMP.match(line)
        if head:
            if record is not None:
                yield record
            kind = f"{head[1]} {head[2]}" if head[2] else head[1]
            record = Record(kind, number, section)
            continue
        if not line[:1].isspace():
            if record is not None:
                yield record
            record = None
            section = line.strip()
            continue
        if record is None:
            record = _loose(number, line)
        if record is not None:
            record = yield from _line(record, number, line)
    if record is not None:
        yield record


def _loose(number: int, line: str) -> Record | None:
    """Fields of a path whose headline was filtered away."""
    return Record("PathRecord", number) if _LOOSE_PATH.match(line) else None


def _line(record: Record, number: int, line: str) -> Generator[Record, None, Record]:
    """Put a line into its record; a path whose field comes again is the next path."""
    found = _FIELD.match(line)
    if found is None:
        record.lines.append((number, line))
        return record
    name = found[1].strip()
    if record.kind == "PathRecord" and name in record.fields:
        yield record
        record = Record(record.kind, number)
    record.fields.setdefault(name, found[2].strip())
    return record


def _node(record: Record, at: Evidence, book: Book) -> None:
    guid, lid = record.plain("node_guid"), record.plain("lid")
    if not guid:
        book.complain(at, "a node GUID", "none")
        return
    ref, port = Ref(guid, lid), record.plain("port_num")
    kind = KINDS.get(record.fields.get("node_type", ""))
    is_switch = record.fields.get("node_type") == "Switch"
    said = {
        "guid": guid,
        "kind": kind,
        "description": record.fields.get("NodeDescription"),
        "port_count": hexadecimal(record.fields.get("num_ports", "")),
        "device_id": hexadecimal(record.fields.get("device_id", "")),
        "vendor_id": hexadecimal(record.fields.get("vendor_id", "")),
        "system_guid": hexadecimal(record.fields.get("sys_guid", "")),
    }
    book.said += (Said(ref, None, name, value, at) for name, value in said.items() if value)
    own = SWITCH_PORT if is_switch else port
    book.said.append(Said(ref, own, "guid", record.plain("port_guid"), at))
    if lid:
        book.said.append(Said(ref, own, "lid", lid, at))


def _port(record: Record, at: Evidence, book: Book) -> None:
    ref, port = Ref(lid=record.plain("EndPortLid")), record.plain("PortNum")
    fields = [(name.strip(), value) for name, value in record.fields.items()]
    facts = port_facts(fields)
    if record.section == "IsSM ports":
        book.found_manager(IbManager(lid=record.plain("EndPortLid"), evidence=at))
    if facts:
        book.said += (Said(ref, port, name, value, at) for name, value in facts.items())


def _path(record: Record, at: Evidence, book: Book) -> None:
    source, destination = record.plain("slid"), record.plain("dlid")
    if not source or not destination:
        return  # a list of which only the first record is one (no RMPP)
    book.paths.append(
        IbPath(
            source,
            destination,
            record.number("pkey"),
            record.number("sl"),
            _code(record.number("mtu"), MTU_CODES),
            _code(record.number("rate"), RATE_CODES),
            at,
            _masked(record.number("pkt_life")),
        )
    )


def _code(value: Known[int], table: dict[int, int]) -> Known[int]:
    return table.get(value & SELECTOR, UNKNOWN) if isinstance(value, int) else UNKNOWN


def _masked(value: Known[int]) -> Known[int]:
    return value & SELECTOR if isinstance(value, int) else UNKNOWN


def _group(record: Record, at: Evidence, book: Book) -> None:
    """A group; ``saquery -g`` and ``saquery MCMR`` write its names in letters of their own."""
    fields = {name.lower(): text for name, text in record.fields.items()}
    said = Record(record.kind, record.start, fields=fields)
    book.found_group(
        IbGroup(
            fields.get("mgid", ""),
            said.number("mlid"),
            said.number("pkey"),
            _code(said.number("mtu"), MTU_CODES),
            _code(said.number("rate"), RATE_CODES),
            said.number("sl"),
            evidence=at,
            q_key=said.number("qkey"),
            traffic_class=said.number("tclass"),
            flow_label=said.number("flowlabel"),
        )
    )


def _member(record: Record, at: Evidence, book: Book) -> None:
    gid = record.fields.get("PortGid", "")
    members = frozenset({gid}) if gid and gid != "::" else frozenset()
    book.found_group(
        IbGroup(record.fields.get("MGID", ""), record.number("Mlid"), members=members, evidence=at)
    )


def _manager(record: Record, at: Evidence, book: Book) -> None:
    book.found_manager(
        IbManager(
            record.number("GUID"),
            record.number("LID"),
            record.number("Priority"),
            SM_STATES.get(record.plain("SMState"), UNKNOWN),
            record.number("ActCount"),
            at,
        )
    )


def _keys(record: Record, at: Evidence, book: Book) -> None:
    ref, port = Ref(lid=record.plain("LID")), record.plain("Port")
    rows = (_KEYS.match(line) for _, line in record.lines)
    keys = [int(each, 16) for row in rows if row for each in row[1].split()]
    if len(keys) != _PKEYS_IN_BLOCK:
        book.complain(at, f"{_PKEYS_IN_BLOCK} partition keys", f"{len(keys)}")
    elif record.plain("Block") == 0:
        while len(keys) > 1 and not keys[-1]:
            keys.pop()
        book.said.append(Said(ref, port, "pkeys", tuple(keys), at))


def _sl_to_vl(record: Record, at: Evidence, book: Book) -> None:
    ref = Ref(lid=record.plain("LID"))
    rows = [line for _, line in record.lines if line.strip().startswith("VL:")]
    cells = rows[0].partition(":")[2].split("|") if rows else []
    lanes = tuple(int(each) for each in cells if each.strip().isdigit())
    if len(lanes) != SERVICE_LEVELS:
        book.complain(at, f"{SERVICE_LEVELS} lanes", f"{len(lanes)}")
        return
    table = FrozenMap({record.plain("InPort"): lanes})
    book.said.append(Said(ref, record.plain("OutPort"), "sl_to_vl", table, at))


def _vlarb(record: Record, at: Evidence, book: Book) -> None:
    ref, port = Ref(lid=record.plain("LID")), record.plain("Port")
    rows = [found for _, line in record.lines if (found := _LANES.match(line))]
    numbers: dict[str, list[int]] = {"VL": [], "Weight": []}
    for row in rows:
        numbers[row[1]] += [int(each) for each in row[2].split("|") if each.strip()]
    if len(numbers["VL"]) != _VLARB_IN_BLOCK or len(numbers["Weight"]) != _VLARB_IN_BLOCK:
        book.complain(at, f"{_VLARB_IN_BLOCK} weights", f"{len(numbers['Weight'])}")
        return
    names = {1: "vlarb_low", 3: "vlarb_high"}
    name = names.get(record.plain("Block"))
    if name:
        value = tuple(zip(numbers["VL"], numbers["Weight"], strict=True))
        book.said.append(Said(ref, port, name, value, at))


def _routes(record: Record, at: Evidence, book: Book) -> None:
    ref, block = Ref(lid=record.plain("LID")), record.plain("Block")
    pairs = [
        (int(found[1]), int(found[2])) for _, line in record.lines if (found := _ROUTE.match(line))
    ]
    if len(pairs) != _LIDS_IN_BLOCK:
        book.complain(at, f"{_LIDS_IN_BLOCK} LIDs", f"{len(pairs)}")
        return
    table = bytearray([NO_ROUTE] * (block + 1) * _LIDS_IN_BLOCK)
    for lid, port in pairs:
        if lid < len(table) and port <= NO_ROUTE:
            table[lid] = port
    book.said.append(Said(ref, None, "routes_block", bytes(table), at))


def _link(record: Record, at: Evidence, book: Book) -> None:
    here, there = record.plain("FromLID"), record.plain("ToLID")
    if here and there:
        peer = (Ref(lid=there), record.plain("ToPort"))
        book.said.append(Said(Ref(lid=here), record.plain("FromPort"), "peer", peer, at))


_READERS: Final[dict[str, Callable[[Record, Evidence, Book], None]]] = {
    "NodeRecord": _node,
    "PortInfoRecord": _port,
    "PortInfo": _port,
    "PathRecord": _path,
    "MCMemberRecord group": _group,
    "MCMemberRecord member": _member,
    "MCMember Record": _group,
    "SMInfoRecord": _manager,
    "PKeyTableRecord": _keys,
    "SL2VLTableRecord": _sl_to_vl,
    "VLArbTableRecord": _vlarb,
    "LFT Record": _routes,
    "LinkRecord": _link,
}
_PASSED_OVER: Final = frozenset({"SA ClassPortInfo", "ServiceRecord", "InformInfoRecord"})
