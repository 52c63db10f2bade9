"""YAML as NVUE itself prints it, read line by line; everything else is left to a YAML reader.

NVUE prints block mappings, two spaces a level, with bare or quoted words as keys and
values and ``{}`` for what has no parts. A general reader takes ten times as long.
"""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.document import Document, Evidence
from netcheck.platforms.cumulus.parsed.tree import Node

_LINE: Final = re.compile(
    r"(?P<indent> *)(?P<item>- )?(?P<key>'[^'\n]*'|[\w./][\w./:,+-]*):"
    r"(?: (?P<value>\{\}|'[^'\n]*'|[\w./+][\w ./:,+@$%-]*))?"
)
_NULLS: Final = frozenset({"null", "Null", "NULL", "~"})


def read_plain(document: Document) -> list[Node] | None:
    """Give the items of the top list; None for a text that is not of this plain form."""
    items: list[Node] = []
    stack: list[tuple[int, Node]] = []
    for number, line in enumerate(document.text.split("\n"), document.first_line):
        if not line or line.isspace():
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            return None
        depth = len(match["indent"])
        if match["item"]:
            if depth:
                return None
            top = Node()
            items.append(top)
            stack, depth = [(0, top)], 2
        if not _add(match, depth, stack, Evidence(document.name, number, command=document.command)):
            return None
    return items or None


def _add(
    match: re.Match[str], depth: int, stack: list[tuple[int, Node]], evidence: Evidence
) -> bool:
    """Add one line to the object it belongs to; False where it belongs to none."""
    while stack and stack[-1][0] >= depth:
        stack.pop()
    name, value = match["key"].strip("'"), match["value"]
    holder = stack[-1][1] if stack else None
    if holder is None or holder.leaf is not None or name in holder.parts:
        return False
    node = Node(evidence=evidence)
    if value is not None and value != "{}":
        plain = value.strip()
        node.leaf = None if plain in _NULLS else plain.strip("'")
    holder.parts[name] = node
    if value is None:
        stack.append((depth, node))
    return True
