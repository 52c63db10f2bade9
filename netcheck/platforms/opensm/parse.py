"""The subnet manager's files into a device. Parse says what the given texts say, and no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import Document, Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, first_known
from netcheck.model.subnet_manager import SmConfig
from netcheck.platforms.opensm.parsed.forms import GUID_FORMS, Form, base_name, build_in, form_of
from netcheck.platforms.opensm.parsed.guid_files import COMPUTE, IO, ROOTS, read_guids, read_names
from netcheck.platforms.opensm.parsed.options import read_options
from netcheck.platforms.opensm.parsed.partitions import read_partitions
from netcheck.platforms.opensm.parsed.policy import read_policy
from netcheck.platforms.opensm.parsed.processes import read_processes
from netcheck.platforms.sm_reading import Reading, at_line

_KEY_OF: Final = {Form.ROOTS: ROOTS, Form.COMPUTE: COMPUTE, Form.IO: IO}
_READERS: Final[dict[Form, Callable[[Document, Reading], None]]] = {
    Form.PARTITIONS: read_partitions,
    Form.POLICY: read_policy,
    Form.NAMES: read_names,
}


def parse(documents: Sequence[Document], *, name: str, build: Known[str] = UNKNOWN) -> Device:
    """Give what one manager's files (of one reading) say. Never raises on content.

    Args:
        documents: Texts of one reading.
        name: Name of the device.
        build: Build of its subnet manager, where it is known.
    """
    reading = Reading()
    build = first_known(build, *(build_in(each.text) for each in documents))
    forms = {document.name: form_of(document) for document in documents}
    for document in documents:
        reading.files.add(base_name(document))
        form = forms[document.name]
        if form is Form.OPTIONS:
            read_options(document, reading, build)
        elif form is Form.STRAY:
            reading.strays.append(at_line(document, 1))
    for document in documents:
        if forms[document.name] is Form.PROCESSES:
            read_processes(document, reading)
    for document in documents:
        _read(document, forms[document.name], reading)
    return _device(name, reading, build, documents)


def _read(document: Document, form: Form | None, reading: Reading) -> None:
    key = _key_of(document, form, reading)
    reader = _READERS.get(form) if form is not None else None
    if key is not None:
        read_guids(document, reading, key)
    elif reader is not None:
        reader(document, reading)
    elif form not in {Form.OPTIONS, Form.STRAY, Form.PROCESSES}:
        reading.unread.append(at_line(document, 1))


def _key_of(document: Document, form: Form | None, reading: Reading) -> str | None:
    """Which option the GUIDs of a file are for: the one that names it, else by its own name."""
    if form is None or form not in GUID_FORMS:
        return None
    return _named_by_option(document, reading) or _KEY_OF.get(form)


def _named_by_option(document: Document, reading: Reading) -> str | None:
    """Which option names this file."""
    options = reading.options or {}
    for key in (ROOTS, COMPUTE, IO):
        if key in options and base_name(document) == options[key].value.rpartition("/")[2]:
            return key
    return None


def _device(
    name: str, reading: Reading, build: Known[str], documents: Sequence[Document]
) -> Device:
    guids = reading.guids
    config = SmConfig(
        build=build,
        options=UNKNOWN if reading.options is None else FrozenMap(reading.options),
        partitions=reading.partitions,
        policy=reading.policy,
        roots=guids.get(ROOTS, UNKNOWN),
        compute_nodes=guids.get(COMPUTE, UNKNOWN),
        io_nodes=guids.get(IO, UNKNOWN),
        names=UNKNOWN if reading.names is None else FrozenMap(reading.names),
        misreadings=tuple(reading.misreadings),
        files=frozenset(reading.files),
        strays=tuple(reading.strays),
    )
    first = documents[0].name if documents else ""
    return Device(
        name,
        platform="opensm",
        subnet_manager=config,
        evidence=FrozenMap({"device": Evidence(first)}),
        unread=tuple(reading.unread),
    )
