"""NX-OS texts into a device. Parse says what the given texts say, and no more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from netcheck.model.device import Defect, DefectKind, Device
from netcheck.model.document import Document
from netcheck.platforms.nxos.parsed.config import Config, read_config
from netcheck.platforms.nxos.parsed.device import build_device
from netcheck.platforms.nxos.parsed.forms import Form, Shape, commanded_form, shape_of
from netcheck.platforms.nxos.parsed.live import Live, at_line
from netcheck.platforms.nxos.parsed.outputs import read_output

# Whoever calls this parser knows the platform; lines that others write alike are a configuration.
_LINES: Final = re.compile(
    r"^(?:interface \S|hostname \S|(?:class|policy)-map |system qos|priority-flow-control )",
    re.MULTILINE,
)


def parse(documents: Sequence[Document], *, name: str) -> Device:
    """Give what one device's documents (of one reading) say. Never raises on content."""
    config, live = Config(), Live()
    for document in documents:
        _read(document, config, live)
    return build_device(name, config, live)


def _read(document: Document, config: Config, live: Live) -> None:
    if not document.text.strip():
        _tell_empty(document, live)
        return
    shape = shape_of(document)
    form = commanded_form(document.command)
    if shape is None and (form is not None or _LINES.search(document.text)):
        shape = Shape(form or Form.CONFIG)
    if shape is None:
        live.unread.append(at_line(document, 0))
    elif shape.form is Form.CONFIG:
        read_config(document, config)
    else:
        read_output(document, shape, live)


def _tell_empty(document: Document, live: Live) -> None:
    live.defects.append(
        Defect(
            DefectKind.MALFORMED_VALUE,
            document.name,
            f"{document.name} is empty; what it would say is unknown",
            evidence=at_line(document, 0),
        )
    )
