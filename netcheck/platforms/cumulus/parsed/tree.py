"""A configuration as NVUE sees it: nested objects, whatever text they came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from netcheck.model.document import Evidence
from netcheck.model.known import ABSENT, Known
from netcheck.platforms.cumulus.parsed.ids import expand

NOWHERE = Evidence()


@dataclass(slots=True)
class Node:
    """One object: its parts in order of appearance, and a text where it is a leaf.

    A word that ends an ``nv set`` line may be a leaf's text or an object without
    parts; ``text`` reads either.

    Attributes:
        lines: Text that all of its parts were read from, where that is known:
            nodes with equal lines say the same.
    """

    parts: dict[str, Node] = field(default_factory=dict)
    leaf: str | None = None
    evidence: Evidence = NOWHERE
    lines: str = ""

    def child(self, name: str) -> Node | None:
        """Give the part of that name."""
        return self.parts.get(name)

    def at(self, *path: str) -> Node | None:
        """Give what stands at a path; None where it is missing."""
        node: Node | None = self
        for name in path:
            if node is None:
                return None
            node = node.parts.get(name)
        return node

    def text(self) -> str:
        """Give the leaf's text; empty for an object with parts or without any."""
        if self.leaf is not None:
            return self.leaf
        last = next(reversed(self.parts), "")
        return last if last and not self.parts[last].parts else ""

    def put(self, path: tuple[str, ...], evidence: Evidence) -> Node:
        """Make what stands at a path, and give it; the last one named comes last."""
        node = self
        for name in path:
            node.lines = ""
            found = node.parts.pop(name, None) or Node(evidence=evidence)
            node.parts[name] = found
            node = found
        return node

    def drop(self, path: tuple[str, ...]) -> None:
        """Take away what stands at a path, if it is there."""
        holder: Node | None = self
        for name in path[:-1]:
            if holder is None:
                return
            holder.lines = ""
            holder = holder.parts.get(name)
        if holder is not None and path:
            holder.lines = ""
            holder.parts.pop(path[-1], None)

    def listed(self) -> Iterator[tuple[str, Node]]:
        """Yield the parts with each id of a list or range by itself (``4,5,7``, ``swp1-4``)."""
        for name, node in self.parts.items():
            for one in expand(name):
                yield one, node

    def merge(self, other: Node) -> None:
        """Add what another tree says; it wins where both say something."""
        self.lines = ""
        if other.leaf is not None or (other.parts and self.leaf is not None):
            # a word of an ``nv set`` line takes the place of a leaf's text
            self.leaf, self.evidence = other.leaf, other.evidence
        for name, node in other.parts.items():
            if name in self.parts:
                self.parts[name].merge(node)
            else:
                self.parts[name] = node


class LaterNode(Node):
    """A node whose parts are made when somebody asks for them.

    Args:
        make: Gives the parts; called once at most.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], dict[str, Node]], lines: str, evidence: Evidence) -> None:
        self._make = make
        self._made: dict[str, Node] | None = None
        self.leaf, self.lines, self.evidence = None, lines, evidence

    @property
    def parts(self) -> dict[str, Node]:  # type: ignore[override]  # in the place of the slot
        """The parts, made by now."""
        if self._made is None:
            self._made = self._make()
        return self._made


def known_text(node: Node | None) -> Known[str]:
    """Give the text of a leaf; ABSENT where there is none."""
    text = node.text() if node is not None else ""
    return text or ABSENT
