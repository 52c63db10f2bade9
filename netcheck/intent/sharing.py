"""Ports that many devices have in common are read once, and held once.

What a range of devices says of its ports does not depend on the device, unless
a value has a range of its own. So ports are kept by name and by the places that
speak of them; a device that says more of a few ports shares the others. Ports of
which the same places speak differ in their names alone.
"""

from __future__ import annotations

from collections.abc import Callable

from netcheck.intent.fields import Fields, Layer
from netcheck.intent.likeness import port_like
from netcheck.intent.nodes import Node
from netcheck.intent.ranges import axes_used
from netcheck.model.device import Port
from netcheck.model.document import Evidence
from netcheck.model.known import Known

ReadPort = Callable[[str, Fields, Known[str]], Port]
Placed = tuple[Port, Evidence]


class SharedPorts:
    """The ports of all devices of an intent, as their ``ports`` sections say."""

    def __init__(self, read: ReadPort) -> None:
        self._read = read
        self._plain: dict[int, bool] = {}
        self._spread: dict[object, dict[str, list[Layer]]] = {}
        self._sections: dict[object, dict[str, Placed]] = {}
        self._ports: dict[object, Placed] = {}
        self._kinds: dict[object, Placed] = {}

    def of(self, section: Fields, policy: Known[str]) -> dict[str, Placed]:
        """Give ``name -> (port, where it is named)``; callers leave the mapping as it is."""
        if all(self._is_plain(layer.node) for layer in section.layers):
            return self._section(section, section.layers, policy)
        return {
            name: (self._read(name, inner, policy), inner.at)
            for name, inner in section.spread().items()
        }

    def _section(
        self, section: Fields, layers: tuple[Layer, ...], policy: Known[str]
    ) -> dict[str, Placed]:
        if not layers:
            return {}
        key = (policy, *((id(layer.node), layer.breadth) for layer in layers))
        found = self._sections.get(key)
        if found is None:
            found = dict(self._section(section, layers[:-1], policy))
            names = [self._names(section, layer) for layer in layers]
            for name in names[-1]:
                said = [one for each in names for one in each.get(name, ())]
                found[name] = self._port(section, said, name, policy)
            self._sections[key] = found
        return found

    def _port(self, section: Fields, said: list[Layer], name: str, policy: Known[str]) -> Placed:
        kind = (policy, *((id(one.node), one.breadth) for one in said))
        found = self._ports.get((name, kind))
        if found is None:
            found = self._ports[name, kind] = self._named(section, said, name, policy, kind)
        return found

    def _named(
        self, section: Fields, said: list[Layer], name: str, policy: Known[str], kind: object
    ) -> Placed:
        known = self._kinds.get(kind)
        if known is not None and len(said) == 1:
            port, at = known
            return port_like(port, name, port.address), at
        # of several places two may contradict each other, which is told of each name
        inner = section.inner(name, said)
        found = self._kinds[kind] = (self._read(name, inner, policy), inner.at)
        return found

    def _names(self, section: Fields, layer: Layer) -> dict[str, list[Layer]]:
        key = (id(layer.node), layer.breadth)
        found = self._spread.get(key)
        if found is None:
            found = self._spread[key] = section.names_of(layer)
        return found

    def _is_plain(self, node: Node) -> bool:
        """Whether no value in it has a range."""
        plain = self._plain.get(id(node))
        if plain is None:
            plain = self._plain[id(node)] = is_plain(node)
        return plain


def is_plain(node: Node) -> bool:
    """Whether no value below a node has a range."""
    if isinstance(node.value, str):
        return "[" not in node.value
    return all(map(is_plain, node.items)) and all(map(is_plain, node.mapping.values()))


class Running:
    """Which values of an object run with the ranges of what holds it, and not with its own."""

    def __init__(self) -> None:
        self._found: dict[object, frozenset[str] | None] = {}

    def of(self, layer: Layer, own: int) -> frozenset[str] | None:
        """Give the keys whose values differ along the outer ranges; None if that is not simple.

        Args:
            layer: What is said, on the ranges of its own key and of what holds it.
            own: How many of the ranges are those of its own key.
        """
        lengths = tuple(axis.length for axis in layer.axes)
        key = (id(layer.node), lengths, own)
        if key not in self._found:
            self._found[key] = _running(layer.node, lengths, own)
        return self._found[key]


def _running(node: Node, lengths: tuple[int, ...], own: int) -> frozenset[str] | None:
    found = set()
    for key, value in node.mapping.items():
        if isinstance(value.value, str) and "[" in value.value:
            used = axes_used(value.value, lengths)
            if used is None:
                return None
            if any(axis >= own for axis in used):
                found.add(key)
        elif not is_plain(value):
            return None
    return frozenset(found)
