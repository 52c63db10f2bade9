"""What a person hands over (files, folders, snapshots) as documents of devices.

Files with disjoint contents of one form are one device. A second file of the
same form is another device, named by the part of its name that differs;
files that carry that part belong to that device, files that carry none
belong to all. Files of different platforms are different devices. ``t0`` and
``t1``, ``before`` and ``after`` are two readings of one device.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from netcheck.collect.files import UnreadableFileError, entries, read_text
from netcheck.collect.intents import INTENT_SUFFIXES, IntentFile, fabrics, is_intent
from netcheck.model.document import Document, Recognition
from netcheck.model.errors import InputError
from netcheck.model.frozen import frozen
from netcheck.platforms import platform as platforms

if TYPE_CHECKING:
    from netcheck.collect.cluster import DeviceDocuments, Piece
    from netcheck.collect.snapshot import Record
    from netcheck.collect.transcript import Part

_READINGS: Final = {"t0": 0, "before": 0, "t1": 1, "after": 1}
# Folders of a device's own file system and of readings hold parts of the device above them.
_INNER_FOLDERS: Final = frozenset(
    {*_READINGS, "etc", "usr", "sys", "proc", "var", "run", "opt", "lib", "home", "root"}
)


@frozen
class Gathered:
    """What was handed over.

    Attributes:
        intents: Files of each intent.
        devices: In order of appearance; names are unique.
        unrecognised: ``(file, reason)``; the reason may be empty.
        files: Files that were recognised.
        unread: ``(device, reason)`` of a snapshot's devices that gave nothing.
        not_had: ``(device, command, reason)`` of a snapshot's commands that failed.
    """

    intents: tuple[tuple[str, ...], ...] = ()
    devices: tuple[DeviceDocuments, ...] = ()
    unrecognised: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    not_had: tuple[tuple[str, str, str], ...] = ()


@dataclass(slots=True)
class _Heap:
    """What has been found so far."""

    intents: list[IntentFile] = field(default_factory=list)
    scopes: list[tuple[str, list[Piece]]] = field(default_factory=list)
    devices: list[DeviceDocuments] = field(default_factory=list)
    unrecognised: list[tuple[str, str]] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)
    not_had: list[tuple[str, str, str]] = field(default_factory=list)


def gather(paths: Sequence[str | Path]) -> Gathered:
    """Sort files, folders and snapshots into intents and devices' documents.

    Raises:
        InputError: A path does not exist, or a snapshot is damaged.
    """
    heap = _Heap()
    loose: list[Path] = []
    for path in map(Path, paths):
        try:
            is_folder, is_file = path.is_dir(), path.exists() or path.is_symlink()
        except OSError as error:  # a name that is too long
            raise InputError(f"{path}: {error.strerror}") from None
        if is_folder:
            _add_folder(heap, path)
        elif is_file:
            loose.append(path)
        else:
            raise InputError(f"{path}: no such file or folder")
    _add_loose(heap, loose)
    found = _devices(heap) if heap.scopes or heap.devices else ()
    files = dict.fromkeys(name for device in found for name in device.files)
    return Gathered(
        fabrics(heap.intents),
        found,
        tuple(heap.unrecognised),
        tuple(files),
        tuple(heap.unread),
        tuple(heap.not_had),
    )


def _devices(heap: _Heap) -> tuple[DeviceDocuments, ...]:
    from netcheck.collect.cluster import devices_of, with_unique_names  # noqa: PLC0415 -- an intent needs none

    devices = [*heap.devices]
    for name, pieces in heap.scopes:
        devices += devices_of(name, pieces)
    return tuple(with_unique_names(devices))


def _add_loose(heap: _Heap, files: list[Path]) -> None:
    """Files named one by one: a YAML file that no platform knows is taken for an intent."""
    pieces: list[Piece] = []
    for path in files:
        found = _read(heap, path, path.parent, is_named=True)
        pieces += found
    if not pieces:
        return
    stems = {Path(piece.document.name).stem for piece in pieces}
    name = stems.pop() if len(stems) == 1 else Path(pieces[0].document.name).resolve().parent.name
    heap.scopes.append((name, pieces))


def _add_folder(heap: _Heap, folder: Path) -> None:
    """Add one folder: a snapshot, one scope with all below it, or a folder of folders."""
    if _is_snapshot(folder):
        _add_snapshot(heap, folder)
        return
    files, folders = _split_entries(folder)
    if not files and not folders:
        heap.unrecognised.append((str(folder), "no file in it"))
    pieces = [piece for file in files for piece in _read(heap, file, folder)]
    for below in folders:
        if pieces and not _is_snapshot(below):
            pieces += [p for file in _all_files(below) for p in _read(heap, file, folder)]
        else:
            _add_folder(heap, below)
    if pieces:
        heap.scopes.append((folder.resolve().name, pieces))


def _split_entries(folder: Path) -> tuple[list[Path], list[Path]]:
    """Files of a folder, those of its inner folders included, and its other folders."""
    files: list[Path] = []
    folders: list[Path] = []
    for entry in entries(folder):
        if not entry.is_dir():
            files.append(entry)
        elif entry.name.lower() in _INNER_FOLDERS:
            files += _all_files(entry)
        elif not entry.is_symlink():
            folders.append(entry)
    return files, folders


def _all_files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for entry in entries(folder):
        if entry.is_dir():
            found += [] if entry.is_symlink() else _all_files(entry)
        else:
            found.append(entry)
    return found


def _read(heap: _Heap, path: Path, root: Path, *, is_named: bool = False) -> list[Piece]:
    """Recognise one file; what it is not goes onto the heap."""
    is_yaml = path.suffix.lower() in INTENT_SUFFIXES
    try:
        text = read_text(path)
    except UnreadableFileError as error:
        if is_named and is_yaml:
            heap.intents.append(IntentFile(str(path), "", is_named))
        else:
            heap.unrecognised.append((str(path), error.reason))
        return []
    if (is_yaml or is_named) and is_intent(text):
        heap.intents.append(IntentFile(str(path), text, is_named))
        return []
    words, reading = _words(path.relative_to(root))
    document = Document(str(path), text, reading=reading)
    pieces = list(_recognised(heap, document, words))
    if not pieces and is_named and is_yaml:
        heap.intents.append(IntentFile(str(path), text, is_named))
    elif not pieces:
        heap.unrecognised.append((str(path), _why_foreign(path, text)))
    return pieces


def _why_foreign(path: Path, text: str) -> str:
    """Why a text may not have been recognised; empty where it is simply foreign."""
    if not text.strip():
        return "empty"
    if path.suffix.lower() != ".json":
        return ""
    import json  # noqa: PLC0415 -- most texts are recognised

    try:
        json.loads(text)
    except ValueError as error:
        return f"not JSON: {error}"
    except RecursionError:
        return "not JSON: nested too deeply"
    return ""


def _recognised(heap: _Heap, document: Document, words: frozenset[str]) -> Iterator[Piece]:
    from netcheck.collect.cluster import Piece  # noqa: PLC0415 -- as above
    from netcheck.collect.transcript import split  # noqa: PLC0415 -- as above

    parts = split(document)
    known = [(part, platforms.recognise(part.document)) for part in parts]
    if not any(recognition for _, recognition in known):
        recognition = platforms.recognise(document)
        if recognition is not None:
            yield Piece(document, recognition, words)
        return
    for part, recognition in known:
        if recognition is not None:
            yield Piece(part.document, _named_by_prompt(recognition, part), words)
        elif part.document.command:
            place = f"{document.name}:{part.document.first_line - 1}"
            heap.unrecognised.append((place, f"output of {part.document.command}"))


def _named_by_prompt(recognition: Recognition, part: Part) -> Recognition:
    return recognition if recognition.device else replace(recognition, device=part.host)


def _words(path: Path) -> tuple[frozenset[str], int]:
    """Parts of a file's name and of its folders' names, and the reading that they tell."""
    reading = 0
    words: set[str] = set()
    for name in (*path.parts[:-1], path.stem):
        for word in filter(None, re.split(r"[_.\s]+", name)):
            kept = [each for each in word.split("-") if each.lower() not in _READINGS]
            reading = max([reading, *(_READINGS.get(each.lower(), 0) for each in word.split("-"))])
            if kept:
                words.add("-".join(kept))
    return frozenset(words), reading


def _is_snapshot(folder: Path) -> bool:
    from netcheck.collect.snapshot import is_snapshot  # noqa: PLC0415 -- an intent needs none

    return is_snapshot(folder)


def _add_snapshot(heap: _Heap, folder: Path) -> None:
    """Add a snapshot's devices; one that gave nothing is told apart."""
    from netcheck.collect.snapshot import Answer, read_snapshot  # noqa: PLC0415 -- as above
    from netcheck.collect.stored import StoredDocuments  # noqa: PLC0415 -- as above

    snapshot = read_snapshot(folder)
    had: dict[str, list[Record]] = {}
    for record in snapshot.records:
        if record.answer is Answer.HAD:
            had.setdefault(record.device, []).append(record)
    heap.not_had += ((each.device, each.command, each.reason) for each in snapshot.not_had())
    for member in snapshot.members:
        records = tuple(had.get(member.name, ()))
        if records:
            heap.devices.append(
                StoredDocuments(member.name, member.platform, folder=folder, records=records)
            )
        else:
            heap.unread.append((member.name, member.reason or "nothing was had"))
