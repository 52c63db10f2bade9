"""Patterns of command lines: words, ranges, choices; matched with abbreviations.

A pattern is a line of:

- ``mtu``: a keyword; any beginning of it is taken where it is unambiguous;
- ``<0-7>``, ``<0.01-60>``: a number in bounds, whole unless a bound has a point;
- ``NAME``, ``PORT`` (capitals): one word of a kind; ``kinds`` gives for each kind
  a function from the word to its full form, or None where it is not of the kind;
- ``LINE``: all words that are left;
- ``[a b]``: may be missing; ``(a|b c)``: one of these; ``...`` after a word: once or more;
- ``=``: what stands before it says what the line sets, what follows is the value.

Example:
    >>> found = Pattern("mtu = <68-9214>").match(["mt", "9214"], {})
    >>> (found.words, found.key, found.values)
    (('mtu', '9214'), 'mtu', ('9214',))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

Kinds = Mapping[str, Callable[[str], str | None]]
_TOKEN = re.compile(r"[\[\](|)]|\.\.\.|[^\s\[\](|)]+?(?=\.\.\.)|[^\s\[\](|)]+")
_RANGE = re.compile(r"<(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)>")


@dataclass(frozen=True, slots=True)
class Match:
    """A line that a pattern takes.

    Attributes:
        words: The line with every word in full.
        values: Those words that are no keywords.
        key: What the line sets: its words before ``=``, or all.
        exact: How many keywords were typed in full.
    """

    words: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    key: str = ""
    exact: int = 0

    @property
    def line(self) -> str:
        """The line with every word in full."""
        return " ".join(self.words)


@dataclass(slots=True)
class _Reach:
    """How far any attempt at a line came."""

    words: Sequence[str]
    kinds: Kinds
    is_prefix: bool = False
    furthest: int = 0


@dataclass(frozen=True, slots=True)
class _Word:
    text: str

    def attempts(self, at: int, found: Match, reach: _Reach) -> Iterator[tuple[int, Match]]:
        if self.text == "=":
            yield at, replace(found, key=" ".join(found.words))
            return
        if self.text == "LINE" and at < len(reach.words):
            rest = tuple(reach.words[at:])
            yield len(reach.words), _grown(found, *rest, is_value=True)
            return
        reach.furthest = max(reach.furthest, at)
        if at == len(reach.words):
            if reach.is_prefix and found.key:
                yield at, found
            return
        word = reach.words[at]
        full = self._full(word, reach.kinds)
        if full is not None:
            reach.furthest = max(reach.furthest, at + 1)
            is_value = self._is_value
            grown = _grown(found, full, is_value=is_value)
            is_exact = not is_value and full.lower() == word.lower()
            yield at + 1, replace(grown, exact=found.exact + is_exact)

    @property
    def _is_value(self) -> bool:
        return self.text.isupper() or self.text.startswith("<")

    def _full(self, word: str, kinds: Kinds) -> str | None:
        bounds = _RANGE.fullmatch(self.text)
        if bounds:
            return word if _is_within(word, bounds[1], bounds[2]) else None
        if self.text.isupper():
            return kinds[self.text](word)
        return self.text if self.text.lower().startswith(word.lower()) else None


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: tuple[_Part, ...]

    def attempts(self, at: int, found: Match, reach: _Reach) -> Iterator[tuple[int, Match]]:
        if not self.parts:
            yield at, found
            return
        rest = _Sequence(self.parts[1:])
        for place, grown in self.parts[0].attempts(at, found, reach):
            yield from rest.attempts(place, grown, reach)


@dataclass(frozen=True, slots=True)
class _Choice:
    choices: tuple[_Sequence, ...]

    def attempts(self, at: int, found: Match, reach: _Reach) -> Iterator[tuple[int, Match]]:
        for choice in self.choices:
            yield from choice.attempts(at, found, reach)


@dataclass(frozen=True, slots=True)
class _Repeated:
    part: _Part

    def attempts(self, at: int, found: Match, reach: _Reach) -> Iterator[tuple[int, Match]]:
        for place, grown in self.part.attempts(at, found, reach):
            if place > at:
                yield from self.attempts(place, grown, reach)
            yield place, grown


_Part = _Word | _Sequence | _Choice | _Repeated


def _grown(found: Match, *words: str, is_value: bool) -> Match:
    values = found.values + words if is_value else found.values
    return replace(found, words=found.words + words, values=values)


def _is_within(word: str, low: str, high: str) -> bool:
    is_decimal = "." in low + high
    if not re.fullmatch(r"\d+(\.\d+)?" if is_decimal else r"\d+", word):
        return False
    return float(low) <= float(word) <= float(high)


@dataclass(frozen=True)
class Pattern:
    """A pattern as above."""

    text: str

    @cached_property
    def _sequence(self) -> _Sequence:
        tokens = _TOKEN.findall(self.text)
        choices = _read(tokens)
        if tokens or len(choices) != 1:
            raise ValueError(f"pattern cannot be read: {self.text}")
        return choices[0]

    @cached_property
    def has_value(self) -> bool:
        """It tells what it sets from the value."""
        return "=" in self.text.split()

    def match(self, words: Sequence[str], kinds: Kinds) -> Match | None:
        """Give the best match of a whole line; None without one."""
        return self.attempt(words, kinds)[0]

    def attempt(self, words: Sequence[str], kinds: Kinds) -> tuple[Match | None, int]:
        """Give the best match of a whole line, and how many words were understood."""
        reach = _Reach(words, kinds)
        whole = self._whole(reach)
        return max(whole, key=lambda found: found.exact, default=None), reach.furthest

    def match_setting(self, words: Sequence[str], kinds: Kinds) -> Match | None:
        """Match what a line sets, its value whole, in part or missing, as after ``no``."""
        reach = _Reach(words, kinds, is_prefix=self.has_value)
        return max(self._whole(reach), key=lambda found: found.exact, default=None)

    def _whole(self, reach: _Reach) -> list[Match]:
        return [
            found if found.key else replace(found, key=found.line)
            for place, found in self._sequence.attempts(0, Match(), reach)
            if place == len(reach.words)
        ]


def _read(pieces: list[str]) -> list[_Sequence]:
    """Read choices up to the bracket that ends them, or to the end."""
    choices: list[list[_Part]] = [[]]
    while pieces and pieces[0] not in ("]", ")"):
        piece = pieces.pop(0)
        if piece == "|":
            choices.append([])
        elif piece == "...":
            choices[-1][-1] = _Repeated(choices[-1][-1])
        elif piece in ("[", "("):
            inner = _read(pieces)
            pieces.pop(0)
            empty = (_Sequence(()),) if piece == "[" else ()
            choices[-1].append(_Choice((*inner, *empty)))
        else:
            choices[-1].append(_Word(piece))
    return [_Sequence(tuple(parts)) for parts in choices]


@dataclass
class LineError(Exception):
    """A line that nothing takes.

    Attributes:
        reason: ``invalid``, ``incomplete`` or ``ambiguous``.
        at: Index of the first word that is not understood.
    """

    reason: str
    at: int
    words: Sequence[str] = field(default_factory=tuple)
