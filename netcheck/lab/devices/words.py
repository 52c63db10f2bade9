"""The shell's grammar: a command line as pipelines of words, redirections and connectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Quote(Enum):
    """How a piece of a word was quoted."""

    BARE = 0
    DOUBLE = 1
    SINGLE = 2


Word = list[tuple[Quote, str]]
OPERATORS = ("&&", "||", "2>&1", "2>>", "&>", ">>", "2>", ";;", ";", "|", "&", ">", "<", "(", ")")
ENDS = ("&&", "||", ";", "&", "\n")


class ShellSyntaxError(ValueError):
    """A line that the shell cannot parse."""


@dataclass(slots=True)
class Simple:
    """One command: its words and ``(operator, target)`` redirections."""

    words: list[Word] = field(default_factory=list)
    redirections: list[tuple[str, Word]] = field(default_factory=list)
    group: list[Item] | None = None


@dataclass(slots=True)
class Item:
    """A pipeline and what has to hold for it to run: ``;`` always, ``&&``, ``||``."""

    connector: str
    pipeline: list[Simple]
    negated: bool = False
    in_background: bool = False


def tokens(text: str) -> list[str | Word]:
    """Split a text into operators (strings) and words (lists of quoted pieces).

    Raises:
        ShellSyntaxError: A quote is not closed.
    """
    found: list[str | Word] = []
    word: Word | None = None
    place = 0
    while place < len(text):
        character = text[place]
        if character in " \t\n":
            _finish(found, word)
            word = None
            if character == "\n":
                found.append("\n")
            place += 1
        elif character == "#" and word is None:
            place = _line_end(text, place)
        elif operator := _operator(text, place, word):
            _finish(found, word)
            word = None
            found.append(operator)
            place += len(operator)
        else:
            piece, place = _piece(text, place)
            word = word if word is not None else []
            if piece is not None:
                word.append(piece)
    _finish(found, word)
    return found


def _finish(found: list[str | Word], word: Word | None) -> None:
    if word is not None:
        found.append(word)


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _operator(text: str, place: int, word: Word | None) -> str:
    for operator in OPERATORS:
        if text.startswith(operator, place) and not (operator[0] == "2" and word is not None):
            return operator
    return ""


def _piece(text: str, place: int) -> tuple[tuple[Quote, str] | None, int]:
    character = text[place]
    if character == "'":
        end = _closing(text, place + 1, "'")
        return (Quote.SINGLE, text[place + 1 : end]), end + 1
    if character == '"':
        return _double(text, place + 1)
    if character == "\\":
        if text[place + 1 : place + 2] == "\n":
            return None, place + 2
        return (Quote.SINGLE, text[place + 1 : place + 2]), place + 2
    if text.startswith("$(", place) or character == "`":
        end = _substitution_end(text, place)
        return (Quote.BARE, text[place:end]), end
    end = place + 1
    while end < len(text) and text[end] not in " \t\n'\"\\;|&<>()`$":
        end += 1
    return (Quote.BARE, text[place:end]), end


def _double(text: str, place: int) -> tuple[tuple[Quote, str], int]:
    piece = ""
    while place < len(text) and text[place] != '"':
        if text[place] == "\\" and text[place + 1 : place + 2] in ('"', "\\", "`", "$"):
            # kept as an escape, so that expansion leaves the next character alone
            piece += "\\" + text[place + 1]
            place += 2
        elif text.startswith("$(", place):
            end = _substitution_end(text, place)
            piece += text[place:end]
            place = end
        else:
            piece += text[place]
            place += 1
    if place >= len(text):
        raise ShellSyntaxError("unexpected EOF while looking for matching `\"'")
    return (Quote.DOUBLE, piece), place + 1


def _substitution_end(text: str, place: int) -> int:
    if text[place] == "`":
        return _closing(text, place + 1, "`") + 1
    depth = 0
    for end in range(place + 1, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return end + 1
    raise ShellSyntaxError("unexpected EOF while looking for matching `)'")


def _closing(text: str, place: int, quote: str) -> int:
    end = text.find(quote, place)
    if end < 0:
        raise ShellSyntaxError(f"unexpected EOF while looking for matching `{quote}'")
    return end


def parse(text: str) -> list[Item]:
    """Give the pipelines of a text in order.

    Raises:
        ShellSyntaxError: It is no list of commands.
    """
    stream = tokens(text)
    items = _items(stream, closing="")
    if stream:
        raise ShellSyntaxError(f"syntax error near unexpected token `{_shown(stream[0])}'")
    return items


def _items(stream: list[str | Word], closing: str) -> list[Item]:
    items: list[Item] = []
    connector = ";"
    while stream and stream[0] != closing:
        if stream[0] in ("\n", ";"):
            if connector == ";":
                stream.pop(0)
                continue
            if stream[0] == "\n":
                stream.pop(0)
                continue
        item = _pipeline(stream, connector)
        items.append(item)
        connector = ";"
        if stream and stream[0] in ENDS:
            end = str(stream.pop(0))
            item.in_background = end == "&"
            connector = end if end in ("&&", "||") else ";"
    if connector != ";":
        raise ShellSyntaxError("syntax error: unexpected end of file")
    return items


def _pipeline(stream: list[str | Word], connector: str) -> Item:
    item = Item(connector, [])
    if stream[0] == [(Quote.BARE, "!")]:
        stream.pop(0)
        item.negated = True
    while True:
        item.pipeline.append(_simple(stream))
        if not stream or stream[0] != "|":
            return item
        stream.pop(0)
        while stream and stream[0] == "\n":
            stream.pop(0)


def _simple(stream: list[str | Word]) -> Simple:
    simple = Simple()
    if stream and stream[0] == "(":
        stream.pop(0)
        simple.group = _items(stream, closing=")")
        if not stream:
            raise ShellSyntaxError("syntax error: unexpected end of file")
        stream.pop(0)
    while stream and stream[0] not in (*ENDS, "|", "(", ")", ";;"):
        token = stream.pop(0)
        if not isinstance(token, str):
            simple.words.append(token)
        elif token == "2>&1":  # noqa: S105 -- a word of the shell
            simple.redirections.append((token, []))
        else:
            simple.redirections.append((token, _target(stream)))
    if not (simple.words or simple.redirections or simple.group is not None):
        shown = _shown(stream[0]) if stream else "newline"
        raise ShellSyntaxError(f"syntax error near unexpected token `{shown}'")
    return simple


def _target(stream: list[str | Word]) -> Word:
    if stream and not isinstance(stream[0], str):
        token = stream.pop(0)
        if not isinstance(token, str):
            return token
    raise ShellSyntaxError("syntax error near unexpected token `newline'")


def _shown(token: str | Word) -> str:
    if isinstance(token, str):
        return token.replace("\n", "newline")
    return "".join(text for _, text in token)
