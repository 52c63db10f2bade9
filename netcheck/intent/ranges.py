"""Ranges in names and values: ``leaf[01-16]``, ``Ethernet[0-504:8]``, ``[1,3,5-8]``.

Each range of a key is an axis. A range in a value runs in lockstep with the
nearest axis of its length that no earlier range of the same value has taken:
first the axes of its own key, then those of the enclosing keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import prod

from netcheck.model.frozen import frozen

MAX_NAMES = 200_000
_RANGE = re.compile(r"\[([0-9]+(?:-[0-9]+(?::[0-9]+)?)?(?:,[0-9]+(?:-[0-9]+(?::[0-9]+)?)?)*)\]")
_MAX_DIGITS = 9
_KEPT_NAMES = 4096


class RangeError(ValueError):
    """A range that cannot be expanded."""


@frozen
class Axis:
    """A range of a key and where in it we are."""

    length: int
    index: int


Axes = tuple[Axis, ...]


@frozen
class Pattern:
    """A text with ranges: ``literals`` around ``columns`` of equal standing."""

    literals: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]

    @property
    def count(self) -> int:
        """How many texts it stands for."""
        return prod(len(column) for column in self.columns)

    def at(self, indices: tuple[int, ...]) -> str:
        """Give the text for one index a range."""
        parts = [self.literals[0]]
        for column, index, literal in zip(self.columns, indices, self.literals[1:], strict=True):
            parts += (column[index], literal)
        return "".join(parts)


@frozen
class _Term:
    """One run of numbers, not yet written out."""

    numbers: range
    width: int


def _term(text: str) -> _Term:
    first, _, rest = text.partition("-")
    last, _, step = rest.partition(":")
    if max(len(first), len(last), len(step)) > _MAX_DIGITS:
        raise RangeError(f"[{text}]: expected numbers of at most {_MAX_DIGITS} digits")
    low, high, stride = int(first), int(last or first), int(step or 1)
    if stride == 0:
        raise RangeError(f"[{text}]: expected a step of at least 1")
    if high < low:
        raise RangeError(f"[{text}]: runs downwards, expected [{last}-{first}]")
    if (high - low) % stride:
        end = high - (high - low) % stride
        raise RangeError(
            f"[{text}]: does not end on its last number, expected [{first}-{end}:{step}]"
        )
    return _Term(range(low, high + 1, stride), len(first) if first.startswith("0") else 0)


@lru_cache(maxsize=1024)
def parse_pattern(text: str) -> Pattern:
    """Split a text into literals and ranges.

    Raises:
        RangeError: A range runs downwards, misses its end or is too long.

    Example:
        >>> parse_pattern("leaf[01-03]").columns
        (('01', '02', '03'),)
    """
    pieces = _RANGE.split(text)
    terms = [[_term(term) for term in piece.split(",")] for piece in pieces[1::2]]
    if prod(sum(len(term.numbers) for term in column) for column in terms) > MAX_NAMES:
        raise RangeError(f"{text}: stands for more than {MAX_NAMES} names")
    columns = tuple(
        tuple(str(number).zfill(term.width) for term in column for number in term.numbers)
        for column in terms
    )
    return Pattern(tuple(pieces[::2]), columns)


def expand(text: str) -> tuple[tuple[str, Axes], ...]:
    """Give every name that a key stands for, with its place on each axis.

    The last range runs fastest. Several ranges in one key add an axis for
    the whole key, so that a value may run through all its names.

    Raises:
        RangeError: As for ``parse_pattern``.

    Example:
        >>> [name for name, _ in expand("e[1-2]/[1-2]")]
        ['e1/1', 'e1/2', 'e2/1', 'e2/2']
    """
    is_small = parse_pattern(text).count <= _KEPT_NAMES
    return _expand_small(text) if is_small else tuple(_expand(text))


@lru_cache(maxsize=256)
def _expand_small(text: str) -> tuple[tuple[str, Axes], ...]:
    return tuple(_expand(text))


def _expand(text: str) -> Iterator[tuple[str, Axes]]:
    pattern = parse_pattern(text)
    lengths = [len(column) for column in pattern.columns]
    for number, indices in enumerate(product(*(range(length) for length in lengths))):
        axes = tuple(Axis(*pair) for pair in zip(lengths, indices, strict=True))
        if len(lengths) > 1:
            axes += (Axis(pattern.count, number),)
        yield pattern.at(indices), axes


def choose(text: str, axes: Axes) -> str:
    """Give the value for one place on the axes, nearest axis first.

    Raises:
        RangeError: A range has no axis of its length.

    Example:
        >>> choose("10.[100-107].0.[1-3]", (Axis(8, 2), Axis(3, 0)))
        '10.102.0.1'
    """
    if "[" not in text:
        return text
    chosen = _axes_of(text, tuple(axis.length for axis in axes))
    return parse_pattern(text).at(tuple(axes[number].index for number in chosen))


def bind(text: str, own: Axes, outer: Axes) -> tuple[Pattern, tuple[int, ...]]:
    """Choose what runs with the own axes; give the rest and the outer axes that it runs with.

    Raises:
        RangeError: A range has no axis of its length.

    Example:
        >>> bind("10.[1-8].0.[1-3]", (Axis(8, 2),), (Axis(3, 0),))
        (Pattern(literals=('10.3.0.', ''), columns=(('1', '2', '3'),)), (0,))
    """
    pattern = parse_pattern(text)
    chosen = _axes_of(text, tuple(axis.length for axis in own + outer))
    literals, columns, numbers = [pattern.literals[0]], [], []
    for column, number, literal in zip(pattern.columns, chosen, pattern.literals[1:], strict=True):
        if number < len(own):
            literals[-1] += column[own[number].index] + literal
        else:
            columns.append(column)
            numbers.append(number - len(own))
            literals.append(literal)
    return Pattern(tuple(literals), tuple(columns)), tuple(numbers)


def axes_used(text: str, lengths: tuple[int, ...]) -> tuple[int, ...] | None:
    """Give the numbers of the axes that the ranges of a value run with; None if one has none."""
    try:
        return _axes_of(text, lengths)
    except RangeError:
        return None


@lru_cache(maxsize=1024)
def _axes_of(text: str, lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Number of the axis that each range of a value runs with."""
    chosen: list[int] = []
    for column in parse_pattern(text).columns:
        matching = [number for number, length in enumerate(lengths) if length == len(column)]
        if not matching:
            have = ", ".join(map(str, lengths)) or "none"
            raise RangeError(
                f"{text}: a range of {len(column)} has no range of the same length"
                f" in its key or device (lengths there: {have})"
            )
        free = [number for number in matching if number not in chosen]
        chosen.append((free or matching)[0])
    return tuple(chosen)


def lockstep(a: str, b: str) -> list[tuple[str, str, Axes]]:
    """Pair what two texts stand for, with the place on the axes of ``a``.

    Where every range of one side has a range of its length on the other,
    those run together; else both sides are counted through in order.

    Raises:
        RangeError: The two stand for different numbers of names.

    Example:
        >>> [pair[:2] for pair in lockstep("g[1-2]:r0", "leaf1:e[0-8:8]")]
        [('g1:r0', 'leaf1:e0'), ('g2:r0', 'leaf1:e8')]
    """
    left, right = parse_pattern(a), parse_pattern(b)
    if left.count != right.count:
        raise RangeError(f"{a} stands for {left.count} ends and {b} for {right.count}")
    names = expand(a)
    partners = _partners(left, right)
    if partners is None:
        return [(x, y, axes) for (x, axes), (y, _) in zip(names, expand(b), strict=True)]
    return [(x, right.at(tuple(axes[n].index for n in partners)), axes) for x, axes in names]


def _partners(left: Pattern, right: Pattern) -> list[int] | None:
    """For each range of ``right`` the range of ``left`` it runs with; None if they do not pair."""
    free = [len(column) for column in left.columns]
    found = []
    for column in right.columns:
        if len(column) not in free:
            return None
        found.append(free.index(len(column)))
        free[found[-1]] = -1
    return found if all(length == -1 for length in free) else None
