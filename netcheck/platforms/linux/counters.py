"""Gives a counter's meaning, class and width from the name its driver uses."""

from __future__ import annotations

from functools import lru_cache

from netcheck.model.counters import Counter, CounterClass, CounterKey
from netcheck.model.known import UNKNOWN
from netcheck.platforms.counter_table import CounterRow, counter_row


def counter(port: str, name: str, value: int | None) -> tuple[CounterKey, Counter]:
    """Give the counter of that name, for the port it belongs to; None is a damaged reading."""
    key, row = _slot(port, name)
    return key, _counter(value, row.kind, row.unit, row.width_bits)


# Ports of all hosts have the same names, and so have their counters.
@lru_cache(maxsize=1 << 13)
def _slot(port: str, name: str) -> tuple[CounterKey, CounterRow]:
    row, number = counter_row("linux", name)
    return CounterKey(port, row.meaning, number, name), row


@lru_cache(maxsize=1 << 14)
def _counter(value: int | None, kind: CounterClass, unit: str, width_bits: int) -> Counter:
    """Most counters of a host share few."""
    return Counter(UNKNOWN if value is None else value, kind, unit, width_bits)
