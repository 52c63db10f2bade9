"""Whether a text is one of a switch's subnet manager, and what it says about a device.

A running configuration without any line about it is left alone: Ethernet is not read.
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.document import Document, DocumentKind, Recognition
from netcheck.platforms.onyx.parsed.forms import Form, form_of, is_whole

_PLATFORM: Final = "onyx"
_HOSTNAME: Final = re.compile(r"^\s*hostname (?P<name>\S+)\s*$", re.MULTILINE)


def recognise(document: Document) -> Recognition | None:
    """Say what a text is, or None when it is no switch's."""
    form = form_of(document)
    if form is None:
        return None
    found = _HOSTNAME.search(document.text) if form is Form.CONFIG else None
    return Recognition(
        _PLATFORM,
        form.value,
        DocumentKind.STATE if form is Form.VERSION else DocumentKind.CONFIG,
        device=found["name"] if found else "",
        is_whole=form is Form.CONFIG and is_whole(document.text),
        objects=frozenset({str(form)}),
    )
