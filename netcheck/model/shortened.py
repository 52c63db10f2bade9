"""Names written short, in the intent's own notation: ``leaf[01-16]``, ``Ethernet[0-56:8]``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_LAST_NUMBER = re.compile(r"^(.*?)(\d+)(\D*)$", re.DOTALL)
_SHORTEST_RUN = 3


def natural_key(name: str) -> tuple[tuple[int, int | str], ...]:
    """Sorting key that puts ``Ethernet8`` before ``Ethernet16``."""
    parts = re.split(r"(\d+)", name)
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in parts if part)


def compress(names: Iterable[str]) -> str:
    """Names as a short list, in natural order.

    Example:
        >>> compress(["Ethernet0", "Ethernet8", "Ethernet16", "rail0"])
        'Ethernet[0-16:8], rail0'
    """
    return ", ".join(_write_family(*family) for family in _families(set(names)))


def _families(names: set[str]) -> Iterator[tuple[str, list[str], str]]:
    """Group names that differ in their last number only: (before, numbers, after)."""
    families: dict[tuple[str, str, int], list[str]] = {}
    for name in sorted(names, key=lambda one: (natural_key(one), one)):
        match = _LAST_NUMBER.match(name)
        if match is None:
            families[name, "", -1] = []  # apart from rail0, rail1
            continue
        before, number, after = match.groups()
        width = len(number) if number.startswith("0") and number != "0" else 0
        if not width and (before, after, len(number)) in families:
            width = len(number)  # 10 after 08 and 09 is one of them
        families.setdefault((before, after, width), []).append(number)
    for (before, after, _), numbers in families.items():
        yield before, numbers, after


def _write_family(before: str, numbers: list[str], after: str) -> str:
    if not numbers:
        return before
    runs = list(_runs(numbers))
    if len(numbers) == 1:
        return f"{before}{numbers[0]}{after}"
    return f"{before}[{','.join(runs)}]{after}"


def _runs(numbers: list[str]) -> Iterator[str]:
    """Write numbers as runs of equal step; two alone stay a pair."""
    at = 0
    while at < len(numbers):
        end = _run_end(numbers, at)
        step = int(numbers[at + 1]) - int(numbers[at]) if end > at else 1
        is_run = end - at + 1 >= _SHORTEST_RUN or (end > at and step == 1)
        if is_run:
            yield f"{numbers[at]}-{numbers[end]}" + (f":{step}" if step != 1 else "")
            at = end + 1
        else:
            yield numbers[at]
            at += 1


def _run_end(numbers: list[str], start: int) -> int:
    end = start
    while end + 1 < len(numbers):
        step = int(numbers[end + 1]) - int(numbers[end])
        if end > start and step != int(numbers[start + 1]) - int(numbers[start]):
            break
        end += 1
    return end
