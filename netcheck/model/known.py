"""Facts that may be missing: a value, ABSENT, or UNKNOWN.

A stored fact is ``Known[T]``: the value itself, ``ABSENT`` (known not to be
there) or ``UNKNOWN`` (no evidence). Stored facts compare and hash like plain
values. Reading an UNKNOWN raises, so that no check takes silence for a pass.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeGuard, TypeVar, Union

from netcheck.model.errors import NetcheckError

T = TypeVar("T")


class Missing(Enum):
    """The two ways in which a fact is not a value."""

    ABSENT = "absent"
    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        """Give the bare word, as it is written in code and messages."""
        return self.name

    __str__ = __repr__
    # each is one object, and hashed for every fact that is compared
    __hash__ = object.__hash__


ABSENT: Final = Missing.ABSENT
UNKNOWN: Final = Missing.UNKNOWN

Known = Union[T, Literal[Missing.ABSENT, Missing.UNKNOWN]]  # noqa: UP007 -- `|` cannot build a generic alias from a TypeVar on 3.11


class UnknownFactError(NetcheckError, LookupError):
    """A fact was read for which there is no evidence.

    Attributes:
        fact: Name of the field that was read.
        place: Where it was read, for the message; may be empty.
    """

    def __init__(self, fact: str, place: str = "") -> None:
        self.fact = fact
        self.place = place
        super().__init__(f"{place} {fact}: no evidence".strip())


class AbsentFactError(NetcheckError, LookupError):
    """A single-valued fact was read that is known not to be there."""

    def __init__(self, fact: str, place: str = "") -> None:
        self.fact = fact
        self.place = place
        super().__init__(f"{place} {fact}: absent".strip())


def is_known(value: Known[T]) -> TypeGuard[T]:
    """Tell whether there is a value (neither ABSENT nor UNKNOWN)."""
    return not isinstance(value, Missing)


def read(value: Known[T], fact: str, place: str = "") -> T:
    """Give the plain value of a fact.

    Raises:
        UnknownFactError: There is no evidence.
        AbsentFactError: The fact is known not to be there.
    """
    if value is UNKNOWN:
        raise UnknownFactError(fact, place)
    if value is ABSENT:
        raise AbsentFactError(fact, place)
    return value


def read_or(value: Known[T], default: T, fact: str, place: str = "") -> T:
    """Give the value, or ``default`` when it is known to be absent.

    Raises:
        UnknownFactError: There is no evidence.
    """
    return default if value is ABSENT else read(value, fact, place)


def known_or(value: Known[T], default: T) -> T:
    """Give the value, or ``default`` for ABSENT and UNKNOWN alike.

    For display and for rendering of completed intents only: a check that
    uses it would take missing evidence for the default.
    """
    return value if is_known(value) else default


def first_known(*values: Known[T]) -> Known[T]:
    """Give the first fact that is not UNKNOWN, else UNKNOWN."""
    return next((value for value in values if value is not UNKNOWN), UNKNOWN)
