"""What live outputs say, gathered port by port before a device is built of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.device import Defect, DefectKind
from netcheck.model.document import Document, Evidence
from netcheck.model.known import UNKNOWN, Known

UINT64_DIGITS: Final = 20


class Sense(NamedTuple):
    """What a counter means, how its growth is judged, and its unit."""

    meaning: Meaning
    kind: CounterClass
    unit: str = "packets"


@dataclass(slots=True)
class Live:
    """Facts of live outputs.

    Attributes:
        ports: ``port -> fact -> (value, where)``; facts are fields of Port or
            PortQos, and ``no_drop`` for the qos-groups that pause.
        device: Facts of the whole switch, likewise.
        is_counted: Some text was about counters.
        seen: Ports that have a counter.
    """

    ports: dict[str, dict[str, tuple[Any, Evidence]]] = field(default_factory=dict)
    device: dict[str, tuple[Any, Evidence]] = field(default_factory=dict)
    counters: dict[CounterKey, Counter] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)
    unread: list[Evidence] = field(default_factory=list)
    is_counted: bool = False
    seen: set[str] = field(default_factory=set)

    # Any: facts are of every kind
    def say(self, port: str, fact: str, value: Any, where: Evidence) -> None:
        """Note a fact of a port; what comes first stays."""
        self.ports.setdefault(port, {}).setdefault(fact, (value, where))

    def say_device(self, fact: str, value: Any, where: Evidence) -> None:
        """Note a fact of the switch."""
        self.device.setdefault(fact, (value, where))

    def count(self, key: CounterKey, sense: Sense, value: Known[int], where: Evidence) -> None:
        """Note a counter; one that is there already stays unless it has no value."""
        self.is_counted = True
        made = _counter(value, sense.kind, sense.unit)
        there = self.counters.setdefault(key, made)
        if there.value is UNKNOWN:
            self.counters[key] = made
        if key.port not in self.seen:
            self.seen.add(key.port)
            self.evidence[f"port {key.port} counters"] = where

    def tell_damaged(self, document: Document, line: int, text: str) -> None:
        """Note a line that is cut or damaged; what it would say stays unknown."""
        where = at_line(document, line)
        self.defects.append(
            Defect(
                DefectKind.MALFORMED_VALUE,
                document.name,
                f"{document.name} line {where.line} is cut or damaged; "
                "what it would say is unknown",
                found=text.strip(),
                evidence=where,
            )
        )

    def tell_unknown(self, document: Document, line: int, text: str) -> None:
        """Note a line about QoS that no reader understands."""
        where = at_line(document, line)
        self.defects.append(
            Defect(
                DefectKind.UNKNOWN_LINE,
                document.name,
                f"{document.name} line {where.line} is not understood: {text.strip()}",
                found=text.strip(),
                evidence=where,
            )
        )


@lru_cache(maxsize=4096)
def _counter(value: Known[int], kind: CounterClass, unit: str) -> Counter:
    """Equal readings, most of them zero, share one object."""
    return Counter(value, kind, unit)


def at_line(document: Document, line: int, counter: str = "") -> Evidence:
    """Give the place of a line of a document, counted from 1; 0 is the document as a whole."""
    number = line + document.first_line - 1 if line else 0
    return Evidence(document.name, number, 1 if line else 0, document.command, counter)


def counted(value: object) -> Known[int]:
    """Give a reading as a number; UNKNOWN for anything that is no whole number.

    Example:
        >>> counted("1,200"), counted("-"), counted(None)
        (1200, UNKNOWN, UNKNOWN)
    """
    if isinstance(value, str):
        text = value if value.isdigit() else value.strip().replace(",", "")
        is_number = text.isascii() and text.isdigit() and len(text) <= UINT64_DIGITS
        return int(text) if is_number else UNKNOWN
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return UNKNOWN


def first_text(row: Mapping[str, Any], *names: str) -> str:  # Any: JSON of a device
    """Text of the first of these keys that the row has; else empty."""
    for name in names:
        found = row.get(name)
        if found is not None:
            return str(found).strip() if isinstance(found, (str, int, float)) else ""
    return ""
