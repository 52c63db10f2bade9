"""A switch with community SONiC as it stands: its files, configuration, counters, hardware."""

from __future__ import annotations

import copy
import zlib
from importlib import resources
from pathlib import Path

from netcheck.lab.devices.deviation import Deviation
from netcheck.lab.devices.device import SimulatedDevice, Surroundings
from netcheck.lab.devices.files import DeviceFileError
from netcheck.lab.devices.sonic.buffers import Applied, manage
from netcheck.lab.devices.sonic.factory import HWSKU, PLATFORM, factory_tables
from netcheck.lab.devices.sonic.keys import Tables, as_json
from netcheck.lab.devices.sonic.reader import read_node
from netcheck.lab.devices.sonic.tallies import Tallies
from netcheck.lab.topology import LabDevice
from netcheck.lossless.dataplane.network import Node
from netcheck.lossless.dataplane.result import PortCounters

BUILD = "202411.1-2c4f0e1d9"
LOOKUP_FOLDER = f"/usr/share/sonic/device/{PLATFORM}/{HWSKU}"
LOOKUP_FILE = f"{LOOKUP_FOLDER}/pg_profile_lookup.ini"
SYSLOG = "/var/log/syslog"
CONFIG_FILE = "/etc/sonic/config_db.json"


class SonicSwitch(SimulatedDevice):
    """A switch; it boots with its factory configuration. Its programs come in ``switch.py``.

    Attributes:
        config: CONFIG_DB as it runs; the file is another thing.
        applied: What buffermgrd and orchagent made of it.
        deviation: Where the hardware differs from that, unseen.
    """

    platform = "sonic"

    def __init__(self, built: LabDevice, folder: Path, surroundings: Surroundings) -> None:
        super().__init__(built.name, folder, surroundings)
        self.build = BUILD
        self.tallies = Tallies()
        self.deviation = Deviation()
        self.applied = Applied()
        self._write_files()
        index = zlib.crc32(built.name.encode()) % 250
        self.config: Tables = {}
        self.change(factory_tables(built, self.mac("eth0"), index))
        self.save(CONFIG_FILE)

    def _write_files(self) -> None:
        root = self.files.root
        for part in ("etc/sonic/checkpoints", LOOKUP_FOLDER.lstrip("/"), "usr/share/sonic/hwsku"):
            (root / part).mkdir(parents=True, exist_ok=True)
        data = resources.files("netcheck.lab.devices.sonic").joinpath("data/pg_profile_lookup.ini")
        self.files.real(LOOKUP_FILE).write_text(data.read_text("utf-8"), "utf-8")
        version = f"build_version: '{self.build}'\ndebian_version: '12.9'\nasic_type: mellanox\n"
        (root / "etc/sonic/sonic_version.yml").write_text(version, "utf-8")
        (root / "var/log/syslog").touch()

    def is_link_up(self, port: str) -> bool:
        """Both ends of the port's cable are up."""
        return self.surroundings.is_link_up(self.name, port)

    def is_up(self, port: str) -> bool:
        """The port is administratively up."""
        return self.config.get("PORT", {}).get(port, {}).get("admin_status") == "up"

    def change(self, config: Tables) -> None:
        """Take another running configuration and apply it."""
        self.config = copy.deepcopy(config)
        try:
            lookup = self.files.read(LOOKUP_FILE)
        except DeviceFileError:
            lookup = ""
        self.applied = manage(self.config, lookup, self.log)

    def restart(self, config: Tables) -> None:
        """Take another configuration as ``config reload`` does: counters begin at zero."""
        self.tallies.reset()
        self.change(config)

    def log(self, line: str) -> None:
        """Write a line to the switch's log."""
        self.files.write(SYSLOG, f"{self.name} {line}\n", user="root", appends=True)

    def write(self, path: str, config: Tables) -> None:
        """Write a configuration to a file, whole or not at all."""
        beside = f"{path}.new"
        self.files.write(beside, as_json(config), user="root")
        self.files.move(beside, path, user="root")

    def save(self, path: str) -> None:
        """Write the running configuration to a file."""
        self.write(path, self.config)

    def spreads(self) -> bool:
        """The hash of its ASIC takes what differs between flows."""
        return not self.deviation.is_hash_constant

    def hardware(self) -> Node:
        """What the hardware holds."""
        return read_node(self.name, self.config, self.applied, self.deviation)

    def count(self, port: str, counters: PortCounters) -> None:
        """Add what a run of traffic counted at a port."""
        self.tallies.add(port, counters, self.deviation.stuck)
