"""Facts of the model as an intent writes them; None is not said."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from netcheck.intent.inferred.layout import Tree
from netcheck.model.known import ABSENT, Known, is_known

T = TypeVar("T")
SPEED_UNITS = ((10**9, "G"), (10**6, "M"), (10**3, "K"))


def said(**values: Any) -> Tree:  # Any: values of a mapping are of every kind
    """The items that say something."""
    return {key: value for key, value in values.items() if value not in (None, {}, [])}


def value(fact: Known[T], written: Callable[[T], object] = lambda one: one) -> object:
    """A fact as ``written`` writes it."""
    return written(fact) if is_known(fact) else None


def word(fact: Known[Any]) -> object:  # Any: of every enumeration, text and number
    """A text, a number, or a member of an enumeration by its word."""
    return value(fact, lambda one: one.value if isinstance(one, StrEnum) else one)


def words(fact: Known[tuple[str, ...]]) -> object:
    """One text, or a list of them."""
    return value(fact, lambda names: names[0] if len(names) == 1 else list(names))


def flag(fact: Known[bool]) -> object:
    """On or off."""
    return value(fact, lambda one: "on" if one else "off")


def size(fact: Known[int]) -> object:
    """Bytes."""
    return value(fact, lambda one: f"{one}B")


def speed(fact: Known[int]) -> object:
    """Bits per second, in the largest unit that leaves a whole number."""
    return value(fact, _in_bits)


def _in_bits(speed_bps: int) -> str:
    scale, unit = next((one for one in SPEED_UNITS if speed_bps % one[0] == 0), (1, "bps"))
    return f"{speed_bps // scale}{unit}"


def share(fact: Known[int]) -> object:
    """Percent."""
    return value(fact, lambda one: f"{one}%")


def milliseconds(fact: Known[int]) -> object:
    """Milliseconds."""
    return value(fact, lambda one: f"{one}ms")


def length(fact: Known[float] | Known[int]) -> object:
    """Metres."""
    return value(fact, lambda one: f"{one:g}m")


def number(fact: Known[int], digits: int = 16) -> object:
    """A GUID, prefix or key, in hexadecimal digits."""
    return value(fact, lambda one: f"0x{one:0{digits}x}")


def or_none(fact: Known[Any]) -> object:  # Any: as in word
    """A fact that can be said not to be there."""
    return "none" if fact is ABSENT else word(fact)
