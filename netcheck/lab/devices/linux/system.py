"""``systemctl`` and its units, ``udevadm``, ``lldpctl``, ``pgrep``.

A unit's ExecStart runs in the device's own shell; what is enabled is kept as
links are kept: as files below /etc/systemd/system.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping

from netcheck.lab.devices.device import Surroundings
from netcheck.lab.devices.files import DeviceFileError, FileTree
from netcheck.lab.devices.linux.adapter import Adapter
from netcheck.lab.devices.shell import Call, Program

UNIT_FOLDERS = ("/etc/systemd/system", "/lib/systemd/system")
NOT_ACTIVE = 3
NO_UNIT = 5


def programs(
    name: str, files: FileTree, adapters: Mapping[str, Adapter], surroundings: Surroundings
) -> dict[str, Program]:
    """Give the programs for a host."""
    units = Units(files, adapters)
    return {
        "systemctl": units.systemctl,
        "udevadm": lambda call: 0 if call.is_root else call.fail("udevadm: Permission denied"),
        "lldpctl": lambda call: _lldpctl(call, name, adapters, surroundings),
        "numactl": lambda call: _numactl(call, adapters),
        "pgrep": _pgrep,
        "pkill": lambda _: 1,
        "sysctl": lambda _: 0,
        "systemd-analyze": lambda _: 0,
    }


async def _numactl(call: Call, adapters: Mapping[str, Adapter]) -> int:
    """Run a command on the node of a netdev; every adapter has one."""
    words = list(call.arguments)
    while len(words) > 1 and words[0] in ("-N", "-m"):
        kind, _, netdev = words[1].partition(":")
        if kind != "netdev" or netdev not in adapters:
            return call.fail(f"<{words[1]}> is invalid\nusage: numactl [--membind= | -m <nodes>]")
        del words[:2]
    return await call.shell.call(words, call.streams) if words else call.fail("usage: numactl")


class Units:
    """Units of one host: their files, which are enabled, which run."""

    def __init__(self, files: FileTree, adapters: Mapping[str, Adapter]) -> None:
        self.files = files
        self.adapters = adapters
        self.active: dict[str, bool] = {}

    async def systemctl(self, call: Call) -> int:
        """Do what a command line of ``systemctl`` asks."""
        words = [word for word in call.arguments if not word.startswith("-")]
        action, *names = words or [""]
        starts_now = "--now" in call.arguments
        if action in ("daemon-reload", "daemon-reexec", "reset-failed"):
            return self._as_root(call)
        if action in ("is-enabled", "is-active", "status"):
            return self._ask(call, action, names)
        if action not in _ACTIONS:
            return call.fail(f"Unknown command verb '{action}'.")
        if self._as_root(call):
            return 1
        status = 0
        for name in names:
            status = await self._act(call, action, _full(name)) or status
            if starts_now and action == "enable":
                status = await self._act(call, "start", _full(name)) or status
        return status

    def _as_root(self, call: Call) -> int:
        if call.is_root:
            return 0
        return call.fail("Failed to connect to bus: Interactive authentication required.")

    def _ask(self, call: Call, action: str, names: list[str]) -> int:
        status = 0
        for name in map(_full, names):
            if action == "is-enabled":
                status = self._say_enabled(call, name) or status
            else:
                is_active = self.active.get(name, False)
                call.out(("active" if is_active else "inactive") + "\n")
                status = 0 if is_active else NOT_ACTIVE
        return status

    def _say_enabled(self, call: Call, name: str) -> int:
        if self._unit(name) is None:
            return call.fail(f"Failed to get unit file state for {name}: No such file or directory")
        is_enabled = self.files.exists(_wanted(name))
        call.out(("enabled" if is_enabled else "disabled") + "\n")
        return 0 if is_enabled else 1

    async def _act(self, call: Call, action: str, name: str) -> int:
        text = self._unit(name)
        if text is None:
            return call.fail(f"Failed to {action} {name}: Unit {name} not found.", NO_UNIT)
        if action in ("enable", "disable"):
            return self._enable(call, name, on=action == "enable")
        if action == "stop":
            self.active[name] = False
            return 0
        return await self._start(call, name, text)

    def _enable(self, call: Call, name: str, *, on: bool) -> int:
        link = _wanted(name)
        real = self.files.real(link)
        if on:
            if not real.exists():
                real.parent.mkdir(parents=True, exist_ok=True)
                real.write_text(f"{_template(name)}\n", "utf-8")
                call.err(f"Created symlink {link} → {UNIT_FOLDERS[0]}/{_template(name)}.\n")
        elif real.exists():
            real.unlink()
            call.err(f"Removed {link}.\n")
        return 0

    async def _start(self, call: Call, name: str, text: str) -> int:
        status = 0
        for line in _commands(text, name):
            shell = call.shell.child(user="root")
            shell.folder = "/"
            status = await shell.run(line, call.streams)
            if status:
                break
        self.active[name] = status == 0
        if status:
            call.err(
                f"Job for {name} failed because the control process exited with error code.\n"
                f'See "systemctl status {name}" and "journalctl -xeu {name}" for details.\n'
            )
        return int(bool(status))

    def _unit(self, name: str) -> str | None:
        for folder in UNIT_FOLDERS:
            for file in (name, _template(name)):
                try:
                    return self.files.read(posixpath.join(folder, file))
                except DeviceFileError:
                    continue
        return None


_ACTIONS = frozenset({"enable", "disable", "start", "restart", "stop", "reload", "try-restart"})


def _full(name: str) -> str:
    return name if re.search(r"\.(service|path|timer|target)$", name) else f"{name}.service"


def _template(name: str) -> str:
    return re.sub(r"@[^.]*\.", "@.", name)


def _wanted(name: str) -> str:
    return f"{UNIT_FOLDERS[0]}/multi-user.target.wants/{name}"


def _commands(text: str, name: str) -> list[str]:
    found = re.search(r"@([^.]*)\.", name)
    instance = found[1] if found else ""
    lines = re.findall(r"^ExecStart=[-@:+!]*(.*)$", text, re.MULTILINE)
    return [line.replace("%i", instance).replace("%I", instance) for line in lines if line.strip()]


def _pgrep(call: Call) -> int:
    if "-c" in call.arguments:
        call.out("0\n")
    return 1


def _lldpctl(
    call: Call, name: str, adapters: Mapping[str, Adapter], surroundings: Surroundings
) -> int:
    rows = []
    for adapter in adapters.values():
        found = surroundings.neighbour(name, adapter.netdev)
        if found is None or not surroundings.is_link_up(name, adapter.netdev):
            continue
        chassis = {
            found.device: {
                "id": {"type": "mac", "value": found.mac},
                "descr": "Debian GNU/Linux",
                "mgmt-ip": found.mgmt,
            }
        }
        port = {"id": {"type": "local", "value": found.port}, "descr": found.port, "ttl": "120"}
        entry = {"via": "LLDP", "rid": "1", "age": "0 day, 00:01:00", "chassis": chassis}
        rows.append({adapter.netdev: {**entry, "port": port}})
    if call.arguments not in (("-f", "json"), ("-f", "json0")):
        for row in rows:
            for netdev, entry in row.items():
                system = next(iter(entry["chassis"]))
                call.out(f"Interface:    {netdev}, via: LLDP\n    SysName:      {system}\n")
        return 0
    call.out(json.dumps({"lldp": {"interface": rows}}, indent=2) + "\n")
    return 0
