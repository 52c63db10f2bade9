"""Configuration text as a tree of lines, and back."""

from __future__ import annotations

import re
from collections.abc import Iterator

STEP = 2
_FIRST = ("version", "hostname", "vdc", "feature", "no password", "username", "lldp")
_QOS = ("priority-flow-control", "system jumbomtu", "class-map", "policy-map", "system qos")
_LAST = ("interface", "line", "boot")


class Block(dict[str, "Block"]):
    """Lines of one mode in the order they were entered, each with the lines below it."""

    def copy(self) -> Block:
        """Give an independent tree."""
        return Block((line, below.copy()) for line, below in self.items())

    def at(self, path: tuple[str, ...]) -> Block:
        """Give the block below a path of lines.

        Raises:
            KeyError: A line of the path is not there.
        """
        found = self
        for line in path:
            found = found[line]
        return found

    def starting(self, words: str) -> Iterator[tuple[str, Block]]:
        """Give the lines that begin with whole words, with what is below them."""
        for line, below in self.items():
            if line == words or line.startswith(words + " "):
                yield line, below


def read_tree(text: str) -> Block:
    """Read configuration text: depth is indentation, ``!`` begins a remark."""
    root = Block()
    held: list[tuple[int, Block]] = [(-1, root)]
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("!"):
            continue
        depth = len(raw) - len(raw.lstrip())
        while held[-1][0] >= depth:
            held.pop()
        below = held[-1][1].setdefault(line, Block())
        held.append((depth, below))
    return root


def write_tree(block: Block, depth: int = 0) -> str:
    """Give the text of a tree, two blanks a level; objects are set apart by an empty line."""
    rows = []
    for line, below in block.items():
        if not depth and (below or line.startswith("interface")):
            rows.append("\n")
        rows.append(f"{' ' * STEP * depth}{line}\n")
        rows.append(write_tree(below, depth + 1))
    return "".join(rows)


def arranged(root: Block) -> Block:
    """Give the root's lines in the order in which the device shows them."""
    ranked = sorted(root.items(), key=lambda item: _rank(item[0]))
    return Block((line, below.copy()) for line, below in ranked)


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """Sorting key by which Ethernet1/2 comes before Ethernet1/10."""
    parts = re.findall(r"\d+|\D+", text)
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)


def _rank(line: str) -> tuple[int, tuple[tuple[int, str], ...]]:
    for place, words in enumerate((*_FIRST, *_QOS)):
        if line.startswith(words):
            return place, ()
    if line.startswith(_LAST):
        return 100 + _LAST.index(line.split(maxsplit=1)[0]), natural(line)
    return 50, ()
