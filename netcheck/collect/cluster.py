"""Recognised documents to devices: what overlaps is of two devices, the rest is of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from netcheck.model.document import Document, DocumentKind, Recognition
from netcheck.model.frozen import frozen


@frozen
class Item:
    """One document and what it was recognised as."""

    document: Document
    kind: DocumentKind
    form: str = ""
    device: str = ""
    objects: frozenset[str] = frozenset()


@frozen
class DeviceDocuments:
    """Everything that was given of one device."""

    name: str
    platform: str
    items: tuple[Item, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the documents."""
        return tuple(item.document.name for item in self.items)

    def loaded(self) -> DeviceDocuments:
        """Give the documents with their texts; here they have them."""
        return self

    def of(self, kinds: Iterable[DocumentKind], reading: int = 0) -> list[Document]:
        """Documents of these kinds and of one reading, in order."""
        chosen = frozenset(kinds)
        return [
            item.document
            for item in self.items
            if item.kind in chosen and item.document.reading == reading
        ]

    @property
    def seconds_between(self) -> float:
        """Time between the two readings; 0 where nobody knows."""
        return 0.0

    @property
    def readings(self) -> int:
        """How many readings there are: 1 or 2."""
        return len({item.document.reading for item in self.items}) or 1


@dataclass(slots=True)
class Piece:
    """A recognised document on its way to its device."""

    document: Document
    recognition: Recognition
    words: frozenset[str]

    @property
    def item(self) -> Item:
        """What the device gets of it."""
        known = self.recognition
        return Item(self.document, known.kind, known.form, known.device, known.objects)

    def overlaps(self, other: Piece) -> bool:
        """Both say the same kind of thing about the same objects at the same time."""
        mine, theirs = self.recognition, other.recognition
        if mine.form != theirs.form or self.document.reading != other.document.reading:
            return False
        return bool(mine.objects & theirs.objects) or not (mine.objects or theirs.objects)

    def carries(self, part: str) -> bool:
        """The file's name (or a folder's above it) has this part."""
        return any(part == word or part in _subwords(word) for word in self.words)


def _subwords(word: str) -> frozenset[str]:
    """All runs of a hyphenated word: ``pfc-leaf-1`` carries ``leaf-1``."""
    parts = word.split("-")
    return frozenset(
        "-".join(parts[start:end])
        for start in range(len(parts))
        for end in range(start + 1, len(parts) + 1)
    )


def devices_of(fallback: str, pieces: list[Piece]) -> Iterator[DeviceDocuments]:
    """Devices of one heap of documents; ``fallback`` names the only one of a platform."""
    by_platform: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_platform.setdefault(piece.recognition.platform, []).append(piece)
    for platform, own in by_platform.items():
        for name, members in _cluster(fallback, own).items():
            yield DeviceDocuments(name, platform, tuple(piece.item for piece in members))


def _cluster(fallback: str, pieces: list[Piece]) -> dict[str, list[Piece]]:
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
    fallback: str, pieces: list[Piece], labels: dict[int, str], parts: dict[str, set[str]]
) -> dict[str, list[Piece]]:
    """Give each piece to its device; unmarked ones to all."""
    devices: dict[str, list[Piece]] = {name: [] for name in parts} or {fallback: []}
    for number, piece in enumerate(pieces):
        if number in labels:
            owners = [labels[number]]
        else:
            owners = [name for name in parts if _belongs(piece, name, parts)] or list(devices)
        for owner in owners:
            devices[owner].append(piece)
    return devices


def _belongs(piece: Piece, name: str, parts: dict[str, set[str]]) -> bool:
    others = {part for other, each in parts.items() if other != name for part in each}
    return any(piece.carries(part) for part in parts[name] - others)


def _marks(pieces: list[Piece]) -> dict[int, frozenset[str]]:
    """Shape: ``piece number -> parts of its name that tell it from those it overlaps``."""
    marks: dict[int, frozenset[str]] = {}
    for group in _overlapping(pieces):
        shared = frozenset.intersection(*(pieces[number].words for number in group))
        own = {number: pieces[number].words - shared for number in group}
        for number, words in own.items():
            marks[number] = frozenset(_trimmed(words, own.values()))
    return marks


def _overlapping(pieces: list[Piece]) -> Iterator[list[int]]:
    """Groups of two and more pieces that cannot be of one device."""
    if not _may_overlap(pieces):
        return
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


def _may_overlap(pieces: Iterable[Piece]) -> bool:
    """Whether two say anything about one object: thousands of queries mostly do not."""
    seen: set[tuple[str, int, str]] = set()
    for piece in pieces:
        form, reading = piece.recognition.form, piece.document.reading
        for one in piece.recognition.objects or ("",):
            if (form, reading, one) in seen:
                return True
            seen.add((form, reading, one))
    return False


def _trimmed(words: frozenset[str], groups: Iterable[frozenset[str]]) -> Iterator[str]:
    """Words without hyphenated parts that all of the group share: ``cfg-leaf1`` is ``leaf1``."""
    all_parts = [frozenset(part for word in own for part in word.split("-")) for own in groups]
    shared = frozenset.intersection(*all_parts)
    for word in words:
        kept = "-".join(part for part in word.split("-") if part not in shared)
        yield word if not kept or kept.isdecimal() else kept


def _join(words: Iterable[str]) -> str:
    return "-".join(sorted(words))


def with_unique_names(devices: list[DeviceDocuments]) -> Iterator[DeviceDocuments]:
    """Devices of one name are told apart by platform, then by number."""
    taken: set[str] = set()
    count = Counter(device.name for device in devices)
    for device in devices:
        name = device.name
        if count[name] > 1 and name in taken:
            name = f"{name}-{device.platform}"
        stem, number = name, 2
        while name in taken:
            name, number = f"{stem}-{number}", number + 1
        taken.add(name)
        yield replace(device, name=name)
