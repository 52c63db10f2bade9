"""A plan for a person: by device, what comes, changes and goes, and what that disturbs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from netcheck.deploy.plan import Plan
from netcheck.model.shortened import compress
from netcheck.platforms.platform import Change

_WIDEST_NAME = 44
_LONGEST = 100


class Line(NamedTuple):
    """One object: ``+`` comes, ``~`` changes, ``-`` goes."""

    sign: str
    name: str
    text: str


def plan_lines(plan: Plan) -> Iterator[str]:
    """Devices with the same change together, those that disturb least first."""
    alike: dict[tuple[str, tuple[Line, ...]], list[str]] = {}
    for order in plan.orders.values():
        if not order.is_empty:
            key = (_impact(order.change), tuple(_objects(order.change)))
            alike.setdefault(key, []).append(order.name)
    for (impact, lines), devices in alike.items():
        yield f"{compress(devices)}  {impact}"
        yield from _table(_together(lines))
        yield ""


def _impact(change: Change) -> str:
    reason = f" ({change.reason})" if change.reason else ""
    return f"disturbs {change.impact.value}{reason}"


def _objects(change: Change) -> Iterator[Line]:
    for name, *texts in change.objects:
        old, new = map(_in_one_line, texts)
        if not old:
            yield Line("+", name, new)
        elif not new:
            yield Line("-", name, "")
        else:
            yield Line("~", name, f"{old} -> {new}")
    yield from (Line("-", removal.object, "") for removal in change.removals)


def _in_one_line(text: str) -> str:
    """A text as it is, or the number of its lines where it is a file."""
    lines = text.strip().count("\n") + 1
    return f"{lines} lines" if lines > 1 else text.strip()


def _together(lines: Iterable[Line]) -> Iterator[Line]:
    """Objects that differ in one part of their name only, as ``QUEUE|Ethernet[0-8:8]|3``."""
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for line in lines:
        between = "|" if "|" in line.name else " "
        kind, _, rest = line.name.partition(between)
        middle, bar, last = rest.partition(between)
        start = f"{kind}{between}" if middle else kind
        alike.setdefault((line.sign, start, f"{bar}{last}", line.text), []).append(middle)
    for (sign, start, last, text), middles in alike.items():
        yield Line(sign, f"{start}{compress(filter(None, middles))}{last}", text)


def _table(lines: Iterable[Line]) -> Iterator[str]:
    lines = list(lines)
    width = min(_WIDEST_NAME, max((len(line.name) for line in lines), default=0))
    for line in lines:
        text = " ".join(line.text.split())
        short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
        yield f"  {line.sign} {line.name:<{width}}  {short}".rstrip()
