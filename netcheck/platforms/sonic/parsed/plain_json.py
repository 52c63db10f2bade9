"""JSON texts that hold objects, texts and lists of texts alone, read by the C reader of ``json``.

Nearly all of what a switch shows is that plain, and long. Where a member
stands is worked out when somebody asks. Whatever is not that plain is left to
``read_json``, which reads everything and says where a text breaks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any, Final, cast

Path = tuple[str, ...]
Plain = dict[str, Any]  # Any: texts, lists of texts and objects of the same
_TEXT: Final = {str}
# Blanks before a colon: then colons do not tell how many keys there are.
_SPACED: Final = (" :", "\n:", "\t:", "\r:")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return members


_UNIQUE: Final = json.JSONDecoder(object_pairs_hook=_unique)


def read_plain(text: str) -> Plain | None:
    """Give the object that a text holds; None where it is anything else or not as plain.

    Example:
        >>> read_plain('{"A": {"b": "1"}}'), read_plain('{"a": "1", "a": "2"}')
        ({'A': {'b': '1'}}, None)
    """
    if "\\" in text:  # places are found by what stands between quotes
        return None
    try:
        root: Any = json.loads(text)  # Any: as json gives it
        if not isinstance(root, dict):
            return None
        if _keys(root) != text.count('":') or any(gap in text for gap in _SPACED):
            root = _UNIQUE.decode(text)
    except (ValueError, RecursionError):
        return None
    return cast("Plain", root)


def _keys(value: Mapping[str, object]) -> int:
    """How many members an object and those inside it have."""
    count = len(value)
    for inner in value.values():
        if type(inner) is dict:
            count += len(inner) if only_texts(inner) else _keys(inner)
    return count


def only_texts(value: Mapping[str, object]) -> bool:
    """Tell whether all members of an object are texts."""
    return set(map(type, value.values())) <= _TEXT


class Places(Mapping[Path, int]):
    """Where each member of a plain text stands, by the keys that lead to it.

    Keys and texts stand between quotes, in the order of the object, and nothing
    else does: the n-th of them is the n-th that the text quotes.
    """

    def __init__(self, text: str, root: Plain) -> None:
        self._objects: dict[Path, tuple[Plain, list[int]]] = {}
        self._count(root, (), 0)
        parts = text.split('"')
        ends = list(accumulate(map(len, parts)))
        self._starts = [end + 2 * number for number, end in enumerate(ends[::2])]

    def _count(self, members: Plain, path: Path, number: int) -> int:
        """Number the quotes of an object; give the number after it."""
        if only_texts(members):
            after = number + 2 * len(members)
            self._objects[path] = members, list(range(number, after, 2))
            return after
        numbers: list[int] = []
        self._objects[path] = members, numbers
        for name, value in members.items():
            numbers.append(number)
            number = self._after(value, (*path, name), number + 1)
        return number

    def _after(self, value: object, path: Path, number: int) -> int:
        if isinstance(value, dict):
            return self._count(value, path, number)
        if isinstance(value, list):
            for item in value:
                number = self._after(item, path, number)
        return number + isinstance(value, str)

    def __getitem__(self, path: Path) -> int:
        members, numbers = self._objects[path[:-1]]
        return self._starts[numbers[list(members).index(path[-1])]]

    def __iter__(self) -> Iterator[Path]:
        return ((*path, name) for path, (members, _) in self._objects.items() for name in members)

    def __len__(self) -> int:
        return sum(len(members) for members, _ in self._objects.values())
