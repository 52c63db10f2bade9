"""Reads ``ethtool PORT``, ``ethtool -a PORT`` and ``ethtool -S PORT``.

Source: torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/en_stats.c
(names of counters); mkubecek/ethtool (layout).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from netcheck.model.device import AdminState
from netcheck.model.digits import MOST_DIGITS, is_whole
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.platforms.linux.facts import Item, Page, Reading, Unread

_STATISTIC = re.compile(r"(?P<name>[A-Za-z0-9_.\-\[\] ]+?):\s*(?P<value>\S*)")
# Rings and channels: thousands of software counters that say nothing about the wire.
_RING = re.compile(r"(?:[rt]x|ch|[rt]x_xsk|[rt]x_xdp)_?\d+_.*|ptp_.*|\[\d+\].*")
_SPEED = re.compile(r"(\d{1,9})Mb/s")


def read_statistics(page: Page) -> Iterator[Item]:
    """Give every counter of the adapter except those of single rings."""
    for number, line in page.numbered():
        text = line.strip()
        name, _, value = text.partition(": ")
        # as is_whole, without a call: of thousands of lines nearly all are such
        if value.isdecimal() and len(value) <= MOST_DIGITS and _is_counter(name):
            yield Reading(page.port, name, int(value), number)
            continue
        match = _STATISTIC.fullmatch(text)
        if not text or text == "NIC statistics:":
            continue
        if match is None:
            yield Unread(page.at(number))
            yield page.defect(number, f"statistics line not understood: {text[:60]}", found=text)
        elif not _RING.fullmatch(match["name"]):
            yield from _statistic(page, number, match["name"], match["value"])


@lru_cache(maxsize=4096)
def _is_counter(name: str) -> bool:
    """The name of one counter of the whole adapter."""
    match = _STATISTIC.fullmatch(f"{name}: 0")
    return match is not None and match["name"] == name and _RING.fullmatch(name) is None


def _statistic(page: Page, number: int, name: str, text: str) -> Iterator[Item]:
    if not is_whole(text):
        yield page.defect(number, f"counter {name}: expected a number", found=text)
    value = int(text) if is_whole(text) else None
    yield Reading(page.port, name, value, number)


_PAUSE = {"RX": "global_pause_rx", "TX": "global_pause_tx"}
_PAUSE_IGNORED = re.compile(r"Pause parameters for \S+:|Autonegotiate|(RX|TX) negotiated")


def read_pause(page: Page) -> Iterator[Item]:
    """Give whether the port sends and obeys pause for the whole link."""
    for number, line in page.numbered():
        name, _, text = (part.strip() for part in line.partition(":"))
        fact = _PAUSE.get(name)
        if fact is None:
            if line.strip() and not _PAUSE_IGNORED.match(line.strip()):
                yield Unread(page.at(number))
                yield page.defect(number, "pause line not understood", found=line.strip())
            continue
        value = {"on": True, "off": False}.get(text)
        if value is None:
            yield page.defect(number, f"{name}: expected on or off", found=text)
        yield page.of_port(fact, UNKNOWN if value is None else value, number)


def read_settings(page: Page) -> Iterator[Item]:
    """Give speed, auto-negotiation and link of a port."""
    for number, line in page.numbered():
        name, _, text = (part.strip() for part in line.partition(":"))
        value = _SETTINGS[name](text) if name in _SETTINGS else None
        if value is not None:
            fact, found = value
            if found is UNKNOWN:
                yield page.defect(number, f"{name}: value not understood", found=text)
            yield page.of_port(fact, found, number)


def _speed(text: str) -> tuple[str, object]:
    match = _SPEED.fullmatch(text)
    if match:
        return "operational_speed_bps", int(match[1]) * 10**6
    # A port without a link has no speed, which is no damage.
    return "operational_speed_bps", ABSENT if text.startswith("Unknown!") else UNKNOWN


def _autoneg(text: str) -> tuple[str, object]:
    return "autoneg", {"on": True, "off": False}.get(text, UNKNOWN)


def _link(text: str) -> tuple[str, object]:
    word = text.split(" ", maxsplit=1)[0]
    return "link_state", {"yes": AdminState.UP, "no": AdminState.DOWN}.get(word, UNKNOWN)


def _media(text: str) -> tuple[str, object]:
    return "media", text or UNKNOWN


def _lanes(text: str) -> tuple[str, object]:
    return "lanes", int(text) if is_whole(text) else UNKNOWN


_SETTINGS = {
    "Speed": _speed,
    "Auto-negotiation": _autoneg,
    "Link detected": _link,
    "Port": _media,
    "Lanes": _lanes,
}
