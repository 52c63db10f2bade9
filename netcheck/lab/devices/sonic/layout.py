"""Text tables as the switch's ``show`` commands print them (tabulate, style "simple")."""

from __future__ import annotations

from collections.abc import Sequence

HEAD_PADDING = 2


def simple(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: bool = False) -> str:
    """Lay a table out; a heading is two wider than its words, a table without one is ruled twice.

    Source: python-tabulate, tablefmt "simple".

    Example:
        >>> print(simple(["Port", "Drops"], [["Ethernet0", "1"]]), end="")
        Port       Drops
        ---------  -------
        Ethernet0  1
    """
    count = len(head) or max((len(row) for row in rows), default=0)
    widths = [
        max(
            len(head[place]) + HEAD_PADDING if head else 0,
            *(len(row[place]) for row in rows),
            0,
        )
        for place in range(count)
    ]
    rule = _line(["-" * width for width in widths], widths, right=right)
    lines = [_line(head, widths, right=right), rule] if head else [rule]
    lines += [_line(row, widths, right=right) for row in rows]
    return "".join(f"{line}\n" for line in (lines if head else [*lines, rule]))


def _line(cells: Sequence[str], widths: Sequence[int], *, right: bool) -> str:
    align = str.rjust if right else str.ljust
    joined = "  ".join(align(cell, width) for cell, width in zip(cells, widths, strict=True))
    return joined.rstrip()


def grouped(number: int) -> str:
    """A number with thousands separators."""
    return f"{number:,}"
