"""A Linux host that runs a subnet manager: its files, its unit, its log."""

from __future__ import annotations

from pathlib import Path

from netcheck.lab.building import Building
from netcheck.lab.devices.files import DeviceFileError, MadeUp
from netcheck.lab.devices.linux.host import LinuxHost
from netcheck.lab.devices.opensm.unit import FOLDER, Unit
from netcheck.lab.topology import LabDevice

LOG = "/var/log/opensm.log"


class ManagerHost(LinuxHost):
    """The host; what is pushed to its OpenSM, a real one takes."""

    platform = "opensm"

    def __init__(self, built: LabDevice, folder: Path, building: Building) -> None:
        super().__init__(built, folder, building, building.bench, building.subnet_at)
        (self.files.root / FOLDER.lstrip("/")).mkdir(parents=True, exist_ok=True)
        self.subnet = building.managed_by(built.name)
        self.unit = Unit(built.name, self.files, self.subnet, self.programs["systemctl"])
        self.programs |= self.unit.programs()
        self.files.add(LOG, MadeUp(self._log))

    def _log(self) -> str:
        if self.subnet is None:
            raise DeviceFileError("No such file or directory")
        return self.subnet.log(self.name)
