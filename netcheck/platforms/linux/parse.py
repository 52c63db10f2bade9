"""Gives what one host's outputs and files say, as a Device. Never raises on content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.platforms.linux.assemble import assemble
from netcheck.platforms.linux.facts import Fact, Item, Page, Spot
from netcheck.platforms.linux.forms import Form, form_of
from netcheck.platforms.linux.names import names_from_file, names_of
from netcheck.platforms.linux.pages import split_pages


def parse(documents: Sequence[Document], *, name: str) -> Device:
    """Give the device that the documents, of one reading, describe.

    Documents of other forms are passed over; the caller names and counts them.
    """
    pages = [page for document in documents for page in split_pages(document)]
    known = [(form, page) for page in pages if (form := form_of(page)) is not None]
    items = [(form.name, item) for form, page in known for item in _read(form, page, name)]
    device = assemble(items, name=name, forms=frozenset(form.name for form, _ in known))
    scripted = frozenset(
        head["port"] for _, page in known if (head := _OWN_HEAD.match(page.text)) is not None
    )
    return replace(device, scripted=scripted) if scripted else device


def _read(form: Form, document: Document, device: str) -> Iterable[Item]:
    port, rdma = names_of(document)
    file_port, file_rdma = names_from_file(document.name, device)
    page = Page(document, port or file_port, rdma or file_rdma)
    text = _OWN_NAME.sub("", document.text)
    key = (form.name, text, document.command, document.first_line, page.port, page.rdma)
    known = _SEEN.get(key)
    if known is not None:
        return [_at(fact, document) for fact in known]
    items = tuple(form.reader(page))
    facts = tuple(item for item in items if isinstance(item, Fact))
    if len(facts) == len(items):
        if len(_SEEN) >= _MOST:
            _SEEN.clear()
        _SEEN[key] = facts
    return items


# The head of our own scripts names the host, which no fact is made of.
_OWN_NAME: Final = re.compile(r"(?<=\A#!/bin/sh\n# netcheck: device )[\w.\-]+(?=, port )")
# It also says that the script is all that is set on a port.
_OWN_HEAD: Final = re.compile(r"#!/bin/sh\n# netcheck: device \S+, port (?P<port>[^\s,]+)")
# Hosts of a fabric print the same settings: a text that gave facts alone is read once.
_SEEN: Final[dict[tuple[str, str, str, int, str, str], tuple[Fact, ...]]] = {}
_MOST: Final = 1024


def _at(fact: Fact, document: Document) -> Fact:
    """Give a fact of an equal text as it stands in this document."""
    seen = fact.spot
    spot = Spot(document, seen.line, seen.counter)
    return Fact(fact.owner, fact.name, fact.field, fact.value, spot)
