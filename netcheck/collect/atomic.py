"""Files that are whole or not there, also after a kill or a power cut."""

from __future__ import annotations

import os
from pathlib import Path


def checkpoint(name: str) -> None:
    """Mark a point at which a run may be cut off; does nothing.

    Called before and after everything that a cut could leave half done, on
    disk, in the journal and on a device. Tests put a kill here.
    """


def write_atomically(path: Path, content: bytes | str, *, mode: int = 0o644) -> None:
    """Write a file so that a reader sees the old content or the new, never a part.

    The text goes into a neighbour that is flushed to disk and renamed. Text
    that came undecodable from a device is written back byte by byte.

    Raises:
        OSError: The folder cannot be written.
    """
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    checkpoint(f"write {path.name}")
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        checkpoint(f"flush {path.name}")
        os.fsync(stream.fileno())
    checkpoint(f"rename {path.name}")
    beside.replace(path)
    sync_folder(path.parent)
    checkpoint(f"written {path.name}")


def append_durably(path: Path, line: str) -> None:
    """Append one line in one write and flush it to disk.

    A line that a cut left without its end is ended first, so that it spoils
    no other line.

    Raises:
        OSError: The file cannot be written.
    """
    checkpoint(f"append {path.name}")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        torn = _is_torn(descriptor)
        os.write(descriptor, (b"\n" if torn else b"") + line.encode() + b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    checkpoint(f"appended {path.name}")


def _is_torn(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk, so that a rename survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(folder: Path) -> None:
    """Remove neighbours that a cut left beside whole files in ``folder`` and below."""
    for leftover in folder.rglob(".*.new"):
        leftover.unlink(missing_ok=True)
