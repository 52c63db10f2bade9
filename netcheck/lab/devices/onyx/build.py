"""Building an MLNX-OS switch for a lab: the switch and the commands that work on it."""

from __future__ import annotations

from pathlib import Path

from netcheck.lab.building import Building
from netcheck.lab.devices.onyx.show import Shows
from netcheck.lab.devices.onyx.switch import OnyxSwitch
from netcheck.lab.topology import LabDevice


def build(device: LabDevice, folder: Path, surroundings: Building) -> OnyxSwitch:
    """Give the switch as it comes, named."""
    switch = OnyxSwitch(device, folder, surroundings)
    switch.commands = Shows(switch).commands()
    return switch
