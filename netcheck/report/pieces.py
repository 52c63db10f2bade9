"""JSON written piece by piece: no list has to be there as a whole, or as one text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

Pieces = Iterator[str]
_ENCODED: Final = {
    is_ascii: json.JSONEncoder(indent=2, ensure_ascii=is_ascii).encode for is_ascii in (False, True)
}

_FLAT: Final = {
    is_ascii: json.JSONEncoder(ensure_ascii=is_ascii).encode for is_ascii in (False, True)
}


def json_object(
    members: Mapping[str, object],
    lists: Mapping[str, Iterable[Pieces]],
    *,
    indent: str = "",
    is_ascii: bool = False,
) -> Pieces:
    """Give an object as ``json.dumps(..., indent=2)`` would.

    Args:
        members: Its members in order; those in ``lists`` are ``[]`` here.
        lists: Items of these members, in the same order, each as pieces that
            are indented by four more than ``indent``.
        indent: Of the object itself; its first line is not indented.
        is_ascii: Other letters are escaped.
    """
    # no text of JSON holds a line end or a quote that is not escaped
    text = _ENCODED[is_ascii](members).replace("\n", f"\n{indent}")
    for name, items in lists.items():
        before, _, text = text.partition(f'"{name}": []')
        yield f'{before}"{name}": '
        yield from _array(items, f"{indent}  ")
    yield text


def json_item(members: Mapping[str, object], *, indent: str, is_ascii: bool = False) -> Pieces:
    """Give an object that is small enough to be one piece."""
    if not all(value is None or isinstance(value, (str, int)) for value in members.values()):
        yield _ENCODED[is_ascii](members).replace("\n", f"\n{indent}")
        return
    # a layout is worked out by Python code; without one, C code writes a value
    encoded = _FLAT[is_ascii]
    lines = [f'\n{indent}  "{name}": {encoded(value)}' for name, value in members.items()]
    yield "{" + ",".join(lines) + f"\n{indent}}}"


def _array(items: Iterable[Pieces], indent: str) -> Pieces:
    opening = "["
    for item in items:
        yield f"{opening}\n{indent}  "
        yield from item
        opening = ","
    yield "[]" if opening == "[" else f"\n{indent}]"
