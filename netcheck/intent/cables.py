"""What each port of a fabric is cabled to: length, delay and the far end."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from netcheck.intent.notes import Notes
from netcheck.model.device import Port, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozen import frozen
from netcheck.model.known import UNKNOWN, Known, is_known, known_or

HOST_CABLE_M: Final = 40.0
SWITCH_CABLE_M: Final = 300.0


@frozen
class Cable:
    """One port's link as the port sees it; ``far`` is the port at the far end, if declared."""

    length_m: float
    extra_delay_ns: float
    far: Port | None = None


def complete_links(fabric: Fabric, notes: Notes) -> tuple[Link, ...]:
    """Give the links with a length each: 40 m at hosts and 300 m elsewhere unless said.

    Source: the longest class of SONiC's buffer defaults for that place
        (sonic-net/sonic-buildimage files/build_templates/buffers_config.j2).
    """
    return tuple(
        link if is_known(link.length_m) else _with_length(fabric, link, notes)
        for link in fabric.links
    )


def _with_length(fabric: Fabric, link: Link, notes: Notes) -> Link:
    said = [_cable_of_port(fabric, end) for end in (link.a, link.b)]
    longest = max((length for length in said if is_known(length)), default=None)
    if longest is not None:
        return replace(link, length_m=float(longest))
    has_host = any(_is_host(fabric, end.device) for end in (link.a, link.b))
    length = HOST_CABLE_M if has_host else SWITCH_CABLE_M
    notes.default(f"link {link.a} - {link.b} cable", f"{length:g}m")
    return replace(link, length_m=length)


def _is_host(fabric: Fabric, name: str) -> bool:
    device = fabric.devices.get(name)
    return device is not None and device.role is Role.HOST


def _cable_of_port(fabric: Fabric, end: PortRef) -> Known[int]:
    port = _port_at(fabric, end)
    return port.cable_m if port else UNKNOWN


def cables_by_port(fabric: Fabric) -> dict[str, dict[str, Cable]]:
    """Give the cable of every linked port; members of an aggregate share its link's.

    Shape: ``device -> port -> cable``.
    """
    members = {(one.device, one.name): one.members for one in fabric.aggregates}
    found: dict[str, dict[str, Cable]] = {}
    for link in fabric.links:
        length_m, delay_ns = known_or(link.length_m, 0.0), known_or(link.extra_delay_ns, 0.0)
        for near, far in ((link.a, link.b), (link.b, link.a)):
            cable = Cable(length_m, delay_ns, _port_at(fabric, far))
            here = found.setdefault(near.device, {})
            if members and (near.device, near.port) in members:
                here.update(dict.fromkeys(members[near.device, near.port], cable))
            else:
                here[near.port] = cable
    return found


def _port_at(fabric: Fabric, end: PortRef) -> Port | None:
    device = fabric.devices.get(end.device)
    return device.ports.get(end.port) if device else None
