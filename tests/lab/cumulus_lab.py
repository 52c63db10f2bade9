"""One Cumulus leaf with two hosts, set up by hand."""

from __future__ import annotations

import asyncio
from pathlib import Path

from netcheck.lab.building import Building
from netcheck.lab.devices.cumulus.state import CumulusSwitch
from netcheck.lab.devices.device import SimulatedDevice
from netcheck.lab.devices.shell import Shell, ShellExit, Streams
from netcheck.lab.topology import LabCable, LabDevice, LabPort, LabRdma, Topology

SPEED = 400_000_000_000
PORTS = ("swp1", "swp2", "swp3", "swp4")
HOSTS = ("gpu01", "gpu02")
LOSSLESS = """- header: {model: SN5600, nvue-api-version: nvue_v1, rev-id: 1.0}
- set:
    qos:
      mapping: {default-global: {trust: l3, dscp: {'0-63': {switch-priority: 0},
        '26': {switch-priority: 3}, '48': {switch-priority: 6}}}}
      egress-queue-mapping: {default-global: {switch-priority: {'0-2,4-5,7': {traffic-class: 0}}}}
      egress-scheduler: {default-global: {traffic-class: {'0,3': {mode: dwrr, bw-percent: 50},
        '6': {mode: strict}}}}
      congestion-control: {default-global: {traffic-class: {'3': {ecn: enable, red: disable,
        min-threshold: 1600000, max-threshold: 6400000, probability: 20}}}}
      pfc: {default-global: {switch-priority: {'3': {}}, tx: enable, rx: enable, cable-length: 5}}
      pfc-watchdog: {polling-interval: 200, robustness: 2}
      traffic-pool: {default-lossless: {memory-percent: 50}, default-lossy: {memory-percent: 50}}
    interface: {'swp1-4': {link: {mtu: 9216}, qos: {pfc-watchdog: {state: enable}}, type: swp}}
"""


def topology(version: str = "5.14.0") -> Topology:
    """One leaf; each host has rail0 and rail1 on it."""
    ports = tuple(LabPort(name, SPEED) for name in PORTS)
    leaf = LabDevice("leaf01", "cumulus", "leaf", "SN5600", ports, version=version)
    hosts = tuple(
        LabDevice(
            name,
            "linux",
            "host",
            ports=tuple(LabPort(f"rail{r}", SPEED, f"10.10{r}.0.{n + 1}/24") for r in range(2)),
            rdma=tuple(LabRdma(f"mlx5_{r}", f"rail{r}") for r in range(2)),
        )
        for n, name in enumerate(HOSTS)
    )
    ends = [(host, f"rail{rail}") for host in HOSTS for rail in range(2)]
    cables = tuple(LabCable(end, ("leaf01", port)) for end, port in zip(ends, PORTS, strict=True))
    return Topology("tiny", (leaf, *hosts), cables)


def build(folder: Path, version: str = "5.14.0") -> Building:
    """Build the lab below a folder."""
    names = ("leaf01", *HOSTS)
    addresses = {name: f"127.77.0.{index + 1}" for index, name in enumerate(names)}
    return Building(topology(version), folder, addresses)


def switch_of(building: Building) -> CumulusSwitch:
    """The lab's switch."""
    device = building.devices["leaf01"]
    assert isinstance(device, CumulusSwitch)
    return device


async def run_as(device: SimulatedDevice, line: str, user: str, given: str) -> tuple[str, int]:
    """Run a line in a new shell, in a running loop."""
    shell = device.new_shell()
    assert isinstance(shell, Shell)
    shell.user = user
    held: list[str] = []

    async def read() -> str:
        return given

    try:
        status = await shell.run(line, Streams(held.append, held.append, read))
    except ShellExit as end:
        status = end.status
    return "".join(held), status


def nv(
    device: SimulatedDevice, line: str, *, user: str = "admin", given: str = ""
) -> tuple[str, int]:
    """Run a line in a new shell; give its output (both streams) and status."""
    return asyncio.run(run_as(device, line, user, given))


def apply_file(switch: CumulusSwitch, text: str) -> tuple[str, int]:
    """Patch the switch with a file and apply it."""
    switch.files.write("/home/admin/change.yaml", text, user="admin")
    return nv(switch, "nv config patch change.yaml && nv config apply -y")
