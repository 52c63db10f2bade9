"""Which fabric the two machines can be: two hosts with one RDMA device each, one switch."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from netcheck.lab.state import TOPOLOGY_FILE
from netcheck.model.device import Device, Role
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.known import is_known

RDMA, PORT = "rxe0", "rail0"
SWITCH_PORTS: Final = ("swp1", "swp2")
MTU: Final = 4400  # RDMA MTU 4096 fits
_SHAPE: Final = (
    "the real lab has two linux hosts, each with RDMA device rxe0 of driver rxe on port rail0,"
    " and one linux switch with ports swp1 (first host) and swp2 (second host)"
)


@dataclass(frozen=True, slots=True)
class Host:
    """A host of the lab and the IPv4 address of its RDMA port."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Layout:
    """What the machines are called and how they are addressed.

    Attributes:
        mtu: IP MTU of all ports.
    """

    name: str
    hosts: tuple[Host, Host]
    switch: str
    mtu: int = MTU

    def to_json(self) -> str:
        """As kept in the lab's directory."""
        return json.dumps(asdict(self), indent=1) + "\n"


def layout_of(fabric: Fabric) -> Layout:
    """Give the layout of a fabric that the machines can be.

    Raises:
        InputError: It has another shape.
    """
    hosts = [device for device in fabric.devices.values() if device.role is Role.HOST]
    switches = [device for device in fabric.devices.values() if device.role is not Role.HOST]
    if len(hosts) != 2 or len(switches) != 1:  # noqa: PLR2004 -- as _SHAPE says
        found = f"{len(hosts)} hosts and {len(switches)} switches"
        raise InputError(f"{fabric.name}: expected another shape, found {found}; {_SHAPE}")
    switch = switches[0].name
    pairs = {
        frozenset(f"{end.device}:{end.port}" for end in (link.a, link.b)) for link in fabric.links
    }
    cabled = {
        frozenset((f"{host.name}:{PORT}", f"{switch}:{port}"))
        for host, port in zip(hosts, SWITCH_PORTS, strict=True)
    }
    if pairs != cabled:
        raise InputError(f"{fabric.name}: links expected {_said(cabled)}; {_SHAPE}")
    return Layout(fabric.name, (_host(hosts[0]), _host(hosts[1])), switch)


def _said(pairs: set[frozenset[str]]) -> str:
    return ", ".join(sorted(" to ".join(sorted(pair)) for pair in pairs))


def _host(device: Device) -> Host:
    rdma = device.rdma.get(RDMA)
    port = device.ports.get(PORT)
    if rdma is None or port is None or rdma.driver != "rxe" or not is_known(port.address):
        raise InputError(f"{device.name}: {RDMA} on {PORT} with an address expected; {_SHAPE}")
    return Host(device.name, port.address.split("/")[0])


def read_layout(directory: Path) -> Layout:
    """Read the layout of a lab's directory."""
    data = json.loads((directory / TOPOLOGY_FILE).read_text("utf-8"))
    first, second = (Host(**row) for row in data.pop("hosts"))
    return Layout(hosts=(first, second), **data)
