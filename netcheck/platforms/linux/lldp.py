"""Reads ``lldpctl -f json``: who is at the other end of each port.

Source: lldpd src/client/display.c and json_writer.c: one neighbour is an object, several a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from netcheck.model.device import Neighbour
from netcheck.model.jsontext import load_json
from netcheck.platforms.linux.facts import Fact, Item, Owner, Page, Unread


def read_lldpctl(page: Page) -> Iterator[Item]:
    """Give the neighbour of each port that has one."""
    try:
        data = load_json(page.document.text)
        interfaces = data["lldp"].get("interface", [])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        yield page.defect(1, f"lldpctl: not JSON as expected: {error}")
        return
    for entry in interfaces if isinstance(interfaces, list) else [interfaces]:
        for port, seen in entry.items() if isinstance(entry, dict) else ():
            neighbour = _neighbour(seen)
            if neighbour is not None:
                yield Fact(Owner.PORT, port, "neighbour", neighbour, 1)


def read_lldptool(page: Page) -> Iterator[Item]:
    """Give whether the port takes its peer's settings; lldptool answers only while lldpad runs.

    What its TLVs announce is not read as what the adapter holds: the two can differ.
    """
    yield page.of_device("lldp_agent", value=True, line=1)
    port = page.port
    for number, line in page.numbered():
        name, _, value = (part.strip().lower() for part in line.partition(":"))
        if name == "willing" and value in {"yes", "no"}:
            yield Fact(Owner.PORT, port, "dcbx_willing", value == "yes", number)
        elif line.strip():
            yield Unread(page.at(number))


# The JSON of lldpd has no fixed types: what is not as expected is no neighbour.
def _neighbour(seen: Any) -> Neighbour | None:
    try:
        chassis, port = seen["chassis"], seen["port"]
        name = next(iter(chassis)) if "id" not in chassis else _text(chassis.get("name"))
        return Neighbour(name or _text(chassis["id"]), _port_name(port)) if port else None
    except (KeyError, TypeError, AttributeError, StopIteration):
        return None


def _port_name(port: dict[str, Any]) -> str:
    identity = port.get("id", {})
    # "local" and "ifname" are names; a MAC address is not what a cabling plan holds.
    if isinstance(identity, dict) and identity.get("type") not in {"ifname", "local"}:
        return _text(port.get("descr")) or _text(identity)
    return _text(identity)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("value", ""))
    return "" if value is None else str(value)
