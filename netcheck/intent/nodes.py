"""YAML text to nodes that know where they stand.

Scalars follow YAML 1.2: ``on``, ``off``, ``yes`` and ``no`` are strings, whole
numbers are decimal or ``0x``, and ``10:20`` is a string. The tree is built from
parser events without recursion, so that depth, number of nodes and growth by
aliases are bounded while reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NoReturn

import yaml

from netcheck.intent.complaint import Complaint, Complaints, IntentError
from netcheck.model.document import Evidence
from netcheck.model.errors import InputError

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 32
MAX_NODES = 4_000_000
MAX_NAME = 100  # what a message shows of a name, before and after its bracket
MERGE_KEY = "<<"

Scalar = str | int | float | bool | None

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"[-+]?[0-9]{1,20}")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]{1,16}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]{1,20}(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_NAME_BEFORE = re.compile(r"""[^\s,{}[\]"']+$""")
_RANGES = re.compile(r"(\[[^][{}]*\](:(?=[^\s,{}]))?[^][\s,{}:]*)+")
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


@dataclass(slots=True, eq=False)
class Node:
    """One value with its place; ``key_at`` gives the places of a mapping's keys.

    ``size`` is the number of nodes it stands for once aliases are followed.
    """

    value: Scalar | dict[str, Node] | list[Node]
    at: Evidence
    key_at: dict[str, Evidence] = field(default_factory=dict)
    size: int = 1

    @property
    def mapping(self) -> dict[str, Node]:
        """The items, or none when this is no mapping."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> list[Node]:
        """The elements, or none when this is no list."""
        return self.value if isinstance(self.value, list) else []


def kind_of(node: Node) -> str:
    """Name of a node's kind, in the words of messages."""
    names = {dict: "a mapping", list: "a list", str: "a string", bool: "true or false"}
    names |= {int: "a whole number", float: "a number", type(None): "nothing"}
    return names[type(node.value)]


def plain(node: Node) -> Any:  # Any: the shape is the document's own
    """Give the node as dictionaries, lists and scalars."""
    if isinstance(node.value, dict):
        return {key: plain(value) for key, value in node.value.items()}
    if isinstance(node.value, list):
        return [plain(value) for value in node.value]
    return node.value


def resolve_scalar(text: str) -> Scalar:
    """Give what a plain scalar means in YAML 1.2.

    Example:
        >>> [resolve_scalar(text) for text in ("on", "0x10", "10:20", "007", "1e3")]
        ['on', 16, '10:20', 7, 1000.0]
    """
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def decode(raw: bytes, name: str) -> str:
    """Give the text of a file.

    Raises:
        InputError: It is no UTF-8 text, or larger than an intent may be.
    """
    if len(raw) > MAX_BYTES:
        raise InputError(f"{name}: larger than {MAX_BYTES // 2**20} MiB, expected an intent")
    if b"\0" in raw:
        raise InputError(f"{name}: binary data, expected YAML text in UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: not UTF-8 text, expected YAML in UTF-8") from error


def read_nodes(text: str, name: str, complaints: Complaints, *, any_tag: bool = False) -> Node:
    """Give the one document of a YAML text as nodes.

    Args:
        text: The text.
        name: File name for places.
        complaints: Takes what is wrong inside a text that can be read.
        any_tag: Local tags such as ``!vault`` are accepted and ignored.

    Raises:
        IntentError: The text is no YAML, is empty, or is too deep or too large.
    """
    try:
        return _Composer(name, complaints, any_tag=any_tag).compose(text)
    except yaml.MarkedYAMLError as error:
        raise IntentError([_syntax_complaint(error, name, text)]) from error
    except yaml.reader.ReaderError as error:
        message = f"character #x{int(error.character):04x} is not allowed in YAML"
        line = text.count("\n", 0, error.position) + 1
        raise IntentError([Complaint(Evidence(name, line), message)]) from error
    except yaml.YAMLError as error:
        first = " ".join(str(error).split())
        raise IntentError([Complaint(Evidence(name), f"not YAML: {first}")]) from error


def _syntax_complaint(error: yaml.MarkedYAMLError, name: str, text: str) -> Complaint:
    mark = error.problem_mark or error.context_mark
    at = Evidence(name, mark.line + 1, mark.column + 1) if mark else Evidence(name)
    words = [error.context, error.problem] if error.context else [error.problem]
    range_name = _range_at(text, mark.line, mark.column) if mark else ""
    hint = f'; a name with brackets is quoted here: "{range_name}"' if range_name else ""
    return Complaint(at, f"not YAML: {', '.join(word for word in words if word)}{hint}")


def _range_at(text: str, line: int, column: int) -> str:
    """The name with a range whose first bracket is at a place; empty where there is none.

    Within braces and brackets YAML ends a name without quotes at a bracket.
    """
    row = next(islice(text.split("\n"), line, None), "")
    start, end = max(0, column - MAX_NAME), column + MAX_NAME
    before, after = _NAME_BEFORE.search(row[start:column]), _RANGES.match(row[column:end])
    return before[0] + after[0] if before and after else ""


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being filled."""

    node: Node
    key: str | None = None
    key_at: Evidence | None = None
    anchor: str | None = None
    merges: list[Node] = field(default_factory=list)


class _Composer:
    def __init__(self, name: str, complaints: Complaints, *, any_tag: bool) -> None:
        self.name = name
        self.complaints = complaints
        self.any_tag = any_tag
        self.anchors: dict[str, Node] = {}
        self.stack: list[_Open] = []
        self.root: Node | None = None
        self.total = 0

    def compose(self, text: str) -> Node:
        documents = 0
        for event in _events(text):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._stop(self._at(event), "a second document; expected one")
            else:
                self._take(event)
        if self.root is None or self.root.value is None:
            self._stop(Evidence(self.name), "empty; expected a mapping with netcheck: 1")
        return self.root

    def _take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            is_key = bool(self.stack) and self._wants_key()
            value = event.value if is_key else self._scalar(event)
            self._add(Node(value, self._at(event)), event.anchor)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self._open(event)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._close()
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)

    def _at(self, event: yaml.Event) -> Evidence:
        mark = event.start_mark
        return Evidence(self.name, mark.line + 1, mark.column + 1) if mark else Evidence(self.name)

    def _stop(self, at: Evidence, message: str) -> NoReturn:
        raise IntentError([Complaint(at, message)])

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        value: str = event.value
        tag = event.tag
        if tag in (None, "!"):
            return resolve_scalar(value) if event.implicit[0] else value
        if tag != "tag:yaml.org,2002:str" and not self.any_tag:
            self._stop(self._at(event), f"tag {_short(tag)} is not supported")
        return value

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        at = self._at(event)
        if len(self.stack) >= MAX_DEPTH:
            self._stop(at, f"nested deeper than {MAX_DEPTH} levels")
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!") and not self.any_tag:
            self._stop(at, f"tag {_short(event.tag)} is not supported")
        if self.stack and self._wants_key():
            self._stop(at, "a mapping or list as a key; expected a name")
        self.stack.append(_Open(Node({} if is_mapping else [], at), anchor=event.anchor))

    def _wants_key(self) -> bool:
        top = self.stack[-1]
        return isinstance(top.node.value, dict) and top.key is None

    def _close(self) -> None:
        done = self.stack.pop()
        for merged in done.merges:
            for key, value in merged.mapping.items():
                if key not in done.node.mapping:
                    done.node.mapping[key] = value
                    done.node.key_at[key] = merged.key_at[key]
        self._add(done.node, done.anchor)

    def _alias(self, event: yaml.AliasEvent) -> None:
        node = self.anchors.get(event.anchor or "")
        if node is None:
            self._stop(self._at(event), f"alias *{event.anchor} has no anchor before it")
        self._add(node, None)

    def _add(self, node: Node, anchor: str | None) -> None:
        self.total += node.size
        if self.total > MAX_NODES:
            self._stop(
                node.at, f"stands for more than {MAX_NODES} values once aliases are followed"
            )
        if anchor:
            self.anchors[anchor] = node
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        top.node.size += node.size
        if isinstance(top.node.value, list):
            top.node.value.append(node)
        elif top.key is None:
            top.key, top.key_at = self._key(node), node.at
        else:
            self._put(top, node)

    def _key(self, node: Node) -> str:
        if isinstance(node.value, (dict, list)):
            self._stop(node.at, "a mapping or list as a key; expected a name")
        return str(node.value)

    def _put(self, top: _Open, node: Node) -> None:
        key, at = top.key or "", top.key_at or node.at
        top.key = None
        if key == MERGE_KEY:
            merged = node.items or [node]
            if all(isinstance(one.value, dict) for one in merged):
                top.merges.extend(merged)
            else:
                self.complaints.add(at, "<< takes an alias of a mapping")
        elif key in top.node.mapping:
            first = top.node.key_at[key]
            self.complaints.add(at, f"{key}: said before in line {first.line}")
        else:
            top.node.mapping[key] = node
            top.node.key_at[key] = at


def _short(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")


def _events(text: str) -> Iterator[yaml.Event]:
    loader = _Loader(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()
