"""The lab as it is built: devices, the cables between them, who is whose neighbour.

A platform that can be simulated has a folder in ``lab/devices`` with a
``build.py``; its ``build(device, folder, surroundings)`` gives the device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from netcheck.lab.bench import Bench
from netcheck.lab.devices.device import Neighbour, SimulatedDevice
from netcheck.lab.subnets.running import RunningSubnet
from netcheck.lab.topology import LabCable, LabDevice, Topology


class Building:
    """All devices of a lab and what connects them.

    ``cables`` can be changed while the lab runs; devices then see other neighbours.
    """

    def __init__(
        self,
        topology: Topology,
        folder: Path,
        addresses: Mapping[str, str],
        subnets: Sequence[RunningSubnet] = (),
    ) -> None:
        self.topology = topology
        self.subnets = {one.name: one for one in subnets}
        self.addresses = addresses
        self.cables: list[LabCable] = list(topology.cables)
        self._far = _ends(self.cables)
        self._hosts = {
            port.address.partition("/")[0]: device.name
            for device in topology.devices
            for port in device.ports
            if port.address and device.is_host
        }
        self.devices: dict[str, SimulatedDevice] = {}
        self.bench = Bench(
            self.devices,
            frozenset(device.name for device in topology.devices if device.is_host),
            lambda: self.cables,
            self.host_of,
            self.is_link_up,
            self.subnets,
        )
        for device in topology.devices:
            self.devices[device.name] = self._built(device, folder / device.name)

    def _built(self, device: LabDevice, folder: Path) -> SimulatedDevice:
        module = import_module(f"netcheck.lab.devices.{device.platform}.build")
        built: SimulatedDevice = module.build(device, folder, self)
        return built

    def subnet_at(self, guid: int) -> RunningSubnet | None:
        """The running subnet that an adapter's port is in; None where none runs for it."""
        found = (one for one in self.subnets.values() if guid in one.guids)
        return next(found, None)

    def managed_by(self, host: str) -> RunningSubnet | None:
        """The running subnet whose manager a host is."""
        return next((one for one in self.subnets.values() if one.plan(host)), None)

    def is_host(self, name: str) -> bool:
        """The device is a host, whatever runs on it."""
        return name in self.bench.hosts

    def host_of(self, address: str) -> str | None:
        """Name of the host that has an address: management, RDMA port, or its name."""
        by_mgmt = {host: name for name, host in self.addresses.items()}
        if address in self.devices:
            return address
        return self._hosts.get(address) or by_mgmt.get(address)

    def neighbour(self, device: str, port: str) -> Neighbour | None:
        """Who is cabled to a port."""
        far = self._far.get((device, port))
        if far is None:
            return None
        chassis = self.devices[far[0]].mac("eth0")
        return Neighbour(far[0], far[1], chassis, self.addresses[far[0]])

    def is_link_up(self, device: str, port: str) -> bool:
        """Both ends of the port's cable are up."""
        far = self._far.get((device, port))
        return far is not None and all(
            self.devices[name].is_up(end) for name, end in ((device, port), far)
        )

    def change_cable(self, index: int, cable: LabCable) -> None:
        """Put another cable in the place of one."""
        self.cables[index] = cable
        self._far = _ends(self.cables)

    def swap_cables(self, first: int, second: int) -> None:
        """Exchange the ``b`` ends of two cables."""
        a, b = self.cables[first], self.cables[second]
        self.cables[first], self.cables[second] = replace(a, b=b.b), replace(b, b=a.b)
        self._far = _ends(self.cables)


def _ends(cables: Sequence[LabCable]) -> dict[tuple[str, str], tuple[str, str]]:
    """Give ``port -> the port at the other end``."""
    found = {cable.a: cable.b for cable in cables}
    return found | {cable.b: cable.a for cable in cables}
