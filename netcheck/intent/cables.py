"""What each port of a fabric is cabled to: length, delay and the far end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import ceil
from operator import attrgetter
from typing import Final, NamedTuple

from netcheck.intent.notes import Notes
from netcheck.model.device import Port, Role
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.frozen import frozen
from netcheck.model.known import UNKNOWN, Known, is_known, known_or

HOST_CABLE_M: Final = 40.0
SWITCH_CABLE_M: Final = 300.0


class FarEnd(NamedTuple):
    """What a port has to know of the one at the other end; frames in bytes, 0 where not said."""

    speed_bps: Known[int] = UNKNOWN
    largest_frame: int = 0


NO_END = FarEnd()
# what ``FarEnd`` follows from
_FACING = attrgetter("speed_bps", "l2_mtu", "ip_mtu", "policy", "link_layer")


@frozen
class Cable:
    """One port's link as the port sees it."""

    length_m: float
    extra_delay_ns: float
    far: FarEnd


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


def _port_at(fabric: Fabric, end: PortRef) -> Port | None:
    device = fabric.devices.get(end.device)
    return device.ports.get(end.port) if device else None


class Cables:
    """The cable of every linked port; members of an aggregate share its link's.

    Cables that are equal are one object, so that its identity can be a key.

    Args:
        largest_frame: Largest frame in bytes that a port may send, as far as its intent says.
    """

    def __init__(self, fabric: Fabric, largest_frame: Callable[[Port], int]) -> None:
        self._largest_frame = largest_frame
        self._fabric = fabric
        self._cables: dict[object, Cable] = {}
        self._by_port: dict[str, dict[str, Cable]] = defaultdict(dict)
        self._read()

    def of(self, device: str) -> Mapping[str, Cable]:
        """Give ``port -> cable`` of one device."""
        return self._by_port.get(device, {})

    def unlinked(self, port: Port, default_m: float) -> Cable:
        """Give the cable of a port that no link names: as long as it says itself."""
        cable = Cable(float(known_or(port.cable_m, ceil(default_m))), 0.0, NO_END)
        return self._cables.setdefault(cable, cable)

    def _read(self) -> None:
        members = {(one.device, one.name): one.members for one in self._fabric.aggregates}
        find = {name: device.ports.finder for name, device in self._fabric.devices.items()}
        # ports outlive this loop, and switches alike share them
        facing: dict[int, object] = {}
        for link in self._fabric.links:
            length_m, delay_ns = link.length_m, link.extra_delay_ns
            for (device, port), (far_device, far_port) in ((link.a, link.b), (link.b, link.a)):
                far = find[far_device](far_port) if far_device in find else None
                faced = facing.get(id(far))
                if faced is None:
                    faced = facing[id(far)] = NO_END if far is None else _FACING(far)
                key = (length_m, delay_ns, faced)
                cable = self._cables.get(key)
                if cable is None:
                    cable = self._cables[key] = self._cable(link, far)
                here = self._by_port[device]
                if members and (device, port) in members:
                    here.update(dict.fromkeys(members[device, port], cable))
                else:
                    here[port] = cable

    def _cable(self, link: Link, far: Port | None) -> Cable:
        """A link's cable as the port sees it that faces ``far``."""
        end = NO_END if far is None else FarEnd(far.speed_bps, self._largest_frame(far))
        cable = Cable(known_or(link.length_m, 0.0), known_or(link.extra_delay_ns, 0.0), end)
        return self._cables.setdefault(cable, cable)
