"""Reads outputs of one word or one number, and texts that are recognised and not used."""

from __future__ import annotations

import re
from collections.abc import Iterator

from netcheck.model.digits import is_whole
from netcheck.model.known import UNKNOWN
from netcheck.platforms.linux.facts import Item, Page, Reading, Unread

RDMA_LINK = (
    r"^(\d+: |link )[\w.\-]+/\d+:? (subnet_prefix [\da-f:]+ .*)?state |"
    r'"physical_state": ?"\w+"'
)
IP_LINK = r'^\d+: \S+: <[A-Z,_]*> mtu \d+|"operstate": ?"\w+"'
_LISTED = re.compile(r"([a-z]\w*)(?:: ?| )(\d+)")
_UNIT = re.compile(r"netcheck-roce@(\S+?)\.service")
_MODES = {"RoCE v2": True, "IB/RoCE v1": False}


def unread_lines(page: Page) -> Iterator[Item]:
    """Give every line as unread."""
    for number, line in page.numbered():
        if line.strip():
            yield Unread(page.at(number))


def read_nothing(_: Page) -> Iterator[Item]:
    """Give nothing: the text is ours and says nothing about traffic."""
    yield from ()


def read_counter_list(page: Page) -> Iterator[Item]:
    """Give counters listed as ``name: value`` or ``name value``, of one RDMA device."""
    for number, line in page.numbered():
        text = line.strip()
        match = _LISTED.fullmatch(text)
        if match and match[1] != "lifespan":
            value = int(match[2]) if is_whole(match[2]) else None
            yield Reading(page.rdma, match[1], value, number)
        elif text and not match and not text.startswith("#"):
            yield Unread(page.at(number))
            yield page.defect(number, f"counter line not understood: {text[:60]}", found=text)


def read_cma_roce_tos(page: Page) -> Iterator[Item]:
    """Give the ToS byte of connections made by rdma_cm."""
    text = page.document.text.strip()
    is_sound = is_whole(text) and int(text) <= 0xFF  # noqa: PLR2004 -- one byte
    if not is_sound:
        yield page.defect(1, "cma_roce_tos: expected a number up to 255", found=text)
    yield page.of_rdma("rdma_cm_tos", int(text) if is_sound else UNKNOWN, 1)


def read_cma_roce_mode(page: Page) -> Iterator[Item]:
    """Give whether rdma_cm uses RoCE v2."""
    text = page.document.text.strip()
    if text not in _MODES:
        yield page.defect(1, "cma_roce_mode: expected a RoCE version", found=text)
    yield page.of_rdma("rdma_cm_roce_v2", _MODES.get(text, UNKNOWN), 1)


def read_process_count(page: Page) -> Iterator[Item]:
    """Give whether lldpad, a second owner of the DCB settings, runs."""
    text = page.document.text.strip()
    yield page.of_device("lldp_agent", int(text) > 0 if is_whole(text) else UNKNOWN, 1)


def read_is_enabled(page: Page) -> Iterator[Item]:
    """Give whether the port's unit starts at boot."""
    match = _UNIT.search(page.document.command)
    text = page.document.text.strip()
    is_enabled = {"enabled": True, "enabled-runtime": False, "disabled": False}.get(text)
    if "No such file or directory" in text or text in {"masked", "not-found"}:
        is_enabled = False
    name = f"persistent {match[1]}" if match else "persistent"
    yield page.of_device(name, UNKNOWN if is_enabled is None else is_enabled, 1)
