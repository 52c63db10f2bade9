"""Whole numbers in texts that others wrote."""

from __future__ import annotations

from typing import Final

MOST_DIGITS: Final = 4000  # Python makes no number of more than 4,300


def is_whole(text: str) -> bool:
    """Tell whether a text is digits alone, and few enough to make a number of.

    Example:
        >>> is_whole("120"), is_whole("-1"), is_whole("²"), is_whole("9" * 5000)
        (True, False, False, False)
    """
    return text.isdecimal() and len(text) <= MOST_DIGITS


def number_of(digits: str) -> int:
    """Give the number of a text of digits; of one without end, what its first digits make.

    No device has such a number, and it stays far beyond all that one has.

    Example:
        >>> number_of("120"), number_of("9" * 5000) > 10**3000
        (120, True)
    """
    return int(digits[:MOST_DIGITS])
