"""Gives a counter's meaning, class and width from the name its driver uses."""

from __future__ import annotations

from functools import lru_cache

from netcheck.model.counters import Counter, CounterKey, CounterLimit
from netcheck.model.known import UNKNOWN
from netcheck.platforms.counter_table import CounterRow, counter_row

_WIDE = 64


@lru_cache(maxsize=1 << 13)
def counter_slot(port: str, name: str) -> tuple[CounterKey, CounterRow]:
    """Give a counter's key and what it means: ports of all hosts have the same."""
    row, number = counter_row("linux", name)
    return CounterKey(port, row.meaning, number, name), row


@lru_cache(maxsize=1 << 14)
def counted(value: int | None, row: CounterRow) -> Counter:
    """Give a reading, None being a damaged one: most counters of a host share few.

    A counter that stops at its width and shows more is one of 64 bits.
    """
    is_wide = row.limit is CounterLimit.SATURATES and (value or 0) >> row.width_bits
    width = _WIDE if is_wide else row.width_bits
    return Counter(UNKNOWN if value is None else value, row.kind, row.unit, width, row.limit)
