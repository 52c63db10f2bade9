"""``nv show interface -o json`` and ``nv show system -o json``: links, neighbours, the release.

Source: CumulusNetworks/docs cumulus-linux-53 NVUE API (GET /nvue_v1/interface),
nvue-reference Show-Commands Interface.md, LLDP.md, System.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from netcheck.model.device import AdminState, Neighbour
from netcheck.model.document import Evidence
from netcheck.model.known import ABSENT, UNKNOWN, Known
from netcheck.platforms.cumulus.parsed.settings import plain_number
from netcheck.platforms.cumulus.parsed.shown import Shown
from netcheck.platforms.cumulus.parsed.units import speed_bps

SWITCH_PORT: Final = re.compile(r"swp\d+(?:s\d+)?")
_RELEASE: Final = re.compile(r"\d+\.\d+(?:\.\d+)*")


Facts = dict[str, Any]  # Any: a fact of Port


@dataclass(slots=True)
class Links:
    """What is known of ports besides QoS, and of the switch itself."""

    ports: dict[str, Facts] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    hostname: str = ""
    os_version: str = ""
    model: str = ""


# Any: JSON as the device prints it, looked at before use.
def read_interfaces(data: Any, source: Evidence, links: Links) -> None:
    """Read ``port -> object`` for the ports of the switch."""
    for name, value in data.items() if isinstance(data, Mapping) else ():
        if SWITCH_PORT.fullmatch(str(name)) and isinstance(value, Mapping):
            links.ports[name] = _facts(value)
            links.evidence[name] = source


def read_interface(name: str, data: Any, source: Evidence, links: Links) -> None:
    """Read the object of one port."""
    if isinstance(data, Mapping) and ("link" in data or "lldp" in data):
        links.ports[name] = _facts(data)
        links.evidence[name] = source


def _facts(value: Mapping[str, Any]) -> Facts:
    link = value.get("link")
    facts = link if isinstance(link, Mapping) else {}
    lldp = value.get("lldp")
    return {
        "operational_speed_bps": speed_bps(str(facts.get("speed", ""))),
        "l2_mtu": plain_number(str(facts.get("mtu", ""))),
        "link_state": _state(facts.get("oper-status", facts.get("state"))),
        "admin_state": _state(facts.get("admin-status")),
        "neighbour": _neighbour(lldp) if isinstance(lldp, Mapping) else UNKNOWN,
    }


def _state(found: Any) -> Known[AdminState]:
    word = next(iter(found), "") if isinstance(found, Mapping) else found
    return {"up": AdminState.UP, "down": AdminState.DOWN}.get(str(word), UNKNOWN)


def _neighbour(lldp: Mapping[str, Any]) -> Known[Neighbour]:
    found = lldp.get("neighbor")
    if not isinstance(found, Mapping):
        return UNKNOWN
    if not found:
        return ABSENT
    return next(_neighbours(found), UNKNOWN)


def _neighbours(found: Mapping[str, Any]) -> Iterator[Neighbour]:
    for name, value in found.items():
        port = value.get("port") if isinstance(value, Mapping) else None
        if isinstance(port, Mapping) and isinstance(port.get("name"), str):
            yield Neighbour(_system(str(name), value), port["name"])


def _system(name: str, value: Mapping[str, Any]) -> str:
    chassis = value.get("chassis")
    said = chassis.get("system-name") if isinstance(chassis, Mapping) else None
    return said if isinstance(said, str) and said else name


def read_system(shown: Shown, links: Links) -> None:
    """Read ``nv show system`` (its text or its JSON as properties)."""
    for path, cell in shown.properties.items():
        if path[-1] == "hostname":
            links.hostname = cell.text
        elif path[-1] in {"product-release", "os-version", "version"} or path[-1] == "build":
            match = _RELEASE.search(cell.text)
            links.os_version = match[0] if match and not links.os_version else links.os_version
        elif path[-1] in {"platform-name", "product-name", "model"} and "inux" not in cell.text:
            links.model = cell.text


def read_interface_table(shown: Shown, source: Evidence, links: Links) -> None:
    """Read the table of ``nv show interface`` in text."""
    for rows in shown.tables.values():
        for row in rows:
            cells = {name: cell.text for name, cell in row.items()}
            name = cells.get("interface", "")
            if not SWITCH_PORT.fullmatch(name):
                continue
            remote = Neighbour(cells.get("remote host", ""), cells.get("remote port", ""))
            has_remote = bool(remote.device and remote.port) and "…" not in remote.port
            links.ports[name] = {
                "operational_speed_bps": speed_bps(cells.get("speed", "")),
                "l2_mtu": plain_number(cells.get("mtu", "")),
                "link_state": _state(cells.get("state", cells.get("oper status", ""))),
                "neighbour": remote if has_remote else UNKNOWN,
            }
            links.evidence[name] = source
