"""Whether a text is of EOS, and what it says about a device."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from netcheck.model.document import Document, DocumentKind, Recognition
from netcheck.platforms.eos.parsed.counts import rows_of
from netcheck.platforms.eos.parsed.forms import KINDS, Form, form_of, load_json

_HOSTNAME: Final = re.compile(r"^hostname (?P<name>\S+) *$", re.MULTILINE)
_HEADER: Final = re.compile(r"^! device: (?P<name>\S+) \([^)]*EOS-", re.MULTILINE)
_SECTION: Final = re.compile(
    r"^(?:interface|qos profile) \S+"
    r"|^(?:hostname|qos map \S+|qos rewrite \S+|priority-flow-control)\b",
    re.MULTILINE,
)


def recognise(document: Document) -> Recognition | None:
    """Say what a text is, or None when it is not of EOS."""
    form = form_of(document)
    if form is None:
        return None
    if form is Form.CONFIG:
        return _configuration(document)
    objects = _objects(document) or frozenset({form.value})
    return Recognition("eos", form.value, KINDS[form], objects=objects)


def _configuration(document: Document) -> Recognition:
    host = _HEADER.search(document.text) or _HOSTNAME.search(document.text)
    return Recognition(
        "eos",
        Form.CONFIG.value,
        DocumentKind.CONFIG,
        device=host["name"] if host else "",
        is_whole=host is not None,
        objects=frozenset(_SECTION.findall(document.text)),
    )


def _objects(document: Document) -> frozenset[str]:
    """Kinds of tables that a JSON text holds, by their fields."""
    data = load_json(document.text)
    if not isinstance(data, Mapping):
        return frozenset()
    names = {str(name) for name in data if name != "interfaces"}
    first = next((row for _, row in rows_of(data.get("interfaces"))), {})
    return frozenset(names | {f"interfaces {name}" for name in list(first)[:3]})
