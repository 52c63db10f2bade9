"""JSON that remembers where each member stands, and says where it breaks.

``json.loads`` forgets positions, and a finding without a line is hard to act
on. Nothing is recovered from a text that breaks: what it would have said stays
unknown.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

_STRING: Final = r'"((?:[^"\\\x00-\x1f]|\\.)*)"'
_GAP: Final = r"[ \t\n\r]*"
_KEY: Final = re.compile(rf"{_GAP}{_STRING}{_GAP}:{_GAP}")
_TEXT: Final = re.compile(rf"{_STRING}{_GAP}")
# A whole member with a text, as nearly all are, and what follows it.
_PAIR: Final = re.compile(rf"{_GAP}{_STRING}{_GAP}:{_GAP}{_STRING}{_GAP}([,}}])")
_BARE: Final = re.compile(rf"(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null){_GAP}")
_SPACE: Final = re.compile(_GAP)
_COMMENT: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|(?m:^[ \t]*#[^\n]*)')
_CUT_OUT: Final = re.compile(rf'{_GAP}"[A-Z][A-Z0-9_]{{2,}}"{_GAP}:{_GAP}\{{')
# After the object: nothing, or the next prompt of a terminal.
_AFTER: Final = re.compile(r"\s*(?:[\w.\-]+@[\w.\-]+[^\n$#]*[$#]\s*(?:exit\s*)?)?")
_DEEPEST: Final = 32
_MARK: Final = "\ufeff"  # byte order mark that some editors put first


JsonValue: TypeAlias = "str | dict[str, Member] | list[Member]"


class Member(NamedTuple):
    """A value with the offset of its key (in an object) or of itself (in a list).

    Attributes:
        is_bare: The value was a number, a truth value or null, kept as its text.
    """

    value: JsonValue
    offset: int
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class JsonFault:
    """Where and why a text is no JSON."""

    offset: int
    reason: str


@dataclass(slots=True)
class JsonText:
    """What was read: the root, or the fault; and keys that stood twice in one object."""

    root: Member | None = None
    fault: JsonFault | None = None
    duplicates: list[tuple[str, int]] = field(default_factory=list)


class _BrokenError(Exception):
    """Ends the reading; carries the fault."""

    def __init__(self, offset: int, reason: str) -> None:
        self.fault = JsonFault(offset, reason)
        super().__init__(reason)


def read_json(text: str) -> JsonText:
    """Read a text; never raises on content.

    Example:
        >>> read_json('{"a": ').fault
        JsonFault(offset=6, reason='text ends inside an object')
    """
    result = _read(text)
    if result.fault is None:
        return result
    for plainer in (_without_comments(text), _inside_braces(text)):
        if plainer is not None:
            second = plainer if isinstance(plainer, JsonText) else _read(plainer)
            if second.fault is None:
                return second
    return result


def _without_comments(text: str) -> str | None:
    """Put blanks for comments, which people add to what they show; None where there are none."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else " " * len(match[0])

    plain = _COMMENT.sub(blank, text)
    return plain if plain != text else None


def _inside_braces(text: str) -> JsonText | None:
    """Read members cut out of an object, with or without a comma after the last."""
    if not is_cut_out(text):
        return None
    result = JsonText()
    body = text.rstrip()
    reader = _Reader(body.removesuffix(",") + "}", result.duplicates)
    try:
        members, end = reader.members(0)
    except _BrokenError as broken:
        result.fault = broken.fault
        return result
    if end < len(reader.text):  # an opening brace is missing
        result.fault = JsonFault(end, "text goes on after the end of the object")
    else:
        result.root = Member(members, 0)
    return result


def is_cut_out(text: str) -> bool:
    """Tell whether a text starts with a table and no brace, as when it is cut out of a file."""
    return _CUT_OUT.match(text) is not None


def _read(text: str) -> JsonText:
    result = JsonText()
    reader = _Reader(text, result.duplicates)
    try:
        start = reader.skip(len(_MARK) if text.startswith(_MARK) else 0)
        root, end = reader.value(start, 0)
    except _BrokenError as broken:
        result.fault = broken.fault
        return result
    if not _AFTER.fullmatch(text, end):
        result.fault = JsonFault(end, "text goes on after the end of the object")
    else:
        result.root = root
    return result


class _Reader:
    def __init__(self, text: str, duplicates: list[tuple[str, int]]) -> None:
        self.text = text
        self.duplicates = duplicates

    def skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int, key_at: int = -1) -> tuple[Member, int]:
        offset = key_at if key_at >= 0 else at
        first = self.text[at : at + 1]
        if first == '"':
            return self._text(at, offset)
        if first == "{":
            members, end = self._object(at + 1, depth + 1)
            return Member(members, offset), end
        if first == "[":
            items, end = self._list(at + 1, depth + 1)
            return Member(items, offset), end
        bare = _BARE.match(self.text, at)
        if bare is None:
            raise self._broken(at, "expected a value")
        return Member(bare[1], offset, is_bare=True), bare.end()

    def members(self, at: int) -> tuple[dict[str, Member], int]:
        """Read what stands inside an object, up to its end."""
        return self._object(at, 1)

    def _text(self, at: int, offset: int) -> tuple[Member, int]:
        match = _TEXT.match(self.text, at)
        if match is None:
            raise self._broken(at, "string does not end")
        return Member(self._plain(match[1], at), offset), match.end()

    def _object(self, at: int, depth: int) -> tuple[dict[str, Member], int]:
        self._check_depth(at, depth)
        members: dict[str, Member] = {}
        at = self.skip(at)
        if self.text.startswith("}", at):
            return members, self.skip(at + 1)
        while True:
            match = _PAIR.match(self.text, at)
            if match is not None and "\\" not in match[0]:
                key, text, delimiter = match.groups()
                key_at = match.start(1) - 1
                if key in members:
                    self.duplicates.append((key, key_at))
                members[key] = Member(text, key_at)
                at = match.end()
                if delimiter == "}":
                    return members, self.skip(at)
                continue
            match = _KEY.match(self.text, at)
            if match is None:
                raise self._broken(self.skip(at), "expected a key in an object")
            key_at = match.start(1) - 1
            key = self._plain(match[1], key_at)
            if key in members:
                self.duplicates.append((key, key_at))
            members[key], at = self.value(match.end(), depth, key_at)
            delimiter = self.text[at : at + 1]
            at += 1
            if delimiter == "}":
                return members, self.skip(at)
            if delimiter != ",":
                raise self._broken(at - 1, "expected a comma or the end of an object")

    def _list(self, at: int, depth: int) -> tuple[list[Member], int]:
        self._check_depth(at, depth)
        items: list[Member] = []
        at = self.skip(at)
        if self.text.startswith("]", at):
            return items, self.skip(at + 1)
        while True:
            item, at = self.value(self.skip(at), depth)
            items.append(item)
            delimiter = self.text[at : at + 1]
            at += 1
            if delimiter == "]":
                return items, self.skip(at)
            if delimiter != ",":
                raise self._broken(at - 1, "expected a comma or the end of a list")

    def _check_depth(self, at: int, depth: int) -> None:
        if depth > _DEEPEST:
            raise _BrokenError(at, f"nested deeper than {_DEEPEST} levels")

    def _plain(self, raw: str, at: int) -> str:
        if "\\" not in raw:
            return raw
        try:
            return str(json.loads(f'"{raw}"'))
        except ValueError:
            raise _BrokenError(at, "string holds a bad escape") from None

    def _broken(self, at: int, reason: str) -> _BrokenError:
        if at >= len(self.text):
            return _BrokenError(len(self.text), "text ends inside an object")
        return _BrokenError(at, reason)
