"""Gives a counter's meaning, class and width from the name its driver uses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from netcheck.lossless.packaged import packaged_yaml
from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.known import UNKNOWN

_KINDS = {
    "zero": CounterClass.MUST_BE_ZERO,
    "congestion": CounterClass.CONGESTION,
    "information": CounterClass.INFORMATION,
    "gauge": CounterClass.GAUGE,
}


@dataclass(frozen=True, slots=True)
class _Row:
    pattern: re.Pattern[str]
    meaning: Meaning
    kind: CounterClass
    unit: str
    width_bits: int


@cache
def _rows() -> tuple[_Row, ...]:
    groups = packaged_yaml("netcheck.platforms.linux", "counters.yaml")
    return tuple(
        _Row(
            pattern=re.compile(row["name"]),
            meaning=Meaning(row["meaning"]),
            kind=_KINDS[row["kind"]],
            unit=row.get("unit", "packets"),
            width_bits=row.get("width", 64),
        )
        for group in groups.values()
        for row in group["counters"]
    )


_OTHER = _Row(re.compile(""), Meaning.OTHER, CounterClass.INFORMATION, "events", 64)


@cache
def _row(name: str) -> tuple[_Row, int]:
    for row in _rows():
        match = row.pattern.fullmatch(name)
        if match:
            return row, int(match.groupdict().get("n") or -1)
    return _OTHER, -1


def counter(port: str, name: str, value: int | None) -> tuple[CounterKey, Counter]:
    """Give the counter of that name, for the port it belongs to; None is a damaged reading."""
    key, row = _slot(port, name)
    return key, _counter(value, row.kind, row.unit, row.width_bits)


# Ports of all hosts have the same names, and so have their counters.
@lru_cache(maxsize=1 << 13)
def _slot(port: str, name: str) -> tuple[CounterKey, _Row]:
    row, number = _row(name)
    return CounterKey(port, row.meaning, number, name), row


@lru_cache(maxsize=1 << 14)
def _counter(value: int | None, kind: CounterClass, unit: str, width_bits: int) -> Counter:
    """Most counters of a host share few."""
    return Counter(UNKNOWN if value is None else value, kind, unit, width_bits)
