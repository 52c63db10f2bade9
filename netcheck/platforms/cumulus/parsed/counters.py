"""Counters of live outputs; what is not there or has no exact number is UNKNOWN or missing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from netcheck.model.counters import Counter, CounterClass, CounterKey
from netcheck.model.digits import is_whole
from netcheck.model.document import Document, Evidence
from netcheck.model.known import UNKNOWN, Known
from netcheck.platforms.cumulus.parsed.counter_names import (
    BY_NUMBER,
    CARRIER,
    DEADLOCK,
    PORT_ROWS,
    ROCE_COUNTERS,
    TITLES,
    Sense,
    switchd_sense,
)
from netcheck.platforms.cumulus.parsed.settings import plain_number
from netcheck.platforms.cumulus.parsed.shown import Shown
from netcheck.platforms.cumulus.parsed.texts import source_of

_ETHTOOL: Final = re.compile(r"^[^\S\n]+(HwIf\w+): *(\d+)[^\S\n]*$", re.MULTILINE)
_GROUPING: Final = re.compile(r"\d{1,3}(?:,\d{3})+")


class Slot(NamedTuple):
    """A counter of one port, and the cell of a row (or leaf of an object) that holds it."""

    cell: str
    key: CounterKey
    sense: Sense


@dataclass(slots=True)
class Counts:
    """Counters found so far; ``is_given`` is set by any text that is about counters."""

    counters: dict[CounterKey, Counter] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    ports: set[str] = field(default_factory=set)
    is_given: bool = False

    def add(self, slot: Slot, value: Known[int], evidence: Evidence) -> None:
        """Add a counter; one that is there stays unless it has no value."""
        _, key, sense = slot
        made = _counter(value, sense.kind, sense.unit)
        if self.counters.setdefault(key, made).value is UNKNOWN:
            self.counters[key] = made
        if key.port not in self.ports:
            self.ports.add(key.port)
            self.evidence[f"port {key.port} counters"] = evidence
        self.is_given = True

    def add_row(
        self, slots: tuple[Slot, ...], cells: Mapping[str, object], evidence: Evidence
    ) -> None:
        """Add the counters whose cells are there."""
        for slot in slots:
            value = cells.get(slot.cell, "")
            if value != "":
                self.add(slot, counted(value), evidence)


@lru_cache(maxsize=4096)
def _counter(value: Known[int], kind: CounterClass, unit: str) -> Counter:
    """Equal readings, most of them zero, share one object."""
    return Counter(value, kind, unit)


def counted(found: object) -> Known[int]:
    """Give a reading: a whole number, also with commas; UNKNOWN for anything rounded.

    Example:
        >>> counted("0 Bytes"), counted("1,200"), counted("56.52 MB"), counted("n/a")
        (0, 1200, UNKNOWN, UNKNOWN)
    """
    if isinstance(found, bool):
        return UNKNOWN
    if isinstance(found, int):
        return found if found >= 0 else UNKNOWN
    return _number(found) if isinstance(found, str) else UNKNOWN


@lru_cache(maxsize=4096)
def _number(found: str) -> Known[int]:
    text = found.strip()
    return plain_number(text.replace(",", "") if _GROUPING.fullmatch(text) else text)


def read_text_counters(shown: Shown, document: Document, port: str, counts: Counts) -> None:
    """Read ``counters qos``, ``qos roce counters`` and the watchdog's status in text."""
    source = source_of(document)
    for title, rows in shown.tables.items():
        group, column = TITLES.get(title.lower(), ("", ""))
        for row in rows:
            evidence = _at(source, document, min(cell.line for cell in row.values()))
            cells = {name: cell.text for name, cell in row.items()}
            if group and is_whole(cells.get(column, "")):
                counts.add_row(_row(port, group, int(cells[column])), cells, evidence)
            elif title.lower() == "qos port statistics":
                _add_port_row(counts, port, cells, evidence)
            elif title.lower() == "pfc wd status" and is_whole(cells.get("traffic-class", "")):
                queue = int(cells["traffic-class"])
                counts.add_row(_row(port, WATCHDOG, queue), cells, evidence)
    for path, cell in shown.properties.items():
        slots = _roce_slots(port, *path[-2:]) if len(path) > 1 else ()
        for slot in slots:
            counts.add(slot, counted(cell.text), _at(source, document, cell.line))


def _at(source: Evidence, document: Document, line: int) -> Evidence:
    return replace(source, line=document.first_line + line)


@lru_cache(maxsize=1 << 13)
def _row(port: str, group: str, number: int) -> tuple[Slot, ...]:
    """Counters of one row of a table: ports of all switches and readings have the same."""
    return tuple(
        Slot(name, CounterKey(port, sense.meaning, number, f"{group} {name}"), sense)
        for name, sense in _SENSES[group].items()
    )


WATCHDOG: Final = "pfc-watchdog"
CARRIED: Final = "carrier-transitions"
_SENSES: Final = {**BY_NUMBER, WATCHDOG: {"deadlock-count": DEADLOCK}}


def _add_port_row(counts: Counts, port: str, cells: Mapping[str, str], evidence: Evidence) -> None:
    counts.is_given = True
    for (name, way), sense in PORT_ROWS.items():
        if cells.get("counter") == name and cells.get(way, "n/a") != "n/a":
            key = CounterKey(port, sense.meaning, -1, f"{name} {way}")
            counts.add(Slot(way, key, sense), counted(cells[way]), evidence)


@lru_cache(maxsize=1 << 13)
def _roce_slots(port: str, holder: str, name: str) -> tuple[Slot, ...]:
    """The counter of ``qos roce counters`` that stands at these words, if one does."""
    found = ROCE_COUNTERS.get((holder, name))
    if found is None:
        return ()
    number, sense = found
    return (Slot(name, CounterKey(port, sense.meaning, number, f"{holder} {name}"), sense),)


@lru_cache(maxsize=1024)
def _carrier_slot(port: str) -> Slot:
    return Slot(CARRIED, CounterKey(port, CARRIER.meaning, -1, CARRIED), CARRIER)


# Any: JSON as the device prints it, looked at before use.
def read_json_counters(data: Any, source: Evidence, port: str, counts: Counts) -> None:
    """Read the counters of one port in JSON, at whatever depth the release puts them."""
    _read_parts(data, "", port, (source, counts))


def _read_parts(data: Any, holder: str, port: str, into: tuple[Evidence, Counts]) -> None:
    """Read what stands below one name; ``holder`` is that name."""
    source, counts = into
    for name, value in data.items() if isinstance(data, dict) else ():
        if name in BY_NUMBER:
            counts.is_given = True
            _add_rows(value, name, port, into)
            continue
        if name == "status" and isinstance(value, dict):
            _add_rows(value, WATCHDOG, port, into)
        elif name == CARRIED:
            counts.add(_carrier_slot(port), counted(value), source)
        else:
            for slot in _roce_slots(port, holder, name):
                counts.add(slot, counted(value), source)
            for slot in () if isinstance(value, dict) else _leaf_slots(port, holder, name):
                counts.add(slot, counted(value), source)
        _read_parts(value, name, port, into)


def _add_rows(data: Any, group: str, port: str, into: tuple[Evidence, Counts]) -> None:
    source, counts = into
    for number, cells in data.items() if isinstance(data, dict) else ():
        if is_whole(number) and isinstance(cells, dict):
            counts.add_row(_row(port, group, int(number)), cells, source)


_WAYS: Final = {"rx": "receive", "tx": "transmit"}


@lru_cache(maxsize=1 << 13)
def _leaf_slots(port: str, holder: str, name: str) -> tuple[Slot, ...]:
    """The counter of the port that a name and a direction say, whichever of them comes first."""
    found = ((one, _WAYS.get(way, way)) for one, way in ((holder, name), (name, holder)))
    return tuple(
        Slot(name, CounterKey(port, PORT_ROWS[row].meaning, -1, " ".join(row)), PORT_ROWS[row])
        for row in found
        if row in PORT_ROWS
    )


def read_ethtool(document: Document, port: str, counts: Counts) -> None:
    """Read ``ethtool -S``; a last line without its end may be cut, and is left out."""
    counts.is_given = True
    evidence = source_of(document)
    whole = document.text[: document.text.rfind("\n") + 1]
    for name, value in _ETHTOOL.findall(whole):
        slot = _switchd_slot(port, name)
        if slot is not None:
            counts.add(slot, counted(value), evidence)


@lru_cache(maxsize=1 << 13)
def _switchd_slot(port: str, name: str) -> Slot | None:
    found = switchd_sense(name)
    if found is None:
        return None
    sense, number = found
    return Slot(name, CounterKey(port, sense.meaning, number, name), sense)
