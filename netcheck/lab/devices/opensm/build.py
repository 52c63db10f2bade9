"""Building a subnet manager's host for a lab."""

from __future__ import annotations

from pathlib import Path

from netcheck.lab.building import Building
from netcheck.lab.devices.opensm.host import ManagerHost
from netcheck.lab.topology import LabDevice


def build(device: LabDevice, folder: Path, surroundings: Building) -> ManagerHost:
    """Give the host with OpenSM as after its installation: it runs, and has no files."""
    return ManagerHost(device, folder, surroundings)
