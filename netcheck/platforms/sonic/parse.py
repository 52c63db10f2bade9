"""SONiC texts into a device. Parse says what the given texts say, and no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from netcheck.model.device import Defect, DefectKind, Device
from netcheck.model.document import Document
from netcheck.model.known import UNKNOWN
from netcheck.platforms.sonic.parsed.command_lines import read_command_lines
from netcheck.platforms.sonic.parsed.device import Reading, build_device
from netcheck.platforms.sonic.parsed.forms import Form, form_of
from netcheck.platforms.sonic.parsed.identity import read_boot_id, read_release
from netcheck.platforms.sonic.parsed.json_tables import load_json, load_plain
from netcheck.platforms.sonic.parsed.json_text import read_json
from netcheck.platforms.sonic.parsed.logs import count_storms, read_log
from netcheck.platforms.sonic.parsed.lookup import read_lookup
from netcheck.platforms.sonic.parsed.neighbours import read_neighbours
from netcheck.platforms.sonic.parsed.plain_json import read_plain
from netcheck.platforms.sonic.parsed.redis_text import read_redis
from netcheck.platforms.sonic.parsed.show_json import is_show_json, read_show_json
from netcheck.platforms.sonic.parsed.shows import read_shows
from netcheck.platforms.sonic.parsed.tables import Source


def parse(documents: Sequence[Document], *, name: str) -> Device:
    """Give what one device's documents (of one reading) say. Never raises on content."""
    reading = Reading()
    for document in sorted(documents, key=_is_command_list):
        _read(document, reading)
    return build_device(reading, name)


def _is_command_list(document: Document) -> bool:
    """Command lists come last, since what tables say goes before them."""
    return form_of(document) is Form.COMMANDS


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
            DefectKind.UNKNOWN_LINE if form is Form.SHOW else DefectKind.MALFORMED_VALUE,
            document.name,
            f"{document.name} is empty; what it would say is unknown",
            evidence=source.evidence(0),
        )
    )


def _read_json(source: Source, reading: Reading) -> None:
    plain = read_plain(source.document.text)
    if plain is not None and load_plain(source, plain, reading.tables):
        return
    text = read_json(source.document.text)
    if text.root is not None and is_show_json(text.root):
        read_show_json(text.root, source, reading.counts)
    else:
        load_json(source, text, reading.tables)


def _read_lookup(source: Source, reading: Reading) -> None:
    rows, is_sound = read_lookup(source, reading.tables)
    reading.headroom = tuple(rows) if is_sound else UNKNOWN
    reading.headroom_evidence = source.at_line(1)


def _read_shows(source: Source, reading: Reading) -> None:
    read_shows(source, reading.tables, reading.counts)


def _read_neighbours(source: Source, reading: Reading) -> None:
    read_neighbours(source, reading.tables)


def _read_redis(source: Source, reading: Reading) -> None:
    read_redis(source, reading.tables)


def _read_commands(source: Source, reading: Reading) -> None:
    read_command_lines(source, reading.tables)


def _read_log(source: Source, reading: Reading) -> None:
    reading.logged.extend(read_log(source))
    count_storms(source, reading.counts)


def _read_version(source: Source, reading: Reading) -> None:
    reading.os_version = read_release(source.document.text)
    if reading.os_version is UNKNOWN:
        _tell_unread(source, reading, "names no release")


def _read_boot_id(source: Source, reading: Reading) -> None:
    reading.boot_id = read_boot_id(source.document.text)
    if reading.boot_id is UNKNOWN:
        _tell_unread(source, reading, "is no boot id")


def _tell_unread(source: Source, reading: Reading, reason: str) -> None:
    document = source.document
    reading.tables.defects.append(
        Defect(
            DefectKind.UNKNOWN_LINE,
            document.name,
            f"{document.name} {reason}",
            found=document.text.strip()[:80],
            evidence=source.at_line(1),
            touches_qos=False,
        )
    )


_READERS: Final[Mapping[Form, Callable[[Source, Reading], None]]] = {
    Form.JSON: _read_json,
    Form.LOOKUP: _read_lookup,
    Form.SHOW: _read_shows,
    Form.REDIS: _read_redis,
    Form.NEIGHBOURS: _read_neighbours,
    Form.COMMANDS: _read_commands,
    Form.LOG: _read_log,
    Form.VERSION: _read_version,
    Form.BOOT_ID: _read_boot_id,
}
