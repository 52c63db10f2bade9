"""Rounds and minutes of our schedules beside those that others publish.

The fabric is a Clos of hosts with 8 NICs, cabled rail by rail to leaves of 32 hosts
below 32 spines, whose hashes are hidden; seeds of the hash are 0 to 9, each with
the middle one of its figures shown. Ours stops when every cable between switches
carried data, which it sees in counters; the others have a fixed number of rounds
and read no counters of switches. ``python -m benchmarks.schedules [SEEDS]``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from statistics import median

from benchmarks.results import machine, put
from netcheck.perf.coverage import round_for
from netcheck.perf.measure import TOOLS
from netcheck.perf.schedule import Depth, Endpoint, Round, rounds
from tests.perf.hidden_clos import DOWN, MOST_ROUNDS, RAILS, SPINES, HiddenClos, clos

HOSTS = (32, 256, 1024, 2048)
TEST_S, START_S, SETTLE_S = 5, 3, 11
BATCHES = (32, 64)  # hosts; the first has the size of a leaf
Flows = Iterator[tuple[Endpoint, Endpoint]]


def by_host(ends: list[Endpoint]) -> list[list[Endpoint]]:
    """NICs of each host, in the order of its rails."""
    found: dict[str, list[Endpoint]] = {}
    for end in ends:
        found.setdefault(end.host, []).append(end)
    return list(found.values())


def circle(count: int) -> Iterator[list[tuple[int, int]]]:
    """Rounds of the circle method: everybody with everybody once, ``count`` even."""
    ring = list(range(1, count))
    for _ in ring:
        order = [0, *ring]
        yield [(order[place], order[-1 - place]) for place in range(count // 2)]
        ring = [ring[-1], *ring[:-1]]


def pairwise(hosts: list[list[Endpoint]]) -> Iterator[Flows]:
    """Every host with every other one, all rails at a time, both ways."""
    for pairs in circle(len(hosts)):
        yield both_ways((hosts[a], hosts[b]) for a, b in pairs)


def both_ways(pairs: Iterable[tuple[list[Endpoint], list[Endpoint]]]) -> Flows:
    """Flows between the NICs of two hosts, rail by rail; made as they are asked for."""
    for one, other in pairs:
        for a, b in zip(one, other, strict=True):
            yield a, b
            yield b, a


def batches(size: int, hosts: list[list[Endpoint]]) -> Iterator[Flows]:
    """Groups of that many hosts side by side, everybody with everybody in each."""
    groups = [hosts[first : first + size] for first in range(0, len(hosts), size)]
    for several in zip(*(pairwise(group) for group in groups), strict=True):
        yield chain.from_iterable(several)


def halves(hosts: list[list[Endpoint]]) -> Iterator[Flows]:
    """One round: the first half of the hosts with the second."""
    half = len(hosts) // 2
    yield both_ways(zip(hosts[:half], hosts[half:], strict=True))


Published = Callable[[list[list[Endpoint]]], Iterator[Flows]]
PUBLISHED: dict[str, Published] = {
    "pair-wise (SuperBench, ClusterKit)": pairwise,
    **{
        f"k-batch of {size} hosts (SuperBench), pair-wise in each": partial(batches, size)
        for size in BATCHES
    },
    "half with half (ClusterKit -q)": halves,
}


def share(fabric: HiddenClos) -> float:
    """Percent of the cables between switches, each way counted, that were crossed."""
    every = 2 * len(fabric.leaves) * SPINES
    return 100 * (1 - len(fabric.missed) / every)


def run_published(ends: list[Endpoint], schedule: Published, seed: int) -> tuple[int, float]:
    """Rounds of a published schedule, and the percent of cables that they cross."""
    fabric = HiddenClos(ends, seed)
    count = 0
    for flows in schedule(by_host(ends)):
        count += 1
        if fabric.missed_any:
            fabric.run(flows)
    return count, share(fabric)


def run_ours(ends: list[Endpoint], planned: list[Round], seed: int) -> tuple[int, float]:
    """Runs of tests of the standard schedule with the rounds that its counters ask for."""
    fabric = HiddenClos(ends, seed)
    count = 0
    for one in planned:
        count += len(TOOLS[one.pattern])
        fabric.run(one.flows)
    for turn in range(MOST_ROUNDS):
        missed = fabric.missed
        if not missed:
            break
        fabric.run(round_for(frozenset(missed), ends, missed, turn=turn).flows)
        count += 1
    return count, share(fabric)


def row(hosts: int, name: str, found: list[tuple[int, float]], seconds: int) -> str:
    """A line of the table: the middle figure of all seeds."""
    count, crossed = median(one for one, _ in found), median(one for _, one in found)
    return f"| {hosts:,} | {name} | {count:,.0f} | {count * seconds / 60:,.1f} | {crossed:.1f} % |"


def lines(seeds: int) -> Iterator[str]:
    """Lines of RESULTS.md."""
    yield (
        f"Hosts of {RAILS} NICs, leaves of {DOWN} hosts, {SPINES} spines; median of {seeds} seeds"
        f" of the hashes. A run takes {TEST_S} s and {START_S} s to start; ours also waits"
        f" {SETTLE_S} s, for switches that count at intervals. Crossed: cables between switches,"
        " each way counted, that carried data."
    )
    yield ""
    yield "| hosts | schedule | runs | minutes | crossed |"
    yield "|---|---|---|---|---|"
    for hosts in HOSTS:
        ends = clos(hosts)
        for name, schedule in PUBLISHED.items():
            if isinstance(schedule, partial) and hosts <= schedule.args[0]:
                continue
            found = [run_published(ends, schedule, seed) for seed in range(seeds)]
            yield row(hosts, name, found, TEST_S + START_S)
        planned = rounds(ends)
        ours = [run_ours(ends, planned, seed) for seed in range(seeds)]
        yield row(hosts, "**netcheck, standard**", ours, TEST_S + START_S + SETTLE_S)
    yield ""
    yield "Planning for 16,384 NICs:"
    yield ""
    yield f"{machine()}."
    yield ""
    yield "| schedule | rounds | flows | cpu s |"
    yield "|---|---|---|---|"
    ends = clos(16_384 // RAILS)
    for depth in Depth:
        start = time.process_time()
        planned = rounds(ends, depth=depth)
        took = time.process_time() - start
        flows = sum(len(one.flows) for one in planned)
        yield f"| {depth} | {len(planned)} | {flows:,} | {took:.2f} |"


if __name__ == "__main__":
    put("schedules beside published ones", lines(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
