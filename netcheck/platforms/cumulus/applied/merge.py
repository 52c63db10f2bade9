"""What has to be set and unset, so that a switch holds what is rendered and keeps the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from netcheck.platforms.cumulus.parsed.port_qos import TLVS
from netcheck.platforms.cumulus.parsed.settings import ALL_PORTS, Objects, Settings
from netcheck.platforms.cumulus.parsed.tree import Node
from netcheck.platforms.cumulus.quirks import Words, switched

Path = tuple[str, ...]
Tree = Mapping[str, Any]  # Any: nested objects whose leaves are texts and numbers
# Sections whose profiles are bound by interfaces.
PROFILED: Final = (
    "congestion-control",
    "egress-scheduler",
    "link-pause",
    "mapping",
    "pfc",
    "remark",
)
LOSSLESS: Final = ("qos", "traffic-pool", "default-lossless", "memory-percent")


@dataclass(slots=True)
class Edits:
    """What changes.

    Attributes:
        sets: Leaves (or empty objects, with an empty text) that are set, with old and new text.
        unsets: Paths that are taken away, with the old text of all below.
    """

    sets: dict[Path, tuple[str, str]] = field(default_factory=dict)
    unsets: dict[Path, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Nothing changes."""
        return not self.sets and not self.unsets


def leaves(tree: Tree, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield each leaf of a tree with its text; an empty object has an empty text."""
    for name, part in tree.items():
        if isinstance(part, Mapping) and part:
            yield from leaves(part, (*path, name))
        else:
            yield (*path, name), "" if isinstance(part, Mapping) else str(part)


def in_words(tree: Tree, words: Words) -> Tree:
    """Give a tree with the words for on and off of one release."""
    by_leaf = {"ecn": words.ecn, "red": words.ecn, "state": words.watchdog}
    by_leaf |= {"tx": words.pfc, "rx": words.pfc} | dict.fromkeys(TLVS, words.tlv)
    return {
        name: in_words(part, words)
        if isinstance(part, Mapping)
        else _word(str(part), by_leaf.get(name))
        for name, part in tree.items()
    }


def _word(text: str, pair: tuple[str, str] | None) -> str:
    is_on = switched(text)
    return text if pair is None or is_on is None else pair[is_on]


def edits(held: Settings, wanted: Tree, *, are_pools_said: bool) -> Edits:
    """Give the difference between what is held and what is rendered."""
    found = Edits()
    qos: Tree = wanted.get("qos", {})
    ports: Tree = wanted.get("interface", {})
    for path, text in leaves({"qos": qos, "interface": ports}):
        if not text and path[0] == "interface":
            continue  # says that the port has no profile of its own, which sets nothing
        old = _held_text(held, path)
        if text and old != text and not _is_same_switch(old, text):
            found.sets[path] = (old, text)
        elif not text and not _holds(held, path):
            found.sets[path] = ("", "")
    _keep_pools(held, found, are_pools_said=are_pools_said)
    _drop_roce(held, qos, found)
    for feature in PROFILED:
        spoken = [port for port, tree in ports.items() if feature in tree.get("qos", {})]
        if spoken:
            _drop_stale(held, feature, qos.get(feature, {}), (spoken, ports), found)
    return found


def _objects(held: Settings, path: Path) -> Objects:
    if path[0] == "interface":
        return held.ports.get(path[1], Objects(())).at(*path[2:])
    return Objects((held.root,)).at(*path)


def _held_text(held: Settings, path: Path) -> str:
    return _objects(held, path).text()


def _holds(held: Settings, path: Path) -> bool:
    """Tell whether an object without parts is there, also inside a list of ids."""
    if _objects(held, path).is_there:
        return True
    holder = _objects(held, path[:-1])
    return any(path[-1] == name for node in holder.nodes for name, _ in node.listed())


def _is_same_switch(old: str, new: str) -> bool:
    """Tell whether two words are the same switch position in words of different releases."""
    return switched(old) is not None and switched(old) is switched(new)


def _keep_pools(held: Settings, found: Edits, *, are_pools_said: bool) -> None:
    """A switch that has a lossless pool keeps its shares, unless the intent says others."""
    share = _held_text(held, LOSSLESS)
    if not are_pools_said and share not in {"", "0"}:
        for path in [path for path in found.sets if path[:2] == LOSSLESS[:2]]:
            del found.sets[path]


def _drop_roce(held: Settings, qos: Tree, found: Edits) -> None:
    """One-click RoCE would set all ports beside what is rendered."""
    if "pfc" not in qos and "mapping" not in qos:
        return
    for path in (("qos", "roce"), ("qos", "traffic-pool", "roce-lossless")):
        node = held.root.at(*path)
        if node is not None:
            found.unsets[path] = _shown(node)


def _drop_stale(
    held: Settings, feature: str, profiles: Tree, wanted: tuple[list[str], Tree], found: Edits
) -> None:
    """Take away what the ports that are spoken of must not have, and what nothing uses any more."""
    spoken, ports = wanted
    section = held.root.at("qos", feature)
    bound = {name: held.binding(feature, one) for name, one in held.ports.items()}
    for port in spoken:
        old, new = bound.get(port, ""), ports[port]["qos"][feature].get("profile", "")
        bound[port] = new
        if old and not new:
            found.unsets["interface", port, "qos", feature] = f"profile {old}"
    for name, node in section.parts.items() if section is not None else ():
        path = ("qos", feature, name)
        if name in profiles:
            for inner, old in _extra(node, profiles[name], path):
                found.unsets[inner] = old
        elif name == ALL_PORTS:
            if any(not bound[port] for port in spoken):
                found.unsets[path] = _shown(node)
        elif name not in bound.values():
            found.unsets[path] = _shown(node)


def _extra(node: Node, wanted: object, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield what a held object has and the rendered one has not."""
    if not isinstance(wanted, Mapping):
        return
    for name, part in node.listed():
        at = (*path, name)
        if name not in wanted:
            yield at, _shown(part)
        else:
            yield from _extra(part, wanted[name], at)


def _shown(node: Node) -> str:
    if not node.parts:
        return node.leaf or ""
    lines = [f"{name} {_shown(part)}".rstrip() for name, part in node.parts.items()]
    return ", ".join(lines)


def as_tree(sets: Mapping[Path, tuple[str, str]]) -> dict[str, Any]:
    """Give the leaves that are set as a tree; an object with an empty text stays empty."""
    tree: dict[str, Any] = {}
    for path, (_, text) in sets.items():
        holder = tree
        for name in path[:-1]:
            holder = holder.setdefault(name, {})
        holder[path[-1]] = text or {}
    return tree
