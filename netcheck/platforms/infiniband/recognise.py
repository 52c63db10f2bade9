"""Says whether a text is an output of a subnet, by its command or what it holds."""

from __future__ import annotations

import hashlib

from netcheck.model.document import Document, Recognition
from netcheck.platforms.infiniband.forms import form_of, page_of


def recognise(document: Document) -> Recognition | None:
    """Say what a text is, or None when it is not this platform's.

    Example:
        >>> recognise(Document("a.txt", "sminfo: sm lid 1 sm guid 0x1, activity count 2 ")).form
        'sminfo'
    """
    page = page_of(document)
    form = form_of(page)
    if form is None:
        return None
    return Recognition(
        platform="infiniband",
        form=form.name,
        kind=form.kind,
        objects=frozenset({form.name if form.is_one else _subject(page)}),
    )


def _subject(page: Document) -> str:
    """What an output is about, where many of one form are of one subnet."""
    if page.command:
        return page.command
    return hashlib.sha256(page.text[:65_536].encode("utf-8", "surrogateescape")).hexdigest()
