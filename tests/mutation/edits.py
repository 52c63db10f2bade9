"""Every line of a text deleted, every number in it changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

# a number by itself or at the end of a name; not inside a hexadecimal word or a version
NUMBER = re.compile(r"(?<![0-9A-Za-z.])([A-Za-z/:_-]*?)(\d+)(?![0-9.]*[A-Fa-f][0-9a-f])")
SKIPPED = ("#", "!", "set -eu")


@dataclass(frozen=True)
class Edit:
    """One changed text; ``line`` counts from 1."""

    line: int
    how: str
    text: str


def edits(text: str) -> Iterator[Edit]:
    """Give each change of a text; JSON stays JSON."""
    lines = text.splitlines(keepends=True)
    is_json = text.lstrip().startswith("{")
    for place, line in enumerate(lines):
        if not line.strip() or line.strip().startswith(SKIPPED):
            continue
        before, after = "".join(lines[:place]), "".join(lines[place + 1 :])
        deleted = _whole(before, after) if is_json else before + after
        if deleted is not None:
            yield Edit(place + 1, "deleted", deleted)
        for how, other in _numbers(line):
            yield Edit(place + 1, how, before + other + after)


def _whole(before: str, after: str) -> str | None:
    """JSON from which a line is gone; None where the line opened or closed something."""
    without_comma = re.sub(r",(\s*)$", r"\1", before)
    for text in (before + after, without_comma + after):
        try:
            json.loads(text)
        except ValueError:
            continue
        return text
    return None


def _numbers(line: str) -> Iterator[tuple[str, str]]:
    for found in NUMBER.finditer(line):
        number = int(found[2])
        start, end = found.span(2)
        for how, other in (
            ("one more", number + 1),
            ("one less", number - 1),
            ("halved", number // 2),
        ):
            if other >= 0 and other != number:
                yield f"{found[2]} {how}", f"{line[:start]}{other}{line[end:]}"
