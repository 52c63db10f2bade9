"""Command lines against patterns: abbreviated words, number ranges, lists of numbers.

A pattern is words; ``<kind>`` stands for a value, ``a|b`` for one of several
words, ``[...]`` for what may be left out. How a value looks is said by its kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

REST = "<rest>"
_PART = re.compile(r"\[([^\]]*)\]|(\S+)")


class LineError(Exception):
    """A line is not taken.

    Attributes:
        name: Which refusal, as in ``data/refusals.yaml``.
        word: Index of the word at which the device stopped reading; None where it read all.
        values: What the refusal's words are filled with.
    """

    def __init__(self, refusal: str, word: int | None = None, /, **values: object) -> None:
        self.name = refusal
        self.word = word
        self.values = values
        super().__init__(refusal)


# a value's word in its canonical form
Kind = Callable[[str], str]
Kinds = Mapping[str, Kind]


@dataclass(frozen=True, slots=True)
class Match:
    """A line that fits a pattern.

    Attributes:
        words: Its words in full.
        exact: How many of the pattern's own words were typed in full.
    """

    words: tuple[str, ...]
    exact: int


@cache
def forms(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Every sequence of tokens that a pattern allows, longest first."""
    found: list[tuple[str, ...]] = [()]
    for part in _PART.finditer(pattern):
        if part[1] is None:
            found = [(*form, part[2]) for form in found]
        else:
            optional = tuple(part[1].split())
            found = [form + extra for extra in (optional, ()) for form in found]
    return tuple(sorted(found, key=len, reverse=True))


def match(words: tuple[str, ...], pattern: str, kinds: Kinds) -> Match:
    """Fit words to a pattern.

    Raises:
        LineError: They do not fit; of several reasons the one furthest on.
    """
    errors: list[LineError] = []
    for form in forms(pattern):
        try:
            return _fit(words, form, kinds)
        except LineError as error:
            errors.append(error)
    raise furthest(iter(errors))


def first_words(pattern: str) -> set[str]:
    """Words that a line of a pattern may begin with."""
    return set(pattern.split(maxsplit=1)[0].split("|"))


T = TypeVar("T")


def best(
    words: tuple[str, ...], patterns: Iterable[tuple[str, T]], kinds: Kinds
) -> tuple[T, Match]:
    """Give what belongs to the pattern that fits with most of its words typed in full.

    Raises:
        LineError: None fits, or several fit equally well and read the line differently.
    """
    found: list[tuple[T, Match]] = []
    errors: list[LineError] = []
    begun: set[str] = set()
    for pattern, item in patterns:
        begun |= {word for word in first_words(pattern) if word.startswith(words[0])}
        try:
            found.append((item, match(words, pattern, kinds)))
        except LineError as error:
            errors.append(error)
    if not found and len(begun) > 1 and words[0] not in begun:
        raise LineError("ambiguous-command", 0)
    if not found:
        raise furthest(iter(errors))
    top = max(fit.exact for _, fit in found)
    chosen = [pair for pair in found if pair[1].exact == top]
    if len({fit.words for _, fit in chosen}) > 1:
        raise LineError("ambiguous-command", 0)
    return chosen[0]


def _reach(error: LineError) -> int:
    """How far the device read before it stopped."""
    return 1_000 if error.word is None else error.word


def furthest(errors: Iterator[LineError]) -> LineError:
    """The reason of the pattern that fits the longest beginning of a line."""
    return max(errors, key=_reach, default=LineError("invalid-command", 0))


def _fit(words: tuple[str, ...], form: tuple[str, ...], kinds: Kinds) -> Match:
    found: list[str] = []
    exact = 0
    for index, token in enumerate(form):
        if index >= len(words):
            raise LineError("incomplete-command", index)
        if token == REST:
            return Match((*found, *words[index:]), exact)
        try:
            full = _word(words[index], token, kinds)
        except LineError as error:
            error.word = index
            raise
        exact += full == words[index] and not token.startswith("<")
        found.append(full)
    if len(words) > len(form):
        raise LineError("invalid-command", len(form))
    return Match(tuple(found), exact)


def _word(word: str, token: str, kinds: Kinds) -> str:
    if token.startswith("<"):
        return kinds[token[1:-1]](word)
    choices = token.split("|")
    if word in choices:
        return word
    begun = [choice for choice in choices if choice.startswith(word.lower())]
    if len(begun) > 1:
        raise LineError("ambiguous-command")
    if not begun:
        raise LineError("invalid-command")
    return begun[0]


def is_number(word: str) -> bool:
    """The word is a whole number as a command line takes it."""
    return word.isascii() and word.isdigit()


def number(name: str, low: int, high: int) -> Kind:
    """A kind: a number of a range, refused under a name."""

    def read(word: str) -> str:
        if not is_number(word):
            raise LineError("invalid-command")
        if not low <= int(word) <= high:
            raise LineError(name, low=low, high=high)
        return str(int(word))

    return read


def number_list(name: str, high: int, names: Mapping[str, int] | None = None) -> Kind:
    """A kind: numbers of ``0..high``, ranges and names, with commas between them."""
    called = names or {}

    def read(word: str) -> str:
        found: set[int] = set()
        for part in word.split(","):
            low, _, top = part.partition("-")
            ends = [str(called.get(end, end)) for end in ((low, top) if top else (low, low))]
            if not all(is_number(end) for end in ends):
                raise LineError("invalid-command")
            if int(ends[1]) > high or int(ends[0]) > int(ends[1]):
                raise LineError(name, low=0, high=high)
            found |= set(range(int(ends[0]), int(ends[1]) + 1))
        return compact(found)

    return read


def compact(numbers: set[int]) -> str:
    """Numbers as NX-OS writes them: ``1-2,4``."""
    runs: list[list[int]] = []
    for value in sorted(numbers):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def numbers_of(text: str) -> set[int]:
    """The numbers of ``1-2,4``."""
    found: set[int] = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        found |= set(range(int(low), int(high or low) + 1))
    return found
