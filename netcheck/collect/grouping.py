"""What a person hands over (files, folders, snapshots) as documents of devices.

Files with disjoint contents of one form are one device. A second file of the
same form is another device, named by the part of its name that differs;
files that carry that part belong to that device, files that carry none
belong to all. Files of different platforms are different devices. ``t0`` and
``t1``, ``before`` and ``after`` are two readings of one device.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from netcheck.collect.files import UnreadableFileError, entries, read_text
from netcheck.collect.transcript import Part, split
from netcheck.model.document import Document, DocumentKind, Recognition
from netcheck.model.errors import InputError
from netcheck.platforms import platform as platforms

INTENT_SUFFIXES: Final = frozenset({".yaml", ".yml"})
_INTENT = re.compile(r"""^(?:\{\s*)?["']?netcheck["']?\s*:(?:\s|$)""", re.MULTILINE)
_INTENT_NAME = re.compile(r"""^\s*["']?name["']?\s*:\s*["']?([^\s"'#,}]+)""", re.MULTILINE)
_INCLUDE = re.compile(r"^include\s*:(.*(?:\n[ \t]*-.*)*)", re.MULTILINE)
_INCLUDED = re.compile(r"""[^\s,\[\]"'-][^\s,\[\]"']*""")
_READINGS: Final = {"t0": 0, "before": 0, "t1": 1, "after": 1}
# Folders of a device's own file system and of readings hold parts of the device above them.
_INNER_FOLDERS: Final = frozenset(
    {*_READINGS, "etc", "usr", "sys", "proc", "var", "run", "opt", "lib", "home", "root"}
)


@dataclass(frozen=True, slots=True)
class Item:
    """One document and what it was recognised as."""

    document: Document
    kind: DocumentKind
    form: str = ""
    device: str = ""
    objects: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DeviceDocuments:
    """Everything that was given of one device."""

    name: str
    platform: str
    items: tuple[Item, ...] = ()

    def of(self, kinds: Iterable[DocumentKind], reading: int = 0) -> list[Document]:
        """Documents of these kinds and of one reading, in order."""
        chosen = frozenset(kinds)
        return [
            item.document
            for item in self.items
            if item.kind in chosen and item.document.reading == reading
        ]

    @property
    def readings(self) -> int:
        """How many readings there are: 1 or 2."""
        return len({item.document.reading for item in self.items}) or 1


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was handed over.

    Attributes:
        intents: Files of each intent.
        devices: In order of appearance; names are unique.
        unrecognised: ``(file, reason)``; the reason may be empty.
        files: Files that were recognised.
        unread: ``(device, reason)`` of a snapshot's devices that gave nothing.
    """

    intents: tuple[tuple[str, ...], ...] = ()
    devices: tuple[DeviceDocuments, ...] = ()
    unrecognised: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Piece:
    """A recognised document on its way to its device."""

    document: Document
    recognition: Recognition
    words: frozenset[str]

    @property
    def item(self) -> Item:
        known = self.recognition
        return Item(self.document, known.kind, known.form, known.device, known.objects)

    def overlaps(self, other: _Piece) -> bool:
        """Both say the same kind of thing about the same objects at the same time."""
        mine, theirs = self.recognition, other.recognition
        if mine.form != theirs.form or self.document.reading != other.document.reading:
            return False
        return bool(mine.objects & theirs.objects) or not (mine.objects or theirs.objects)

    def carries(self, part: str) -> bool:
        """The file's name (or a folder's above it) has this part."""
        return any(part == word or part in _subwords(word) for word in self.words)


@dataclass(frozen=True, slots=True)
class _IntentFile:
    """One file of an intent; ``is_named`` where it was given by itself."""

    path: str
    text: str
    is_named: bool

    @property
    def name(self) -> str:
        """Name of the fabric, where the file says it."""
        match = _INTENT_NAME.search(self.text)
        return match.group(1) if match else ""

    def included(self) -> set[Path]:
        """Files that this one includes."""
        match = _INCLUDE.search(self.text)
        names = _INCLUDED.findall(match.group(1)) if match else []
        return {(Path(self.path).parent / name).resolve() for name in names}


@dataclass(slots=True)
class _Heap:
    """What has been found so far."""

    intents: list[_IntentFile] = field(default_factory=list)
    scopes: list[tuple[str, list[_Piece]]] = field(default_factory=list)
    devices: list[DeviceDocuments] = field(default_factory=list)
    unrecognised: list[tuple[str, str]] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)


def gather(paths: Sequence[str | Path]) -> Gathered:
    """Sort files, folders and snapshots into intents and devices' documents.

    Raises:
        InputError: A path does not exist, or a snapshot is damaged.
    """
    heap = _Heap()
    loose: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            _add_folder(heap, path)
        elif path.exists() or path.is_symlink():
            loose.append(path)
        else:
            raise InputError(f"{path}: no such file or folder")
    _add_loose(heap, loose)
    devices = [*heap.devices]
    for name, pieces in heap.scopes:
        devices += _devices(name, pieces)
    found = tuple(_with_unique_names(devices))
    files = dict.fromkeys(item.document.name for device in found for item in device.items)
    return Gathered(
        _fabrics(heap.intents),
        found,
        tuple(heap.unrecognised),
        tuple(files),
        tuple(heap.unread),
    )


def _add_loose(heap: _Heap, files: list[Path]) -> None:
    """Files named one by one: a YAML file that no platform knows is taken for an intent."""
    pieces: list[_Piece] = []
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


def _read(heap: _Heap, path: Path, root: Path, *, is_named: bool = False) -> list[_Piece]:
    """Recognise one file; what it is not goes onto the heap."""
    is_yaml = path.suffix.lower() in INTENT_SUFFIXES
    try:
        text = read_text(path)
    except UnreadableFileError as error:
        if is_named and is_yaml:
            heap.intents.append(_IntentFile(str(path), "", is_named))
        else:
            heap.unrecognised.append((str(path), error.reason))
        return []
    if (is_yaml or is_named) and _INTENT.search(text):
        heap.intents.append(_IntentFile(str(path), text, is_named))
        return []
    words, reading = _words(path.relative_to(root))
    document = Document(str(path), text, reading=reading)
    pieces = list(_recognised(heap, document, words))
    if not pieces and is_named and is_yaml:
        heap.intents.append(_IntentFile(str(path), text, is_named))
    elif not pieces:
        heap.unrecognised.append((str(path), _why_foreign(path, text)))
    return pieces


def _why_foreign(path: Path, text: str) -> str:
    """Why a text may not have been recognised; empty where it is simply foreign."""
    if not text.strip():
        return "empty"
    if path.suffix.lower() != ".json":
        return ""
    try:
        json.loads(text)
    except ValueError as error:
        return f"not JSON: {error}"
    except RecursionError:
        return "not JSON: nested too deeply"
    return ""


def _recognised(heap: _Heap, document: Document, words: frozenset[str]) -> Iterator[_Piece]:
    parts = split(document)
    known = [(part, platforms.recognise(part.document)) for part in parts]
    if not any(recognition for _, recognition in known):
        recognition = platforms.recognise(document)
        if recognition is not None:
            yield _Piece(document, recognition, words)
        return
    for part, recognition in known:
        if recognition is not None:
            yield _Piece(part.document, _named_by_prompt(recognition, part), words)
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


def _subwords(word: str) -> frozenset[str]:
    """All runs of a hyphenated word: ``pfc-leaf-1`` carries ``leaf-1``."""
    parts = word.split("-")
    return frozenset(
        "-".join(parts[start:end])
        for start in range(len(parts))
        for end in range(start + 1, len(parts) + 1)
    )


def _devices(fallback: str, pieces: list[_Piece]) -> Iterator[DeviceDocuments]:
    by_platform: dict[str, list[_Piece]] = {}
    for piece in pieces:
        by_platform.setdefault(piece.recognition.platform, []).append(piece)
    for platform, own in by_platform.items():
        for name, members in _cluster(fallback, own).items():
            yield DeviceDocuments(name, platform, tuple(piece.item for piece in members))


def _cluster(fallback: str, pieces: list[_Piece]) -> dict[str, list[_Piece]]:
    """Shape: ``device name -> its pieces``, in order of appearance."""
    marks = _marks(pieces)
    labels: dict[int, str] = {}
    parts: dict[str, set[str]] = {}
    for number, piece in enumerate(pieces):
        label = piece.recognition.device or (_join(marks[number]) if number in marks else "")
        if not label and number in marks:
            label = fallback
        if not label:
            continue
        taken = [n for n, other in labels.items() if other == label and pieces[n].overlaps(piece)]
        if taken and number in marks:
            label = f"{label} ({_join(marks[number]) or Path(piece.document.name).name})"
        labels[number] = label
        parts.setdefault(label, {label}).update(marks.get(number, ()))
    return _deal(fallback, pieces, labels, parts)


def _deal(
    fallback: str, pieces: list[_Piece], labels: dict[int, str], parts: dict[str, set[str]]
) -> dict[str, list[_Piece]]:
    """Give each piece to its device; unmarked ones to all."""
    devices: dict[str, list[_Piece]] = {name: [] for name in parts} or {fallback: []}
    for number, piece in enumerate(pieces):
        if number in labels:
            owners = [labels[number]]
        else:
            owners = [name for name in parts if _belongs(piece, name, parts)] or list(devices)
        for owner in owners:
            devices[owner].append(piece)
    return devices


def _belongs(piece: _Piece, name: str, parts: dict[str, set[str]]) -> bool:
    others = {part for other, each in parts.items() if other != name for part in each}
    return any(piece.carries(part) for part in parts[name] - others)


def _marks(pieces: list[_Piece]) -> dict[int, frozenset[str]]:
    """Shape: ``piece number -> parts of its name that tell it from those it overlaps``."""
    marks: dict[int, frozenset[str]] = {}
    for group in _overlapping(pieces):
        shared = frozenset.intersection(*(pieces[number].words for number in group))
        own = {number: pieces[number].words - shared for number in group}
        for number, words in own.items():
            marks[number] = frozenset(_trimmed(words, own.values()))
    return marks


def _overlapping(pieces: list[_Piece]) -> Iterator[list[int]]:
    """Groups of two and more pieces that cannot be of one device."""
    seen: set[int] = set()
    for number in range(len(pieces)):
        if number in seen:
            continue
        group = [number]
        for other in range(number + 1, len(pieces)):
            if other not in seen and any(pieces[one].overlaps(pieces[other]) for one in group):
                group.append(other)
        if len(group) > 1:
            seen.update(group)
            yield group


def _trimmed(words: frozenset[str], groups: Iterable[frozenset[str]]) -> Iterator[str]:
    """Words without hyphenated parts that all of the group share: ``cfg-leaf1`` is ``leaf1``."""
    all_parts = [frozenset(part for word in own for part in word.split("-")) for own in groups]
    shared = frozenset.intersection(*all_parts)
    for word in words:
        kept = "-".join(part for part in word.split("-") if part not in shared)
        yield word if not kept or kept.isdecimal() else kept


def _join(words: Iterable[str]) -> str:
    return "-".join(sorted(words))


def _with_unique_names(devices: list[DeviceDocuments]) -> Iterator[DeviceDocuments]:
    """Devices of one name are told apart by platform, then by number."""
    taken: set[str] = set()
    count = {name: sum(d.name == name for d in devices) for name in {d.name for d in devices}}
    for device in devices:
        name = device.name
        if count[name] > 1 and name in taken:
            name = f"{name}-{device.platform}"
        stem, number = name, 2
        while name in taken:
            name, number = f"{stem}-{number}", number + 1
        taken.add(name)
        yield replace(device, name=name)


def _is_snapshot(folder: Path) -> bool:
    from netcheck.collect.snapshot import is_snapshot  # noqa: PLC0415 -- an intent needs none

    return is_snapshot(folder)


def _add_snapshot(heap: _Heap, folder: Path) -> None:
    """Add a snapshot's devices; one that gave nothing is told apart."""
    from netcheck.collect.snapshot import read_snapshot  # noqa: PLC0415 -- as above

    snapshot = read_snapshot(folder)
    kinds = {str(folder / each.file): each.kind for each in snapshot.records}
    for member in snapshot.members:
        items = tuple(
            Item(document, kinds[document.name]) for document in snapshot.documents(member.name)
        )
        if items:
            heap.devices.append(DeviceDocuments(member.name, member.platform, items))
        else:
            heap.unread.append((member.name, member.reason or "nothing was had"))


def _fabrics(found: list[_IntentFile]) -> tuple[tuple[str, ...], ...]:
    """Files of each intent: by folder, or by the fabric's name where files were named.

    A file without a name is a part of the only intent beside it. What another
    file includes is judged with that one.
    """
    included = {path for each in found for path in each.included()}
    groups: dict[str, list[str]] = {}
    parts: list[_IntentFile] = []
    for each in found:
        if Path(each.path).resolve() in included:
            continue
        if each.name:
            groups.setdefault(each.name if each.is_named else each.path, []).append(each.path)
        else:
            parts.append(each)
    if len(groups) == 1:
        only = next(iter(groups.values()))
        return (tuple(only + [part.path for part in parts]),)
    return (*(tuple(files) for files in groups.values()), *((part.path,) for part in parts))
