"""Quantities with human units: bytes only where the text is exact."""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.known import UNKNOWN, Known

_SPEED: Final = re.compile(r"(\d+(?:\.\d+)?) ?([GMT])(?:bps|b/s)?")
_BPS: Final = {"M": 10**6, "G": 10**9, "T": 10**12}
_STEPS: Final = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))


def shown_bytes(number: int) -> str:
    """Give bytes as NVUE's text shows them.

    Example:
        >>> shown_bytes(150_000), shown_bytes(1_500_000)
        ('146.48 KB', '1.43 MB')
    """
    for size, unit in _STEPS:
        if number >= size:
            return f"{number / size:.2f} {unit}"
    return f"{number} Bytes"


def speed_bps(text: str) -> Known[int]:
    """Give a speed; UNKNOWN for ``auto`` and the like.

    Example:
        >>> speed_bps("400G"), speed_bps("auto")
        (400000000000, UNKNOWN)
    """
    match = _SPEED.fullmatch(text.strip())
    return round(float(match[1]) * _BPS[match[2]]) if match else UNKNOWN
