"""Ways in which one line of an output gets lost, or a whole output does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

WHOLE = 0


@dataclass(frozen=True, slots=True)
class Damage:
    """One damaged text; ``line`` counts from 1, or is ``WHOLE``."""

    line: int
    how: str
    text: str


def damages(text: str) -> Iterator[Damage]:
    """Every line deleted and cut at some places; the text ended early, and empty."""
    seen = {text}
    for damage in (*_whole(text), *_lines(text)):
        if damage.text not in seen:
            seen.add(damage.text)
            yield damage


def _whole(text: str) -> Iterator[Damage]:
    yield Damage(WHOLE, "emptied", "")
    for quarter in (1, 2, 3):
        yield Damage(WHOLE, f"ended after {quarter} of 4 parts", text[: len(text) * quarter // 4])


def _lines(text: str) -> Iterator[Damage]:
    lines = text.splitlines(keepends=True)
    for place, line in enumerate(lines):
        before, after = "".join(lines[:place]), "".join(lines[place + 1 :])
        yield Damage(place + 1, "deleted", before + after)
        body = line.rstrip("\r\n")
        for how, kept in _cuts(body):
            yield Damage(place + 1, how, before + kept + line[len(body) :] + after)


def _cuts(body: str) -> Iterator[tuple[str, str]]:
    yield "cut in the middle", body[: len(body) // 2]
    yield "without its last character", body[:-1]
    yield "without its last word", body.rpartition(" ")[0]
