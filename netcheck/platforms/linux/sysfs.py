"""Reads files of /sys and /proc: one line a file (``grep -H``), or one file alone (``cat``).

Source: names in docs of MLNX_OFED (ecn/, tc/), torvalds/linux
Documentation/ABI/stable/sysfs-class-infiniband and drivers/infiniband/core.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from netcheck.model.device import AdminState, LinkLayer
from netcheck.model.digits import is_whole
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.platforms.linux.facts import Fact, Item, Owner, Page, Reading, Unread
from netcheck.platforms.linux.gids import read_kind, read_netdev, store_whole_address

Placed = tuple[Owner, str, str, object]

_LINE = re.compile(r"(?P<path>(?:/[\w.\-]+)+)\s*(?::| = |=)\s*(?P<value>.*)")
_PATH = re.compile(r"(?:/[\w.\-]+)+")
_RELATIVE = re.compile(
    r"(?P<path>(?:ports|gids|gid_attrs|hw_counters)(?:/[\w.\-]+)+)[:=](?P<value>.*)"
)
_CAT = re.compile(r"(?:sudo )?(?:cat|more|head|grep -r?s?H \.) (?P<path>/[^\s|;*]+)")
_TRAFFIC_CLASS = re.compile(r"(?:(?:Global )?tclass=)?(\d{1,3})")
_EMPTY = ("", "(empty)")
_LIFESPAN = "lifespan"  # how long the kernel caches the other counters, in ms
_DAMAGED = object()


def _number(top: int) -> Callable[[str], object]:
    def read(text: str) -> object:
        return int(text) if is_whole(text) and int(text) <= top else _DAMAGED

    return read


def _switch(text: str) -> object:
    return {"1": True, "0": False}.get(text, _DAMAGED)


def _traffic_class(text: str) -> object:
    if text in _EMPTY:
        return ABSENT
    match = _TRAFFIC_CLASS.fullmatch(text)
    return int(match[1]) if match and int(match[1]) <= 0xFF else _DAMAGED  # noqa: PLR2004 -- one byte


def read_roce_mode(text: str) -> object:
    """Give whether ``RoCE v2`` is said; UNKNOWN-to-be for anything else."""
    return {"RoCE v2": True, "IB/RoCE v1": False, "RoCE v1": False}.get(text, _DAMAGED)


def _link_layer(text: str) -> object:
    known = {"ethernet": LinkLayer.ETHERNET, "infiniband": LinkLayer.INFINIBAND}
    return known.get(text.lower(), _DAMAGED)


def _link_state(text: str) -> object:
    return {"4: ACTIVE": AdminState.UP, "1: DOWN": AdminState.DOWN}.get(text, _DAMAGED)


def _text(text: str) -> object:
    return text or _DAMAGED


def _pcie_speed(text: str) -> object:
    match = re.fullmatch(r"(\d{1,4}(?:\.\d{1,3})?) GT/s(?: PCIe)?", text)
    return round(float(match[1]) * 1e9) if match else _DAMAGED


def _key(text: str) -> object:
    return int(text, 16) if re.fullmatch(r"0x[0-9a-f]{4}", text) else _DAMAGED


_NET = r"/sys/class/net/(?P<port>[\w.\-]+)"
_IB = r"/sys/class/infiniband/(?P<rdma>[\w.\-]+)"
_P1 = _IB + r"/ports/1"
_CM = r"/sys/kernel/config/rdma_cm/(?P<rdma>[\w.\-]+)/ports/1"

# Path -> the fact's name (\1 is the number in the path) and how its value is read.
_FILES: tuple[tuple[re.Pattern[str], str, Callable[[str], object]], ...] = tuple(
    (re.compile(path), name, reader)
    for path, name, reader in (
        (_NET + r"/ecn/roce_np/enable/(?P<n>[0-7])", "np {n}", _switch),
        (_NET + r"/ecn/roce_rp/enable/(?P<n>[0-7])", "rp {n}", _switch),
        (_NET + r"/ecn/roce_np/cnp_dscp", "cnp_dscp", _number(63)),
        (_NET + r"/ecn/roce_np/cnp_802p_prio", "cnp_pcp", _number(7)),
        (_NET + r"/mtu", "mtu", _number(65535)),
        (_NET + r"/device/current_link_speed", "pcie_speed", _pcie_speed),
        (_NET + r"/device/current_link_width", "pcie_width", _number(32)),
        (_IB + r"/tc/1/traffic_class", "traffic_class", _traffic_class),
        (_IB + r"/fw_ver", "firmware", _text),
        (_P1 + r"/link_layer", "link_layer", _link_layer),
        (_P1 + r"/state", "link_state", _link_state),
        (_P1 + r"/gids/(?P<n>\d{1,6})", "gid {n} address", store_whole_address),
        (_P1 + r"/gid_attrs/types/(?P<n>\d{1,6})", "gid {n} kind", read_kind),
        (_P1 + r"/gid_attrs/ndevs/(?P<n>\d{1,6})", "gid {n} netdev", read_netdev),
        (_P1 + r"/pkeys/(?P<n>\d{1,5})", "pkey {n}", _key),
        (_CM + r"/default_roce_tos", "rdma_cm_tos", _number(255)),
        (_CM + r"/default_roce_mode", "rdma_cm_roce_v2", read_roce_mode),
        (r"/proc/sys/kernel/random/boot_id", "boot_id", _text),
        (r"/sys/devices/system/cpu/cpu\d+/cpufreq/scaling_governor", "governor", _text),
    )
)
_COUNTER = re.compile(_IB + r"/(?:ports/1/)?(?:hw_)?counters/(?P<name>\w+)")


@dataclass(frozen=True, slots=True)
class _File:
    """What a path is: whose fact, or whose counter where there is no reader."""

    owner: Owner
    name: str
    fact: str
    read: Callable[[str], object] | None


# Hosts have the same paths, so few are looked up more than once.
@lru_cache(maxsize=1 << 16)
def _lookup(path: str) -> _File | None:
    counter = _COUNTER.fullmatch(path)
    if counter:
        return _File(Owner.RDMA, counter["rdma"], counter["name"], None)
    for pattern, name, read in _FILES:
        match = pattern.fullmatch(path)
        if match:
            owner, named = _owner(match)
            return _File(owner, named, name.format(n=match.groupdict().get("n", "")), read)
    return None


def _owner(match: re.Match[str]) -> tuple[Owner, str]:
    groups = match.groupdict()
    if "port" in groups:
        return Owner.PORT, groups["port"]
    return (Owner.RDMA, groups["rdma"]) if "rdma" in groups else (Owner.DEVICE, "")


def written_fact(path: str, text: str) -> Placed | None:
    """Give the fact that writing ``text`` to a file leaves behind, if it is one.

    Raises:
        ValueError: The file is one that is known and the text is not a value of it.
    """
    file = _lookup(path)
    if file is None or file.read is None:
        return None
    value = file.read(text.strip())
    if value is _DAMAGED:
        raise ValueError(f"{path}: not a value of this file: {text!r}")
    return file.owner, file.name, file.fact, value


def read_sysfs(page: Page) -> Iterator[Item]:
    """Give the facts of one file a line."""
    for number, line in page.numbered():
        start, colon, text = line.partition(":")
        if colon and _is_path(start):
            text, file = text.strip(), _lookup(start)
            if file is not None and file.read is None and is_whole(text) and file.fact != _LIFESPAN:
                yield Reading(file.name, file.fact, int(text), number)
            else:
                yield from _file(page, number, start, text)
            continue
        match = _LINE.fullmatch(line.strip()) or _RELATIVE.fullmatch(line.strip())
        if match is None:
            yield from _other_line(page, number, line)
            continue
        path = match["path"]
        yield from _file(
            page, number, path if path[0] == "/" else _absolute(page, path), match["value"]
        )


@lru_cache(maxsize=1 << 16)
def _is_path(text: str) -> bool:
    return _PATH.fullmatch(text) is not None


def _absolute(page: Page, path: str) -> str:
    below = path if path.startswith("ports/") else f"ports/1/{path}"
    return f"/sys/class/infiniband/{page.rdma or 'rdma'}/{below}"


def read_cat(page: Page) -> Iterator[Item]:
    """Give the fact of one file that was printed alone; the command names the file."""
    match = _CAT.match(page.document.command)
    text = page.document.text.strip()
    if match:
        yield from _file(page, 1, match["path"], text)


def _file(page: Page, number: int, path: str, text: str) -> Iterator[Item]:
    file = _lookup(path)
    if file is None:
        yield Unread(page.at(number))
    elif file.read is None:
        yield from _counter(page, number, file, text.strip())
    else:
        value = file.read(text.strip())
        if value is _DAMAGED:
            message = f"{path}: value not understood"
            yield page.defect(number, message, place=file.name, found=text)
            value = UNKNOWN
        yield Fact(file.owner, file.name, file.fact, value, number)


def _counter(page: Page, number: int, file: _File, text: str) -> Iterator[Item]:
    if file.fact == _LIFESPAN:
        return
    if not is_whole(text):
        message = f"counter {file.fact}: expected a number"
        yield page.defect(number, message, place=file.name, found=text)
    value = int(text) if is_whole(text) else None
    yield Reading(file.name, file.fact, value, number)


_REPORT_LINE = re.compile(r"[\w ]+: (?P<path>/sys/\S+) = (?P<value>.*)")
_REPORT_TOS = re.compile(r"cma_roce_tos: (\d{1,3})")
_REPORT_HEAD = re.compile(r"=+ show configuration for device (?P<port>\S+) / (?P<rdma>\S+?)=+")


def read_report_line(page: Page, number: int, text: str) -> list[Item] | None:
    """Give what a line of a summary script says, or None where it is no such line.

    Source: spidernet-io/spiderpool docs/usage/roce-qos.md (output of ``rdma-qos.sh q``).
    """
    head, tos = _REPORT_HEAD.fullmatch(text), _REPORT_TOS.fullmatch(text)
    if head:
        return [Fact(Owner.RDMA, head["rdma"], "port", head["port"], number)]
    if tos:
        return [page.of_rdma("rdma_cm_tos", int(tos[1]), number)]
    match = _REPORT_LINE.fullmatch(text)
    return list(_file(page, number, match["path"], match["value"])) if match else None


def _other_line(page: Page, number: int, line: str) -> Iterator[Item]:
    text = line.strip()
    if text and not text.startswith(("#", "grep:")):
        yield Unread(page.at(number))
        if text.startswith(("/sys/", "/proc/")):
            yield page.defect(number, f"line not understood: {text[:60]}", found=text)
