"""What a configuration says of a profile, a port and the switch, and where it is whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from netcheck.model.digits import is_whole
from netcheck.model.document import Evidence
from netcheck.model.known import UNKNOWN, Known
from netcheck.platforms.cumulus.parsed.tree import Node
from netcheck.platforms.cumulus.quirks import switched

ALL_PORTS: Final = "default-global"
_UNITS: Final = ("Bytes", "B", "%")


@dataclass(frozen=True, slots=True)
class Objects:
    """Objects of one name that several lines or keys speak of; the last one that says wins."""

    nodes: tuple[Node, ...]

    def at(self, *path: str) -> Objects:
        """Give the parts at a path."""
        found = (node.at(*path) for node in self.nodes)
        return Objects(tuple(node for node in found if node is not None))

    def text(self, *path: str) -> str:
        """Give a leaf's text; empty where nothing says it."""
        return next((text for node in reversed(self.at(*path).nodes) if (text := node.text())), "")

    def number(self, *path: str) -> Known[int]:
        """Give a leaf's number; UNKNOWN where there is none."""
        return plain_number(self.text(*path))

    def switch(self, *path: str) -> bool | None:
        """Give whether a leaf says on; None where it says nothing."""
        text = self.text(*path)
        return switched(text) if text else None

    def listed(self, *path: str) -> dict[int, Objects]:
        """Give the parts whose names are numbers, by number, each id of a list by itself."""
        found: dict[int, list[Node]] = {}
        for node in self.at(*path).nodes:
            for name, part in node.listed():
                if is_whole(name):
                    found.setdefault(int(name), []).append(part)
        return {number: Objects(tuple(found[number])) for number in sorted(found)}

    @property
    def is_there(self) -> bool:
        """Something speaks of it."""
        return bool(self.nodes)

    @property
    def lines(self) -> tuple[str, ...] | None:
        """Texts that all of it was read from; None where they are not known."""
        lines = tuple(node.lines for node in self.nodes)
        return None if "" in lines else lines

    @property
    def evidence(self) -> Evidence:
        """Where the last one stands."""
        return self.nodes[-1].evidence if self.nodes else Evidence()


def plain_number(text: str) -> Known[int]:
    """Give the number of a text such as ``150000`` or ``40000 B``; UNKNOWN for anything else.

    Example:
        >>> plain_number("40000 B"), plain_number("50.0"), plain_number("1.43 MB")
        (40000, 50, UNKNOWN)
    """
    for unit in _UNITS:
        text = text.removesuffix(unit)
    number, _, fraction = text.strip().partition(".")
    is_plain = number.isascii() and is_whole(number) and not fraction.strip("0")
    return int(number) if is_plain else UNKNOWN


@dataclass
class Settings:
    """One configuration.

    Attributes:
        root: All objects.
        is_whole: What is not in it is at its default.
        complete: Sections of ``qos`` that are whole; None is all that are there.
        unsettled: Sections of ``qos`` of which it is not known which ports they hold for.
    """

    root: Node
    is_whole: bool = False
    complete: frozenset[str] | None = None
    unsettled: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def ports(self) -> Mapping[str, Objects]:
        """Objects of each interface, ranges spelled out."""
        found: dict[str, list[Node]] = {}
        interfaces = self.root.child("interface")
        for name, node in interfaces.listed() if interfaces is not None else ():
            found.setdefault(name, []).append(node)
        return {name: Objects(tuple(nodes)) for name, nodes in found.items()}

    def section(self, name: str) -> Objects:
        """Give a section of ``qos``."""
        node = self.root.at("qos", name)
        return Objects((node,) if node is not None else ())

    def is_complete(self, name: str) -> bool:
        """Tell whether what a section of ``qos`` does not say is at its default."""
        if name in self.unsettled:
            return False
        if self.is_whole:
            return True
        listed = self.complete is None or name in self.complete
        return listed and self.section(name).is_there

    def is_default(self, feature: str, port: Objects) -> bool:
        """Tell whether a port that names no profile of a feature is known to have none.

        It is in a whole configuration, in a file that lists the ports of all profiles,
        and where the port names the feature alone (``nv set interface swp1 qos pfc``).
        """
        if self.is_whole or (self.complete is not None and feature in self.complete):
            return True
        return port.at("qos", feature).is_there

    def profile(self, feature: str, name: str) -> Objects:
        """Give the objects of a profile."""
        return self.section(feature).at(name)

    def binding(self, feature: str, port: Objects) -> str:
        """Give the name of the profile that a port has for a feature; empty for that of all."""
        name = port.text("qos", feature, "profile")
        return "" if name == ALL_PORTS else name

    @cached_property
    def roce_mode(self) -> str:
        """Mode of one-click RoCE; empty where it is off or not said to be on."""
        roce = self.section("roce")
        said = [roce.switch(word) for word in ("state", "enable")]
        if not roce.is_there or False in said:
            return ""
        return roce.text("mode") or "lossless"

    def is_said(self, feature: str) -> bool:
        """Tell whether a profile of the feature for all ports is there."""
        return self.profile(feature, ALL_PORTS).is_there


def merged(parts: Iterable[Settings]) -> Settings:
    """Give one configuration of several texts."""
    found = list(parts)
    root = Node()
    for one in found:
        root.merge(one.root)
    every = all(one.complete is None for one in found)
    listed = frozenset(name for one in found for name in _complete_names(one))
    return Settings(
        root,
        is_whole=any(one.is_whole for one in found),
        complete=None if every else listed,
        unsettled=frozenset(name for one in found for name in one.unsettled),
    )


def _complete_names(one: Settings) -> Iterable[str]:
    if one.complete is not None:
        return one.complete
    qos = one.root.child("qos")
    return () if qos is None else tuple(qos.parts)
