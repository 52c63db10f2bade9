"""What kind of text each document is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from netcheck.model.document import Document, DocumentKind
from netcheck.platforms.eos.parsed.counts import BY_FIELD, READERS, Json, rows_of


class Form(StrEnum):
    """The kinds of texts that are read."""

    CONFIG = "running-config"
    VERSION = "version"
    INTERFACES = "interfaces"
    NEIGHBOURS = "lldp"
    COUNTERS = "counters"
    PFC = "priority-flow-control"
    ECN = "ecn"
    MAPS = "maps"
    QUEUES = "queue counters"
    BROKEN = "broken json"


KINDS: Final[Mapping[Form, DocumentKind]] = {
    Form.CONFIG: DocumentKind.CONFIG,
    Form.VERSION: DocumentKind.COUNTERS,
    Form.INTERFACES: DocumentKind.STATE,
    Form.NEIGHBOURS: DocumentKind.STATE,
    Form.COUNTERS: DocumentKind.COUNTERS,
    Form.PFC: DocumentKind.STATE,
    Form.ECN: DocumentKind.STATE,
    Form.MAPS: DocumentKind.STATE,
    Form.QUEUES: DocumentKind.COUNTERS,
    Form.BROKEN: DocumentKind.STATE,
}
_COMMAND: Final = re.compile(r"show running-config(?: all)?")
# Lines that only EOS writes like this.
_OWN: Final = re.compile(
    r"^(?:! device: \S+ \([^)]*EOS-|! Command: show running-config|!RANCID-CONTENT-TYPE: arista"
    r"|qos profile \S+ *$|qos map (?:dscp|cos) [\d ]+ to traffic-class [0-7]"
    r"|qos map traffic-class [\d ]+ to (?:dscp|cos|tx-queue) \d"
    r"|qos rewrite (?:dscp|cos) *$"
    r"|priority-flow-control (?:all off|pause watchdog (?:default|action|override)\b)"
    r"|   priority-flow-control priority [0-7] (?:no-)?drop *$"
    r"|   (?:uc-|mc-)tx-queue \d+ *$|   service-profile \S+ *$)",
    re.MULTILINE,
)
_PFC: Final = re.compile(r"^Port +Enabled +Priorities +Active\b", re.MULTILINE)
_ECN: Final = re.compile(r"^Tx-Queue +Threshold +ECN Min +ECN Max", re.MULTILINE)
_QUEUES: Final = re.compile(r"^Port +TxQ +Counter/pkts +Counter/bytes +Drop/pkts", re.MULTILINE)
_MAPS: Final = re.compile(r"^ *Dscp-tc map:", re.MULTILINE)
_BROKEN: Final = re.compile(
    r'"(?:interfaceErrorCounters|intfQueueCounters|egressQueueCounters|interfaceFlowControls'
    r'|lldpNeighbors|bootupTimestamp|forwardingModel|rxFrames)"'
)
_TEXTS: Final = ((Form.PFC, _PFC), (Form.ECN, _ECN), (Form.QUEUES, _QUEUES), (Form.MAPS, _MAPS))


# Lines that other platforms have as well; read where the platform is known.
_CONFIG: Final = re.compile(
    r"^(?:hostname \S+|interface (?:Ethernet|Port-Channel)\d|(?:no )?qos |priority-flow-control )",
    re.MULTILINE,
)


def is_config(text: str) -> bool:
    """Tell whether a text of a switch that is known to run EOS is a configuration."""
    return _CONFIG.search(text) is not None


def load_json(text: str) -> Any:  # Any: what a device prints
    """Give the JSON of a text; None where it is none."""
    if text.lstrip()[:1] != "{":
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def body_of(document: Document) -> str:
    """Give the text without a prompt and command in its first line."""
    first, newline, rest = document.text.partition("\n")
    return rest if newline and re.match(r"[\w.()-]+[#>] ?show ", first) else document.text


def form_of(document: Document, data: Any = None) -> Form | None:  # Any: JSON
    """Tell what a text is; None where it is not of EOS.

    Args:
        data: The text's JSON, where it has been read already.
    """
    text = document.text
    if text.lstrip()[:1] == "{":
        data = load_json(text) if data is None else data
        if isinstance(data, Mapping):
            return form_of_json(data)
        return Form.BROKEN if _BROKEN.search(text) else None
    for form, pattern in _TEXTS:
        if pattern.search(text):
            return form
    is_config = _OWN.search(text) or _COMMAND.fullmatch(document.command)
    return Form.CONFIG if is_config else None


def form_of_json(data: Json) -> Form | None:
    """Tell what a JSON text is by its fields."""
    if "lldpNeighbors" in data:
        return Form.NEIGHBOURS
    if "bootupTimestamp" in data or ("modelName" in data and "version" in data):
        return Form.VERSION
    if any(name in data for name, _ in READERS):
        return Form.COUNTERS
    rows = [row for _, row in rows_of(data.get("interfaces"))]
    if any("forwardingModel" in row or "interfaceStatus" in row for row in rows):
        return Form.INTERFACES
    if any(name in row for row in rows for name, _ in BY_FIELD):
        return Form.COUNTERS
    return None
