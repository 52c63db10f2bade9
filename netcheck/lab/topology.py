"""What the lab takes from a fabric: devices, ports, RDMA devices, cables. No policy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from netcheck.lab.subnets.parts import LabHca, LabManager, LabSubnet
from netcheck.lossless.dataplane.network import Wear
from netcheck.model.cables import Cables, is_reached
from netcheck.model.device import Device, LinkLayer, Port, Role
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.known import Known, is_known

T = TypeVar("T")
DEFAULT_SPEED_BPS = 400_000_000_000
DEFAULT_CABLE_M = 5.0


@dataclass(frozen=True, slots=True)
class LabPort:
    """A port as it is built: name, speed, IP address with prefix length (or empty)."""

    name: str
    speed_bps: int
    address: str = ""


@dataclass(frozen=True, slots=True)
class LabRdma:
    """An RDMA device and the port it uses."""

    name: str
    port: str


@dataclass(frozen=True, slots=True)
class LabDevice:
    """A device as it is built; ``role``, ``model`` and ``version`` (of its system) may be empty."""

    name: str
    platform: str
    role: str = ""
    model: str = ""
    ports: tuple[LabPort, ...] = ()
    rdma: tuple[LabRdma, ...] = ()
    version: str = ""
    hcas: tuple[LabHca, ...] = ()

    @property
    def is_host(self) -> bool:
        """Flows end here: its role says so, or without a role its RDMA devices do."""
        return self.role == Role.HOST if self.role else bool(self.rdma or self.hcas)


@dataclass(frozen=True, slots=True)
class LabCable:
    """A cable between two ports, each ``(device, port)``.

    Attributes:
        limit_bps: What both ends run at where not all lanes work.
        worn: What happens to packets on their way to ``worn_to``, one of the ends.
    """

    a: tuple[str, str]
    b: tuple[str, str]
    length_m: float = DEFAULT_CABLE_M
    extra_delay_ns: float = 0.0
    limit_bps: int | None = None
    worn: Wear | None = None
    worn_to: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Topology:
    """Everything that the lab builds.

    Attributes:
        cables: Ethernet cables; those of InfiniBand are in the subnets' networks.
        notes: What of the fabric is left out or assumed, in words.
    """

    name: str
    devices: tuple[LabDevice, ...]
    cables: tuple[LabCable, ...]
    subnets: tuple[LabSubnet, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Give it as a text for ``from_json``."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @staticmethod
    def from_json(text: str) -> Topology:
        """Read what ``to_json`` gave."""
        data: dict[str, Any] = json.loads(text)  # JSON of our own
        return Topology(
            data["name"],
            tuple(_device(row) for row in data["devices"]),
            tuple(
                LabCable(tuple(row.pop("a")), tuple(row.pop("b")), **row) for row in data["cables"]
            ),
            tuple(
                LabSubnet(managers=tuple(LabManager(**one) for one in row.pop("managers")), **row)
                for row in data["subnets"]
            ),
            tuple(data["notes"]),
        )


def _device(row: dict[str, Any]) -> LabDevice:
    ports = tuple(LabPort(**port) for port in row.pop("ports"))
    rdma = tuple(LabRdma(**device) for device in row.pop("rdma"))
    hcas = tuple(LabHca(**device) for device in row.pop("hcas"))
    return LabDevice(ports=ports, rdma=rdma, hcas=hcas, **row)


@cache
def simulated() -> tuple[str, ...]:
    """Give the platforms that can be simulated, by walking ``lab/devices``."""
    here = Path(__file__).parent / "devices"
    return tuple(sorted(entry.parent.name for entry in here.glob("*/build.py")))


def topology_of(fabric: Fabric) -> Topology:
    """Take from a fabric what the lab builds.

    Raises:
        InputError: A device has a platform that the lab cannot simulate, or a
            cable ends at a device that is not there.
    """
    infiniband = set(Cables(fabric).links)
    cables = tuple(
        LabCable(
            (link.a.device, link.a.port),
            (link.b.device, link.b.port),
            float(_or(link.length_m, DEFAULT_CABLE_M)),
            float(_or(link.extra_delay_ns, 0.0)),
        )
        for link in fabric.links
    )
    cabled: dict[str, set[str]] = {}
    for device, port in (end for cable in cables for end in (cable.a, cable.b)):
        if device not in fabric.devices:
            raise InputError(f"link to {device} {port}: there is no such device in {fabric.name}")
        cabled.setdefault(device, set()).add(port)
    devices = tuple(
        _lab_device(device, cabled.get(device.name, set()))
        for device in fabric.devices.values()
        if is_reached(device)
    )
    names = {device.name for device in devices}
    kept = tuple(
        cable
        for link, cable in zip(fabric.links, cables, strict=True)
        if link not in infiniband and cable.a[0] in names and cable.b[0] in names
    )
    topology = Topology(fabric.name, devices, kept)
    return _with_subnets(topology, fabric) if fabric.subnets else topology


def _with_subnets(topology: Topology, fabric: Fabric) -> Topology:
    """Give the topology with InfiniBand, which few fabrics have."""
    from netcheck.lab.subnets.plan import hcas_of, subnets_of  # noqa: PLC0415 -- as above

    subnets, notes = subnets_of(fabric)
    devices = tuple(
        replace(one, hcas=hcas_of(fabric, one.name)) if one.is_host else one
        for one in topology.devices
    )
    return replace(topology, devices=devices, subnets=subnets, notes=notes)


def _lab_device(device: Device, cabled: set[str]) -> LabDevice:
    platform = _or(device.platform, "")
    if platform not in simulated():
        raise InputError(
            f"{device.name}: platform {platform or 'not said'}: the lab simulates "
            f"{', '.join(simulated())}"
        )
    names = [*device.ports, *sorted(cabled - set(device.ports))]
    rdma = tuple(
        LabRdma(found.name, found.ports[0])
        for found in device.rdma.values()
        if found.ports and found.link_layer is not LinkLayer.INFINIBAND
    )
    return LabDevice(
        device.name,
        platform,
        str(_or(device.role, "")),
        _or(device.model, ""),
        tuple(_lab_port(name, device.ports) for name in names),
        rdma,
        _or(device.os_version, ""),
    )


def _lab_port(name: str, ports: Mapping[str, Port]) -> LabPort:
    port = ports.get(name, Port(name))
    return LabPort(name, _or(port.speed_bps, DEFAULT_SPEED_BPS), _or(port.address, ""))


def _or(value: Known[T], default: T) -> T:
    return value if is_known(value) else default
