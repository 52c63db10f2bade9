"""Reads what OpenSM leaves in its folders: guid2lid, neighbors, the subnet list, groups.

Source: linux-rdma/opensm opensm/osm_db_files.c, osm_dump.c, osm_sa.c.
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.infiniband import IbEnd, IbGroup, NodeKind, PortState, guid_key
from netcheck.model.known import UNKNOWN
from netcheck.platforms.infiniband.parsed.book import SWITCH_PORT, Book, Page, Ref, Said
from netcheck.platforms.infiniband.parsed.words import (
    KINDS,
    MTU_CODES,
    RATE_CODES,
    SELECTOR,
    STATES,
    speed_of,
)

_LID: Final = re.compile(r"(0x[0-9a-f]{16}) (0x[0-9a-f]{4}) (0x[0-9a-f]{4})\s*$")
_NEIGHBOR: Final = re.compile(r"(0x[0-9a-f]{16}):(\d+) (0x[0-9a-f]{16}):(\d+)\s*$")
_HALF: Final = (
    r"\{ (\S+) Ports:([0-9A-Fa-f]+) SystemGUID:([0-9a-f]+) NodeGUID:([0-9a-f]+) "
    r"PortGUID:([0-9a-f]+) VenID:(\w+) DevID:(\w+) Rev:\w+ \{(.*?)\} LID:([0-9A-Fa-f]+) PN:(\w+) \}"
)
_LINK: Final = re.compile(rf"{_HALF} {_HALF} PHY=(\d+)x LOG=(\w+) SPD=([\d.]+)")
_GROUP: Final = re.compile(r"MC Group (0x[0-9a-f]+)\s.*?mgid=(0x[0-9a-f]+):0x([0-9a-f]+) (.*)")
_GROUP_FIELD: Final = re.compile(r"(\w+)=(0x[0-9a-f]+)")
_HALF_FIELDS: Final = 10


def read_guid_to_lid(page: Page, book: Book) -> None:
    """Read ``guid2lid``: first and last LID of each port GUID."""
    for number, line in page.numbered():
        found = _LID.match(line)
        if found:
            first, last = int(found[2], 16), int(found[3], 16)
            ref, at = Ref(int(found[1], 16)), page.at(number)
            book.said.append(Said(ref, -1, "lid", first, at))
            book.said.append(Said(ref, -1, "lmc", max(0, (last - first + 1).bit_length() - 1), at))
        elif line.strip() and not line.startswith("#"):
            book.complain(page.at(number), "a GUID and its LIDs", line)


def read_neighbors(page: Page, book: Book) -> None:
    """Read ``neighbors``: both ends of each link, by port GUID and number."""
    for number, line in page.numbered():
        found = _NEIGHBOR.match(line)
        if found:
            peer = (Ref(int(found[3], 16)), int(found[4]))
            ref, port = Ref(int(found[1], 16)), int(found[2])
            book.said.append(Said(ref, port, "peer", peer, page.at(number)))
        elif line.strip() and not line.startswith("#"):
            book.complain(page.at(number), "both ends of a link", line)


def read_subnet_list(page: Page, book: Book) -> None:
    """Read ``opensm-subnet.lst``: one line for each end of each link."""
    for number, line in page.numbered():
        found = _LINK.match(line)
        if found is None:
            if line.strip() and not line.startswith("#"):
                book.complain(page.at(number), "a link of the subnet list", line)
            continue
        near = found.groups()[:_HALF_FIELDS]
        far = found.groups()[_HALF_FIELDS : 2 * _HALF_FIELDS]
        port = int(near[9], 16)
        key = guid_key(int(near[3], 16))
        draft = book.node(int(near[3], 16), KINDS.get(near[0], NodeKind.ADAPTER))
        draft.put("description", near[7])
        draft.put("system_guid", int(near[2], 16))
        draft.put("port_count", int(near[1], 16))
        draft.put("evidence", page.at(number))
        is_switch = draft.facts.get("kind") is NodeKind.SWITCH
        own = SWITCH_PORT if is_switch else port
        book.has_lid(int(near[8], 16), key, own)
        book.by_port_guid.setdefault(int(near[4], 16), (key, own))
        draft.port(own).setdefault("guid", int(near[4], 16))
        draft.port(own).setdefault("lid", int(near[8], 16))
        facts = draft.port(port)
        facts.setdefault("peer", IbEnd(guid_key(int(far[3], 16)), int(far[9], 16)))
        facts.setdefault("width", int(found[2 * _HALF_FIELDS + 1]))
        facts.setdefault("state", STATES.get(found[2 * _HALF_FIELDS + 2], PortState.ACTIVE))
        speed = speed_of(f"{found[2 * _HALF_FIELDS + 3]} Gbps")
        if speed:
            facts.setdefault("speed", speed)
        facts.setdefault("evidence", page.at(number))


def read_groups(page: Page, book: Book) -> None:
    """Read ``opensm-sa.dump``: multicast groups."""
    for number, line in page.numbered():
        found = _GROUP.match(line)
        if found is None:
            continue
        fields = {name: int(value, 16) for name, value in _GROUP_FIELD.findall(found[4])}
        level = fields.get("sl_flow_hop")
        book.found_group(
            IbGroup(
                _gid(found[2], found[3]),
                int(found[1], 16),
                fields.get("pkey", UNKNOWN),
                MTU_CODES.get(fields.get("mtu", 0) & SELECTOR, UNKNOWN),
                RATE_CODES.get(fields.get("rate", 0) & SELECTOR, UNKNOWN),
                UNKNOWN if level is None else level >> 28,
                evidence=page.at(number),
            )
        )


def _gid(high: str, low: str) -> str:
    """A GID as ``saquery`` writes it: groups of four digits, the longest run of zeros left out."""
    from ipaddress import IPv6Address  # noqa: PLC0415 -- only where groups are read

    return str(IPv6Address((int(high, 16) << 64) | int(low, 16)))
