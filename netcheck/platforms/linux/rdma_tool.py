"""Reads ``rdma link`` and ``rdma statistic``: JSON, one line a link, and pretty text.

Source: iproute2 rdma/link.c, rdma/stat.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from netcheck.model.device import AdminState, LinkLayer
from netcheck.model.digits import is_whole
from netcheck.model.jsontext import load_json
from netcheck.platforms.linux.facts import Fact, Item, Owner, Page, Reading, Unread

_LINK = re.compile(
    r"(?:\d+: )?(?:link )?(?P<rdma>[\w.\-]+)/(?P<port>\d+):? "
    r"(?P<rest>(?:subnet_prefix .*)?state .*)"
)
_STATISTIC = re.compile(r"(?:link )?(?P<rdma>[\w.\-]+)/(?P<port>\d+)(?P<rest>(?: \S+ \d+)*)")
_COUNTER = re.compile(r"([A-Za-z]\w*) (\d+)")
# Drivers give all bits for a value that the firmware did not answer.
# Source: torvalds/linux drivers/infiniband/hw/ionic/ionic_hw_stats.c.
_NO_ANSWER = (1 << 64) - 1
_NOT_COUNTERS = frozenset({"ifname", "ifindex", "port", "mode"})


def read_json_list(page: Page) -> list[dict[str, Any]]:  # Any: JSON of a tool
    """Give the objects of a JSON array.

    Raises:
        ValueError: It is no JSON, or no array of objects.
    """
    data = load_json(page.document.text)
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise ValueError("expected a list of objects")
    return data


def read_links(page: Page) -> Iterator[Item]:
    """Give the netdev of each RDMA device."""
    if not page.document.text.lstrip().startswith("["):
        yield from _text_links(page)
        return
    try:
        entries = read_json_list(page)
    except ValueError as error:
        yield page.defect(1, f"rdma link: not JSON as expected: {error}")
        return
    for entry in entries:
        rdma, netdev = entry.get("ifname"), entry.get("netdev")
        if not isinstance(rdma, str):
            continue
        line = _line_of(page, f'"{rdma}"')
        if isinstance(netdev, str):
            yield Fact(Owner.RDMA, rdma, "port", netdev, line)
        if "subnet_prefix" in entry and entry.get("port", 1) == 1:
            yield from infiniband_facts(rdma, entry, line)


def _line_of(page: Page, text: str) -> int:
    return next((number for number, line in page.numbered() if text in line), 1)


def _text_links(page: Page) -> Iterator[Item]:
    for number, line in page.numbered():
        match = _LINK.fullmatch(line.strip())
        if match is None:
            if line.strip():
                yield Unread(page.at(number))
            continue
        words = match["rest"].split()
        if "netdev" in words[:-1]:
            netdev = words[words.index("netdev") + 1]
            yield Fact(Owner.RDMA, match["rdma"], "port", netdev, number)
        if words[0] == "subnet_prefix" and match["port"] == "1":
            said = dict(zip(words[::2], words[1::2], strict=False))
            yield from infiniband_facts(match["rdma"], said, number)


def infiniband_facts(rdma: str, said: Mapping[str, object], line: int) -> Iterator[Fact]:
    """Give what ``rdma link`` says of an InfiniBand port; only there has it a subnet prefix.

    Source: iproute2 rdma/link.c, link_print_subnet_prefix; torvalds/linux
        drivers/infiniband/core/nldev.c, fill_port_info.
    """
    yield Fact(Owner.RDMA, rdma, "link_layer", LinkLayer.INFINIBAND, line)
    for name in ("lid", "sm_lid"):
        value = str(said.get(name, ""))
        if is_whole(value):
            yield Fact(Owner.RDMA, rdma, name, int(value), line)
    state = said.get("state")
    if isinstance(state, str):
        is_up = state == "ACTIVE"
        yield Fact(
            Owner.RDMA, rdma, "link_state", AdminState.UP if is_up else AdminState.DOWN, line
        )
    physical = said.get("physical_state")
    if isinstance(physical, str):
        yield Fact(Owner.RDMA, rdma, "physical_state", physical, line)


def read_statistics(page: Page) -> Iterator[Item]:
    """Give the counters of each link."""
    if not page.document.text.lstrip().startswith("["):
        yield from _text_statistics(page)
        return
    try:
        entries = read_json_list(page)
    except ValueError as error:
        yield page.defect(1, f"rdma statistic: not JSON as expected: {error}")
        return
    for entry in entries:
        yield from _entry(page, entry)


def _entry(page: Page, entry: dict[str, Any]) -> Iterator[Item]:  # Any: JSON of a tool
    rdma = entry.get("ifname")
    if not isinstance(rdma, str):
        yield page.defect(1, "rdma statistic: an entry lacks ifname")
        return
    line = _line_of(page, f'"{rdma}"')
    for name, value in entry.items():
        if name not in _NOT_COUNTERS:
            is_number = isinstance(value, int) and value != _NO_ANSWER
            yield Reading(rdma, name, value if is_number else None, line)


def _text_statistics(page: Page) -> Iterator[Item]:
    rdma = ""
    for number, line in page.numbered():
        text = line.strip()
        link = _STATISTIC.fullmatch(text)
        if link:
            rdma = link["rdma"]
            yield from _pairs(number, rdma, link["rest"])
        elif rdma and _COUNTER.fullmatch(text):
            yield from _pairs(number, rdma, text)
        elif text:
            yield Unread(page.at(number))
            if text.startswith("link ") and "optional-counters" not in text:
                yield page.defect(number, "rdma statistic: line is damaged", found=text[-60:])


def _pairs(number: int, rdma: str, text: str) -> Iterator[Item]:
    for name, value in _COUNTER.findall(text):
        yield Reading(rdma, name, int(value) if is_whole(value) else None, number)
