"""Typed reading of one object of the intent, which may be said in several layers.

``leaf[01-16]`` and ``leaf01`` may both speak of leaf01: the narrower name wins
key by key, and what a role says comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import TypeVar

from netcheck.intent.complaint import Complaints
from netcheck.intent.nodes import Node
from netcheck.intent.ranges import Axes, RangeError, choose, expand, parse_pattern
from netcheck.intent.units import Quantity, checked_address, parse_quantity, whole
from netcheck.model.document import Evidence
from netcheck.model.frozen import frozen
from netcheck.model.known import ABSENT, UNKNOWN, Known

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")
NONE = "none"
_FLAGS: dict[Known[str], bool] = {"on": True, "off": False}


@frozen
class Layer:
    """What one place in the intent says of an object, and where on the ranges it stands."""

    node: Node
    axes: Axes = ()
    breadth: int = 1
    key: str = ""
    key_at: Evidence = Evidence()


class Fields:
    """One object of the intent; of several layers the last that says a key wins."""

    def __init__(self, layers: Iterable[Layer], complaints: Complaints, path: str) -> None:
        self.layers = tuple(layers)
        # narrower layers come later and overwrite
        self._said = {
            key: (node, layer.axes)
            for layer in self.layers
            for key, node in layer.node.mapping.items()
        }
        self.complaints = complaints
        self.path = path

    @property
    def at(self) -> Evidence:
        """Where the object is named, in its narrowest layer."""
        return self.layers[-1].key_at if self.layers else Evidence()

    def find(self, key: str) -> tuple[Node, Axes] | None:
        """Give the node that says a key, with its axes."""
        return self._said.get(key)

    def place(self, key: str) -> Evidence:
        """Where a key's value stands, else where the object is named."""
        found = self.find(key)
        return found[0].at if found else self.at

    def complain(self, key: str, message: str) -> None:
        """Add a complaint about a key's value."""
        path = ".".join(part for part in (self.path, key) if part)
        self.complaints.add_first(self.place(key), f"{path}: {message}")

    def _resolve(self, key: str, text: str, axes: Axes) -> Known[str]:
        try:
            return choose(text, axes)
        except RangeError as error:
            self.complain(key, str(error))
            return UNKNOWN

    def text(self, key: str) -> Known[str]:
        """Give a text; a whole number counts as its digits."""
        found = self._said.get(key)
        if found is None:
            return UNKNOWN
        value = found[0].value
        if isinstance(value, (dict, list, bool, type(None))):
            return UNKNOWN
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return self._resolve(key, str(value), found[1])

    def verbatim(self, key: str) -> Known[str]:
        """Give a text in which brackets mean nothing."""
        found = self._said.get(key)
        is_text = found is not None and isinstance(found[0].value, (str, int))
        return str(found[0].value) if found and is_text else UNKNOWN

    def address(self, key: str) -> Known[str]:
        """Give an IP address with its prefix length."""
        return self._measured(key, checked_address)

    def peer(self, key: str) -> Known[str]:
        """Give the name of another device: its range runs with the device's rather than its own."""
        found = self.find(key)
        if found is None or not isinstance(found[0].value, str):
            return UNKNOWN
        return self._resolve(key, found[0].value, found[1][::-1])

    def name(self, key: str) -> Known[str]:
        """Give a name; ``none`` is ABSENT."""
        value = self.text(key)
        return ABSENT if value == NONE else value

    def integer(self, key: str) -> Known[int]:
        """Give a whole number, written as such or as ``0x``; ``none`` is ABSENT."""
        value = self.name(key)
        if not isinstance(value, str):
            return value
        try:
            return int(value, 16 if value.startswith("0x") else 10)
        except ValueError:
            return UNKNOWN

    def flag(self, key: str) -> Known[bool]:
        """Give on as True and off as False."""
        return _FLAGS.get(self.text(key), UNKNOWN)

    def member(self, key: str, kind: type[E]) -> Known[E]:
        """Give a member of an enumeration."""
        value = self.text(key)
        if not isinstance(value, str):
            return UNKNOWN
        return next((member for member in kind if member.value == value), UNKNOWN)

    def _measured(self, key: str, convert: Callable[[str], T]) -> Known[T]:
        value = self.text(key)
        if not isinstance(value, str):
            return value
        try:
            return convert(value)
        except ValueError as error:
            self.complain(key, str(error))
            return UNKNOWN

    def whole(self, key: str, quantity: Quantity, scale: int = 1) -> Known[int]:
        """Give a quantity in whole units of ``scale`` base units."""
        return self._measured(key, lambda text: whole(text, quantity, scale))

    def exact(self, key: str, quantity: Quantity) -> Known[float]:
        """Give a quantity in base units."""
        return self._measured(key, lambda text: float(parse_quantity(text, quantity)))

    def members(self, key: str) -> Known[tuple[str, ...]]:
        """Give a list of texts whose ranges run with those of the own name, never the device's.

        Two members of one bundle on each of two devices are not one member each.
        """
        layer = next((one for one in reversed(self.layers) if key in one.node.mapping), None)
        if layer is None:
            return UNKNOWN
        columns = len(parse_pattern(layer.key).columns)
        own = columns + 1 if columns > 1 else columns
        return self._texts(key, layer.node.mapping[key], layer.axes[:own])

    def texts(self, key: str) -> Known[tuple[str, ...]]:
        """Give one text or a list of texts; ranges run with the axes or are expanded."""
        found = self.find(key)
        return UNKNOWN if found is None else self._texts(key, *found)

    def _texts(self, key: str, node: Node, axes: Axes) -> tuple[str, ...]:
        values = [one.value for one in (node.items or [node])]
        names: list[str] = []
        for value in values:
            names += self._names(key, str(value), axes)
        return tuple(names)

    def _names(self, key: str, text: str, axes: Axes) -> list[str]:
        try:
            return [choose(text, axes)]
        except RangeError:
            pass
        try:
            return [name for name, _ in expand(text)]
        except RangeError as error:
            self.complain(key, str(error))
            return []

    def integers(self, key: str) -> Known[frozenset[int]]:
        """Give one whole number or a list of them as a set."""
        found = self.find(key)
        if found is None:
            return UNKNOWN
        values = [one.value for one in (found[0].items or [found[0]])]
        return frozenset(int(value) for value in values if isinstance(value, (int, float)))

    def child(self, key: str) -> Fields:
        """Give the object under a key, all layers together."""
        layers = [
            Layer(layer.node.mapping[key], layer.axes, layer.breadth, key, layer.node.key_at[key])
            for layer in self.layers
            if key in layer.node.mapping
        ]
        return Fields(layers, self.complaints, ".".join(part for part in (self.path, key) if part))

    def children(self, key: str) -> dict[str, Fields]:
        """Give the objects under a key by name, ranges expanded, narrower names last."""
        return self.child(key).spread()

    def spread(self) -> dict[str, Fields]:
        """Give the objects of this section by name, ranges expanded, narrower names last."""
        found: dict[str, list[Layer]] = {}
        for outer in self.layers:
            for name, node in outer.node.mapping.items():
                self._spread(found, name, node, outer)
        return {name: self.inner(name, layers) for name, layers in found.items()}

    def names_of(self, outer: Layer) -> dict[str, list[Layer]]:
        """Give what one layer of this section says, by name, where no value runs with a range."""
        found: dict[str, list[Layer]] = {}
        for key, node in outer.node.mapping.items():
            names = self._expanded(key, outer)
            breadth = len(names) * outer.breadth
            layer = Layer(node, (), breadth, key, outer.node.key_at[key])
            for name, _ in names:
                found.setdefault(name, []).append(layer)
        return found

    def inner(self, name: str, layers: list[Layer]) -> Fields:
        """Give the object of this section that these layers speak of."""
        path = f"{self.path}.{layers[0].key}"
        return Fields(self._ordered(name, layers), self.complaints, path)

    def _spread(self, found: dict[str, list[Layer]], key: str, node: Node, outer: Layer) -> None:
        at = outer.node.key_at[key]
        names = self._expanded(key, outer)
        for name, axes in names:
            layer = Layer(node, axes + outer.axes, len(names) * outer.breadth, key, at)
            found.setdefault(name, []).append(layer)

    def _expanded(self, key: str, outer: Layer) -> Sequence[tuple[str, Axes]]:
        """What a key of a layer stands for; nothing where its range is wrong, which is told."""
        at = outer.node.key_at[key]
        try:
            names = expand(key)
        except RangeError as error:
            self.complaints.add_first(at, f"{outer.key}.{key}: {error}")
            return ()
        if "[" in key and len(names) == 1 and names[0][0] == key:
            self.complaints.add_first(
                at, f"{outer.key}.{key}: not a range; expected one such as leaf[01-16]"
            )
            return ()
        return names

    def _ordered(self, name: str, layers: list[Layer]) -> list[Layer]:
        if len(layers) == 1:
            return layers
        ordered = sorted(layers, key=lambda layer: -layer.breadth)
        for wide, narrow in pairwise(ordered):
            if wide.breadth == narrow.breadth:
                message = (
                    f"{narrow.key}: names {name}, as does {wide.key} in line {wide.key_at.line}"
                )
                self.complaints.add(narrow.key_at, message)
        return ordered
