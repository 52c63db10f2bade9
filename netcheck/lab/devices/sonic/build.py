"""Building a SONiC switch for a lab."""

from __future__ import annotations

from pathlib import Path

from netcheck.lab.building import Building
from netcheck.lab.devices.sonic.state import SonicSwitch
from netcheck.lab.devices.sonic.switch import build_switch
from netcheck.lab.topology import LabDevice


def build(device: LabDevice, folder: Path, surroundings: Building) -> SonicSwitch:
    """Give the switch as it comes out of its box."""
    return build_switch(device, folder, surroundings)
