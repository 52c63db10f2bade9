"""Gives a counter's meaning, class and width from the name infiniband-diags uses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from netcheck.lossless.packaged import packaged_yaml
from netcheck.model.counters import Counter, CounterClass, CounterKey, CounterLimit, Meaning

_KINDS = {
    "zero": CounterClass.MUST_BE_ZERO,
    "congestion": CounterClass.CONGESTION,
    "information": CounterClass.INFORMATION,
}
_WIDE = 64


@dataclass(frozen=True, slots=True)
class _Row:
    pattern: re.Pattern[str]
    meaning: Meaning
    kind: CounterClass
    unit: str
    width_bits: int


@cache
def _rows() -> tuple[_Row, ...]:
    table = packaged_yaml("netcheck.platforms.infiniband", "counters.yaml")["counters"]
    return tuple(
        _Row(
            re.compile(row["name"]),
            Meaning(row["meaning"]),
            _KINDS[row["kind"]],
            row.get("unit", "packets"),
            row["width"],
        )
        for row in table["rows"]
    )


_OTHER = _Row(re.compile(""), Meaning.OTHER, CounterClass.INFORMATION, "events", _WIDE)


@cache
def _row(name: str) -> tuple[_Row, int]:
    for row in _rows():
        match = row.pattern.fullmatch(name)
        if match:
            return row, int(match.groupdict().get("n") or -1)
    return _OTHER, -1


def counter(name: str, value: int, port: str) -> tuple[CounterKey, Counter]:
    """Give the counter that was read, for the port it belongs to.

    Example:
        >>> key, found = counter("PortXmitDiscards", 7, "leaf01 5")
        >>> key.meaning.value, found.width_bits, found.limit.value
        ('port_egress_drop', 16, 'saturates')
    """
    row, number = _row(name)
    is_wide = value > (1 << row.width_bits) - 1
    width = _WIDE if is_wide else row.width_bits
    key = CounterKey(port, row.meaning, number, name)
    limit = CounterLimit.SATURATES
    return key, Counter(value, row.kind, unit=row.unit, width_bits=width, limit=limit)
