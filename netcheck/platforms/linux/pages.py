"""Splits transcripts: one text with a prompt before each output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from netcheck.model.document import Document
from netcheck.platforms.linux.forms import form_of

_PROMPT = re.compile(
    # a prompt, or what "set -x" shows of a script
    r"(?:(?:\[?[\w.\-]+@[\w.\-]+[^#$]*)?[#$]|\++) (?:cmd: )?(?:python3 )?"
    r"(?P<command>(?:\./|[a-z/])\S*( .*)?)"
)

_SHOWS_AFTER_SETTING = re.compile(r"(?:sudo )?mlnx_qos (?:-i|--interface)[ =](?P<port>\S+)")


def split_pages(document: Document) -> Iterator[Document]:
    """Split a transcript at its prompts; a text without any is one page.

    After a bare "#", which also starts comments, only a command that is read here counts.
    """
    if document.command:
        yield document
        return
    lines = document.text.splitlines(keepends=True)
    starts = [
        (number, match["command"])
        for number, line in enumerate(lines)
        if (match := _PROMPT.fullmatch(line.strip()))
        and (not line.startswith("# ") or _is_command(match["command"]))
    ]
    if not starts:
        yield document
        return
    if starts[0][0]:
        yield _page(document, "", lines[: starts[0][0]], 0)
    ends = [number for number, _ in starts[1:]] + [len(lines)]
    last = {_subject(command): number for number, command in starts}
    for (number, command), end in zip(starts, ends, strict=True):
        subject = _subject(command)
        if not subject or last[subject] == number:
            yield _page(document, command, lines[number + 1 : end], number + 1)


def _subject(command: str) -> str:
    """The port whose settings the command changes and shows: its last output stands."""
    match = _SHOWS_AFTER_SETTING.match(command)
    return match["port"] if match else ""


def _page(document: Document, command: str, lines: Iterable[str], before: int) -> Document:
    text = "".join(line for line in lines if not re.fullmatch(r"(# )?rc=\d+\s*", line))
    return Document(document.name, text, command, document.first_line + before, document.reading)


def _is_command(command: str) -> bool:
    return form_of(Document("", "", command)) is not None
