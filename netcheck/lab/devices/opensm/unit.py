"""``systemctl``, ``ps`` and ``pgrep`` of a host whose OpenSM really runs.

Source: systemctl(1), ps(1), pgrep(1); the unit as in Debian's package opensm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from netcheck.lab.devices.files import DeviceFileError, FileTree
from netcheck.lab.devices.shell import Call, Program

FOLDER = "/etc/opensm"
UNIT = "opensm.service"
NAMES = frozenset({"opensm", UNIT})
NOT_ACTIVE = 3
FAILED = (
    f"Job for {UNIT} failed because the control process exited with error code.\n"
    f'See "systemctl status {UNIT}" and "journalctl -xeu {UNIT}" for details.'
)


class Manager(Protocol):
    """The subnet in which the host's manager runs; its calls block."""

    def is_running(self, name: str) -> bool:
        """Whether a host's manager runs."""

    def pid(self, name: str) -> int:
        """Its process id."""

    def reload(self, name: str, files: Mapping[str, str]) -> None:
        """Have it read its files again."""

    def restart(self, name: str, files: Mapping[str, str]) -> None:
        """Start it, anew where it runs. Raises RuntimeError."""

    def stop(self, name: str) -> None:
        """End it."""


@dataclass(frozen=True, slots=True)
class Unit:
    """OpenSM as systemd has it on one host.

    Attributes:
        manager: None where the lab's InfiniBand is left out: the unit fails then.
        others: ``systemctl`` for other units.
    """

    host: str
    files: FileTree
    manager: Manager | None
    others: Program

    def programs(self) -> dict[str, Program]:
        """Give the programs."""
        return {"systemctl": self.systemctl, "ps": self.ps, "pgrep": self.pgrep}

    @property
    def is_running(self) -> bool:
        """Whether OpenSM runs."""
        return self.manager is not None and self.manager.is_running(self.host)

    def config(self) -> dict[str, str]:
        """Files of its folder. Shape: ``name -> text``."""
        found = {}
        for path in self.files.walk(FOLDER) if self.files.is_folder(FOLDER) else ():
            try:
                found[path.removeprefix(f"{FOLDER}/")] = self.files.read(path)
            except DeviceFileError:
                continue
        return {name: text for name, text in found.items() if "/" not in name}

    async def systemctl(self, call: Call) -> int:
        """Do what a command line asks of the unit; others are others' business."""
        words = [word for word in call.arguments if not word.startswith("-")]
        if not words[1:] or not NAMES & set(words[1:]):
            result = self.others(call)
            return result if isinstance(result, int) else await result
        action = words[0]
        if action in ("is-active", "status"):
            return self._say_active(call)
        if action == "is-enabled":
            call.out("enabled\n")
            return 0
        if action not in _ACTIONS:
            return call.fail(f"Unknown command verb '{action}'.")
        if not call.is_root:
            return call.fail("Failed to connect to bus: Interactive authentication required.")
        return await self._act(call, action)

    def _say_active(self, call: Call) -> int:
        if "--quiet" not in call.arguments and "-q" not in call.arguments:
            call.out("active\n" if self.is_running else "inactive\n")
        return 0 if self.is_running else NOT_ACTIVE

    async def _act(self, call: Call, action: str) -> int:
        manager = self.manager
        if action in ("enable", "disable"):
            return 0
        if manager is None:
            return call.fail(FAILED)
        if action == "kill":
            return await self._signal(call, manager)
        if action in ("stop", "restart", "start", "try-restart", "reload"):
            work = self._work(manager, action)
            try:
                await asyncio.to_thread(work)
            except RuntimeError:
                return call.fail(FAILED)
        return 0

    def _work(self, manager: Manager, action: str) -> Callable[[], None]:
        files = self.config()
        if action == "stop":
            return lambda: manager.stop(self.host)
        if action == "reload" and self.is_running:
            return lambda: manager.reload(self.host, files)
        if action == "start" and self.is_running:
            return lambda: None
        return lambda: manager.restart(self.host, files)

    async def _signal(self, call: Call, manager: Manager) -> int:
        said = [word for word in call.arguments if word.startswith(("--signal=", "-s"))]
        name = said[0].rpartition("=")[2].removeprefix("-s").removeprefix("SIG") if said else "TERM"
        if not self.is_running:
            return call.fail(f"Failed to kill unit {UNIT}: No main process to kill")
        if name in ("HUP", "1"):
            files = self.config()
            await asyncio.to_thread(manager.reload, self.host, files)
        elif name in ("TERM", "KILL", "INT", "15", "9", "2"):
            await asyncio.to_thread(manager.stop, self.host)
        return 0

    def ps(self, call: Call) -> int:
        """Show the manager, if it runs."""
        call.out("    PID TTY          TIME CMD\n")
        if self.is_running and self.manager is not None:
            pid = self.manager.pid(self.host)
            call.out(f"{pid:7} ?        00:00:01 /usr/sbin/opensm -F {FOLDER}/opensm.conf\n")
        return 0

    def pgrep(self, call: Call) -> int:
        """Find the manager by its name."""
        words = [word for word in call.arguments if not word.startswith("-")]
        is_found = bool(words) and words[-1] == "opensm" and self.is_running
        if "-c" in call.arguments:
            call.out(f"{int(is_found)}\n")
        elif is_found and self.manager is not None:
            call.out(f"{self.manager.pid(self.host)}\n")
        return 0 if is_found else 1


_ACTIONS = frozenset(
    {"start", "stop", "restart", "try-restart", "reload", "kill", "enable", "disable"}
)
