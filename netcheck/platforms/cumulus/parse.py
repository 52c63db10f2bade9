"""What the texts of one switch say: configurations, files and live outputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from netcheck.model.device import Defect, DefectKind, Device
from netcheck.model.document import Document
from netcheck.model.jsontext import load_json
from netcheck.model.known import UNKNOWN
from netcheck.platforms.cumulus.parsed.build import Reading, build_device
from netcheck.platforms.cumulus.parsed.conf import read_conf
from netcheck.platforms.cumulus.parsed.counters import (
    read_ethtool,
    read_json_counters,
    read_text_counters,
)
from netcheck.platforms.cumulus.parsed.forms import Form, form_of
from netcheck.platforms.cumulus.parsed.interfaces import (
    read_interface,
    read_interface_table,
    read_interfaces,
    read_system,
)
from netcheck.platforms.cumulus.parsed.schema import check
from netcheck.platforms.cumulus.parsed.settings import Settings
from netcheck.platforms.cumulus.parsed.shown import read_shown
from netcheck.platforms.cumulus.parsed.state import (
    read_json_groups,
    read_json_state,
    read_state,
    shown_of_json,
)
from netcheck.platforms.cumulus.parsed.texts import Told, read_lines, read_yaml, source_of

_BOOT: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PORT: Final = (
    re.compile(r"\binterface (?P<port>swp\d+(?:s\d+)?)\b"),
    re.compile(r"ethtool -S (?P<port>swp\d+(?:s\d+)?)\b"),
)
_PORT_IN_NAME: Final = re.compile(r"(?:^|[_/. -])(?P<port>swp\d+(?:s\d+)?)(?:[_/. -]|$)")
_SYSTEM: Final = re.compile(r"nv show (?:system|platform)")


def parse(documents: Sequence[Document], *, name: str) -> Device:
    """Give what one device's documents (of one reading) say. Never raises on content."""
    reading = Reading()
    for document in documents:
        form = form_of(document)
        if not document.text or document.text.isspace():
            _tell_unread(document, reading, "is empty; what it would say is unknown")
        elif form is None:
            reading.unread.append(source_of(document))
        else:
            _READERS[form](document, reading)
    return build_device(reading, name)


def port_of(document: Document) -> str:
    """Give the port that an output is about, by its command or its name; empty for none."""
    port = _port_of_command(document.command)
    match = None if port else _PORT_IN_NAME.search(document.name)
    return match["port"] if match is not None else port


@lru_cache(maxsize=4096)
def _port_of_command(command: str) -> str:
    matches = (pattern.search(command) for pattern in _PORT)
    return next((match["port"] for match in matches if match is not None), "")


def _read_config(document: Document, reading: Reading) -> None:
    _take(read_yaml(document), reading)


def _read_lines(document: Document, reading: Reading) -> None:
    _take(read_lines(document), reading)


def _take(told: Told, reading: Reading) -> None:
    reading.defects += [*told.defects, *check(told.root)]
    reading.headers.merge(told.header)
    host = told.root.at("system", "hostname")
    if host is not None and host.text():
        reading.links.hostname = host.text()
    complete: frozenset[str] | None = frozenset() if told.is_excerpt else None
    reading.settings.append(Settings(told.root, is_whole=told.is_whole, complete=complete))


def _read_files(document: Document, reading: Reading) -> None:
    found = read_conf(document)
    reading.defects += [*found.defects, *check(found.root)]
    qos = found.root.child("qos")
    guarded = {"pfc-watchdog"} if "pfc_watchdog" in found.listed else set()
    known = frozenset({*guarded, *(qos.parts if qos is not None else ())}) - found.unsettled
    reading.settings.append(
        Settings(found.root, complete=known, unsettled=frozenset(found.unsettled))
    )


def _read_text(document: Document, reading: Reading) -> None:
    port = port_of(document)
    shown = read_shown(document.text)
    read_text_counters(shown, document, port, reading.counts)
    read_state(shown, document, port, reading.observed)
    read_interface_table(shown, source_of(document), reading.links)
    if _SYSTEM.search(document.command):
        read_system(shown, reading.links)


def _read_json(document: Document, reading: Reading) -> None:
    try:
        data: Any = load_json(document.text)  # Any: what the device printed
    except ValueError as error:
        _tell_unread(document, reading, f"is no whole JSON: {error}")
        reading.counts.is_given |= "counters" in document.command
        return
    port, source = port_of(document), source_of(document)
    if _SYSTEM.search(document.command):
        read_system(shown_of_json(data), reading.links)
    elif port:
        read_interface(port, data, source, reading.links)
        read_json_counters(data, source, port, reading.counts)
        if "ingress-priority-group" in document.command:
            read_json_groups(data, source, port, reading.observed)
        elif "counters" not in document.command:
            read_json_state(data, document, port, reading.observed)
    else:
        read_interfaces(data, source, reading.links)
        if document.command != "nv show interface -o json":
            _read_each(data, document, reading)


def _read_each(data: Any, document: Document, reading: Reading) -> None:  # Any: JSON
    """Counters of all ports in one output, or an output about the whole switch."""
    read_json_state(data, document, "", reading.observed)
    is_counters, source = "counters" in document.command, source_of(document)
    for name, value in data.items() if is_counters and isinstance(data, Mapping) else ():
        if port_of(Document(str(name), "")):
            read_json_counters(value, source, str(name), reading.counts)


def _read_ethtool(document: Document, reading: Reading) -> None:
    read_ethtool(document, port_of(document), reading.counts)


def _read_boot_id(document: Document, reading: Reading) -> None:
    match = _BOOT.fullmatch(document.text.strip())
    reading.boot_id = match[0] if match else UNKNOWN
    if match is None:
        _tell_unread(document, reading, "is no boot id")


def _read_revisions(document: Document, reading: Reading) -> None:
    """Revisions say nothing of how traffic is treated."""


def _tell_unread(document: Document, reading: Reading, reason: str) -> None:
    reading.defects.append(
        Defect(
            DefectKind.MALFORMED_VALUE,
            document.name,
            f"{document.name} {reason}",
            found=document.text.strip()[:80],
            evidence=replace(source_of(document), line=document.first_line),
            touches_qos=False,
        )
    )


_READERS: Final[Mapping[Form, Callable[[Document, Reading], None]]] = {
    Form.CONFIG: _read_config,
    Form.LINES: _read_lines,
    Form.FILES: _read_files,
    Form.TEXT: _read_text,
    Form.JSON: _read_json,
    Form.ETHTOOL: _read_ethtool,
    Form.BOOT_ID: _read_boot_id,
    Form.REVISIONS: _read_revisions,
}
