"""Counters of live outputs; what is not there or has no exact number is UNKNOWN or missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from netcheck.model.counters import Counter, CounterClass, CounterKey
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

_ETHTOOL: Final = re.compile(r"^\s+(?P<name>HwIf\w+): *(?P<value>\d+)\s*$")
_GROUPING: Final = re.compile(r"\d{1,3}(?:,\d{3})+")


@dataclass(slots=True)
class Counts:
    """Counters found so far; ``is_given`` is set by any text that is about counters."""

    counters: dict[CounterKey, Counter] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    ports: set[str] = field(default_factory=set)
    is_given: bool = False

    def add(self, key: CounterKey, sense: Sense, value: Known[int], evidence: Evidence) -> None:
        """Add a counter; one that is there stays unless it has no value."""
        self.is_given = True
        made = _counter(value, sense.kind, sense.unit)
        there = self.counters.setdefault(key, made)
        if there.value is UNKNOWN:
            self.counters[key] = made
        if key.port not in self.ports:
            self.ports.add(key.port)
            self.evidence[f"port {key.port} counters"] = evidence


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
            if group and cells.get(column, "").isdecimal():
                _add_group(counts, port, group, (int(cells[column]), cells), evidence)
            elif title.lower() == "qos port statistics":
                _add_port_row(counts, port, cells, evidence)
            elif title.lower() == "pfc wd status" and cells.get("traffic-class", "").isdecimal():
                _add_deadlock(counts, port, int(cells["traffic-class"]), cells, evidence)
    for path, cell in shown.properties.items():
        _add_roce(counts, port, path[-2:], cell.text, _at(source, document, cell.line))


def _at(source: Evidence, document: Document, line: int) -> Evidence:
    return replace(source, line=document.first_line + line)


def _add_group(
    counts: Counts,
    port: str,
    group: str,
    row: tuple[int, Mapping[str, object]],
    evidence: Evidence,
) -> None:
    number, cells = row
    for name, label, sense in _LABELLED[group]:
        value = cells.get(name, "")
        if value != "":
            key = CounterKey(port, sense.meaning, number, label)
            counts.add(key, sense, counted(value), evidence)


_LABELLED: Final = {
    group: [(name, f"{group} {name}", sense) for name, sense in senses.items()]
    for group, senses in BY_NUMBER.items()
}


def _add_port_row(counts: Counts, port: str, cells: Mapping[str, str], evidence: Evidence) -> None:
    counts.is_given = True
    for (name, way), sense in PORT_ROWS.items():
        if cells.get("counter") == name and cells.get(way, "n/a") != "n/a":
            key = CounterKey(port, sense.meaning, -1, f"{name} {way}")
            counts.add(key, sense, counted(cells[way]), evidence)


def _add_deadlock(
    counts: Counts, port: str, queue: int, cells: Mapping[str, object], evidence: Evidence
) -> None:
    if cells.get("deadlock-count", "") != "":
        key = CounterKey(port, DEADLOCK.meaning, queue, "pfc-watchdog deadlock-count")
        counts.add(key, DEADLOCK, counted(cells["deadlock-count"]), evidence)


@lru_cache(maxsize=1024)
def _roce_sense(path: tuple[str, ...]) -> tuple[int, Sense, str] | None:
    """Queue (or -1), meaning and name of a counter of `qos roce counters`."""
    found = ROCE_COUNTERS.get((path[0], path[-1])) if len(path) > 1 else None
    return None if found is None else (*found, " ".join(path))


def _add_roce(
    counts: Counts, port: str, path: tuple[str, ...], value: object, evidence: Evidence
) -> None:
    found = _roce_sense(path)
    if found is not None:
        number, sense, label = found
        counts.add(CounterKey(port, sense.meaning, number, label), sense, counted(value), evidence)


# Any: JSON as the device prints it, looked at before use.
def read_json_counters(data: Any, document: Document, port: str, counts: Counts) -> None:
    """Read the counters of one port in JSON, at whatever depth the release puts them."""
    evidence = source_of(document)
    for path, value in _walk(data, ()):
        name = path[-1]
        if name in BY_NUMBER:
            counts.is_given = True
            for number, cells in _by_number(value):
                _add_group(counts, port, name, (number, cells), evidence)
        elif name == "status" and isinstance(value, Mapping):
            for number, cells in _by_number(value):
                _add_deadlock(counts, port, number, cells, evidence)
        elif name == "carrier-transitions":
            counts.add(
                CounterKey(port, CARRIER.meaning, -1, name), CARRIER, counted(value), evidence
            )
        else:
            _add_json_row(counts, port, path, value, evidence)


def _add_json_row(
    counts: Counts, port: str, path: tuple[str, ...], value: object, evidence: Evidence
) -> None:
    last = path[-2:]
    _add_roce(counts, port, last, value, evidence)
    for sense, label in () if isinstance(value, dict) else _row_senses(last):
        counts.add(CounterKey(port, sense.meaning, -1, label), sense, counted(value), evidence)


_WAYS: Final = {"rx": "receive", "tx": "transmit"}


@lru_cache(maxsize=1024)
def _row_senses(path: tuple[str, ...]) -> tuple[tuple[Sense, str], ...]:
    """Meaning and name of a counter and its direction, whichever of them comes first."""
    if len(path) < 2:  # noqa: PLR2004 -- a counter and its direction
        return ()
    found = ((name, _WAYS.get(way, way)) for name, way in (path, tuple(reversed(path))))
    return tuple(
        (PORT_ROWS[name, way], f"{name} {way}") for name, way in found if (name, way) in PORT_ROWS
    )


def _walk(data: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(data, dict):  # what json makes of an object
        for name, value in data.items():
            here = (*path, str(name))
            yield here, value
            if name not in BY_NUMBER:
                yield from _walk(value, here)


def _by_number(value: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if not isinstance(value, dict):
        return
    for number, cells in value.items():
        if str(number).isdecimal() and isinstance(cells, dict):
            yield int(number), cells


def read_ethtool(document: Document, port: str, counts: Counts) -> None:
    """Read ``ethtool -S``; a last line without its end may be cut, and is left out."""
    counts.is_given = True
    evidence = source_of(document)
    for line in document.text.split("\n")[:-1]:
        match = _ETHTOOL.match(line)
        found = switchd_sense(match["name"]) if match else None
        if match is not None and found is not None:
            sense, index = found
            key = CounterKey(port, sense.meaning, index, match["name"])
            counts.add(key, sense, int(match["value"]), evidence)
