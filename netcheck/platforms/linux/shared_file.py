"""Our part of a file that others write to: a block between two marks, and the variables in it."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from netcheck.model.errors import InputError
from netcheck.platforms.linux.render import BLOCK_BEGIN, BLOCK_END

_VARIABLE = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w*)\s*=")


@dataclass(frozen=True, slots=True)
class Merged:
    """The new text of the file, and the lines of others that ours replace."""

    text: str
    replaced: tuple[str, ...] = ()


def decode(text: str) -> str:
    """Give the file that base64 shows; bytes that are no UTF-8 are kept as they are.

    Raises:
        InputError: The text is not base64.
    """
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(f"/etc/nccl.conf: unreadable: {error}") from error
    return data.decode("utf-8", "surrogateescape")


def merge(held: str | None, block: str) -> Merged:
    r"""Put our block into the file; every line that is not ours keeps its bytes.

    Ours are the lines of an older block, and lines that set a variable of the
    new one: NCCL takes the first setting it finds, so one of them above the
    block would win.

    Raises:
        InputError: A block begins and does not end.

    Example:
        >>> merge("A=1\n", "# netcheck begin\nB=2\n# netcheck end\n").text
        'A=1\n# netcheck begin\nB=2\n# netcheck end\n'
    """
    lines = (held or "").splitlines(keepends=True)
    begin, end = _block(lines)
    ours = {match[1] for line in block.splitlines() if (match := _VARIABLE.match(line))}
    before, before_replaced = _without(lines[:begin], ours)
    after, after_replaced = _without(lines[end:], ours)
    if before and not before[-1].endswith("\n"):
        before[-1] += "\n"
    text = "".join([*before, block, *after])
    return Merged(text, (*before_replaced, *after_replaced))


def _block(lines: list[str]) -> tuple[int, int]:
    """Give where the block begins and where it has ended; the end of the file without one."""
    marks = [line.strip() for line in lines]
    if BLOCK_BEGIN not in marks:
        return len(lines), len(lines)
    begin = marks.index(BLOCK_BEGIN)
    if BLOCK_END not in marks[begin:]:
        raise InputError(f"/etc/nccl.conf: line {begin + 1}: {BLOCK_BEGIN!r} without an end")
    return begin, marks.index(BLOCK_END, begin) + 1


def _without(lines: list[str], variables: set[str]) -> tuple[list[str], list[str]]:
    kept, replaced = [], []
    for line in lines:
        match = _VARIABLE.match(line)
        if match and match[1] in variables:
            replaced.append(line.rstrip("\r\n"))
        else:
            kept.append(line)
    return kept, replaced
