"""A report in the chosen format, to the terminal or to a file as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import StrEnum
from importlib import import_module
from pathlib import Path

from netcheck.model.errors import InputError
from netcheck.report.report import Report

_SUFFIXES = {
    ".json": "json",
    ".sarif": "sarif",
    ".xml": "junit",
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
    ".prom": "openmetrics",
}


class Format(StrEnum):
    """Outputs; each is a module of this package with a function ``write``."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    HTML = "html"
    CSV = "csv"
    OPENMETRICS = "openmetrics"


# what --format names; metrics are for a collector's folder, and asked for by the file's name
NAMED = tuple(form for form in Format if form is not Format.OPENMETRICS)


def format_of(path: str) -> Format:
    """The format that a file name asks for; text where it asks for none."""
    return Format(_SUFFIXES.get(Path(path).suffix.lower(), "text"))


def in_format(report: Report, form: Format) -> str:
    """The report as text in the given format; only that format's module is loaded."""
    return "".join(pieces_in_format(report, form))


def pieces_in_format(report: Report, form: Format) -> Iterable[str]:
    """As ``in_format``, piece by piece where the format can be written so."""
    module = import_module(f"netcheck.report.{form.value}")
    pieces: Iterable[str] = (
        module.pieces(report) if hasattr(module, "pieces") else (module.write(report),)
    )
    return pieces


def write_whole(path: Path, text: str | Iterable[str], *, is_synced: bool = True) -> None:
    """Write a file so that it is there with all of the text (or of its pieces) or not at all.

    ``is_synced`` waits for the disk, so that this holds after a power failure too.

    A device or a pipe (``/dev/stdout``, ``/dev/null``) is written to, never replaced.

    Raises:
        InputError: The place cannot be written to.
    """
    pieces = (text,) if isinstance(text, str) else text
    if path.exists() and not path.is_file():
        _write_into(path, pieces)
        return
    import tempfile  # noqa: PLC0415 -- brings in hashing and random; most runs write no file

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(
                handle, "w", encoding="utf-8", errors="backslashreplace", newline=""
            ) as out:
                out.writelines(pieces)
                if is_synced:
                    out.flush()
                    os.fsync(out.fileno())
            umask = os.umask(0)
            os.umask(umask)
            Path(temporary).chmod(0o666 & ~umask)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _write_into(path: Path, pieces: Iterable[str]) -> None:
    try:
        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as out:
            out.writelines(pieces)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
