"""YAML and JSON of NVUE, and ``nv set`` lines, as trees."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Final

import yaml

from netcheck.model.device import Defect, DefectKind
from netcheck.model.document import Document, Evidence
from netcheck.platforms.cumulus.parsed.ids import expand
from netcheck.platforms.cumulus.parsed.plain import read_plain
from netcheck.platforms.cumulus.parsed.tree import Node

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LINE: Final = re.compile(
    r"^(?:\S*[$#]\s*)?(?:sudo )?nv (?P<verb>set|unset) (?P<path>\S.*?)\s*$", re.MULTILINE
)
# Far above any object of NVUE: the deepest of QoS has 11 words, and 4,096 a port each.
MOST_WORDS: Final = 64
MOST_PATHS: Final = 262_144
_HOST: Final = re.compile(r"^\S+?@(?P<host>[\w-]+)(?::\S*)?[$#] ", re.MULTILINE)


@dataclass(slots=True)
class Told:
    """What a configuration text says.

    Attributes:
        root: Objects below ``set``.
        header: Objects below ``header``.
        is_whole: It is a whole configuration: it has NVUE's header.
        is_excerpt: Even the sections that are there may be parts (``nv set`` lines).
    """

    root: Node = field(default_factory=Node)
    header: Node = field(default_factory=Node)
    is_whole: bool = False
    is_excerpt: bool = False
    defects: list[Defect] = field(default_factory=list)


def source_of(document: Document) -> Evidence:
    """Evidence of a whole text."""
    return Evidence(file=document.name, command=document.command)


def read_yaml(document: Document) -> Told:
    """Read NVUE's YAML (or JSON): ``- header: ...``, ``- set: ...``, or the objects alone."""
    told = Told()
    for node in read_plain(document) or _read_any(document, told):
        if "header" in node.parts:
            told.header.merge(node.parts.pop("header"))
            told.is_whole = not told.defects
        node.parts.pop("unset", None)
        told.root.merge(node.parts.get("set", node))
    return told


def _read_any(document: Document, told: Told) -> list[Node]:
    top = _compose(document, told)
    if top is None:
        return []
    items = top.value if isinstance(top, yaml.SequenceNode) else [top]
    return [_Reader(document, told).node(item) for item in items]


def _compose(document: Document, told: Told) -> yaml.Node | None:
    text = document.text
    try:
        return _composed(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line if mark is not None else 0
        told.defects.append(
            Defect(
                DefectKind.MALFORMED_VALUE,
                document.name,
                f"{document.name}: no YAML from here: {getattr(error, 'problem', error)}",
                evidence=replace(source_of(document), line=document.first_line + line),
            )
        )
    told.is_excerpt = True
    return _prefix(text.split("\n")[:line])


def _composed(text: str) -> yaml.Node | None:
    # Bytes that are no text are shown as question marks, one for one, so that places stay.
    plain = text.encode("utf-8", "replace").decode()
    found: yaml.Node | None = yaml.compose(plain, Loader=_LOADER)
    return found


def _prefix(lines: list[str]) -> yaml.Node | None:
    """Give what stands before the damage, as far as it can be read."""
    for end in range(len(lines), max(len(lines) - 5, 0), -1):
        try:
            return _composed("\n".join(lines[:end]))
        except yaml.YAMLError:
            continue
    return None


@dataclass(slots=True)
class _Reader:
    document: Document
    told: Told

    def node(self, found: yaml.Node) -> Node:
        made = Node(evidence=self._evidence(found))
        if isinstance(found, yaml.ScalarNode):
            made.leaf = None if found.tag.endswith(":null") else str(found.value)
        elif isinstance(found, yaml.MappingNode):
            for key, value in found.value:
                self._add(made, key, value)
        else:
            for item in found.value:
                self._add_item(made, item)
        return made

    def _add(self, made: Node, key: yaml.Node, value: yaml.Node) -> None:
        name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
        inner = self.node(value)
        inner.evidence = self._evidence(key)
        if name in made.parts:
            self.told.defects.append(
                Defect(
                    DefectKind.DUPLICATE_KEY,
                    name,
                    f"{name} is there twice; the last one counts",
                    evidence=inner.evidence,
                )
            )
        made.parts[name] = inner

    def _add_item(self, made: Node, item: yaml.Node) -> None:
        """Items of a list: words become parts, objects are merged."""
        inner = self.node(item)
        if inner.leaf is not None:
            made.parts[inner.leaf] = Node(evidence=inner.evidence)
        else:
            made.merge(inner)

    def _evidence(self, found: yaml.Node) -> Evidence:
        line = self.document.first_line + found.start_mark.line
        return replace(source_of(self.document), line=line)


def read_lines(document: Document) -> Told:
    """Read ``nv set`` and ``nv unset`` lines; everything else on a shell is no configuration."""
    told = Told(is_excerpt=True)
    for number, line in enumerate(document.text.split("\n"), document.first_line):
        match = _LINE.match(line)
        if match is None:
            continue
        evidence = replace(source_of(document), line=number)
        words = _words(match["path"])
        if len(words) > MOST_WORDS or _count(words) > MOST_PATHS:
            told.defects.append(_no_line_of_nvue(words, evidence))
            continue
        for path in _paths(words):
            if match["verb"] == "unset":
                told.root.drop(path)
            else:
                told.root.put(path, evidence)
    host = _HOST.search(document.text)
    if host is not None:
        told.root.put(("system", "hostname"), source_of(document)).leaf = host["host"]
    return told


def _count(words: tuple[str, ...]) -> int:
    """Number of paths that the lists and ranges of a line stand for."""
    return prod(len(expand(word)) for word in words)


def _no_line_of_nvue(words: tuple[str, ...], evidence: Evidence) -> Defect:
    begin = " ".join(words[:4])
    return Defect(
        DefectKind.MALFORMED_VALUE,
        begin,
        f"{begin} ...: expected at most {MOST_WORDS} words that stand for at most {MOST_PATHS}"
        f" objects, found {len(words)} words",
        evidence=evidence,
    )


def _paths(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the path of each id where a line has lists and ranges of ids."""
    if words[:1] not in {("qos",), ("interface",)}:
        return iter((words,))
    return product(*(expand(word) for word in words))


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text, comments=True))
    except ValueError:
        return tuple(text.split())
