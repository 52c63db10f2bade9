"""Gives what outputs of one subnet say, as a Device. Never raises on content."""

from __future__ import annotations

from collections.abc import Sequence

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.platforms.infiniband.forms import Form, form_of, page_of
from netcheck.platforms.infiniband.parsed.book import Book, Page
from netcheck.platforms.infiniband.parsed.build import build


def parse(documents: Sequence[Document], *, name: str) -> Device:
    """Give the device at which these outputs were taken; its ``seen_subnet`` holds the rest.

    Documents of other forms are passed over; the caller names and counts them.
    """
    pages = [page_of(document) for document in documents]
    known: list[tuple[Form, Document]] = [
        (form, page) for page in pages if (form := form_of(page)) is not None
    ]
    book = Book()
    for form, page in sorted(known, key=lambda pair: pair[0].rank):
        try:
            form.reader(Page(page), book)
        except ValueError as error:  # a number of thousands of digits
            book.complain(Page(page).at(0), f"an output of {form.name}", str(error))
    return build(book, name)
