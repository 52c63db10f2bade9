"""What was said against what was read back, fact by fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from netcheck.model.known import UNKNOWN, Missing


def disagreements(
    said: Any,  # Any: every kind of fact
    found: Any,
    place: str,
    *,
    derived: frozenset[str] = frozenset(),
) -> Iterator[str]:
    """Places where what was found is not what was said, or more than was said.

    Args:
        derived: Facts that a platform derives from others, so that a reader
            knows them though nobody said them.
    """
    if said is UNKNOWN:
        if not isinstance(found, Missing) and place.rpartition(" ")[2] not in derived:
            yield f"{place}: made up {found}"
    elif isinstance(said, Missing) or type(said) is not type(found):
        if said != found:
            yield f"{place}: said {said}, found {found}"
    elif isinstance(said, Mapping):
        for key in said.keys() | found.keys():
            yield from disagreements(
                said.get(key, UNKNOWN), found.get(key, UNKNOWN), f"{place} {key}", derived=derived
            )
    elif is_dataclass(said):
        for one in fields(said):
            at = f"{place} {one.name}"
            yield from disagreements(
                getattr(said, one.name), getattr(found, one.name), at, derived=derived
            )
    elif said != found:
        yield f"{place}: said {said}, found {found}"
