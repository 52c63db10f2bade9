"""Answers of redis-cli and sonic-db-cli: key lists, hashes, single fields."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from netcheck.model.device import Defect, DefectKind
from netcheck.platforms.sonic.parsed.json_tables import Place, place_of
from netcheck.platforms.sonic.parsed.tables import Cell, Database, Row, Source, Table, Tables

_BY_NUMBER: Final = {
    "0": Database.APPL,
    "2": Database.COUNTERS,
    "4": Database.CONFIG,
    "6": Database.STATE,
}
_PROMPT: Final = re.compile(r"^(?:\S+:\d+|redis)(?:\[(?P<number>\d+)\])?> ?(?P<line>.+)$")
_SHELL: Final = re.compile(
    r"^(?:\S*[$#] ?)?(?:sudo )?"
    r"(?:sonic-db-cli (?P<name>\w+_DB)|redis-cli(?: -n (?P<number>\d+))?) (?P<line>.+)$"
)
_VERB: Final = re.compile(
    r"^(?P<verb>keys|hgetall|hget) +(?P<key>\"[^\"]+\"|'[^']+'|\S+)(?: +(?P<field>\S+))?$",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r'^\s*(?P<number>\d+)\) "(?P<text>.*)"$')
_EMPTY: Final = re.compile(r"^\((?:empty (?:array|list or set)|nil)\)$")


@dataclass(slots=True)
class _Answer:
    """One question and the lines that answered it, with their numbers."""

    database: Database | None
    verb: str
    key: str
    field_name: str = ""
    lines: list[tuple[str, int]] = field(default_factory=list)


def read_redis(source: Source, tables: Tables) -> None:
    """Put the answers of a session into the tables; broken ones say nothing."""
    for answer in _answers(source, tables):
        if answer.verb == "keys":
            _read_keys(answer, source, tables)
        else:
            _read_hash(answer, source, tables)


def _answers(source: Source, tables: Tables) -> Iterator[_Answer]:
    answer = _question(source.document.command)
    for number, line in enumerate(source.document.text.split("\n"), 1):
        question = _question(line)
        if question is not None:
            if answer is not None:
                yield answer
            answer = question
        elif line.strip() and answer is None:
            _tell(source, tables, number, line.strip(), "stands under no command")
        elif line.strip() and answer is not None:
            answer.lines.append((line.strip(), number))
    if answer is not None:
        yield answer


def _question(line: str) -> _Answer | None:
    prompt = _PROMPT.match(line)
    shell = None if prompt else _SHELL.match(line)
    match = prompt or shell
    if match is None:
        return None
    verb = _VERB.match(match["line"].strip())
    if verb is None:
        return None
    database = _BY_NUMBER.get(match["number"] or "0")
    if shell is not None and shell["name"]:
        database = Database(shell["name"]) if shell["name"] in list(Database) else None
    key = verb["key"].strip("\"'")
    return _Answer(database, verb["verb"].lower(), key, (verb["field"] or "").strip("\"'"))


def _items(answer: _Answer, source: Source, tables: Tables) -> list[tuple[str, int]] | None:
    """The items of an answer; None when one of them is missing or broken."""
    items: list[tuple[str, int]] = []
    for text, line in answer.lines:
        if _EMPTY.match(text):
            continue
        match = _ITEM.match(text)
        if match is None and re.match(r"\d+\)", text):
            _tell(source, tables, line, text, "is cut")
            return None
        if match is not None and int(match["number"]) != len(items) + 1:
            _tell(source, tables, line, text, f"should be item {len(items) + 1}")
            return None
        items.append((match["text"] if match else text, line))
    return items


def _read_keys(answer: _Answer, source: Source, tables: Tables) -> None:
    """Names of rows; nothing is known of their fields."""
    items = _items(answer, source, tables)
    found: dict[tuple[Database, str], dict[str, Row]] = {}
    for text, line in items or []:
        place = place_of(text, answer.database)
        if place is None:
            _tell(source, tables, line, text, "is no key of a table")
            continue
        row = Row(place.key, {}, source, source.offset(line), is_whole=False)
        found.setdefault((place.database, place.table), {})[place.key] = row
    for (database, name), rows in found.items():
        # a key that stands for any key of the table: the pattern lets all of them through
        whole = fnmatchcase(f"{name}|\x00", answer.key) or fnmatchcase(f"{name}:\x00", answer.key)
        tables.add(
            database, Table(name, rows, is_whole=whole, is_applied=database is Database.APPL)
        )


def _read_hash(answer: _Answer, source: Source, tables: Tables) -> None:
    place = place_of(answer.key, answer.database)
    if place is None:
        return
    if answer.verb == "hget":
        if len(answer.lines) == 1 and answer.field_name:
            text, line = answer.lines[0]
            plain = _ITEM.sub(r"\g<text>", text).strip('"')
            _put(place, {answer.field_name: (plain, line)}, source, tables, is_whole=False)
        return
    fields = _fields(answer, source, tables)
    if fields:
        _put(place, fields, source, tables, is_whole=True)


def _fields(answer: _Answer, source: Source, tables: Tables) -> dict[str, tuple[str, int]] | None:
    if answer.lines and answer.lines[0][0].startswith("{"):
        return _dictionary(answer, source, tables)
    items = _items(answer, source, tables)
    if items is None:
        return None
    if len(items) % 2:
        _tell(source, tables, items[-1][1], items[-1][0], "has no value")
        return None
    return {items[i][0]: items[i + 1] for i in range(0, len(items), 2)}


def _dictionary(
    answer: _Answer, source: Source, tables: Tables
) -> dict[str, tuple[str, int]] | None:
    text, line = answer.lines[0]
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        found = None
    if not isinstance(found, dict) or len(answer.lines) > 1:
        _tell(source, tables, line, text[:80], "is no whole dictionary")
        return None
    return {str(name): (str(value), line) for name, value in found.items()}


def _put(
    place: Place,
    fields: dict[str, tuple[str, int]],
    source: Source,
    tables: Tables,
    *,
    is_whole: bool,
) -> None:
    cells = {name: Cell(text, source, source.offset(line)) for name, (text, line) in fields.items()}
    first = min(line for _, line in fields.values())
    row = Row(place.key, cells, source, source.offset(first), is_whole=is_whole)
    is_applied = place.database is Database.APPL
    table = Table(place.table, {place.key: row}, is_whole=False, is_applied=is_applied)
    tables.add(place.database, table)


def _tell(source: Source, tables: Tables, line: int, found: str, reason: str) -> None:
    tables.defects.append(
        Defect(
            DefectKind.UNKNOWN_LINE,
            source.document.name,
            f"{source.document.name} line {line} {reason}: {found}",
            found=found,
            evidence=source.at_line(line),
        )
    )
