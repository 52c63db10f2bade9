"""Live outputs, by form: each goes to the reader of its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from netcheck.model.document import Document
from netcheck.platforms.nxos.parsed.forms import Form, Shape
from netcheck.platforms.nxos.parsed.live import Live
from netcheck.platforms.nxos.parsed.pfc import read_pfc, read_pfc_json
from netcheck.platforms.nxos.parsed.queuing_json import read_queuing_json, read_tabular
from netcheck.platforms.nxos.parsed.queuing_text import read_queuing, read_summary
from netcheck.platforms.nxos.parsed.status import (
    read_dcbx,
    read_dcbx_info,
    read_interfaces,
    read_neighbours,
    read_policies,
    read_uptime,
    read_version,
)
from netcheck.platforms.nxos.parsed.stuck import read_pfc_queue, read_pfc_queue_json

Reader = Callable[[Document, Live], None]
JsonReader = Callable[[Document, Mapping[str, Any], Live], None]  # Any: JSON of a device


def read_output(document: Document, shape: Shape, live: Live) -> None:
    """Add what one output says."""
    if shape.data is not None:
        reader = _JSON.get(shape.form)
        if reader is not None:
            reader(document, shape.data, live)
        return
    if document.text.lstrip()[:1] in {"{", "["}:
        live.tell_damaged(document, 1, "JSON that breaks off")
        return
    text_reader = _TEXTS.get(shape.form)
    if text_reader is not None:
        text_reader(document, live)


_TEXTS: Final[Mapping[Form, Reader]] = {
    Form.PFC: read_pfc,
    Form.QUEUING: read_queuing,
    Form.SUMMARY: read_summary,
    Form.PFC_QUEUE: read_pfc_queue,
    Form.POLICY: read_policies,
    Form.DCBX: read_dcbx,
    Form.UPTIME: read_uptime,
}
_JSON: Final[Mapping[Form, JsonReader]] = {
    Form.PFC: read_pfc_json,
    Form.QUEUING: read_queuing_json,
    Form.TABULAR: read_tabular,
    Form.PFC_QUEUE: read_pfc_queue_json,
    Form.INTERFACE: read_interfaces,
    Form.NEIGHBOURS: read_neighbours,
    Form.VERSION: read_version,
    Form.UPTIME: lambda document, data, live: read_uptime(document, live, data),
    Form.DCBX_INFO: read_dcbx_info,
}
