"""Quantities with human units: bytes only where the text is exact."""

from __future__ import annotations

import re
from math import inf
from typing import Final

from netcheck.model.known import UNKNOWN, Known
from netcheck.model.qos import Dynamic

_SPEED: Final = re.compile(r"(\d{1,7}(?:\.\d{1,6})?) ?([GMT])(?:bps|b/s)?")
_ALPHA: Final = re.compile(r"alpha_(\d{1,4}|infinity)(?:_(0*[1-9]\d{0,3}))?", re.IGNORECASE)
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


def threshold_of(text: str) -> Known[Dynamic]:
    """Give the threshold of an alpha as NVUE writes it.

    Example:
        >>> threshold_of("alpha_1_8"), threshold_of("ALPHA_8")
        (Dynamic(alpha=0.125), Dynamic(alpha=8.0))
    """
    match = _ALPHA.fullmatch(text)
    if match is None:
        return UNKNOWN
    if not match[1].isdecimal():
        return Dynamic(inf)
    return Dynamic(int(match[1]) / int(match[2] or 1))
