"""MLNX-OS texts into a device. Parse says what the given texts say, and no more.

``show ib partition`` tells the members that the subnet manager holds; the running
configuration tells what that output leaves out. Ports are not read, so that no
device of ours is whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from netcheck.model.device import Defect, DefectKind, Device
from netcheck.model.document import Document, Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known
from netcheck.model.subnet_manager import SmConfig, SmOption, SmPartition
from netcheck.platforms.onyx.parsed.config import (
    ENABLED,
    Config,
    default_partition,
    enabled_option,
    read_config,
)
from netcheck.platforms.onyx.parsed.forms import Form, form_of, is_whole, named_form
from netcheck.platforms.onyx.parsed.outputs import read_partitions, read_release
from netcheck.platforms.onyx.words import DEFAULT
from netcheck.platforms.sm_reading import at_line
from netcheck.platforms.sm_subject import guid_text

BUILD = "onyx"
ROOTS = "root_guids"


@dataclass(slots=True)
class _Texts:
    """What one device's documents come to."""

    config: Config = field(default_factory=Config)
    shown: dict[str, SmPartition] = field(default_factory=dict)
    enabled: SmOption | None = None
    release: Known[str] = UNKNOWN
    is_given: bool = False
    is_whole: bool = False
    defects: list[Defect] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)


def parse(documents: Sequence[Document], *, name: str) -> Device:
    """Give what one switch's documents (of one reading) say. Never raises on content."""
    texts = _Texts()
    for document in documents:
        _read(document, texts)
    first = documents[0].name if documents else ""
    return Device(
        name,
        platform="onyx",
        os_version=texts.release,
        subnet_manager=_manager(texts, documents) if texts.is_given else UNKNOWN,
        evidence=FrozenMap({"device": Evidence(first)}),
        defects=(*texts.config.defects, *texts.defects),
        unread=(*texts.config.unread, *texts.unread),
    )


def _read(document: Document, texts: _Texts) -> None:
    form = form_of(document)
    if form is Form.CONFIG or (form is None and named_form(document) is Form.CONFIG):
        texts.is_given = True
        texts.is_whole |= is_whole(document.text)
        read_config(document, texts.config)
    elif form is Form.MANAGER:
        texts.is_given = True
        is_on = document.text.strip() == "enable"
        texts.enabled = enabled_option(at_line(document, 1), is_on=is_on)
    elif form is Form.PARTITIONS:
        texts.is_given = True
        found = read_partitions(document)
        texts.shown.update(found.found)
        texts.unread += found.unread
        texts.defects += found.defects
    elif form is Form.VERSION:
        texts.release = read_release(document.text)
    else:
        _tell(document, texts)


def _tell(document: Document, texts: _Texts) -> None:
    """An output that is known by its name and says nothing is missing evidence."""
    at = at_line(document, 1)
    if named_form(document) is None:
        texts.unread.append(at)
        return
    shown = "is empty" if not document.text.strip() else "cannot be read"
    message = f"{document.name} {shown}; what it would say is unknown"
    texts.defects.append(Defect(DefectKind.MALFORMED_VALUE, document.name, message, evidence=at))


def _manager(texts: _Texts, documents: Sequence[Document]) -> SmConfig:
    config = texts.config
    options = dict(config.options)
    if texts.enabled is not None:
        options[ENABLED] = texts.enabled
    elif texts.is_whole and ENABLED not in options:
        # A switch runs no manager until it is told to. Source: user manual, ib sm, Default.
        options[ENABLED] = enabled_option(at_line(documents[0], 1), is_on=False)
    roots = config.root_guids
    if roots is not None:
        # An option as well: that none is said is no list, but the manager's own choice.
        guids = ",".join(map(guid_text, roots.guids))
        options[ROOTS] = SmOption(guids, guids, roots.evidence)
    return SmConfig(
        build=BUILD,
        options=FrozenMap(options) if options else UNKNOWN,
        partitions=_partitions(texts, documents) or UNKNOWN,
        roots=UNKNOWN if roots is None else roots,
        files=frozenset(document.name.rpartition("/")[2] for document in documents),
    )


def _partitions(texts: _Texts, documents: Sequence[Document]) -> tuple[SmPartition, ...]:
    said = texts.config.partitions
    if not texts.shown:
        is_own = texts.is_whole and DEFAULT not in said
        own = (default_partition(at_line(documents[0], 1)),) if is_own else ()
        return (*own, *said.values())
    return tuple(_joined(one, said.get(name)) for name, one in texts.shown.items())


def _joined(shown: SmPartition, said: SmPartition | None) -> SmPartition:
    """A partition as it is held, with what only its configuration tells."""
    if said is None:
        return shown
    return replace(
        said,
        pkey=shown.pkey,
        members=shown.members,
        is_ipoib=shown.is_ipoib,
        evidence=shown.evidence,
    )
