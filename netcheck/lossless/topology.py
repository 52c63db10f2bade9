"""Switches and the links between them, as deadlock analysis needs them: numbers, no names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

ROUNDS = 64


class Failure(NamedTuple):
    """A link between two switches, or (both numbers alike) a switch, that is gone."""

    a: int
    b: int

    @property
    def is_switch(self) -> bool:
        """A whole switch is gone."""
        return self.a == self.b


@dataclass(frozen=True)
class Topology:
    """Switches by number.

    Attributes:
        tiers: Tier of each switch.
        neighbours: For each switch ``neighbour -> links between the two``.
        hosts: Links to hosts at each switch.
    """

    tiers: tuple[int, ...]
    neighbours: tuple[Mapping[int, int], ...]
    hosts: tuple[int, ...]

    @cached_property
    def uplinks(self) -> tuple[tuple[int, ...], ...]:
        """Neighbours of a higher tier, of each switch."""
        tiers = self.tiers
        return tuple(
            tuple(other for other in near if tiers[other] > tiers[here])
            for here, near in enumerate(self.neighbours)
        )

    @cached_property
    def top_down(self) -> tuple[int, ...]:
        """Switches from the highest tier to the lowest."""
        return tuple(sorted(range(len(self.tiers)), key=lambda one: -self.tiers[one]))

    @cached_property
    def attached(self) -> tuple[int, ...]:
        """Switches with hosts."""
        return tuple(number for number, count in enumerate(self.hosts) if count)

    def without(self, failure: Failure) -> Topology:
        """Give the topology after a failure; a failed switch keeps its number and no link."""
        near = list(self.neighbours)
        hosts = self.hosts
        if failure.is_switch:
            for other in near[failure.a]:
                near[other] = _less(near[other], failure.a)
            near[failure.a] = {}
            hosts = (*hosts[: failure.a], 0, *hosts[failure.a + 1 :])
        else:
            near[failure.a] = _less(near[failure.a], failure.b)
            near[failure.b] = _less(near[failure.b], failure.a)
        return Topology(self.tiers, tuple(near), hosts)

    def failures(self) -> Iterator[Failure]:
        """Yield one failure of each symmetry class: first links, then switches.

        Elements that look alike from everywhere are one class; whatever is
        irregular is a class of its own. Where several links join two switches,
        the loss of one changes no path.
        """
        colours = self._colours()
        seen: set[tuple[int, int]] = set()
        for here, near in enumerate(self.neighbours):
            for other, count in near.items():
                pair = tuple(sorted((colours[here], colours[other])))
                if here < other and count == 1 and pair not in seen:
                    seen.add((pair[0], pair[1]))
                    yield Failure(here, other)
        firsts = {colour: number for number, colour in reversed(list(enumerate(colours)))}
        yield from (Failure(number, number) for number in sorted(firsts.values()))

    def _colours(self) -> list[int]:
        """Colour of each switch: alike are those whose neighbours are alike, round by round."""
        start = zip(self.tiers, self.hosts, strict=True)
        colours = _numbered(list(start))
        for _ in range(ROUNDS):
            around = [
                (colours[here], *sorted(_around(near, colours).items()))
                for here, near in enumerate(self.neighbours)
            ]
            finer = _numbered(around)
            if max(finer, default=0) == max(colours, default=0):
                return finer
            colours = finer
        return colours


def _around(near: Mapping[int, int], colours: list[int]) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    for other, count in near.items():
        key = (colours[other], count)
        found[key] = found.get(key, 0) + 1
    return found


def _numbered(keys: list[tuple[object, ...]] | list[tuple[int, int]]) -> list[int]:
    """Small numbers for equal keys, in order of appearance."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _less(near: Mapping[int, int], other: int) -> dict[int, int]:
    return {number: count for number, count in near.items() if number != other}
