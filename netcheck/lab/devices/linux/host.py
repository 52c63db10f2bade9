"""A Linux host with mlx5 adapters: its files, programs and hardware."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from netcheck.lab.devices.device import SimulatedDevice, Surroundings
from netcheck.lab.devices.files import MadeUp
from netcheck.lab.devices.linux import (
    counters,
    dcb,
    hca_files,
    hca_tools,
    iproute,
    mlnx_qos,
    perftest,
    rdma,
    sysfs,
    system,
)
from netcheck.lab.devices.linux.adapter import BUFFER_BYTES, Adapter
from netcheck.lab.devices.linux.hca import Hca, SubnetAccess
from netcheck.lab.topology import LabDevice
from netcheck.lossless.dataplane.network import Node
from netcheck.lossless.dataplane.result import FlowCounters, PortCounters

PROCESSING_S = 300e-9
FOLDERS = ("etc/systemd/system", "etc/udev/rules.d", "etc/profile.d", "lib/systemd/system")
_OS_RELEASE = 'PRETTY_NAME="Ubuntu 22.04.4 LTS"\nNAME="Ubuntu"\nVERSION_ID="22.04"\nID=ubuntu\n'


class LinuxHost(SimulatedDevice):
    """A host; its adapters begin as after a driver load without configuration.

    Attributes:
        adapters: Ports on Ethernet by netdev; ``hcas`` those on InfiniBand by RDMA device.
    """

    platform = "linux"

    def __init__(
        self,
        built: LabDevice,
        folder: Path,
        surroundings: Surroundings,
        bench: perftest.TestBench,
        subnets: Callable[[int], SubnetAccess | None] = lambda _: None,
    ) -> None:
        super().__init__(built.name, folder, surroundings)
        for part in FOLDERS:
            (self.files.root / part).mkdir(parents=True, exist_ok=True)
        (self.files.root / "etc/os-release").write_text(_OS_RELEASE, "utf-8")
        ports = {port.name: port for port in built.ports}
        self.adapters: dict[str, Adapter] = {}
        for index, device in enumerate(built.rdma):
            port = ports[device.port]
            self.adapters[device.port] = Adapter(
                device.port,
                device.name,
                index,
                port.speed_bps,
                port.address,
                self.mac(device.port),
            )
        self.hcas = {
            one.name: Hca(
                one.name,
                one.port,
                len(built.rdma) + index,
                one.guid,
                one.number,
                subnets(one.guid),
            )
            for index, one in enumerate(built.hcas)
        }
        self._add_files()
        self._add_programs(bench)

    def is_link_up(self, port: str) -> bool:
        """Both ends of the port's cable are up."""
        return self.surroundings.is_link_up(self.name, port)

    def is_up(self, port: str) -> bool:
        """The netdev is up."""
        return port in self.adapters and self.adapters[port].is_up

    def _add_files(self) -> None:
        for adapter in self.adapters.values():

            def is_up(netdev: str = adapter.netdev) -> bool:
                return self.is_link_up(netdev)

            for path, file in sysfs.files(adapter, is_up=is_up):
                self.files.add(path, file)
        for hca in self.hcas.values():
            for path, file in hca_files.files(hca):
                self.files.add(path, file)
        governor = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
        self.files.add(governor, MadeUp(lambda: "performance\n"))

    def _add_programs(self, bench: perftest.TestBench) -> None:
        by_rdma = {adapter.rdma: adapter for adapter in self.adapters.values()}
        self.programs |= {
            "mlnx_qos": mlnx_qos.program(self.adapters),
            "dcb": dcb.program(self.adapters),
            "ip": iproute.ip_program(self.adapters, self),
            "ethtool": iproute.ethtool_program(self.adapters, self),
            **rdma.programs(by_rdma, self.hcas, self),
            **hca_tools.programs(tuple(self.hcas.values())),
            **system.programs(self.name, self.files, self.adapters, self.surroundings),
            **perftest.programs(self.name, by_rdma, self.hcas, self, bench),
        }

    def hardware(self) -> Node:
        """What the adapters hold."""
        return Node(
            self.name,
            {name: adapter.port() for name, adapter in self.adapters.items()},
            {adapter.pool: BUFFER_BYTES for adapter in self.adapters.values()},
            nics={name: adapter.nic() for name, adapter in self.adapters.items()},
            forwarding_s=PROCESSING_S,
        )

    def count(self, port: str, counters_found: PortCounters) -> None:
        """Add what a run of traffic counted at a netdev."""
        if port in self.adapters:
            counters.count_port(self.adapters[port], counters_found)

    def count_flows(
        self, port: str, *, requested: Sequence[FlowCounters], answered: Sequence[FlowCounters]
    ) -> None:
        """Add what the flows that start or end at a netdev counted."""
        if port in self.adapters:
            counters.count_requests(self.adapters[port], requested)
            counters.count_answers(self.adapters[port], answered)
