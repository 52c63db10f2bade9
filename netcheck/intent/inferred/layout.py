"""Nested mappings as YAML that a person would write: short ones on one line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from netcheck.intent.nodes import resolve_scalar

Tree = dict[str, object]

WIDTH = 110
STEP = "  "
# What YAML takes for a plain text in every place, also between braces.
_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./%+-]*")


def laid_out(tree: Tree) -> str:
    """Give the YAML text of nested mappings, lists and scalars.

    Example:
        >>> print(laid_out({"roce": {"p": {"classes": {"rdma": {"dscp": [26], "ecn": "auto"}}}}}))
        <BLANKLINE>
        roce:
          p:
            classes:
              rdma: {dscp: [26], ecn: auto}
        <BLANKLINE>
    """
    return "".join(f"{line}\n" for line in _sections(tree))


def _sections(tree: Tree) -> Iterator[str]:
    """The lines of a text, an empty one before each section."""
    for key, value in tree.items():
        if isinstance(value, (dict, list)):
            yield ""
        yield from _block({key: value}, "")


def _block(tree: Tree, indent: str) -> Iterator[str]:
    for key, value in tree.items():
        name = f"{indent}{_scalar(key)}:"
        inline = _inline(value)
        is_deep = isinstance(value, dict) and any(
            isinstance(one, dict) and one for one in value.values()
        )
        is_list_of_maps = isinstance(value, list) and any(isinstance(one, dict) for one in value)
        if is_list_of_maps:
            yield name
            yield from (f"{indent}{STEP}- {_inline(one)}" for one in _listed(value))
        elif isinstance(value, dict) and (
            not indent or is_deep or len(name) + len(inline) >= WIDTH
        ):
            yield name
            yield from _block(value, indent + STEP)
        else:
            yield f"{name} {inline}"


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(k)}: {_inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return _scalar(value)


def _scalar(value: object) -> str:
    """A number as it is; a text plain where it stays one, else in quotes."""
    if not isinstance(value, str):
        return json.dumps(value)
    is_plain = _PLAIN.fullmatch(value) is not None and resolve_scalar(value) == value
    return value if is_plain else json.dumps(value, ensure_ascii=False)
