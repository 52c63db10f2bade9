"""How numbers are shown: bytes in human units, speeds, words of the release."""

from __future__ import annotations

from netcheck.lab.devices.cumulus.schema import NEW_WORDS

UNIT = 1024
GIGA = 1_000_000_000


def human(count: object) -> str:
    """Give bytes as NVUE's texts do, with two decimals from 1024 on.

    Example:
        >>> human(150000), human(0)
        ('146.48 KB', '0 Bytes')
    """
    value = float(str(count))
    if value < UNIT:
        return f"{int(value)} Bytes"
    for unit in ("KB", "MB", "GB"):
        value /= UNIT
        if value < UNIT or unit == "GB":
            break
    return f"{value:.2f} {unit}"


def speed(bits_per_s: int) -> str:
    """Give a speed as NVUE says it.

    Example:
        >>> speed(400_000_000_000)
        '400G'
    """
    return f"{bits_per_s // GIGA}G"


def switch(release: tuple[int, int], *, on: bool) -> str:
    """Give the word for on or off."""
    word = "enable" if on else "disable"
    return f"{word}d" if release >= NEW_WORDS else word
