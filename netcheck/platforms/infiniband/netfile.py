"""Writes an intended subnet as a topology file, in the format that ``ibnetdiscover`` prints.

The simulator ``ibsim`` takes it as it is. GUIDs are those of the intent, else
made from the names.

Source: linux-rdma/ibsim net-examples; linux-rdma/rdma-core
    infiniband-diags/ibnetdiscover.c.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from netcheck.model.cables import Cables, adapter_guids, is_host, port_number, switch_guid
from netcheck.model.device import Device, Port
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.infiniband import LANE_BPS
from netcheck.model.known import is_known

SWITCH_DEVICE: Final = 0xD2F0  # Quantum
ADAPTER_DEVICE: Final = 0x101B  # ConnectX-6
VENDOR: Final = 0x2C9
USUAL_WIDTH: Final = 4
USUAL_SPEED: Final = "HDR"
MAX_PORTS: Final = 254


@dataclass(frozen=True, slots=True)
class Plug:
    """One end of a link, in the words of the file.

    Attributes:
        node: Node GUID; ``port_guid`` of its port (of the switch, for a switch).
        letter: ``S`` for a switch, ``H`` for an adapter.
        number: Number of the port.
        device: Name in the intent; ``description`` is what the node calls itself.
    """

    device: str
    node: int
    port_guid: int
    letter: str
    number: int
    description: str

    @property
    def name(self) -> str:
        """The node as the file names it."""
        return f'"{self.letter}-{self.node:016x}"'


def write_net(fabric: Fabric, subnet: str, *, fastest: str = "HDR") -> str:
    """Give the topology file of one subnet.

    Args:
        subnet: Name of the subnet in ``fabric.subnets``.
        fastest: Highest speed to write: ibsim before 0.12 does not know NDR.

    Raises:
        InputError: The intent has no such subnet, no links in it, or links that no
            InfiniBand device can have.
    """
    if fabric.subnets and subnet not in fabric.subnets:
        known = ", ".join(fabric.subnets)
        raise InputError(f"subnet {subnet}: unknown; expected one of {known}")
    work = _Net(fabric, Cables(fabric), fastest)
    links = work.cables.of_subnet(subnet)
    if not links:
        raise InputError(f"subnet {subnet}: the intent has no InfiniBand links in it")
    return work.write(links)


@dataclass(frozen=True, slots=True)
class _Net:
    fabric: Fabric
    cables: Cables
    fastest: str

    def write(self, links: tuple[Link, ...]) -> str:
        wired: dict[int, dict[int, tuple[Plug, str]]] = {}
        plugs: dict[int, Plug] = {}
        for link in links:
            a, b = self.plug(link.a), self.plug(link.b)
            rate = self.rate(link)
            for here, there in ((a, b), (b, a)):
                plugs.setdefault(here.node, here)
                taken = wired.setdefault(here.node, {})
                if here.number in taken:
                    raise InputError(f"{here.description} port {here.number}: has two links")
                taken[here.number] = (there, rate)
        order = sorted(plugs.values(), key=lambda one: (one.letter, one.description, one.node))
        blocks = ("\n".join(self.block(one, wired[one.node])) for one in order)
        return "\n\n".join(blocks) + "\n"

    def plug(self, end: PortRef) -> Plug:
        device = self.fabric.devices.get(end.device)
        if device is None:
            raise InputError(f"{end.device}: no such device")
        return self.adapter(end) if is_host(device) else self.switch(device, end)

    def adapter(self, end: PortRef) -> Plug:
        found = self.cables.adapter_at(end)
        if found is None:
            raise InputError(f"{end}: no RDMA device uses this port")
        rdma, number = found
        node, port = adapter_guids(end.device, rdma)
        return Plug(end.device, node, port + number - 1, "H", number, f"{end.device} {rdma.name}")

    def switch(self, device: Device, end: PortRef) -> Plug:
        number = port_number(end.port)
        if number is None or not 0 < number <= MAX_PORTS:
            raise InputError(f"{end}: expected a port number from 1 to {MAX_PORTS} in its name")
        guid = switch_guid(device)
        model = device.model if is_known(device.model) else ""
        name = f"MF0;{device.name}:{model}/U1" if model else device.name
        return Plug(device.name, guid, guid, "S", number, name)

    def rate(self, link: Link) -> str:
        """Width and speed of a link, such as ``4xHDR``; the slower end counts."""
        found = [self.rate_of(end) for end in (link.a, link.b)]
        said = [one for one in found if one is not None]
        width, speed = min(said, key=_bps) if said else (USUAL_WIDTH, USUAL_SPEED)
        if LANE_BPS[speed] > LANE_BPS[self.fastest]:
            speed = self.fastest
        return f"{width}x{speed}"

    def rate_of(self, end: PortRef) -> tuple[int, str] | None:
        port = self.fabric.devices[end.device].ports.get(end.port)
        return rate_of(port) if port is not None else None

    def block(self, plug: Plug, wired: dict[int, tuple[Plug, str]]) -> Iterator[str]:
        is_switch = plug.letter == "S"
        yield f"vendid={VENDOR:#x}"
        yield f"devid={SWITCH_DEVICE if is_switch else ADAPTER_DEVICE:#x}"
        yield f"sysimgguid={plug.node:#x}"
        if is_switch:
            yield f"switchguid={plug.node:#x}({plug.node:x})"
            count = self.port_count(plug, wired)
            tail = f'# "{plug.description}" enhanced port 0 lid 0 lmc 0'
            yield f"Switch\t{count} {plug.name}\t\t{tail}"
        else:
            yield f"caguid={plug.node:#x}"
            yield f'Ca\t{max(wired)} {plug.name}\t\t# "{plug.description}"'
        for number, (far, rate) in sorted(wired.items()):
            yield _line(plug, number, far, rate)

    def port_count(self, plug: Plug, wired: dict[int, tuple[Plug, str]]) -> int:
        """Ports that the switch is stated to have, at least those that are wired."""
        stated = [port_number(port) or 0 for port in self.fabric.devices[plug.device].ports]
        return max([*wired, *(number for number in stated if number <= MAX_PORTS)])


def _line(plug: Plug, number: int, far: Plug, rate: str) -> str:
    if plug.letter == "H":
        guid = plug.port_guid + number - plug.number
        return (
            f"[{number}]({guid:x}) \t{far.name}[{far.number}]"
            f'\t\t# lid 0 lmc 0 "{far.description}" lid 0 {rate}'
        )
    guid_of_far = f"({far.port_guid:x}) " if far.letter == "H" else ""
    return (
        f'[{number}]\t{far.name}[{far.number}]{guid_of_far}\t\t# "{far.description}" lid 0 {rate}'
    )


def _bps(rate: tuple[int, str]) -> int:
    return rate[0] * LANE_BPS[rate[1]]


def rate_of(port: Port) -> tuple[int, str] | None:
    """Give width and speed that an intended port stands for; None where it says no speed.

    Example:
        >>> rate_of(Port("1", speed_bps=200_000_000_000))
        (4, 'HDR')
    """
    if not is_known(port.speed_bps):
        return None
    width = port.lanes if is_known(port.lanes) else USUAL_WIDTH
    # FDR10 has the rate of QDR, which every simulator knows
    fitting = [name for name, bps in LANE_BPS.items() if bps * width == port.speed_bps]
    return (width, fitting[0]) if fitting else None
