"""NVUE's configuration tree: nested objects whose keys are names or ids.

Ids may be written as lists and ranges (``swp1-4,swp6``, ``0,3-5``); the tree
holds one key for each.

Source: NVIDIA Cumulus Linux user guide, NVUE CLI and NVUE object model.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

Tree = dict[str, Any]  # leaves are strings and integers, all else are trees
_SPAN = re.compile(r"(.*?)(\d+)-(\d+)")
_WIDEST = 4096


class TreeError(ValueError):
    """A text that is no NVUE configuration; the message is what ``nv`` says."""


def expand(text: str) -> list[str]:
    """Give the ids that a list of ids and ranges names.

    Example:
        >>> expand("swp1-3,swp6")
        ['swp1', 'swp2', 'swp3', 'swp6']
    """
    found: list[str] = []
    prefix = ""
    for part in text.split(","):
        # "swp1-4,6": a bare number carries on with the prefix before it
        whole = prefix + part if part[:1].isdigit() and prefix else part
        span = _SPAN.fullmatch(whole)
        if span and span[2].isdigit() and int(span[3]) - int(span[2]) in range(_WIDEST):
            prefix = span[1]
            found += [f"{prefix}{number}" for number in range(int(span[2]), int(span[3]) + 1)]
        else:
            named = re.fullmatch(r"(.*?)\d+", whole)
            prefix = named[1] if named else ""
            found.append(whole)
    return found


def at(tree: Tree, path: Sequence[str]) -> object:
    """Give what stands at a path; None where nothing does."""
    here: object = tree
    for name in path:
        if not isinstance(here, dict) or name not in here:
            return None
        here = here[name]
    return here


def subtree(tree: Tree, *path: str) -> Tree:
    """Give the object at a path; an empty one where there is none."""
    found = at(tree, path)
    return found if isinstance(found, dict) else {}


def put(tree: Tree, path: Sequence[str], value: object) -> None:
    """Set a leaf, or see to it that an object is there (``value`` a tree)."""
    here = tree
    for name in path[:-1]:
        below = here.get(name)
        if not isinstance(below, dict):
            below = here[name] = {}
        here = below
    if isinstance(value, dict) and isinstance(here.get(path[-1]), dict):
        merge(here[path[-1]], value)
    else:
        here[path[-1]] = copy.deepcopy(value)


def drop(tree: Tree, path: Sequence[str]) -> None:
    """Take away what stands at a path, and the objects that are empty then."""
    if len(path) == 1:
        tree.pop(path[0], None)
        return
    below = tree.get(path[0])
    if isinstance(below, dict):
        drop(below, path[1:])
        if not below:
            del tree[path[0]]


def merge(tree: Tree, extra: Tree) -> None:
    """Lay a tree over another one."""
    for name, value in extra.items():
        put(tree, (name,), value)


def leaves(tree: Tree, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every leaf and every empty object, with its path."""
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*path, name))
        else:
            yield (*path, name), value


def difference(before: Tree, after: Tree) -> tuple[Tree, Tree]:
    """Give what has to be unset and what has to be set to get from one tree to the other."""
    unset: Tree = {}
    change: Tree = {}
    old, new = dict(leaves(before)), dict(leaves(after))
    for path in old:
        if at(after, path) is None:
            put(unset, path, {})
    for path, value in new.items():
        if path not in old or old[path] != value:
            put(change, path, value)
    return unset, change


def commands(tree: Tree, word: str = "set") -> list[str]:
    """Give a tree as ``nv`` commands."""
    found = []
    for path, value in leaves(tree):
        end = "" if isinstance(value, dict) else f" {value}"
        found.append(f"nv {word} {' '.join(path)}{end}")
    return sorted(found)


def parse(text: str) -> tuple[Tree, list[tuple[str, ...]]]:
    """Read an NVUE YAML file: what it sets, and the paths it unsets. Ids are expanded.

    Raises:
        TreeError: It is not YAML, or not a list of ``set`` and ``unset``.
    """
    try:
        data = yaml.load(text, yaml.BaseLoader)  # noqa: S506 -- makes strings of everything
    except yaml.YAMLError as error:
        raise TreeError(f"yaml file is not valid: {' '.join(str(error).split())}") from None
    if isinstance(data, dict):
        data = [{name: value} for name, value in data.items()]
    if not isinstance(data, list) or not all(isinstance(part, dict) for part in data):
        raise TreeError("yaml file is not valid: expected a list of set and unset")
    change: Tree = {}
    unset: list[tuple[str, ...]] = []
    for part in data:
        for word, body in part.items():
            if word not in ("header", "set", "unset"):
                raise TreeError(f"yaml file is not valid: '{word}' is not one of set, unset")
            if word == "set":
                merge(change, _expanded(body))
            elif word == "unset":
                unset += [path for path, _ in leaves(_expanded(body))]
    return change, unset


def _expanded(body: object) -> Tree:
    found: Tree = {}
    if not isinstance(body, dict):
        return found
    for key, value in body.items():
        below = _expanded(value) if isinstance(value, dict) or value == "" else str(value)
        for name in expand(str(key)) if _is_list(str(key)) else [str(key)]:
            put(found, (name,), below)
    return found


def _is_list(key: str) -> bool:
    return bool(re.fullmatch(r"(?:[a-z]+)?\d+(?:s\d+)?(?:-\d+)?(?:,(?:[a-z]+)?[\ds-]+)*", key))


class _Dumper(yaml.SafeDumper):
    """YAML as NVUE writes it: ``on`` and ``off`` stand without quotes."""


_Dumper.yaml_implicit_resolvers = {
    letter: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:bool"]
    for letter, pairs in yaml.SafeDumper.yaml_implicit_resolvers.items()
}


def dump(data: object) -> str:
    """Give a configuration as NVUE's YAML."""
    return str(yaml.dump(data, Dumper=_Dumper, sort_keys=True, default_flow_style=False))
