"""YAML as NVUE itself prints it, read line by line; everything else is left to a YAML reader.

NVUE prints block mappings, two spaces a level, with bare or quoted words as keys and
values and ``{}`` for what has no parts. A general reader takes ten times as long.
An interface that is set as an earlier one is only read when somebody looks into it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Final

from netcheck.model.document import Document, Evidence
from netcheck.platforms.cumulus.parsed.tree import LaterNode, Node

_LINE: Final = re.compile(
    r"(?:( *)(- )?('[^'\n]*'|[\w./][\w./:,+-]*):"
    r"(?: (\{\}|'[^'\n]*'|[\w./+][\w ./:,+@$%-]*))?|[^\S\n]*)\n"
)
_NULLS: Final = frozenset({"null", "Null", "NULL", "~"})


def read_plain(document: Document) -> list[Node] | None:
    """Give the items of the top list; None for a text that is not of this plain form."""
    plain = _Plain(document)
    is_plain = plain.read(f"{document.text}\n", document.first_line)
    return plain.items if is_plain and plain.items else None


def _parts(document: Document, text: str, number: int) -> dict[str, Node]:
    """Give the parts of an interface, an equal one of which was read."""
    top = Node()
    _Plain(document, stack=[(0, top)]).read(text, number)
    return top.parts


@dataclass(slots=True)
class _Plain:
    """What was read so far.

    Attributes:
        stack: Open objects, and how deep the lines that opened them stand.
        interfaces: The object whose parts are interfaces.
        opened: Name of the interface that the last line opened; empty for another line.
        seen: Texts of interfaces that were read.
    """

    document: Document
    items: list[Node] = field(default_factory=list)
    stack: list[tuple[int, Node]] = field(default_factory=list)
    interfaces: Node | None = None
    opened: str = ""
    seen: set[str] = field(default_factory=set)

    def read(self, text: str, number: int) -> bool:
        """Read lines, the first of which has that number; False where one is not plain."""
        at = 0
        while at < len(text):
            match = _LINE.match(text, at)
            if match is None or not self._add(match, number):
                return False
            at, number = match.end(), number + 1
            if self.opened:
                at, number = self._below(text, at, number)
        return True

    def _add(self, match: re.Match[str], number: int) -> bool:
        """Add one line to the object it belongs to; False where it belongs to none."""
        indent, item, key, value = match.groups()
        if key is None:
            return True  # a blank line
        depth = len(indent)
        if item:
            if depth:
                return False
            self.items.append(Node())
            self.stack, depth = [(0, self.items[-1])], 2
        stack = self.stack
        while stack and stack[-1][0] >= depth:
            stack.pop()
        name = key.strip("'")
        holder = stack[-1][1] if stack else None
        if holder is None or holder.leaf is not None or name in holder.parts:
            return False
        document = self.document
        node = Node(evidence=Evidence(document.name, number, command=document.command))
        holder.parts[name] = node
        if value is None:
            stack.append((depth, node))
            self._open(name, holder, node)
        elif value != "{}":
            plain = value.strip()
            node.leaf = None if plain in _NULLS else plain.strip("'")
        return True

    def _open(self, name: str, holder: Node, node: Node) -> None:
        if holder is self.interfaces:
            self.opened = name
        elif name == "interface":
            self.interfaces = node

    def _below(self, text: str, at: int, number: int) -> tuple[int, int]:
        """Leave the text of an interface for later where an equal one was read; give the place."""
        name, self.opened = self.opened, ""
        depth, node = self.stack[-1]
        body = _deeper(depth).match(text, at)
        if body is None or self.interfaces is None:
            return at, number
        node.lines = body[0]
        if node.lines not in self.seen:
            self.seen.add(node.lines)
            return at, number
        make = partial(_parts, self.document, node.lines, number)
        self.interfaces.parts[name] = LaterNode(make, node.lines, node.evidence)
        return body.end(), number + node.lines.count("\n")


@lru_cache(maxsize=64)
def _deeper(depth: int) -> re.Pattern[str]:
    """Lines that stand deeper than a depth, and blank ones."""
    return re.compile(rf"(?: {{{depth + 1}}}.*\n|[^\S\n]*\n)+")
