"""What a running lab says of itself: ``lab.json`` in its directory."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from netcheck.model.errors import InputError

STATE_FILE = "lab.json"
TOPOLOGY_FILE = "topology.json"
INTENT_FILE = "intent.json"
PASSWORD_FILE = "password"  # noqa: S105 -- a file's name
SOCKET_FILE = "control.sock"
LOG_FILE = "lab.log"
USERNAME = "admin"


def default_directory() -> Path:
    """Give the directory of the lab where the user names none: one a user."""
    home = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(home) / "netcheck-lab"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a simulated device listens, and how to log in."""

    host: str
    port: int
    username: str
    password_file: str


@dataclass(frozen=True, slots=True)
class LabState:
    """A running lab.

    Attributes:
        directory: Its directory, mode 0700.
        pid: Its process.
        devices: ``device name -> address``.
        faults: Descriptions of what was put in, in order.
        notes: What of the intent is left out or assumed, in words.
        is_real: Virtual machines with real soft-RoCE, and nothing simulated.
    """

    name: str
    directory: str
    pid: int
    devices: Mapping[str, Address] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_real: bool = False

    @property
    def is_running(self) -> bool:
        """Its process is there."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return not _is_zombie(self.pid)


def _is_zombie(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[:1] == ["Z"]


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    beside = path.with_name(path.name + ".new")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    beside.replace(path)


def write_state(state: LabState) -> None:
    """Write ``lab.json``, mode 0600."""
    text = json.dumps(asdict(state), indent=1) + "\n"
    write_private(Path(state.directory) / STATE_FILE, text)


def read_state(directory: Path) -> LabState | None:
    """Read ``lab.json``; None where there is none.

    Raises:
        InputError: The file is damaged.
    """
    path = directory / STATE_FILE
    try:
        data: dict[str, Any] = json.loads(path.read_text("utf-8"))  # JSON of our own
        devices = {name: Address(**row) for name, row in data.pop("devices").items()}
        faults, notes = tuple(data.pop("faults")), tuple(data.pop("notes"))
        return LabState(devices=devices, faults=faults, notes=notes, **data)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        message = (
            f"{path}: damaged ({error}); stop the lab's process by hand and remove {directory}"
        )
        raise InputError(message) from error
