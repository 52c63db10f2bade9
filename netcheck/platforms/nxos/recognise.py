"""Whether a text is one of NX-OS, and what it says about a device."""

from __future__ import annotations

from typing import Final

from netcheck.model.document import Document, DocumentKind, Recognition
from netcheck.platforms.nxos.parsed.config import Config, read_config
from netcheck.platforms.nxos.parsed.forms import Form, shape_of
from netcheck.platforms.nxos.parsed.live import Live
from netcheck.platforms.nxos.parsed.outputs import read_output

_PLATFORM: Final = "nxos"
_STATES: Final = frozenset({Form.SUMMARY, Form.DCBX, Form.VERSION, Form.NEIGHBOURS, Form.DCBX_INFO})


def recognise(document: Document) -> Recognition | None:
    """Say what a text is, or None when it is not one of NX-OS."""
    shape = shape_of(document)
    if shape is None:
        return None
    if shape.form is Form.CONFIG:
        return _recognise_config(document)
    live = Live()
    read_output(document, shape, live)
    kind = DocumentKind.STATE if shape.form in _STATES else DocumentKind.COUNTERS
    objects = frozenset(f"{shape.form} {port}" for port in live.ports) or {str(shape.form)}
    return Recognition(_PLATFORM, shape.form.value, kind, objects=frozenset(objects))


def _recognise_config(document: Document) -> Recognition:
    config = Config()
    read_config(document, config)
    maps = (f"{kind} {name}" for kind, name in (*config.class_maps, *config.policy_maps))
    objects = frozenset(maps) | {f"interface {name}" for name in config.interfaces}
    if config.has_system_qos:
        objects |= {"system qos"}
    return Recognition(
        _PLATFORM,
        Form.CONFIG.value,
        DocumentKind.CONFIG,
        device=config.hostname,
        is_whole=config.is_whole,
        objects=objects,
    )
