"""Says whether a text is a Linux host's, by what it holds."""

from __future__ import annotations

import re

from netcheck.model.document import Document, DocumentKind, Recognition
from netcheck.platforms.linux.forms import Form, form_of
from netcheck.platforms.linux.names import names_of
from netcheck.platforms.linux.pages import split_pages

_DEVICE = re.compile(r"^# netcheck: device (\S+?),? ", re.MULTILINE)
_ENVIRONMENT = frozenset({"environment", "job"})


def recognise(document: Document) -> Recognition | None:
    """Say what a text is, or None when it is not this platform's.

    Example:
        >>> recognise(Document("a.txt", "Priority trust state: dscp")).form
        'mlnx_qos'
    """
    form = form_of(document) or _first_form(document)
    if form is None:
        return None
    device = _DEVICE.search(document.text)
    return Recognition(
        platform="linux",
        form=form.name,
        kind=_kind(form, document),
        device=device[1] if device else "",
        objects=_objects(form, document),
    )


def _first_form(document: Document) -> Form | None:
    """A transcript is what the first output in it is."""
    forms = (form_of(page) for page in split_pages(document) if page.command)
    return next((form for form in forms if form is not None), None)


def _kind(form: Form, document: Document) -> DocumentKind:
    # A loose file of variables is what a job runs with; /etc/nccl.conf is configuration.
    is_loose = form.name == "environment" and not document.command
    is_ours = "# netcheck" in document.text
    return DocumentKind.JOB if is_loose and not is_ours else form.kind


def _objects(form: Form, document: Document) -> frozenset[str]:
    """Name what the text is about, so that two texts about one thing are two devices."""
    port, rdma = names_of(document)
    if port or rdma:
        return frozenset({port or rdma})
    if form.name in _ENVIRONMENT:
        return frozenset({"environment"})
    return frozenset({form.name})
