"""Reads ``ibv_devinfo`` (plain and ``-v``), ``ibstatus`` and ``ibstat``.

Source: linux-rdma/rdma-core libibverbs/examples/devinfo.c, infiniband-diags/ibstatus, ibstat.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from netcheck.model.device import AdminState, Gid, LinkLayer
from netcheck.model.known import UNKNOWN
from netcheck.platforms.linux.facts import Fact, Item, Owner, Page, Unread
from netcheck.platforms.linux.gids import read_kind, store_address

_MTU = re.compile(r"(256|512|1024|2048|4096) \(([1-5])\)")
_GID = re.compile(r"GID\[\s*(\d{1,6})\]:\s*([0-9a-fA-F:.]+)(?:, (.+))?")
_IBSTATUS = re.compile(r"Infiniband device '([\w.\-]+)' port (\d+) status:")
_STATES = {
    "PORT_ACTIVE (4)": AdminState.UP,
    "PORT_DOWN (1)": AdminState.DOWN,
    "PORT_INIT (2)": AdminState.DOWN,
    "PORT_ARMED (3)": AdminState.DOWN,
    "4: ACTIVE": AdminState.UP,
    "1: DOWN": AdminState.DOWN,
    "2: INIT": AdminState.DOWN,
    "3: ARMED": AdminState.DOWN,
}
_LAYERS = {
    "Ethernet": LinkLayer.ETHERNET,
    "InfiniBand": LinkLayer.INFINIBAND,
    "IB": LinkLayer.INFINIBAND,
}
_CA = re.compile(r"CA '([\w.\-]+)'")


def read_ibv_devinfo(page: Page) -> Iterator[Item]:
    """Give firmware, state, link layer, MTUs and GIDs of each device's first port.

    Capabilities that ``-v`` lists and that the model has no word for are passed over.
    """
    rdma, port = page.rdma, "1"
    for number, line in page.numbered():
        text = line.strip()
        name, _, value = (part.strip() for part in text.partition(":"))
        if name == "hca_id":
            rdma, port = value, "1"
        elif name == "port":
            port = value
        elif port == "1" and text:
            yield from _entry(page, number, rdma, (name, value, text))


def _entry(page: Page, number: int, rdma: str, entry: tuple[str, str, str]) -> Iterator[Item]:
    name, value, text = entry
    if text.startswith("GID["):
        yield from _gid(page, number, rdma, text)
    elif name in _FIELDS:
        fact, reader = _FIELDS[name]
        found = reader(value)
        if found is UNKNOWN:
            yield page.defect(number, f"{name}: value not understood", place=rdma, found=value)
        yield Fact(Owner.RDMA, rdma, fact, found, number)


def _gid(page: Page, number: int, rdma: str, text: str) -> Iterator[Item]:
    match = _GID.fullmatch(text)
    address = store_address(match[2]) if match else UNKNOWN
    if match is None or address is UNKNOWN:
        yield page.defect(number, "GID: line is damaged", place=rdma, found=text)
    elif isinstance(address, str):
        kind = read_kind(match[3] or "")
        gid = Gid(int(match[1]), address, kind)  # type: ignore[arg-type]  # a GidType or UNKNOWN
        yield Fact(Owner.RDMA, rdma, "gid", gid, number)


def _mtu(text: str) -> object:
    match = _MTU.fullmatch(text)
    # The code repeats the size: a text in which they disagree is damaged.
    is_sound = match is not None and int(match[1]) == 128 << int(match[2])
    return int(match[1]) if match and is_sound else UNKNOWN


_FIELDS: dict[str, tuple[str, Callable[[str], object]]] = {
    "fw_ver": ("firmware", lambda text: text or UNKNOWN),
    "state": ("link_state", lambda text: _STATES.get(text, UNKNOWN)),
    "max_mtu": ("max_mtu", _mtu),
    "active_mtu": ("active_mtu", _mtu),
    "link_layer": ("link_layer", lambda text: _LAYERS.get(text, UNKNOWN)),
}


def read_ibstatus(page: Page) -> Iterator[Item]:
    """Give state and link layer of each device's first port."""
    rdma = ""
    for number, line in page.numbered():
        text = line.strip()
        match = _IBSTATUS.fullmatch(text)
        if match:
            rdma = match[1] if match[2] == "1" else ""
            continue
        name, _, value = (part.strip() for part in text.partition(":"))
        if rdma and name in {"state", "link_layer"}:
            yield from _entry(page, number, rdma, (name, value, text))
        elif rdma and name in _ADDRESSES:
            yield from _address(page, number, rdma, _ADDRESSES[name], value)
        elif text and not rdma:
            yield Unread(page.at(number))


_ADDRESSES = {
    "base lid": "lid",
    "sm lid": "sm_lid",
    "Base lid": "lid",
    "SM lid": "sm_lid",
    "Node GUID": "node_guid",
    "Port GUID": "port_guid",
}
# Port state as ibstat names it; only an active port carries data.
_IBSTAT_STATES = {
    "Active": AdminState.UP,
    "Down": AdminState.DOWN,
    "Initializing": AdminState.DOWN,
    "Armed": AdminState.DOWN,
}


def _address(page: Page, number: int, rdma: str, fact: str, value: str) -> Iterator[Item]:
    """A LID or GUID, in decimal or as ``0x``; an Ethernet port has LID 0."""
    try:
        found = int(value, 16 if value.startswith("0x") else 10)
    except ValueError:
        yield page.defect(number, f"{fact}: value not understood", place=rdma, found=value)
        return
    yield Fact(Owner.RDMA, rdma, fact, found, number)


def read_ibstat(page: Page) -> Iterator[Item]:
    """Give firmware, GUIDs, state and addresses of each device's first port."""
    rdma, port = "", ""
    for number, line in page.numbered():
        text = line.strip()
        device = _CA.fullmatch(text)
        if device:
            rdma, port = device[1], ""
            continue
        name, _, value = (part.strip() for part in text.partition(":"))
        if text.startswith("Port ") and not value:
            port = name.removeprefix("Port ")
        elif rdma and port in {"", "1"}:
            yield from _ibstat_line(page, number, rdma, name, value)


def _ibstat_line(page: Page, number: int, rdma: str, name: str, value: str) -> Iterator[Item]:
    if name in _ADDRESSES:
        yield from _address(page, number, rdma, _ADDRESSES[name], value)
    elif name == "Firmware version" and value:
        yield Fact(Owner.RDMA, rdma, "firmware", value, number)
    elif name == "State":
        yield Fact(Owner.RDMA, rdma, "link_state", _IBSTAT_STATES.get(value, UNKNOWN), number)
    elif name == "Physical state" and value:
        yield Fact(Owner.RDMA, rdma, "physical_state", value, number)
    elif name == "Link layer":
        yield Fact(Owner.RDMA, rdma, "link_layer", _LAYERS.get(value, UNKNOWN), number)
