"""Building a Linux host for a lab."""

from __future__ import annotations

from pathlib import Path

from netcheck.lab.building import Building
from netcheck.lab.devices.linux.host import LinuxHost
from netcheck.lab.topology import LabDevice


def build(device: LabDevice, folder: Path, surroundings: Building) -> LinuxHost:
    """Give the host as after a driver load; its RDMA tests meet at the lab's bench."""
    return LinuxHost(device, folder, surroundings, surroundings.bench, surroundings.subnet_at)
