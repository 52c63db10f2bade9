"""How NX-OS gives structured output: tables of rows, where one row is no list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Data = dict[str, object]
RULE = "-"


def table(name: str, rows: Sequence[Mapping[str, object]]) -> Data:
    """Give ``TABLE_name`` with its rows; a single row is not a list.

    Source: paregupt/nexus_traffic_monitor (both forms are handled).
    """
    if not rows:
        return {}
    found: object = [dict(row) for row in rows] if len(rows) > 1 else dict(rows[0])
    return {f"TABLE_{name}": {f"ROW_{name}": found}}


def dotted(mac: str) -> str:
    """A MAC address as NX-OS writes it: ``0011.2233.4455``."""
    digits = mac.replace(":", "")
    return ".".join(digits[start : start + 4] for start in range(0, len(digits), 4))


def short(port: str) -> str:
    """``Eth1/1`` for ``Ethernet1/1``."""
    return port.replace("Ethernet", "Eth")


def rule(width: int, character: str = RULE) -> str:
    """A ruled line."""
    return character * width + "\n"
