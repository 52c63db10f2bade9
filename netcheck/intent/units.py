"""Quantities with units: text to numbers, exactly, once, at the edge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

_TO_255 = r"(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})"
_IPV4 = re.compile(rf"(?:{_TO_255}\.){{3}}{_TO_255}/(?:3[0-2]|[0-2]?[0-9])")
_NUMBER = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([A-Za-zµ%/]+)")


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """One kind of quantity: its units in terms of the base, and an example."""

    noun: str
    example: str
    units: dict[str, Fraction]


def _scaled(units: dict[str, int | str]) -> dict[str, Fraction]:
    return {unit: Fraction(scale) for unit, scale in units.items()}


_SPEED: dict[str, int | str] = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY: dict[str, int | str] = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

SPEED_BPS = Quantity(
    "speed",
    "400G",
    _scaled(
        {unit + tail: scale for unit, scale in _SPEED.items() for tail in ("", "bps", "b/s")}
        | {"bps": 1, "b/s": 1}
    ),
)
LENGTH_M = Quantity("length", "40m", _scaled({"m": 1, "km": 1000, "cm": "1/100"}))
TIME_NS = Quantity(
    "time",
    "200ms",
    _scaled({"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}),
)
SIZE_BYTES = Quantity(
    "size",
    "150KB",
    _scaled({"B": 1, "KB": 10**3, "kB": 10**3, "MB": 10**6, "GB": 10**9, **_BINARY}),
)
PERCENT = Quantity("share", "50%", _scaled({"%": 1}))


@lru_cache(maxsize=4096)
def parse_quantity(text: str, quantity: Quantity) -> Fraction:
    """Give the exact number of base units that a text states.

    KB is 1000 bytes and KiB is 1024.

    Raises:
        ValueError: There is no unit, or none of this quantity.

    Example:
        >>> parse_quantity("150KB", SIZE_BYTES)
        Fraction(150000, 1)
    """
    match = _NUMBER.fullmatch(text)
    scale = quantity.units.get(match.group(2)) if match else None
    if match is None or scale is None:
        units = ", ".join(quantity.units)
        raise ValueError(
            f"expected a {quantity.noun} such as {quantity.example} (units {units}), found {text}"
        )
    return Fraction(match.group(1)) * scale


def checked_address(text: str) -> str:
    """Give the text back if it is an IP address with a prefix length.

    Raises:
        ValueError: It is none.
    """
    if _IPV4.fullmatch(text):
        return text
    from ipaddress import IPv6Interface  # noqa: PLC0415 -- most intents have IPv4 only

    try:
        IPv6Interface(text)
    except ValueError:
        raise ValueError(
            f"expected an IP address with its prefix length, such as 10.0.0.1/24; found {text}"
        ) from None
    return text


@lru_cache(maxsize=4096)
def whole(text: str, quantity: Quantity, scale: int = 1) -> int:
    """Give a quantity in whole units of ``scale`` base units.

    Raises:
        ValueError: It is no such quantity, or not a whole number of units.

    Example:
        >>> whole("1.5s", TIME_NS, 1_000_000)
        1500
    """
    exact = parse_quantity(text, quantity) / scale
    if exact.denominator != 1:
        unit = next(name for name, size in quantity.units.items() if size == scale)
        raise ValueError(f"expected whole {unit}, found {text}")
    return int(exact)
