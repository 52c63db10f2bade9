"""What counters mean, by the names that a platform's drivers and tools give them.

Each platform has ``counters.yaml``: groups, each with its ``source``, its ``counters`` and what
they do at their width (``limit``; they wrap unless it says ``saturates``).
A row's ``name`` is a pattern of the whole name, whose group ``n`` is the priority or lane.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from netcheck.lossless.packaged import packaged_yaml
from netcheck.model.counters import CounterClass, CounterLimit, Meaning
from netcheck.model.digits import number_of

_KINDS = {
    "zero": CounterClass.MUST_BE_ZERO,
    "congestion": CounterClass.CONGESTION,
    "information": CounterClass.INFORMATION,
    "gauge": CounterClass.GAUGE,
}
_WIDE = 64


@dataclass(frozen=True, slots=True)
class CounterRow:
    """What one counter, or several of one pattern, mean."""

    pattern: re.Pattern[str]
    meaning: Meaning
    kind: CounterClass
    unit: str = "packets"
    width_bits: int = _WIDE
    limit: CounterLimit = CounterLimit.WRAPS


_OTHER = CounterRow(re.compile(""), Meaning.OTHER, CounterClass.INFORMATION, "events")


@lru_cache(maxsize=1 << 13)
def counter_row(platform: str, name: str) -> tuple[CounterRow, int]:
    """Give the first row that a name matches, and the name's number, -1 for none.

    Example:
        >>> row, number = counter_row("linux", "rx_prio3_discards")
        >>> row.meaning.value, number
        ('priority_ingress_drop', 3)
    """
    for row in _rows(platform):
        match = row.pattern.fullmatch(name)
        if match:
            return row, number_of(match.groupdict().get("n") or "-1")
    return _OTHER, -1


@cache
def _rows(platform: str) -> tuple[CounterRow, ...]:
    groups = packaged_yaml(f"netcheck.platforms.{platform}", "counters.yaml")
    return tuple(
        CounterRow(
            re.compile(row["name"]),
            Meaning(row["meaning"]),
            _KINDS[row["kind"]],
            row.get("unit", "packets"),
            row.get("width", _WIDE),
            CounterLimit(group.get("limit", CounterLimit.WRAPS)),
        )
        for group in groups.values()
        for row in group["counters"]
    )
