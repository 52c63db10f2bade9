"""A snapshot on disk: raw outputs as the devices gave them, and a manifest.

Layout::

    SNAPSHOT/manifest.json
    SNAPSHOT/leaf01/config_db.json            first reading
    SNAPSHOT/leaf01/reading-1/counters_db.json  second reading

The manifest lists everything that was asked, also what was not had.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from netcheck.collect.atomic import write_atomically
from netcheck.model.document import Document, DocumentKind
from netcheck.model.errors import InputError
from netcheck.model.jsontext import load_json

MANIFEST: Final = "manifest.json"
SCHEMA_VERSION: Final = 1
# Parts as ``output_path`` makes them, none of which is "." or "..": as short as it can be.
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_:@+=-][A-Za-z0-9._:@+=-]*")
_PLAIN_PATH: Final = re.compile(r"[\w%:@+=-][\w.%:@+=-]*(?:/[\w%:@+=-][\w.%:@+=-]*)*", re.ASCII)


class Answer(StrEnum):
    """What came of one command.

    HAD: an output; ABSENT: the device says there is no such thing (a command
    that may fail did); FAILED: the command failed; REFUSED: not on the
    read-only list, never sent; UNREACHABLE: no session, or it broke.
    """

    HAD = "had"
    ABSENT = "absent"
    FAILED = "failed"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Record:
    """One command of one device and what came of it.

    Attributes:
        file: Path below the snapshot; also given where nothing was had.
        status: Exit status; None where the command did not end.
        started, ended: UTC, ISO 8601.
        reason: Why nothing was had, in one line.
    """

    device: str
    command: str
    file: str
    kind: DocumentKind
    answer: Answer
    reading: int = 0
    status: int | None = None
    started: str = ""
    ended: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """One device of a snapshot; ``reason`` says why it could not be reached."""

    name: str
    platform: str
    is_reached: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was asked of which devices, and where the outputs are.

    Attributes:
        folder: Where it is.
        fabric: Name of the fabric it was taken from.
        members: Every device that was asked, in order.
        records: Every command that was asked, in order.
    """

    folder: Path
    fabric: str = ""
    members: tuple[Member, ...] = ()
    records: tuple[Record, ...] = ()
    version: int = SCHEMA_VERSION

    def documents(self, device: str, reading: int | None = None) -> list[Document]:
        """Give the texts of one device, of one reading or of all.

        Raises:
            InputError: A file that the manifest lists is gone or cannot be read.
        """
        chosen = (r for r in self.records if r.device == device and r.answer is Answer.HAD)
        return [self.document(r) for r in chosen if reading is None or r.reading == reading]

    def not_had(self) -> tuple[Record, ...]:
        """Give the records of what was asked and not had; ABSENT is an answer."""
        return tuple(r for r in self.records if r.answer not in (Answer.HAD, Answer.ABSENT))

    def unreachable(self) -> tuple[Member, ...]:
        """Give the devices that were asked and not reached."""
        return tuple(member for member in self.members if not member.is_reached)

    def document(self, record: Record) -> Document:
        """Give the text of one record.

        Raises:
            InputError: The file is gone or cannot be read.
        """
        path = self.name_of(record)
        try:
            with open(path, "rb") as stream:  # noqa: PTH123 -- a path object costs more than a small file
                text = stream.read().decode("utf-8", "surrogateescape")
        except OSError as error:
            message = f"{path}: listed in {MANIFEST}, but not readable ({error.strerror})"
            raise InputError(message) from error
        return Document(path, text, command=record.command, reading=record.reading)

    def name_of(self, record: Record) -> str:
        """Give the path of a record's output."""
        if _PLAIN_PATH.fullmatch(record.file):
            return f"{self.folder}/{record.file}"
        return str(self.folder / record.file)


def output_path(device: str, file: str, reading: int) -> str:
    """Path of an output below a snapshot, with every name made safe for a file system.

    Example:
        >>> output_path("leaf01", "counters.json", 1)
        'leaf01/reading-1/counters.json'
        >>> output_path("../up", "a/b", 0)
        '%2E.%2Fup/a%2Fb'
    """
    middle = [f"reading-{reading}"] if reading else []
    return "/".join([safe_name(device), *middle, safe_name(file)])


def safe_name(name: str) -> str:
    """Give a name as one path component; anything unusual is percent-encoded, reversibly."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    encoded = re.sub(
        r"^\.|[^A-Za-z0-9._:@+=-]",
        lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "replace")),
        name,
    )
    return encoded or "%"


def write_manifest(snapshot: Snapshot) -> None:
    """Write the manifest of a snapshot into its folder, whole or not at all."""
    content = {
        "version": snapshot.version,
        "fabric": snapshot.fabric,
        "devices": [asdict(member) for member in snapshot.members],
        "records": [asdict(record) for record in snapshot.records],
    }
    write_atomically(snapshot.folder / MANIFEST, json.dumps(content, indent=1) + "\n")


def is_snapshot(folder: Path) -> bool:
    """Tell whether a folder holds a snapshot's manifest."""
    return (folder / MANIFEST).is_file()


def read_snapshot(folder: Path) -> Snapshot:
    """Read a snapshot's manifest; outputs are read when asked for.

    Raises:
        InputError: There is no manifest, or it is not one of this version.
    """
    path = folder / MANIFEST
    try:
        data = load_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{path}: is not JSON ({error})") from error
    version = data.get("version") if isinstance(data, dict) else None
    if version != SCHEMA_VERSION:
        raise InputError(f"{path}: version expected {SCHEMA_VERSION}, found {version}")
    try:
        return _snapshot(folder, data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path}: not a manifest ({error!r})") from error


def _snapshot(folder: Path, data: Mapping[str, Any]) -> Snapshot:  # Any: JSON
    return Snapshot(
        folder=folder,
        fabric=str(data["fabric"]),
        members=tuple(Member(**entry) for entry in data["devices"]),
        records=tuple(_record(entry) for entry in data["records"]),
    )


def _record(entry: dict[str, Any]) -> Record:  # Any: JSON
    file = entry["file"]
    if not _PLAIN_PATH.fullmatch(file):
        inside = Path(file)
        if inside.is_absolute() or ".." in inside.parts:
            raise ValueError(f"file {file} is outside the snapshot")
    entry["kind"], entry["answer"] = DocumentKind(entry["kind"]), Answer(entry["answer"])
    return Record(**entry)


def replaced_reading(records: Iterable[Record], fresh: Iterable[Record]) -> tuple[Record, ...]:
    """Give ``records`` in which a fresh answer takes the place of an older one to the same."""
    merged = {(r.device, r.reading, r.file): r for r in records}
    merged |= {(r.device, r.reading, r.file): r for r in fresh}
    return tuple(merged.values())
