"""What the same is said of stands together: ``leaf[01-16]``, ``Ethernet[0-504:8]``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from netcheck.intent.inferred.layout import Tree
from netcheck.intent.ranges import RangeError, expand
from netcheck.model.shortened import compress, natural_key

ADDRESSES = frozenset({"address", "mgmt"})
SEVERAL = ", "
_NUMBERS = re.compile(r"(\d+)")


def ports_together(ports: Mapping[str, Tree]) -> Tree:
    """Give ports by name, those alike under one range; the key order is that of the first."""
    return {key: said for key, _, said in _alike(ports)}


def devices_together(devices: Mapping[str, Tree]) -> Tree:
    """Give devices by name, those alike under one range; addresses may run with it."""
    masked = {name: _masked(one) for name, one in devices.items()}
    found: Tree = {}
    for key, names, said in _alike(masked):
        members = [devices[name] for name in names]
        whole = _joined(members)
        if whole is not None:
            found[key] = whole
        elif said:
            found |= dict(zip(names, members, strict=True))
    return found


def _alike(named: Mapping[str, Tree]) -> Iterator[tuple[str, list[str], Tree]]:
    """Yield ``(range, names, what is said)`` for names of which the same is said."""
    groups: dict[str, list[str]] = {}
    for name, said in named.items():
        groups.setdefault(repr(said), []).append(name)
    for names in groups.values():
        said = named[names[0]]
        yield from ((key, members, said) for key, members in _ranges(names))


def _ranges(names: list[str]) -> list[tuple[str, list[str]]]:
    """Give ranges with the names that each stands for; names that make none alone."""
    ordered = sorted(names, key=natural_key)
    one = _running(ordered)
    keys = [one] if one else compress(names).split(SEVERAL)
    found = [(key, _members(key)) for key in keys]
    known = [(key, members) for key, members in found if members is not None]
    if sorted(name for _, members in known for name in members) == sorted(names):
        return known
    return [(name, [name]) for name in names]


def links_together(links: Sequence[Tree]) -> list[Tree]:
    """Give links, those alike in one line: of one switch to many hosts, of one pair of devices."""
    rest = list(enumerate(links))
    found: list[tuple[int, Tree]] = []
    for sides in ((1, 0), (0, 0)):
        rest = list(_run_together(rest, sides, found))
    return [one for _, one in sorted([*found, *rest], key=itemgetter(0))]


def _run_together(
    links: Sequence[tuple[int, Tree]], sides: tuple[int, int], found: list[tuple[int, Tree]]
) -> Iterator[tuple[int, Tree]]:
    """Put links that share these parts of their ends into ``found``; yield the others."""
    groups: dict[str, list[tuple[int, Tree]]] = {}
    for place, one in links:
        shared = [str(one[end]).split(":")[side] for end, side in zip("ab", sides, strict=True)]
        other = [value for key, value in one.items() if key not in {"a", "b"}]
        groups.setdefault(repr((shared, other)), []).append((place, one))
    for members in groups.values():
        ends = {end: _running([str(one[end]) for _, one in members]) for end in "ab"}
        if len(members) > 1 and all(ends.values()):
            place, first = members[0]
            found.append((place, {**first, **ends}))
        else:
            yield from members


def _members(key: str) -> list[str] | None:
    try:
        return [name for name, _ in expand(key)]
    except RangeError:
        return None


def _masked(said: Tree) -> Tree:
    """What is said of a device, without the numbers of its addresses."""
    return {
        key: _masked(value) if isinstance(value, dict) else "" if key in ADDRESSES else value
        for key, value in said.items()
    }


def _joined(members: Sequence[Tree]) -> Tree | None:
    """What is said of all of them, addresses as ranges; None where an address does not run."""
    if len(members) == 1:
        return members[0]
    found: Tree = {}
    for key, value in members[0].items():
        values = [one[key] for one in members]
        if isinstance(value, dict):
            inner = _joined([one for one in values if isinstance(one, dict)])
            if inner is None:
                return None
            found[key] = inner
        elif key in ADDRESSES:
            running = _running([str(one) for one in values])
            if running is None:
                return None
            found[key] = running
        else:
            found[key] = value
    return found


def _running(values: list[str]) -> str | None:
    """Give a range that stands for these texts in this order; None where there is none."""
    if len(set(values)) == 1:
        return values[0]
    parts = [_NUMBERS.split(value) for value in values]
    if len({len(one) for one in parts}) != 1:
        return None
    columns = list(zip(*parts, strict=True))
    differing = [place for place, column in enumerate(columns) if len(set(column)) > 1]
    if len(differing) != 1:
        return None
    place = differing[0]
    pieces = [*parts[0][:place], compress(columns[place]), *parts[0][place + 1 :]]
    pattern = "".join(pieces)
    return pattern if _members(pattern) == values else None
