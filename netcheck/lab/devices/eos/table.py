"""Text tables as EOS prints them: headings over a rule of dashes, columns two spaces apart."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Lay a table out.

    Example:
        >>> print(table(["Port", "Enabled"], [["Ethernet1", "Yes"]]), end="")
        Port       Enabled
        ---------  -------
        Ethernet1  Yes
    """
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [
        max(len(head[place]), *(len(row[place]) for row in cells), 0) for place in range(len(head))
    ]
    rule = ["-" * width for width in widths]
    return "".join(f"{_line(row, widths)}\n" for row in [list(head), rule, *cells])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
