"""Reads NicConfigurationTemplate manifests, which an operator applies to every adapter it selects.

Source: NVIDIA Network Operator documentation, NIC Configuration Operator
(roceOptimized: trust is dscp and PFC priority 3 where ``qos`` is not said).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from netcheck.model.known import UNKNOWN
from netcheck.platforms.linux.facts import Item, Page, Unread
from netcheck.platforms.linux.mlnx_qos import TRUST, pfc_facts
from netcheck.platforms.linux.quirks import PRIORITIES

_SETTING = re.compile(r"(?P<name>trust|pfc): *['\"]?(?P<value>[\w,]*)['\"]?\s*(?:#.*)?")


def read_nic_template(page: Page) -> Iterator[Item]:
    """Give trust and PFC of the adapters that the template is for."""
    for number, line in page.numbered():
        match = _SETTING.fullmatch(line.strip())
        if match and match["name"] == "trust":
            yield from _trust(page, number, match["value"])
        elif match:
            yield from _pfc(page, number, match["value"])
        elif line.strip():
            yield Unread(page.at(number))


def _trust(page: Page, number: int, value: str) -> Iterator[Item]:
    if value not in TRUST:
        yield page.defect(number, f"trust: not a known word: {value!r}", found=value)
    yield page.of_port("trust", TRUST.get(value, UNKNOWN), number)


def _pfc(page: Page, number: int, value: str) -> Iterator[Item]:
    bits = value.split(",")
    if len(bits) != PRIORITIES or not set(bits) <= {"0", "1"}:
        yield page.defect(number, "pfc: expected 8 of 0 and 1", found=value)
        yield from pfc_facts(page, UNKNOWN, number)
        return
    paused = frozenset(priority for priority, bit in enumerate(bits) if bit == "1")
    yield from pfc_facts(page, paused, number)
