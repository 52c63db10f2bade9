"""Whether a text is one of the subnet manager's files, and what it says about a device."""

from __future__ import annotations

from typing import Final

from netcheck.model.document import Document, DocumentKind, Recognition
from netcheck.platforms.opensm.parsed.forms import Form, base_name, form_of

_PLATFORM: Final = "opensm"


def recognise(document: Document) -> Recognition | None:
    """Say what a text is, or None when it is not the subnet manager's.

    Two files of one kind are two managers; strays beside ``opensm.conf`` are not,
    since a start script takes them for more of the kind.
    """
    form = form_of(document)
    if form is None:
        return None
    objects = frozenset({f"{form} {base_name(document)}" if form is Form.STRAY else str(form)})
    return Recognition(_PLATFORM, form.value, DocumentKind.CONFIG, objects=objects)
