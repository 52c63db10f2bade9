"""Gives what one host's outputs and files say, as a Device. Never raises on content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from netcheck.model.device import Device
from netcheck.model.document import Document
from netcheck.platforms.linux.assemble import assemble
from netcheck.platforms.linux.facts import Item, Page
from netcheck.platforms.linux.forms import form_of
from netcheck.platforms.linux.names import names_from_file, names_of

_PROMPT = re.compile(r"(?:\[?[\w.\-]+@[\w.\-]+[^#$]*)?[#$] (?:cmd: )?(?P<command>[a-z/]\S*( .*)?)")


def parse(documents: Sequence[Document], *, name: str) -> Device:
    """Give the device that the documents, of one reading, describe.

    Documents of other forms are passed over; the caller names and counts them.
    """
    pages = [page for document in documents for page in _pages(document)]
    items: list[tuple[str, Item]] = []
    for page in pages:
        items.extend(_read(page, name))
    return assemble(items, name=name)


def _pages(document: Document) -> Iterator[Document]:
    """Split a transcript at its prompts; a text without any is one page.

    After a bare "#", which also starts comments, only a command that is read here counts.
    """
    lines = document.text.splitlines(keepends=True)
    starts = [
        (number, match["command"])
        for number, line in enumerate(lines)
        if (match := _PROMPT.fullmatch(line.strip()))
        and (not line.startswith("# ") or _is_command(match["command"]))
    ]
    if document.command or not starts:
        yield document
        return
    if starts[0][0]:
        yield _page(document, "", lines[: starts[0][0]], 0)
    ends = [number for number, _ in starts[1:]] + [len(lines)]
    for (number, command), end in zip(starts, ends, strict=True):
        yield _page(document, command, lines[number + 1 : end], number + 1)


def _page(document: Document, command: str, lines: Iterable[str], before: int) -> Document:
    text = "".join(line for line in lines if not re.fullmatch(r"(# )?rc=\d+\s*", line))
    return Document(document.name, text, command, document.first_line + before, document.reading)


def _is_command(command: str) -> bool:
    return form_of(Document("", "", command)) is not None


def _read(document: Document, device: str) -> Iterator[tuple[str, Item]]:
    form = form_of(document)
    if form is None:
        return
    port, rdma = names_of(document)
    file_port, file_rdma = names_from_file(document, device)
    page = Page(document, port or file_port, rdma or file_rdma)
    for item in form.reader(page):
        yield form.name, item
