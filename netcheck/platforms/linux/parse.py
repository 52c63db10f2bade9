"""Gives what one host's outputs and files say, as a Device. Never raises on content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.platforms.linux.assemble import assemble
from netcheck.platforms.linux.facts import Item, Page
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
    return assemble(items, name=name, forms=frozenset(form.name for form, _ in known))


def _read(form: Form, document: Document, device: str) -> Iterator[Item]:
    port, rdma = names_of(document)
    file_port, file_rdma = names_from_file(document, device)
    return form.reader(Page(document, port or file_port, rdma or file_rdma))
