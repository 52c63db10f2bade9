"""Who decides that a bad case does harm: traffic through what devices hold, or their refusal."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from netcheck import api
from netcheck.collect.assemble import put_together
from netcheck.model.fabric import Fabric, Origin
from netcheck.model.finding import Severity, Stage, Verdict
from netcheck.rules.engine import judge
from tests.mutation.bench import Bench
from tests.mutation.fabric import TRUNK, Intent, fabric_of, intent_of, kinds
from tests.mutation.traffic import Harm, Load, Look, Stream, harms
from tests.mutation.world import Holdings, World
from tests.proofs.bad_cases import Row, changed, put

OTHERS = 2


@dataclass
class Court:
    """Fabrics in the lab, each built when it is asked for; ``folder`` is for their files."""

    folder: Path
    benches: dict[tuple[str, str], Bench] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    def bench(self, row: Row) -> Bench:
        """The healthy fabric that a row changes."""
        kind, trunk = kinds()[row.get("platform", "sonic")], row.get("trunk", TRUNK)
        key = (kind.name, trunk)
        if key not in self.benches:
            folder = self._new_folder()
            self.benches[key] = Bench.of(kind, folder, intent_of(kind, trunk))
        return self.benches[key]

    def texts(self, row: Row) -> Holdings:
        """Texts of the devices that a row changes, as the rule sees them."""
        return changed(self.bench(row).world.texts, row.get("change", {}))

    def rules(self, row: Row) -> set[str]:
        """Rules of severity error that fail on the bad case, with its intent or without."""
        bench = self.bench(row)
        if "intent" in row:
            meant = fabric_of(bench.world.kind, self._new_folder(), self._intent(row))
            return set(_errors(meant, meant))
        texts = {**bench.world.texts, **self.texts(row)}
        readings = [bench.linter.reading(name, held) for name, held in texts.items()]
        found: set[str] = set()
        meant = api.complete(bench.linter.intended)
        for intended in (meant, bench.linter.topology):
            seen = put_together(readings, intended, Stage.LINT, Origin.CONFIG)
            found |= set(_errors(seen.fabric, intended))
        return found

    def harms(self, row: Row) -> list[Harm]:
        """What the bad case does to traffic; ``then`` is what makes it act.

        Raises:
            RefusedError: A device does not take it.
        """
        bench = self.bench(row)
        if "intent" in row:
            world = World.of(bench.world.kind, self._new_folder(), self._intent(row))
            held = world.held({})
        else:
            texts = self.texts(row)
            texts = {**texts, **changed({**bench.world.texts, **texts}, row.get("then", {}))}
            held = bench.world.held(texts)
        before = Look.at(bench.world.held({}), bench.memory)
        assert before is not None
        after = Look.at(held, bench.memory)
        if row.get("load") == "slow host":
            assert after is not None
            return list(_worse(before.slow, after.slow))
        if row.get("load") == "much other traffic":
            return harms(_crowded(before), after and _crowded(after))
        return harms(before, after)

    def _intent(self, row: Row) -> Intent:
        kind = self.bench(row).world.kind
        found = deepcopy(intent_of(kind))
        found.pop("suppress")
        put(found, row["intent"])
        return found

    def _new_folder(self) -> Path:
        folder = self.folder / str(next(self.numbers))
        folder.mkdir()
        return folder


def _errors(seen: Fabric, intended: Fabric) -> Iterator[str]:
    for one in judge(seen, intended=intended, stage=Stage.LINT):
        if one.verdict is Verdict.FAIL and one.severity is Severity.ERROR:
            yield one.rule


def _worse(before: Load, after: Load) -> Iterator[Harm]:
    if any(lost and not before.dropped[name] for name, lost in after.dropped.items()):
        yield Harm.DROP


def _crowded(look: Look) -> Look:
    """The same with so much lossy traffic between all hosts that it wants its share."""
    more = [
        Stream(replace(one.flow, name=f"{one.flow.name} other {number}", dscp=0), "other")
        for one in look.given
        if one.kind == "data"
        for number in range(OTHERS)
    ]
    return Look(look.network, [*look.given, *more], look.memory)
