"""What follows ``|`` on a command line: filters of an output's lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

FILTERS = ("include", "exclude", "begin", "section", "no-more", "count")


class PipeError(ValueError):
    """There is no such filter, or its pattern is none."""


def filtered(text: str, pipe: str) -> str:
    """Give an output as a filter lets it through; abbreviations are taken.

    Raises:
        PipeError: There is no such filter, or its pattern is none.
    """
    word, _, pattern = pipe.partition(" ")
    names = [name for name in FILTERS if name.startswith(word)]
    if word in ("grep", "egrep"):
        names = ["include"]
    if not names or not word:
        raise PipeError(pipe)
    try:
        lines = _WAYS[names[0]](text.splitlines(), pattern.strip().strip("\"'"))
    except re.error as error:
        raise PipeError(pipe) from error
    return "".join(f"{line}\n" for line in lines)


def _include(lines: Sequence[str], pattern: str) -> list[str]:
    return [line for line in lines if re.search(pattern, line)]


def _exclude(lines: Sequence[str], pattern: str) -> list[str]:
    return [line for line in lines if not re.search(pattern, line)]


def _begin(lines: Sequence[str], pattern: str) -> list[str]:
    first = next((at for at, line in enumerate(lines) if re.search(pattern, line)), len(lines))
    return list(lines[first:])


def _section(lines: Sequence[str], pattern: str) -> list[str]:
    """Lines that match, with the more indented lines below each."""
    kept: list[str] = []
    inside: int | None = None
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if inside is not None and depth > inside:
            kept.append(line)
            continue
        inside = depth if re.search(pattern, line) else None
        if inside is not None:
            kept.append(line)
    return kept


def _whole(lines: Sequence[str], pattern: str) -> list[str]:
    del pattern
    return list(lines)


def _count(lines: Sequence[str], pattern: str) -> list[str]:
    del pattern
    return [str(len(lines))]


_WAYS: dict[str, Callable[[Sequence[str], str], list[str]]] = {
    "include": _include,
    "exclude": _exclude,
    "begin": _begin,
    "section": _section,
    "no-more": _whole,
    "count": _count,
}
