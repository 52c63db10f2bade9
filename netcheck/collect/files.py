"""Files that people hand over: found in order, read as text or refused with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from netcheck.model.errors import InputError

LARGEST_BYTES: Final = 256 * 1024 * 1024
_SNIFFED_BYTES: Final = 8192


class UnreadableFileError(InputError):
    """A file that holds no text; ``reason`` says why in a few words."""

    def __init__(self, path: Path, reason: str) -> None:
        self.reason = reason
        super().__init__(f"{path}: {reason}")


def read_text(path: Path) -> str:
    """Text of a file; UTF-8, or UTF-16 where the file says so; foreign bytes are kept.

    Raises:
        UnreadableFileError: It is no regular file, too large, not readable or binary.
    """
    try:
        if not path.is_file():
            raise UnreadableFileError(path, "not a regular file")
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise UnreadableFileError(
                path, f"too large: {size} bytes, at most {LARGEST_BYTES} are read"
            )
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableFileError(path, f"not readable: {error.strerror or error}") from error
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if b"\0" in data[:_SNIFFED_BYTES]:
        raise UnreadableFileError(path, "binary")
    return data.decode("utf-8-sig", "surrogateescape").replace("\r\n", "\n")


def entries(folder: Path) -> Iterator[Path]:
    """Entries of a folder in order of name; hidden ones are left out.

    Raises:
        InputError: The folder cannot be listed.
    """
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: not readable: {error.strerror or error}") from error
    return (entry for entry in found if not entry.name.startswith("."))
