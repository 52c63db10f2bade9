"""Whether a tree says only what NVUE knows, as far as it touches RDMA traffic."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from netcheck.lossless.packaged import packaged_yaml
from netcheck.model.device import Defect, DefectKind
from netcheck.platforms.cumulus.parsed.ids import expand
from netcheck.platforms.cumulus.parsed.tree import Node
from netcheck.platforms.cumulus.quirks import switched

_NAME: Final = "<name>"
_NUMBER: Final = "<number>"
_REST: Final = "*"
# NVUE prints byte counts and rates with a unit in places where it takes plain numbers.
_PLAIN: Final = re.compile(r"\d+(?:\.\d+)?(?: ?(?:B|Bytes|%))?")


@cache
def schema() -> Mapping[str, Any]:  # Any: nested mappings, lists and words
    """Give the objects that are known."""
    data: Mapping[str, Any] = packaged_yaml("netcheck.platforms", "cumulus/parsed/schema.yaml")
    return data


def check(root: Node) -> Iterator[Defect]:
    """Yield what is not known or has no legal value, with its place."""
    for name in ("qos", "interface"):
        node = root.child(name)
        if node is not None:
            yield from _check(node, schema()[name], (name,))


def _check(node: Node, shape: Any, path: tuple[str, ...]) -> Iterator[Defect]:
    if isinstance(shape, Mapping):
        yield from _check_parts(node, shape, path)
    elif shape != "any":
        yield from _check_leaf(node, shape, path)


def _check_parts(node: Node, shape: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Defect]:
    if node.leaf:
        yield _defect(DefectKind.MALFORMED_VALUE, node, path, "expected an object", node.leaf)
    clean: set[str] = set()
    for name, part in node.parts.items():
        inner = _shape_of(name, shape)
        at = (*path, name)
        if inner is not None:
            yield from (
                _check_once(part, inner, at, clean) if part.lines else _check(part, inner, at)
            )
        elif path[0] == "interface" and path[2:] == ():
            continue  # other parts of interfaces are not ours
        elif _NUMBER in shape and not part.parts:
            yield _defect(DefectKind.MALFORMED_VALUE, part, at, "expected a number", name)
        else:
            yield _defect(DefectKind.UNKNOWN_LINE, part, at, "is not understood", name)


def _check_once(node: Node, shape: Any, path: tuple[str, ...], clean: set[str]) -> Iterator[Defect]:
    """Check an object, unless a sibling with the same lines is in order (interfaces alike)."""
    if node.lines in clean:
        return
    found = list(_check(node, shape, path))
    if not found:
        clean.add(node.lines)
    yield from found


def _shape_of(name: str, shape: Mapping[str, Any]) -> Any:
    if name in shape:
        return shape[name]
    if _NUMBER in shape and all(one.isdecimal() for one in expand(name)):
        return shape[_NUMBER]
    return shape.get(_NAME, shape.get(_REST))


def _check_leaf(node: Node, shape: Any, path: tuple[str, ...]) -> Iterator[Defect]:
    text = node.text()
    if text and _is_legal(text, shape):
        return
    expected = ", ".join(shape) if isinstance(shape, list) else f"a {shape}"
    yield _defect(DefectKind.MALFORMED_VALUE, node, path, f"expected {expected}", text)


def _is_legal(text: str, shape: Any) -> bool:
    if isinstance(shape, list):
        return text in shape
    if shape == "number":
        return _PLAIN.fullmatch(text) is not None
    return switched(text) is not None if shape == "switch" else True


def _defect(
    kind: DefectKind, node: Node, path: tuple[str, ...], message: str, found: str
) -> Defect:
    place = " ".join(path)
    ports = expand(path[1]) if path[0] == "interface" and len(path) > 1 else ()
    shown = found or "nothing"
    told = f"{place}: {message}"
    return Defect(
        kind,
        place,
        told if kind is DefectKind.UNKNOWN_LINE else f"{told}, found {shown}",
        ports,
        expected=message.removeprefix("expected "),
        found=found,
        evidence=node.evidence,
    )
