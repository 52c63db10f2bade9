"""SONiC's own YANG models as a judge of CONFIG_DB texts, by libyang.

CONFIG_DB holds every value as a text and every key in one piece; YANG data has
lists with several keys and typed leaves. The converter below is driven by the
compiled models, so that it knows no table by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

# Any, throughout: JSON data, and objects of libyang, which is optional and untyped.
BINDING: Final = "libyang==2.8.0"
HOW: Final = (
    "apt-get install libyang2-dev gcc python3-dev (libyang 2, as in Debian 12),"
    f" then: pip install {BINDING}"
)
_NARROW: Final = frozenset(f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32))


def why_unavailable() -> str:
    """Why libyang cannot be used here and how to get it; empty where it can."""
    try:
        found = version("libyang")
    except PackageNotFoundError:
        return f"the Python package libyang is not installed; {HOW}"
    if not found.startswith("2."):
        return f"libyang {found} is installed, which is not of the major version 2; {HOW}"
    try:
        import_module("libyang")
    except ImportError as error:
        return f"libyang {found} does not load the C library of this system ({error}); {HOW}"
    return ""


@dataclass(frozen=True)
class Node:
    """One node of a compiled model.

    Attributes:
        kind: YANG's keyword: container, list, leaf or leaf-list.
        keys: Names of the key leaves of a list, in order.
        types: Names of the plain types of a leaf, behind leafrefs and unions.
    """

    name: str
    kind: str
    children: Mapping[str, Node]
    keys: tuple[str, ...] = ()
    types: frozenset[str] = frozenset()

    def of_kind(self, kind: str) -> list[Node]:
        """Children of one kind."""
        return [child for child in self.children.values() if child.kind == kind]


def _node(compiled: Any) -> Node:
    kind = compiled.keyword()
    is_leaf = kind in {"leaf", "leaf-list"}
    inner = {} if is_leaf else {one.name(): _node(one) for one in compiled.children()}
    keys = tuple(leaf.name() for leaf in list(compiled.keys())) if kind == "list" else ()
    types = frozenset(_types(compiled.type())) if is_leaf else frozenset()
    return Node(compiled.name(), kind, inner, keys, types)


def _types(kind: Any) -> Iterator[str]:
    if kind.basename() == "leafref":
        yield from _types(kind.leafref_type())
    elif kind.basename() == "union":
        for member in kind.union_types():
            yield from _types(member)
    else:
        yield kind.basename()


class Models:
    """All models of a folder, compiled together."""

    def __init__(self, folder: Path) -> None:
        self._libyang = import_module("libyang")
        self._context = self._libyang.Context(str(folder))
        names = sorted(path.stem for path in folder.glob("*.yang"))
        self.tops = {
            f"{name}:{one.name()}": _node(one)
            for name in names
            for one in self._context.load_module(name).children()
            if one.keyword() == "container"
        }
        self._tables = {
            table.name: (top, table)
            for top, node in self.tops.items()
            for table in node.of_kind("container")
        }

    def refusal(self, tables: Mapping[str, Any]) -> str:
        """Why the models refuse a CONFIG_DB; empty when they take it."""
        unknown = [name for name in tables if name not in self._tables]
        if unknown:
            return f"no model for {', '.join(unknown)}"
        data: dict[str, Any] = {}
        for name, rows in tables.items():
            top, table = self._tables[name]
            data.setdefault(top, {})[name] = _table(table, rows)
        return self._judge(data)

    def refusal_of_yang(self, data: Mapping[str, Any]) -> str:
        """Why the models refuse data in YANG's own shape, whose values may all be texts."""
        return self._judge({top: _typed(self.tops[top], _bare(data[top])) for top in data})

    def _judge(self, data: Mapping[str, Any]) -> str:
        try:
            tree = self._context.parse_data_mem(
                json.dumps(data), "json", strict=True, no_state=True
            )
        except self._libyang.LibyangError as error:
            return str(error)
        if tree is not None:
            tree.free()
        return ""


def _table(table: Node, rows: Mapping[str, Any]) -> dict[str, Any]:
    """One table: rows that are containers by their name, others in the list that fits."""
    found: dict[str, Any] = {}
    for key, fields in rows.items():
        parts = key.split("|")
        fitting = [one for one in table.of_kind("list") if len(one.keys) == len(parts)]
        own = table.children.get(key)
        if own is not None and own.kind == "container":
            found[key] = _fields(own, fields)
        elif fitting:
            named = dict(zip(fitting[0].keys, parts, strict=True))
            entry = {**_fields(fitting[0], fields), **_leaves(fitting[0], named)}
            found.setdefault(fitting[0].name, []).append(entry)
        else:
            found[key] = fields  # refused by its name
    return found


def _fields(node: Node, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a row; those of maps (DSCP_TO_TC_MAP, CABLE_LENGTH) are an inner list."""
    inner = node.of_kind("list")
    if not inner:
        return _leaves(node, fields)
    (key,) = inner[0].keys
    (value,) = inner[0].children.keys() - {key}
    entries = [_leaves(inner[0], {key: name, value: text}) for name, text in fields.items()]
    return {inner[0].name: entries}


def _leaves(node: Node, fields: Mapping[str, Any]) -> dict[str, Any]:
    known = node.children
    return {name: _cast(known[name], fields[name]) if name in known else "" for name in fields}


def _cast(leaf: Node, value: Any) -> Any:
    """Give a value the JSON type of its leaf; what does not fit stays, to be refused."""
    if leaf.kind == "leaf-list":
        items = value if isinstance(value, list) else [one for one in value.split(",") if one]
        return [_scalar(leaf, item) for item in items]
    return _scalar(leaf, value)


def _scalar(leaf: Node, value: Any) -> Any:
    """RFC 7951: integers of up to 32 bits are numbers, wider ones texts."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if leaf.types & _NARROW and text.removeprefix("-").isdigit():
        return int(text)
    if "boolean" in leaf.types and text in {"true", "false"}:
        return text == "true"
    return text


def _bare(value: Any) -> Any:
    """Names without their module, which inside one module may be there or not."""
    if isinstance(value, dict):
        return {name.rpartition(":")[2]: _bare(inner) for name, inner in value.items()}
    return [_bare(item) for item in value] if isinstance(value, list) else value


def _typed(node: Node, data: Any) -> Any:
    """Cast all leaves of data in YANG's shape."""
    if node.kind in {"leaf", "leaf-list"}:
        return _cast(node, data)
    if isinstance(data, list):
        return [_typed(node, item) for item in data]
    if not isinstance(data, dict):
        return data
    known = node.children
    return {name: _typed(known[name], data[name]) if name in known else "" for name in data}
