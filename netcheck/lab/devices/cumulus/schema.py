"""Which commands NVUE knows, and which values they take, from ``data/schema.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import yaml

from netcheck.lab.devices.cumulus.refusals import Refused, refuse
from netcheck.lab.devices.cumulus.tree import Tree

_RELEASE = re.compile(r"(\d+)\.(\d+)")
_RANGE = re.compile(r"(\d+)-(\d+)")
# Words changed with 5.15: on/off and enable/disable became enabled/disabled.
# Source: NVUE command reference, QoS and LLDP, notes on 5.14 and earlier.
NEW_WORDS = (5, 15)
_SWITCH = ("enable", "disable")
_NEW_SWITCH = ("enabled", "disabled")
_TOGGLE = ("on", "off")


@dataclass(slots=True)
class Node:
    """One place in the tree of commands: words below it, an id below it, a value."""

    words: dict[str, Node] = field(default_factory=dict)
    id_kind: str = ""
    below_id: Node | None = None
    value: str = ""


def release_of(version: str) -> tuple[int, int]:
    """Give the release of a version text, ``(5, 14)`` where it says none."""
    found = _RELEASE.search(version)
    return (int(found[1]), int(found[2])) if found else (5, 14)


@cache
def _data() -> dict[str, Any]:  # Any: the shape of the data file
    data = resources.files("netcheck.lab.devices.cumulus").joinpath("data/schema.yaml")
    found: dict[str, Any] = yaml.safe_load(data.read_text("utf-8"))
    return found


@cache
def commands_of(release: tuple[int, int]) -> Node:
    """Give the tree of commands that a release knows."""
    root = Node()
    for row in _data()["commands"]:
        if "since" in row and release < release_of(row["since"]):
            continue
        if "until" in row and release > release_of(row["until"]):
            continue
        _add(root, row["path"].split())
    return root


def _add(node: Node, words: list[str]) -> None:
    for word in words:
        if word.startswith("("):
            node.value = word[1:-1]
        elif word.startswith("<"):
            node.id_kind = word[1:-1]
            node.below_id = node.below_id or Node()
            node = node.below_id
        else:
            node = node.words.setdefault(word, Node())


def is_checked(path: Sequence[str]) -> bool:
    """The lab knows what may stand there; other parts are kept unread."""
    if path[0] in _data()["unchecked"]:
        return False
    return not (len(path) > 2 and path[0] == "interface" and path[2] in _unchecked())  # noqa: PLR2004 -- interface, id, part


def _unchecked() -> list[str]:
    found: list[str] = _data()["unchecked_of_interface"]
    return found


def refused_leaves(tree: Tree, release: tuple[int, int]) -> Iterator[Refused]:
    """Everything in a tree that is no command of the release, or has no value of its kind."""
    yield from _walk(tree, commands_of(release), (), release)


def _walk(
    tree: Tree, node: Node, path: tuple[str, ...], release: tuple[int, int]
) -> Iterator[Refused]:
    for name, value in tree.items():
        here = (*path, name)
        if not is_checked(here):
            continue
        below = node.words.get(name)
        if below is None and node.below_id is not None:
            below = node.below_id
            if refused := _refused_id(node.id_kind, name, here):
                yield refused
                continue
        if below is None:
            yield refuse("unknown-parameter", here, value=name)
        elif isinstance(value, dict):
            if value and below.value and not below.words and below.below_id is None:
                yield refuse("not-a-value", here, value=str(value))
            else:
                yield from _walk(value, below, here, release)
        elif refused := _refused_value(below, str(value), here, release):
            yield refused


def _refused_id(kind: str, name: str, path: tuple[str, ...]) -> Refused | None:
    limits = _data()["ids"].get(kind)
    if kind == "interface":
        ok = re.fullmatch(r"[A-Za-z][\w.\-]*", name) is not None
        return None if ok else refuse("interface-name", path, value=name)
    if limits is None:
        ok = re.fullmatch(r"[A-Za-z0-9_][\w.\-]*", name) is not None
        return None if ok else refuse("profile-name", path, value=name)
    if isinstance(limits[0], int):
        if name.isdigit() and limits[0] <= int(name) <= limits[1]:
            return None
        return refuse(f"{kind}-id", path, value=name, low=str(limits[0]), high=str(limits[1]))
    if name in limits:
        return None
    return refuse(f"{kind}-name", path, value=name, choice=str(limits))


def _refused_value(
    node: Node, value: str, path: tuple[str, ...], release: tuple[int, int]
) -> Refused | None:
    if not node.value:
        return refuse("no-value-there", path, value=value)
    if node.value == "string":
        return None
    span = _RANGE.fullmatch(node.value)
    if span:
        return _refused_number(value, int(span[1]), int(span[2]), path)
    choice = _choice(node.value, release)
    if value in choice:
        return None
    name = f"{path[-1]}-choice"
    return refuse(name, path, value=value, choice=str(list(choice)))


def _refused_number(value: str, low: int, high: int, path: tuple[str, ...]) -> Refused | None:
    if not re.fullmatch(r"-?\d+", value):
        return refuse("not-an-integer", path, value=value)
    name = f"{path[-1]}-range"
    if int(value) < low:
        return refuse(name, path, value=value, bound=f"less than the minimum of {low}")
    if int(value) > high:
        return refuse(name, path, value=value, bound=f"greater than the maximum of {high}")
    return None


def _choice(kind: str, release: tuple[int, int]) -> tuple[str, ...]:
    is_new = release >= NEW_WORDS
    if kind == "switch":
        # the reference of later releases shows both forms
        return (*_NEW_SWITCH, *_SWITCH) if is_new else _SWITCH
    if kind == "toggle":
        return _NEW_SWITCH if is_new else _TOGGLE
    if kind == "alpha":
        return tuple(_data()["alphas"])
    return tuple(kind.split("|"))


def typed(tree: Tree) -> Tree:
    """Give a tree with numbers as numbers; ids stay texts."""
    found: Tree = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            found[name] = typed(value)
        else:
            is_number = isinstance(value, str) and value.isdigit() and name != "profile"
            found[name] = int(value) if is_number else value
    return found
