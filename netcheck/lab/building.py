"""The lab as it is built: devices, the cables between them, who is whose neighbour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from netcheck.lab.bench import Bench
from netcheck.lab.devices.device import Neighbour, SimulatedDevice
from netcheck.lab.devices.linux.host import LinuxHost
from netcheck.lab.devices.sonic.switch import SonicSwitch
from netcheck.lab.topology import LabCable, LabDevice, Topology


class Building:
    """All devices of a lab and what connects them.

    ``cables`` can be changed while the lab runs; devices then see other neighbours.
    """

    def __init__(self, topology: Topology, folder: Path, addresses: Mapping[str, str]) -> None:
        self.topology = topology
        self.addresses = addresses
        self.cables: list[LabCable] = list(topology.cables)
        self._hosts = {
            port.address.partition("/")[0]: device.name
            for device in topology.devices
            for port in device.ports
            if port.address and device.platform == "linux"
        }
        self.devices: dict[str, SimulatedDevice] = {}
        self.bench = Bench(self.devices, lambda: self.cables, self.host_of, self.is_link_up)
        for device in topology.devices:
            self.devices[device.name] = self._built(device, folder / device.name)

    def _built(self, device: LabDevice, folder: Path) -> SimulatedDevice:
        if device.platform == "sonic":
            return SonicSwitch(device, folder, self)
        return LinuxHost(device, folder, self, self.bench)

    def host_of(self, address: str) -> str | None:
        """Name of the host that has an address: management, RDMA port, or its name."""
        by_mgmt = {host: name for name, host in self.addresses.items()}
        if address in self.devices:
            return address
        return self._hosts.get(address) or by_mgmt.get(address)

    def neighbour(self, device: str, port: str) -> Neighbour | None:
        """Who is cabled to a port."""
        for cable in self.cables:
            for near, far in ((cable.a, cable.b), (cable.b, cable.a)):
                if near == (device, port):
                    peer = self.devices[far[0]]
                    return Neighbour(far[0], far[1], peer.mac(far[1]), self.addresses[far[0]])
        return None

    def is_link_up(self, device: str, port: str) -> bool:
        """Both ends of the port's cable are up."""
        found = self.neighbour(device, port)
        if found is None:
            return False
        return self.devices[device].is_up(port) and self.devices[found.device].is_up(found.port)

    def swap_cables(self, first: int, second: int) -> None:
        """Exchange the ``b`` ends of two cables."""
        a, b = self.cables[first], self.cables[second]
        self.cables[first], self.cables[second] = replace(a, b=b.b), replace(b, b=a.b)
