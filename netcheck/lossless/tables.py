"""Headroom tables judged in themselves: rows against each other and against their own law."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from netcheck.lossless.asics import asic_names, find_asic, pause_quanta
from netcheck.lossless.headroom import KIB, HeadroomQuestion, headroom, parameter_names, wire_bytes
from netcheck.lossless.required import wire_headroom_bytes
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.model.qos import HeadroomRow

Rows = tuple[HeadroomRow, ...]
LEAST_EXACT_SHARE = 0.5
LEAST_SPEEDS = 3
LEAST_LENGTHS = 2
ROUNDING_BYTES = 2 * KIB
SMALL_MTUS = (1024, 1500, 4096)
SLOWEST_BPS = 10_000_000_000


class Law(NamedTuple):
    """The computation that most rows of a table equal."""

    asic: str
    parameters: str

    def bytes_for(self, row: HeadroomRow, *, l2_mtu: int | None = None) -> int:
        """Headroom that the law gives for the speed and cable of a row."""
        question = HeadroomQuestion(
            self.asic, row.speed_bps, row.cable_m, parameters=self.parameters, l2_mtu=l2_mtu
        )
        return headroom(question).headroom_bytes


class ShortRow(NamedTuple):
    """A row below the table's own law; ``l2_mtu`` is the smaller frame that would explain it."""

    row: HeadroomRow
    needed_bytes: int
    l2_mtu: Known[int]


class Step(NamedTuple):
    """Two rows of one speed, the next longer cable second."""

    shorter: HeadroomRow
    longer: HeadroomRow


class Copy(NamedTuple):
    """Rows of a faster speed that equal those of a slower one at several lengths."""

    slower: Rows
    faster: Rows

    def short(self) -> Rows:
        """Rows that cannot hold what arrives at the faster speed."""
        return tuple(
            row
            for row in self.faster
            if row.headroom_bytes
            < wire_headroom_bytes(speed_bps=row.speed_bps, cable_m=row.cable_m)
        )


@lru_cache(maxsize=64)
def law_of(rows: Rows) -> Known[Law]:
    """Give the computation that most rows equal to the byte; UNKNOWN where none does.

    Half of the rows, over three speeds, are enough: a table that follows no
    published computation equals none so often.
    """
    usable = [row for row in rows if _is_computable(row)]
    if len({row.speed_bps for row in usable}) < LEAST_SPEEDS:
        return UNKNOWN
    laws = (
        Law(asic, name)
        for asic in asic_names()
        if find_asic(asic).law == "spectrum"
        for name in parameter_names(asic)
    )
    best, exact = max(((law, _exact(law, usable)) for law in laws), key=lambda pair: pair[1])
    return best if exact >= LEAST_EXACT_SHARE * len(usable) else UNKNOWN


def _is_computable(row: HeadroomRow) -> bool:
    is_cable = 0 < row.cable_m <= 120_000  # noqa: PLR2004 -- longest cable that is computed
    return row.speed_bps >= SLOWEST_BPS and is_known(pause_quanta(row.speed_bps)) and is_cable


def _exact(law: Law, rows: Sequence[HeadroomRow]) -> int:
    return sum(law.bytes_for(row) == row.headroom_bytes for row in rows)


def short_rows(rows: Rows) -> Iterator[ShortRow]:
    """Yield rows that lie below the law that most rows of their table equal."""
    law = law_of(rows)
    if not is_known(law):
        return
    for row in filter(_is_computable, rows):
        needed = law.bytes_for(row)
        if row.headroom_bytes < needed - KIB:
            yield ShortRow(row, needed, _explaining_mtu(law, row))


def _explaining_mtu(law: Law, row: HeadroomRow) -> Known[int]:
    """Smaller L2 MTU with which the law gives the row, within 1 KiB of rounding."""
    off = {mtu: abs(law.bytes_for(row, l2_mtu=mtu) - row.headroom_bytes) for mtu in SMALL_MTUS}
    best = min(SMALL_MTUS, key=lambda mtu: off[mtu])
    return best if off[best] <= KIB else UNKNOWN


def steps(rows: Rows) -> Iterator[Step]:
    """Yield neighbouring lengths of each speed."""
    for shorter, longer in itertools.pairwise(sorted(rows)):
        if shorter.speed_bps == longer.speed_bps and longer.cable_m > shorter.cable_m:
            yield Step(shorter, longer)


def flat_steps(rows: Rows) -> Iterator[tuple[Step, int]]:
    """Yield steps that add less than the longer cable holds, with what it holds at least.

    Whole KiB and cells round; steps that stay equal are left to ``constant_speeds``.
    """
    for step in steps(rows):
        more_m = step.longer.cable_m - step.shorter.cable_m
        holds = wire_bytes(step.longer.speed_bps, more_m)
        added = step.longer.headroom_bytes - step.shorter.headroom_bytes
        if 0 < added < holds - ROUNDING_BYTES:
            yield step, step.shorter.headroom_bytes + holds


def below_wire(rows: Rows) -> Iterator[tuple[HeadroomRow, int]]:
    """Yield rows smaller than what both trips of the cable hold, with that amount."""
    for row in rows:
        least = wire_bytes(row.speed_bps, row.cable_m)
        if row.headroom_bytes < least:
            yield row, least


def slower_is_larger(rows: Rows) -> Iterator[tuple[HeadroomRow, HeadroomRow]]:
    """Yield neighbouring speeds of one length where the slower has more: (slower, faster)."""
    by_length = sorted(rows, key=lambda row: (row.cable_m, row.speed_bps))
    for slower, faster in itertools.pairwise(by_length):
        is_pair = slower.cable_m == faster.cable_m and slower.speed_bps < faster.speed_bps
        if is_pair and slower.headroom_bytes > faster.headroom_bytes:
            yield slower, faster


def constant_speeds(rows: Rows) -> frozenset[int]:
    """Speeds whose headroom is the same at all of two or more lengths."""
    sizes: dict[int, list[int]] = {}
    for row in rows:
        sizes.setdefault(row.speed_bps, []).append(row.headroom_bytes)
    return frozenset(
        speed
        for speed, found in sizes.items()
        if len(found) >= LEAST_LENGTHS and len(set(found)) == 1
    )


def copies(rows: Rows) -> Iterator[Copy]:
    """Yield pairs of neighbouring speeds with the same headroom at two or more lengths.

    Speeds less than twice apart can round to the same bytes: they count where all
    lengths agree. Speeds that are constant over length are left out.
    """
    constant = constant_speeds(rows)
    by_speed: dict[int, dict[int, HeadroomRow]] = {}
    for row in sorted(rows):
        if row.speed_bps not in constant:
            by_speed.setdefault(row.speed_bps, {})[row.cable_m] = row
    for slower, faster in itertools.pairwise(by_speed.values()):
        same = [
            cable
            for cable in slower.keys() & faster.keys()
            if slower[cable].headroom_bytes == faster[cable].headroom_bytes
        ]
        is_all = len(same) == len(slower) == len(faster)
        is_far = all(faster[cable].speed_bps >= 2 * slower[cable].speed_bps for cable in same)
        distinct = {slower[cable].headroom_bytes for cable in same}
        if len(distinct) >= LEAST_LENGTHS and (is_all or is_far):
            yield Copy(
                tuple(slower[cable] for cable in sorted(same)),
                tuple(faster[cable] for cable in sorted(same)),
            )


def odd_sizes(rows: Rows) -> Iterator[tuple[HeadroomRow, int]]:
    """Yield rows whose reservation is made in another way than that of nearly all others.

    A row reserves its XON threshold (shared headroom), or headroom and XON.
    Given with the reservation that the way of the others would give.
    """
    ways = Counter(way for row in rows if (way := _way(row)))
    if not ways:
        return
    usual, count = ways.most_common(1)[0]
    if count < 0.9 * len(rows):
        return
    for row in rows:
        expected = row.xon_bytes + (row.headroom_bytes if usual == "whole" else 0)
        if _way(row) != usual and row.size_bytes != expected:
            yield row, expected


def _way(row: HeadroomRow) -> str:
    if row.size_bytes == row.xon_bytes:
        return "shared"
    return "whole" if row.size_bytes == row.xon_bytes + row.headroom_bytes else ""
