"""Reads ``ip -s link``: JSON and text.

Source: iproute2 ip/ipaddress.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from netcheck.model.device import AdminState
from netcheck.model.digits import is_whole
from netcheck.model.jsontext import load_json
from netcheck.model.known import UNKNOWN
from netcheck.platforms.linux.facts import Fact, Item, Owner, Page, Reading, Unread

_HEAD = re.compile(r"\d+: (?P<port>[\w.\-]+)(?:@\S+)?: <(?P<flags>[^>]*)> (?P<rest>.*)")
_COLUMNS = re.compile(r"(RX|TX)(?: errors)?: +(.*)")
_STATES = {"UP": AdminState.UP, "DOWN": AdminState.DOWN, "LOWERLAYERDOWN": AdminState.DOWN}


def read_ip_link(page: Page) -> Iterator[Item]:
    """Give MTU, states and the kernel's own counters of each port."""
    if page.document.text.lstrip().startswith("["):
        yield from _read_json(page)
    else:
        yield from _read_text(page)


def _read_json(page: Page) -> Iterator[Item]:
    try:
        entries = load_json(page.document.text)
    except ValueError as error:
        yield page.defect(1, f"ip link: not JSON: {error}")
        return
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("ifname"), str):
            yield from _entry(entry)


def _entry(entry: dict[str, Any]) -> Iterator[Item]:  # Any: JSON of a tool
    port, line = entry["ifname"], 1
    yield from _facts(port, line, (entry.get("mtu"), entry.get("flags"), entry.get("operstate")))
    counts = entry.get("stats64") or entry.get("stats")
    for direction, names in counts.items() if isinstance(counts, dict) else ():
        for name, value in names.items() if isinstance(names, dict) else ():
            full = f"ip_{direction}_{name}"
            number = value if isinstance(value, int) else None
            yield Reading(port, full, number, line)


def _facts(port: str, line: int, found: tuple[object, object, object]) -> Iterator[Item]:
    mtu, flags, operstate = found
    if mtu is not None:
        value = mtu if isinstance(mtu, int) else UNKNOWN
        yield Fact(Owner.PORT, port, "mtu", value, line)
    if isinstance(flags, list):
        admin = AdminState.UP if "UP" in flags else AdminState.DOWN
        yield Fact(Owner.PORT, port, "admin_state", admin, line)
    if isinstance(operstate, str):
        yield Fact(Owner.PORT, port, "oper_state", _STATES.get(operstate, UNKNOWN), line)


def _read_text(page: Page) -> Iterator[Item]:
    port, columns = "", ("", [""])
    for number, line in page.numbered():
        text = line.strip()
        head, names = _HEAD.fullmatch(text), _COLUMNS.fullmatch(text)
        if head:
            port = head["port"]
            yield from _text_head(number, head)
        elif names:
            columns = (names[1].lower(), names[2].split())
        elif port and columns[0] and text and all(map(is_whole, text.split())):
            yield from _text_counts(page, number, port, columns, text.split())
            columns = ("", [""])
        elif text and not text.startswith(("link/", "altname", "vf ", "inet")):
            yield Unread(page.at(number))


def _text_head(number: int, head: re.Match[str]) -> Iterator[Item]:
    words = head["rest"].split()
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    mtu = pairs.get("mtu", "")
    found = (int(mtu) if is_whole(mtu) else mtu or None, head["flags"].split(","))
    yield from _facts(head["port"], number, (*found, pairs.get("state")))


def _text_counts(
    page: Page, number: int, port: str, columns: tuple[str, list[str]], values: list[str]
) -> Iterator[Item]:
    direction, names = columns
    if len(names) != len(values):
        yield page.defect(number, "ip link: counters and their names differ in number", place=port)
        return
    for name, value in zip(names, values, strict=True):
        full = f"ip_{direction}_{name}"
        yield Reading(port, full, int(value), number)
