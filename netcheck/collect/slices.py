"""Slices of a fabric for several machines, and their snapshots put together again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from netcheck.collect.atomic import write_atomically
from netcheck.collect.snapshot import (
    Answer,
    Member,
    Snapshot,
    read_snapshot,
    replaced_reading,
    write_manifest,
)
from netcheck.model.errors import InputError


def slice_of(names: Sequence[str], part: str) -> list[str]:
    """Give the part ``i/n`` of these names; the n parts are disjoint and complete.

    Raises:
        InputError: ``part`` is not ``i/n`` with 1 <= i <= n.

    Example:
        >>> slice_of(["a", "b", "c"], "2/2")
        ['b']
    """
    match = re.fullmatch(r"(\d+)/(\d+)", part)
    index, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= index <= count:
        raise InputError(f"slice expected i/n with 1 <= i <= n, found {part!r}")
    return sorted(names)[index - 1 :: count]


def merge_snapshots(folders: Sequence[Path], directory: Path) -> Snapshot:
    """Put snapshots of parts of one fabric together in a new folder.

    A device that was reached in one of them and not in another is taken from
    where it was reached.

    Raises:
        InputError: One is no snapshot, or they are of different fabrics.
    """
    parts = [read_snapshot(folder) for folder in folders]
    fabrics = sorted({part.fabric for part in parts})
    if len(fabrics) != 1:
        found = ", ".join(fabrics) or "none"
        raise InputError(f"snapshots of one fabric expected, found {found}")
    merged = Snapshot(directory, fabrics[0])
    for part in parts:
        merged = _joined(merged, part)
    write_manifest(merged)
    return merged


def _joined(merged: Snapshot, part: Snapshot) -> Snapshot:
    members = {member.name: member for member in merged.members}
    better = {member.name for member in part.members if _is_better(member, members)}
    members |= {member.name: member for member in part.members if member.name in better}
    records = [record for record in part.records if record.device in better]
    for record in records:
        if record.answer is Answer.HAD:
            content = (part.folder / record.file).read_bytes()
            write_atomically(merged.folder / record.file, content)
    kept = (record for record in merged.records if record.device not in better)
    return Snapshot(
        merged.folder, merged.fabric, tuple(members.values()), replaced_reading(kept, records)
    )


def _is_better(member: Member, known: dict[str, Member]) -> bool:
    return member.is_reached or member.name not in known
