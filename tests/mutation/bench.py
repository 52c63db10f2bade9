"""A fabric on which mutants are tried: which harm a change does, and whether lint finds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from netcheck import api
from tests.mutation.fabric import Intent, Kind
from tests.mutation.judging import Linter
from tests.mutation.traffic import Harm, Look, harms
from tests.mutation.world import Holdings, World


class Tried(Protocol):
    """Something that mutants are tried on; ``is_hasty`` as in ``Bench``."""

    is_hasty: bool

    def noise(self) -> int:
        """Findings while all is well."""

    def is_new(self, texts: Holdings) -> bool:
        """No mutant had these texts before."""

    def is_found(self, texts: Holdings, *, with_intent: bool) -> bool:
        """Lint finds it."""

    def harms(self, texts: Holdings) -> Sequence[str]:
        """What it does, in words."""


@dataclass
class Bench:
    """One world with what is known of it: which harm a change does, and whether lint finds it.

    ``is_hasty``: what lint finds is not run, so that only what is missed is counted.
    """

    world: World
    linter: Linter
    memory: dict[object, object] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    is_hasty: bool = False
    before: Look | None = None

    @classmethod
    def of(cls, kind: Kind, folder: Path, intent: Intent | None = None) -> Bench:
        """Build a fabric and look at it while all is well."""
        world = World.of(kind, folder, intent)
        linter = Linter(api.load_intent(folder / f"{kind.name}.yaml"), folder / "lint")
        bench = cls(world, linter)
        bench.before = Look.at(world.held({}), bench.memory)
        bench.seen.add(_key({}))
        return bench

    def is_new(self, texts: Holdings) -> bool:
        """No mutant had these texts before."""
        key = _key(texts)
        is_known = key in self.seen
        self.seen.add(key)
        return not is_known

    def harms(self, texts: Holdings) -> list[Harm]:
        """What the change does to traffic.

        Raises:
            RefusedError: A device does not take its text.
        """
        assert self.before is not None
        return harms(self.before, Look.at(self.world.held(texts), self.memory))

    def noise(self) -> int:
        """Findings on the fabric as it was."""
        told = (self.linter.found(self.world.texts, with_intent=one) for one in (True, False))
        return sum(map(len, told))

    def is_found(self, texts: Holdings, *, with_intent: bool) -> bool:
        """Lint has a finding."""
        held = {**self.world.texts, **texts}
        return bool(self.linter.found(held, with_intent=with_intent))


def _key(texts: Holdings) -> str:
    return repr(sorted((name, sorted(held.items())) for name, held in texts.items()))
