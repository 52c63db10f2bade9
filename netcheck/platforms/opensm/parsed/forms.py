"""Which of the subnet manager's files a text is, by its content and by its name."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from netcheck.model.document import Document
from netcheck.model.known import UNKNOWN, Known
from netcheck.platforms.opensm.dialects import family_builds, keys, nearest
from netcheck.platforms.opensm.parsed.processes import PROCESS


class Form(StrEnum):
    """One kind of file."""

    OPTIONS = "opensm.conf"
    STRAY = "stray opensm.conf"
    PARTITIONS = "partitions.conf"
    POLICY = "qos-policy.conf"
    ROOTS = "root GUIDs"
    COMPUTE = "compute GUIDs"
    IO = "I/O GUIDs"
    GUIDS = "GUIDs"
    NAMES = "node-name map"
    PROCESSES = "processes"


_JSON: Final = re.compile(r"\s*(?:\{|\[\s*[\[{\"\]])")
_SAMPLE: Final = 200  # lines that are looked at
_POLICY: Final = re.compile(r"^\s*(?:qos-ulps|port-groups|qos-levels|qos-match-rules|qos-setup)\b")
_STATEMENT: Final = re.compile(
    r"^\s*[\w .\"-]*=\s*0[xX][0-9a-fA-F]+\s*(?:,[^:]*)?:(?:[^/].*)?$|^\s*\w+\s*=\s*\d+\s*,.*:.*;"
)
_GUID_LINE: Final = re.compile(r"^\s*0[xX][0-9a-fA-F]{8,16}\s*$")
_NAME_LINE: Final = re.compile(r'^\s*0[xX][0-9a-fA-F]{8,16}\s+"[^"]*"\s*(?:#.*)?$')
_OPTION_LINE: Final = re.compile(r"^([A-Za-z_][\w=]*)\s*(?:[ \t]\s*(.*))?$")
_STRAY_NAME: Final = re.compile(r"opensm\.conf.+")
_BUILD: Final = re.compile(r"# subnet .*, build (\w+)\n")
_BY_NAME: Final = (
    (re.compile(r"opensm(?:[-_.]\w+)?\.conf(?:\.txt)?"), Form.OPTIONS),
    (_STRAY_NAME, Form.STRAY),
    (re.compile(r".*partitions?.*\.conf.*"), Form.PARTITIONS),
    (re.compile(r"qos(?:[-_]?policy)?\.conf.*"), Form.POLICY),
    (re.compile(r".*\broots?\b.*|.*root[-_]?guid.*"), Form.ROOTS),
    (re.compile(r".*\b(?:io|storage)[-_]?(?:guid|node).*"), Form.IO),
    (re.compile(r".*\b(?:cn|compute|ca)[-_]?(?:guid|node).*"), Form.COMPUTE),
    (re.compile(r".*node[-_]?name[-_]?map.*"), Form.NAMES),
)
GUID_FORMS: Final = frozenset({Form.ROOTS, Form.COMPUTE, Form.IO, Form.GUIDS})


def base_name(document: Document) -> str:
    """Give the file's name without its folders."""
    return document.name.rpartition("/")[2]


def form_of(document: Document) -> Form | None:
    """Give what a text is; None where it is none of the subnet manager's files."""
    if _JSON.match(document.text) or base_name(document).endswith(".dump"):
        return None  # of another kind, or written by OpenSM and not for it
    named = named_form(document)
    lines = _content(document.text)
    found = _by_content(lines)
    if found is None and base_name(document) == Form.OPTIONS:
        return Form.OPTIONS  # whatever it holds, OpenSM reads it
    if found is Form.OPTIONS and named is Form.STRAY:
        return Form.STRAY
    if found in {None, Form.GUIDS} and named is not None and _may_be(named, lines, found):
        return named
    return found


def build_in(text: str) -> Known[str]:
    """Give the build that the first comment of a rendered file names."""
    found = _BUILD.match(text)
    return found[1] if found else UNKNOWN


def named_form(document: Document) -> Form | None:
    """Give what a file is called for; None where its name does not tell."""
    name = base_name(document).lower()
    return next((form for pattern, form in _BY_NAME if pattern.fullmatch(name)), None)


def _content(text: str) -> list[str]:
    raw = text.split("\n", _SAMPLE)[:_SAMPLE]
    lines = (line.rstrip() if _NAME_LINE.match(line) else line.partition("#")[0] for line in raw)
    return [line for line in lines if line.strip()]


def _by_content(lines: list[str]) -> Form | None:
    if not lines:
        return None
    if any(_POLICY.match(line) for line in lines[:3]):
        return Form.POLICY
    if any(PROCESS.match(line) for line in lines):
        return Form.PROCESSES
    for pattern, form in ((_GUID_LINE, Form.GUIDS), (_NAME_LINE, Form.NAMES)):
        if all(pattern.match(line) for line in lines):
            return form
    if _STATEMENT.match(lines[0]):
        return Form.PARTITIONS
    return Form.OPTIONS if _are_options(lines) else None


def _are_options(lines: list[str]) -> bool:
    """Most lines are options that some build knows, or nearly."""
    words = [found[1] for line in lines if (found := _OPTION_LINE.match(line))]
    if len(words) * 10 < len(lines) * 8:
        return False
    exact = sum(word in keys() for word in words)
    near = exact + sum(bool(family_builds(word)) for word in words)
    distinct = [word for word in words if word in keys() and "_" in word]
    if len(words) == len(lines) == 1:
        return bool(distinct) or any(_is_of_family(word) for word in words)
    return bool(distinct) and near * 2 >= len(words)


def _is_of_family(word: str) -> bool:
    return bool(family_builds(word)) and "_" in word


def _may_be(named: Form, lines: list[str], found: Form | None) -> bool:
    """A name tells only where the text does not speak against it."""
    if named in {Form.OPTIONS, Form.STRAY}:
        return any(word in keys() or nearest(word) for word in _first_words(lines)) or not lines
    if named in GUID_FORMS:
        return found is Form.GUIDS or all(len(line.split()) == 1 for line in lines)
    return True


def _first_words(lines: list[str]) -> list[str]:
    return [line.split()[0] for line in lines[:20]]
