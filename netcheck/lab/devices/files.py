"""A device's files: a private directory as its root, and files that the kernel makes up."""

from __future__ import annotations

import fnmatch
import os
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ENCODING = ("utf-8", "surrogateescape")
WRITABLE_BY_ALL = ("/tmp", "/var/tmp", "/home", "/dev/null")  # noqa: S108 -- paths inside the device


class DeviceFileError(OSError):
    """What a program would print after the file's name."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A file below /sys or /proc: read and written through functions.

    ``read`` may raise DeviceFileError; ``write`` None is a read-only file.
    """

    read: Callable[[], str]
    write: Callable[[str], None] | None = None


class FileTree:
    """Files of one device; paths are absolute and as the device sees them."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.made_up: dict[str, MadeUp] = {}
        self.folders: set[str] = set()
        self._names: dict[str, set[str]] = {}  # of what is made up, by folder

    def add(self, path: str, file: MadeUp) -> None:
        """Put a made-up file in place."""
        self.made_up[path] = file
        parent, name = posixpath.split(path)
        self._names.setdefault(parent, set()).add(name)
        while parent not in self.folders and parent != "/":
            self.folders.add(parent)
            parent, name = posixpath.split(parent)
            self._names.setdefault(parent, set()).add(name)

    def real(self, path: str) -> Path:
        """Where the file lies on this machine; never outside the device's root."""
        clean = posixpath.normpath("/" + path.lstrip("/"))
        found = self.root / clean.lstrip("/")
        if not found.resolve().is_relative_to(self.root):
            raise DeviceFileError("Permission denied")
        return found

    def exists(self, path: str) -> bool:
        """There is a file or folder of that name."""
        return self.is_folder(path) or path in self.made_up or self.real(path).exists()

    def is_folder(self, path: str) -> bool:
        """There is a folder of that name."""
        return path in self.folders or (path not in self.made_up and self.real(path).is_dir())

    def read(self, path: str) -> str:
        """Give a file's text. Raises DeviceFileError."""
        if path in self.made_up:
            return self.made_up[path].read()
        if path == "/dev/null":
            return ""
        if self.is_folder(path):
            raise DeviceFileError("Is a directory")
        try:
            return self.real(path).read_bytes().decode(*ENCODING)
        except FileNotFoundError:
            raise DeviceFileError("No such file or directory") from None
        except OSError as error:
            raise DeviceFileError(os.strerror(error.errno or 0)) from None

    def write(self, path: str, text: str, *, user: str, appends: bool = False) -> None:
        """Write a file whole, or at its end. Raises DeviceFileError."""
        self.check_writable(path, user)
        if path == "/dev/null":
            return
        if path in self.made_up:
            write = self.made_up[path].write
            if write is None:
                raise DeviceFileError("Permission denied")
            write(text)
            return
        if self.is_folder(path):
            raise DeviceFileError("Is a directory")
        if path.startswith(("/sys/", "/proc/")):
            raise DeviceFileError("No such file or directory")
        try:
            with self.real(path).open("ab" if appends else "wb") as stream:
                stream.write(text.encode(*ENCODING))
        except FileNotFoundError:
            raise DeviceFileError("No such file or directory") from None
        except OSError as error:
            raise DeviceFileError(os.strerror(error.errno or 0)) from None

    def check_writable(self, path: str, user: str) -> None:
        """Raise DeviceFileError where only root may write."""
        if user != "root" and not path.startswith(WRITABLE_BY_ALL):
            raise DeviceFileError("Permission denied")

    def remove(self, path: str, *, user: str) -> None:
        """Take a file away. Raises DeviceFileError."""
        self.check_writable(path, user)
        try:
            self.real(path).unlink()
        except FileNotFoundError:
            raise DeviceFileError("No such file or directory") from None
        except OSError:
            raise DeviceFileError("Is a directory") from None

    def move(self, source: str, target: str, *, user: str) -> None:
        """Rename over ``target``. Raises DeviceFileError."""
        self.check_writable(source, user)
        self.check_writable(target, user)
        try:
            self.real(source).replace(self.real(target))
        except FileNotFoundError:
            raise DeviceFileError("No such file or directory") from None
        except OSError as error:
            raise DeviceFileError(os.strerror(error.errno or 0)) from None

    def names(self, folder: str) -> list[str]:
        """Names in a folder, sorted. Raises DeviceFileError."""
        if not self.is_folder(folder):
            reason = "Not a directory" if self.exists(folder) else "No such file or directory"
            raise DeviceFileError(reason)
        found = set(self._names.get(posixpath.normpath(folder), ()))
        real = self.real(folder)
        if real.is_dir():
            found.update(entry.name for entry in real.iterdir())
        return sorted(found)

    def walk(self, folder: str) -> Iterator[str]:
        """Every file below a folder, in order."""
        for name in self.names(folder):
            path = posixpath.join(folder, name)
            if self.is_folder(path):
                yield from self.walk(path)
            else:
                yield path

    def glob(self, pattern: str) -> list[str]:
        """Paths that match a pattern with ``*``, ``?`` and ``[]`` in any part."""
        found = ["/"]
        for part in pattern.strip("/").split("/"):
            grown = []
            for folder in found:
                if not self.is_folder(folder):
                    continue
                names = self.names(folder)
                hidden = part.startswith(".")
                grown += [
                    posixpath.join(folder, name)
                    for name in names
                    if fnmatch.fnmatchcase(name, part) and (hidden or not name.startswith("."))
                ]
            found = grown
        return found
