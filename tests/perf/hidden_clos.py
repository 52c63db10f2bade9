"""A Clos whose hashes nobody is told, and what crosses its cables."""

from __future__ import annotations

import random
from collections.abc import Iterable

from netcheck.model.fabric import PortRef
from netcheck.perf.coverage import round_for
from netcheck.perf.schedule import Endpoint, Pattern, Round, rounds

HOSTS, RAILS, DOWN, SPINES = 1024, 8, 32, 32
QUEUE_PAIRS = 4
MOST_ROUNDS = 40


def clos(hosts: int, rails: int = RAILS, down: int = DOWN) -> list[Endpoint]:
    """Hosts cabled rail by rail: NICs of one rail of ``down`` hosts share a leaf."""
    return sorted(
        Endpoint(
            f"gpu{host:05}",
            f"rail{rail}",
            f"mlx5_{rail}",
            PortRef(f"leaf{host // down:03}-{rail}", f"p{host % down}"),
        )
        for host in range(hosts)
        for rail in range(rails)
    )


class HiddenClos:
    """Two tiers; each leaf has one cable to each spine and a hash that nobody is told."""

    def __init__(self, ends: list[Endpoint], seed: int) -> None:
        self.draw = random.Random(f"hash {seed}")  # noqa: S311 -- a hash, no secret
        self.leaves = sorted({end.leaf.device for end in ends})
        self.spines = list(range(SPINES))
        self.up = {(leaf, spine) for leaf in self.leaves for spine in self.spines}
        self.down = {(spine, leaf) for leaf, spine in self.up}

    def run(self, flows: Iterable[tuple[Endpoint, Endpoint]]) -> None:
        """Send each flow; the hash picks a spine for each of its queue pairs."""
        for sender, receiver in flows:
            a, b = sender.leaf.device, receiver.leaf.device
            for spine in self.draw.choices(self.spines, k=QUEUE_PAIRS) if a != b else ():
                self.up.discard((a, spine))
                self.down.discard((spine, b))

    @property
    def missed_any(self) -> bool:
        """Some cable was not crossed yet."""
        return bool(self.up or self.down)

    @property
    def missed(self) -> dict[PortRef, str]:
        """Egress ports of cables that nothing crossed, and what is at the other end."""
        found = {PortRef(leaf, f"up{spine}"): f"spine{spine}" for leaf, spine in self.up}
        return found | {PortRef(f"spine{spine}", leaf): leaf for spine, leaf in self.down}


def across_of(ends: list[Endpoint]) -> list[Round]:
    """Rounds of the standard schedule whose pairs cross the spines."""
    return [one for one in rounds(ends) if one.pattern is Pattern.ACROSS]


def rounds_until_all_are_crossed(ends: list[Endpoint], across: list[Round], seed: int) -> int:
    """How many rounds it takes; one more than the most where a cable stays uncrossed."""
    fabric = HiddenClos(ends, seed)
    for one in across:
        fabric.run(one.flows)
    taken = len(across)
    while (missed := fabric.missed) and taken < MOST_ROUNDS:
        fabric.run(round_for(frozenset(missed), ends, missed, turn=taken).flows)
        taken += 1
    return MOST_ROUNDS + 1 if missed else taken
