"""Reads address tables: the pieces that /sys shows, and the table of ``show_gids``.

Source: Mellanox/mlnx-tools sbin/show_gids; torvalds/linux
drivers/infiniband/core/sysfs.c and cache.c ("IB/RoCE v1", "RoCE v2").
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from netcheck.model.device import Gid, GidType
from netcheck.model.known import ABSENT, UNKNOWN, Known
from netcheck.platforms.linux.facts import Fact, Item, Owner, Page, Unread

_EMPTY = "0000:0000:0000:0000:0000:0000:0000:0000"
_KINDS = {
    "IB/RoCE v1": GidType.ROCE_V1,
    "RoCE v1": GidType.ROCE_V1,
    "RoCE v2": GidType.ROCE_V2,
    "v1": GidType.ROCE_V1,
    "v2": GidType.ROCE_V2,
}
# The kernel prints all digits, so that a cut address is seen.
_WHOLE = re.compile(r"(?:[0-9a-f]{4}:){7}[0-9a-f]{4}")
_ROW = re.compile(
    r"(?P<rdma>\S+)\s+(?P<port>\d+)\s+(?P<index>\d+)\s+"
    r"(?P<gid>[0-9a-f]{0,4}(?::[0-9a-f.]{0,15}){2,7})"
    r"(?P<rest>.*)"
)
_ROW_BEGIN = re.compile(r"\S+\s+\d+(\s|$)")
_VERSION = re.compile(r"(?:RoCE )?v[12]|IB/RoCE v1")
_HEADER = re.compile(r"DEV\s+PORT\s+INDEX\s+GID.*|-+(\s+-+)+|n_gids_found=\d+")


def plain_address(text: str) -> str:
    """Give a GID in one form: ``::ffff:192.0.2.1`` or compressed IPv6.

    Raises:
        ValueError: It is not a GID.

    Example:
        >>> plain_address("0000:0000:0000:0000:0000:ffff:cb00:7106")
        '::ffff:203.0.113.6'
    """
    address = ipaddress.IPv6Address(text)
    mapped = address.ipv4_mapped
    return f"::ffff:{mapped}" if mapped else address.compressed


def store_address(text: str) -> object:
    """Give a GID in one form, ABSENT for an empty slot, UNKNOWN for a damaged one."""
    if text == _EMPTY:  # most of a table's 256 slots
        return ABSENT
    try:
        address = plain_address(text)
    except ValueError:
        return UNKNOWN
    return ABSENT if address == "::" else address


def store_whole_address(text: str) -> object:
    """As ``store_address``, of a file of the kernel, which prints all digits."""
    return store_address(text) if _WHOLE.fullmatch(text) else UNKNOWN


def read_kind(text: str) -> object:
    """Give the type of an entry; UNKNOWN for an empty or damaged one."""
    return _KINDS.get(text, UNKNOWN)


def read_netdev(text: str) -> object:
    """Give the netdev of an entry; UNKNOWN for an empty one."""
    return text if re.fullmatch(r"[\w.\-]+", text) else UNKNOWN


def read_show_gids(page: Page) -> Iterator[Item]:
    """Give the rows of ``show_gids``; VER, DEV and the IPv4 column may be empty."""
    for number, line in page.numbered():
        text = line.strip()
        if not text or _HEADER.fullmatch(text):
            continue
        match = _ROW.fullmatch(text)
        address = store_address(match["gid"]) if match else UNKNOWN
        if match is None or not isinstance(address, str):
            yield Unread(page.at(number))
            if _ROW_BEGIN.match(text):
                yield page.defect(number, f"GID row not understood: {text[:60]}", found=text)
            continue
        yield from _row(number, match, address)


def _row(number: int, match: re.Match[str], address: str) -> Iterator[Item]:
    rest = match["rest"]
    version = _VERSION.search(rest)
    kind: Known[GidType] = _KINDS[version[0]] if version else UNKNOWN
    after = (rest[version.end() :] if version else "").split()
    netdev: Known[str] = after[0] if after else UNKNOWN
    rdma = match["rdma"]
    yield Fact(Owner.RDMA, rdma, "gid", Gid(int(match["index"]), address, kind, netdev), number)
    if after:
        yield Fact(Owner.RDMA, rdma, "port", after[0], number)
