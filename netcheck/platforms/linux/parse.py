"""Gives what one host's outputs and files say, as a Device. Never raises on content."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.platforms.linux.assemble import Said, assemble
from netcheck.platforms.linux.facts import Fact, Item, Page
from netcheck.platforms.linux.forms import Form, form_of
from netcheck.platforms.linux.names import names_from_file, names_of
from netcheck.platforms.linux.pages import split_pages


def parse(documents: Sequence[Document], *, name: str) -> Device:
    """Give the device that the documents, of one reading, describe.

    Documents of other forms are passed over; the caller names and counts them.
    """
    pages = [page for document in documents for page in split_pages(document)]
    known = [(form, page) for page in pages if (form := form_of(page)) is not None]
    said = [Said(form.name, page, _read(form, page, name)) for form, page in known]
    device = assemble(said, name=name)
    scripted = frozenset(
        head["port"] for _, page in known if (head := _OWN_HEAD.match(page.text)) is not None
    )
    return replace(device, scripted=scripted) if scripted else device


def _read(form: Form, document: Document, device: str) -> Sequence[Item]:
    port, rdma = names_of(document)
    file_port, file_rdma = names_from_file(document.name, device)
    page = Page(document, port or file_port, rdma or file_rdma)
    text = document.text
    if text.startswith(_OWN_START):
        text = _OWN_NAME.sub("", text)
    key = (form.name, text, document.command, document.first_line, page.port, page.rdma)
    known = _SEEN.get(key)
    if known is not None:
        return known
    items = tuple(form.reader(page))
    facts = tuple(item for item in items if isinstance(item, Fact))
    if len(facts) == len(items):
        if len(_SEEN) >= _MOST:
            _SEEN.clear()
        _SEEN[key] = facts
    return items


# The head of our own scripts names the host, which no fact is made of.
_OWN_START: Final = "#!/bin/sh\n# netcheck: device "
_OWN_NAME: Final = re.compile(rf"(?<=\A{_OWN_START})[\w.\-]+(?=, port )")
# It also says that the script is all that is set on a port.
_OWN_HEAD: Final = re.compile(r"#!/bin/sh\n# netcheck: device \S+, port (?P<port>[^\s,]+)")
# Hosts of a fabric print the same settings: a text that gave facts alone is read once.
_SEEN: Final[dict[tuple[str, str, str, int, str, str], tuple[Fact, ...]]] = {}
_MOST: Final = 1024
