"""Whether a text is Cumulus Linux's, and what it says about a device."""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.document import Document, DocumentKind, Recognition
from netcheck.platforms.cumulus.parsed.forms import Form, form_of

_KINDS: Final = {
    Form.CONFIG: DocumentKind.CONFIG,
    Form.LINES: DocumentKind.CONFIG,
    Form.FILES: DocumentKind.CONFIG,
    Form.TEXT: DocumentKind.STATE,
    Form.JSON: DocumentKind.STATE,
    Form.ETHTOOL: DocumentKind.COUNTERS,
    Form.REVISIONS: DocumentKind.STATE,
    Form.BOOT_ID: DocumentKind.COUNTERS,
}
_COUNTERS: Final = re.compile(
    r"counters|pfc-watchdog|Egress Queue Statistics|rx-roce-stats|PFC WD Status"
    r"|\"(?:egress-queue-stats|pfc-stats|deadlock-count)\""
)
_HOST: Final = re.compile(
    r"^\s+hostname: *['\"]?(?P<yaml>[\w.-]+)|^\S*nv set system hostname (?P<line>[\w.-]+)"
    r"|^\w+@(?P<prompt>[\w-]+)(?::\S*)?[$#] (?:sudo )?nv ",
    re.MULTILINE,
)
_SECTION: Final = re.compile(
    r"^(?: {4}| {6}| {8})(?P<yaml>[\w-]+):|\bnv set (?P<line>(?:qos|interface \S+) ?[\w-]*)"
    r"|^(?P<file>\w+(?:\.[\w-]+)?)\.\S+ *=",
    re.MULTILINE,
)
_TITLE: Final = re.compile(r"^(?P<title>\S.*)\n=+ *$|^(?P<head>\S[\w-]*) +\S", re.MULTILINE)


def recognise(document: Document) -> Recognition | None:
    """Say what a text is, or None when it is not Cumulus Linux's."""
    form = form_of(document)
    if form is None or form is Form.BOOT_ID:
        return None  # a boot id alone could be any Linux's; a snapshot names its platform
    host = _HOST.search(document.text)
    is_state = _KINDS[form] is DocumentKind.STATE
    has_counters = is_state and _COUNTERS.search(document.command + document.text[:4000])
    return Recognition(
        platform="cumulus",
        form=_form_name(form, document),
        kind=DocumentKind.COUNTERS if has_counters else _KINDS[form],
        device=next((one for one in host.groups() if one), "") if host else "",
        is_whole=form is Form.CONFIG and "nvue-api-version" in document.text[:4000],
        objects=_objects(form, document),
    )


def _form_name(form: Form, document: Document) -> str:
    """Outputs of different commands are different forms, so that they are one device."""
    if form in {Form.TEXT, Form.JSON, Form.ETHTOOL}:
        return document.command or f"{form.value} {document.name}"
    return form.value


def _objects(form: Form, document: Document) -> frozenset[str]:
    pattern = _SECTION if form in {Form.CONFIG, Form.LINES, Form.FILES} else _TITLE
    return frozenset(
        next(one for one in match.groups() if one) for match in pattern.finditer(document.text)
    )
