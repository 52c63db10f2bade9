"""Redis dumps as ``sonic-db-dump`` prints them, read a row at a time.

A dump of COUNTERS_DB is by far the longest output of a switch, and nearly all
of it is plain: hashes of texts, one after the other. Here each is found by one
match and read by the C reader of ``json``; where a field stands is looked up
when somebody asks. Whatever is not that plain is left to ``read_json``, which
reads everything and says where a text breaks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from netcheck.platforms.sonic.parsed.tables import Cell, Source

_GAP: Final = r"[ \t\n\r]*"
_FLAT: Final = r'[^{}"\\]*(?:"[^"\\]*"[^{}"\\]*)*'
_OPEN: Final = re.compile(rf"{_GAP}\{{")
_ENTRY: Final = re.compile(
    rf'{_GAP}"(?P<key>[^"\\]*)"{_GAP}:{_GAP}'
    rf"(?P<hash>\{{{_FLAT}(?:(?P<value>\{{{_FLAT}\}}){_FLAT})?\}}){_GAP}(?P<after>[,}}])"
)
_END: Final = re.compile(r"\s*")
_WRAPPING: Final = frozenset({"expireat", "ttl", "type", "value"})
Pairs = list[tuple[str, object]]


class Hash(NamedTuple):
    """One redis key: where it stands, and the fields of its hash with where they begin."""

    key: str
    offset: int
    fields: dict[str, str]
    start: int


class _OtherwiseError(Exception):
    """The text is not as plain as this."""


def read_dump(text: str) -> list[Hash] | None:
    """Give the hashes of a dump in order; None where it is anything else.

    Example:
        >>> read_dump('{"A:b": {"type": "hash", "value": {"x": "1"}}}')
        [Hash(key='A:b', offset=1, fields={'x': '1'}, start=32)]
    """
    opened = _OPEN.match(text)
    if opened is None:
        return None
    try:
        return list(_hashes(text, opened.end()))
    except (_OtherwiseError, ValueError, RecursionError):
        return None


def _hashes(text: str, at: int) -> Iterator[Hash]:
    seen: set[str] = set()
    after = ","
    while after == ",":
        match = _ENTRY.match(text, at)
        if match is None or match["key"] in seen:
            raise _OtherwiseError
        seen.add(match["key"])
        yield _hash(match)
        at, after = match.end(), match["after"]
    if _END.fullmatch(text, at) is None:
        raise _OtherwiseError


def _hash(match: re.Match[str]) -> Hash:
    members = _DECODER.decode(match["hash"])
    start = match.start("hash")
    if members.keys() <= _WRAPPING and isinstance(members.get("value"), dict):
        members, start = members["value"], match.start("value")
    if not all(type(value) is str for value in members.values()):
        raise _OtherwiseError
    return Hash(match["key"], match.start("key") - 1, members, start)


def _unique(pairs: Pairs) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _OtherwiseError
    return members


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique)


class DumpedCells(Mapping[str, Cell]):
    """Fields of one hash; the place of a field is looked up when it is taken.

    Attributes:
        texts: ``field -> text``, where the place does not matter.
    """

    __slots__ = ("source", "start", "texts")

    def __init__(self, found: Hash, source: Source) -> None:
        self.texts = found.fields
        self.source = source
        self.start = found.start

    def __getitem__(self, name: str) -> Cell:
        text = self.texts[name]
        # No text holds a quote, so that what a colon follows is a field's name.
        place = re.compile(rf'"{re.escape(name)}"\s*:').search(
            self.source.document.text, self.start
        )
        return Cell(text, self.source, place.start() if place else self.start)

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)
