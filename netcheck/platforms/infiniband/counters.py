"""Gives a counter's meaning, class and width from the name infiniband-diags uses."""

from __future__ import annotations

from netcheck.model.counters import Counter, CounterKey, CounterLimit
from netcheck.platforms.counter_table import counter_row

_WIDE = 64


def counter(name: str, value: int, port: str) -> tuple[CounterKey, Counter]:
    """Give the counter that was read, for the port it belongs to.

    Example:
        >>> key, found = counter("PortXmitDiscards", 7, "leaf01 5")
        >>> key.meaning.value, found.width_bits, found.limit.value
        ('port_egress_drop', 16, 'saturates')
    """
    row, number = counter_row("infiniband", name)
    is_wide = value > (1 << row.width_bits) - 1
    width = _WIDE if is_wide else row.width_bits
    key = CounterKey(port, row.meaning, number, name)
    limit = CounterLimit.SATURATES
    return key, Counter(value, row.kind, unit=row.unit, width_bits=width, limit=limit)
