"""A mapping that can be hashed, so that equal policies are shared and judged once."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Generic, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")


class FrozenMap(Mapping[K, V], Generic[K, V]):
    """An immutable, hashable mapping; equal to any mapping with the same items."""

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Mapping[K, V] | None = None) -> None:
        self._items: dict[K, V] = dict(items or {})
        self._hash: int | None = None

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    # Mapping has the following too, several times slower.
    def __contains__(self, key: object) -> bool:
        return key in self._items

    @overload
    def get(self, key: K, /) -> V | None: ...
    @overload
    def get(self, key: K, /, default: V | D) -> V | D: ...
    def get(self, key: K, /, default: Any = None) -> Any:  # Any: as the overloads say
        """Give the value of a key, else the default."""
        return self._items.get(key, default)

    @property
    def finder(self) -> Callable[[K], V | None]:
        """The look-up of ``get`` itself: for loops over everything in a large fabric."""
        return self._items.get

    def keys(self) -> KeysView[K]:
        """Give the keys."""
        return self._items.keys()

    def values(self) -> ValuesView[V]:
        """Give the values."""
        return self._items.values()

    def items(self) -> ItemsView[K, V]:
        """Give the pairs."""
        return self._items.items()

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._items.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenMap):
            return self._items == other._items
        if isinstance(other, Mapping):
            return self._items == dict(other)
        return NotImplemented

    def __repr__(self) -> str:
        return f"FrozenMap({self._items!r})"

    def __reduce__(self) -> tuple[Any, ...]:  # Any: pickle's protocol
        return (FrozenMap, (self._items,))

    def with_items(self, items: Mapping[K, V]) -> FrozenMap[K, V]:
        """Give a copy in which ``items`` are added or replaced."""
        return FrozenMap({**self._items, **items})


class LazyMap(FrozenMap[K, V]):
    """A FrozenMap whose items are made when it is first used.

    Args:
        make: Gives the items; called once at most.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Mapping[K, V]]) -> None:
        self._make: Callable[[], Mapping[K, V]] | None = make
        self._made: dict[K, V] = {}
        self._hash = None

    @property
    def _items(self) -> dict[K, V]:  # type: ignore[override]  # in the place of the slot
        if self._make is not None:
            self._made, self._make = dict(self._make()), None
        return self._made
