"""SONiC texts into a device. Parse says what the given texts say, and no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from netcheck.model.device import Defect, DefectKind, Device
from netcheck.model.document import Document
from netcheck.model.known import UNKNOWN
from netcheck.platforms.sonic.parsed.device import Reading, build_device
from netcheck.platforms.sonic.parsed.forms import Form, form_of
from netcheck.platforms.sonic.parsed.json_tables import load_json
from netcheck.platforms.sonic.parsed.json_text import read_json
from netcheck.platforms.sonic.parsed.lookup import read_lookup
from netcheck.platforms.sonic.parsed.show_json import is_show_json, read_show_json
from netcheck.platforms.sonic.parsed.tables import Source


def parse(documents: Sequence[Document], *, name: str) -> Device:
    """Give what one device's documents (of one reading) say. Never raises on content."""
    reading = Reading()
    for document in documents:
        _read(document, reading)
    return build_device(reading, name)


def _read(document: Document, reading: Reading) -> None:
    source = Source(document)
    form = form_of(document)
    if not document.text.strip():
        _tell_empty(source, form, reading)
    elif form is None:
        reading.tables.unread.append(source.evidence(0))
    else:
        _READERS[form](source, reading)


def _tell_empty(source: Source, form: Form | None, reading: Reading) -> None:
    document = source.document
    reading.tables.is_damaged |= form is Form.JSON
    reading.tables.defects.append(
        Defect(
            DefectKind.MALFORMED_VALUE,
            document.name,
            f"{document.name} is empty; what it would say is unknown",
            evidence=source.evidence(0),
        )
    )


def _read_json(source: Source, reading: Reading) -> None:
    root = read_json(source.document.text).root
    if root is not None and is_show_json(root):
        read_show_json(root, source, reading.counts)
    else:
        load_json(source, reading.tables)


def _read_lookup(source: Source, reading: Reading) -> None:
    rows, is_sound = read_lookup(source, reading.tables)
    reading.headroom = tuple(rows) if is_sound else UNKNOWN
    reading.headroom_evidence = source.at_line(1)


_READERS: Final[Mapping[Form, Callable[[Source, Reading], None]]] = {
    Form.JSON: _read_json,
    Form.LOOKUP: _read_lookup,
}
