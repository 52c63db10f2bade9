"""Files of a subnet manager, each line and number changed, and what a real OpenSM makes of them.

Harm is what infiniband-diags read back from the subnet and what is not as it was
meant, or a manager that does not come up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from netcheck.intent.managers import with_managers
from netcheck.lab.opensm.tools import missing_packages
from netcheck.lab.staging import Staged, stage
from netcheck.model.errors import NetcheckError
from netcheck.model.finding import Severity, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.rehearse.rehearse import RehearsalOptions, rehearse
from tests.mutation.edits import edits
from tests.mutation.judging import Linter
from tests.mutation.mutants import Mutant
from tests.mutation.world import Holdings, Texts
from tests.platforms.opensm.opensm_subnets import SL2VL, TENANTS, TREE, fabric_of

MANAGER = "gpu01"
NAME = "opensm"
NOT_UP = "no subnet"
FEW = RehearsalOptions(hosts=16, paths=40, failures=False)
# names of nodes are for people, the file with them is none that a subnet works by
FOR_PEOPLE = ("node-name-map.conf",)
MEANT = replace(
    TREE,
    partitions=TENANTS,
    data_vls=4,
    sl_to_vl=SL2VL,
    vl_high=FrozenMap({1: 64}),
    vl_low=FrozenMap({0: 64, 2: 32, 3: 32}),
    lmc=1,
)


def is_here() -> bool:
    """OpenSM, ibsim and infiniband-diags are installed."""
    return not missing_packages()


@dataclass
class ManagerBench:
    """One subnet with one manager."""

    staged: Staged
    linter: Linter
    alone: Linter
    texts: Texts
    known: frozenset[str] = frozenset()
    seen: set[str] = field(default_factory=set)
    is_hasty: bool = False

    def noise(self) -> int:
        """Findings of lint on the files as they were."""
        return len(self.linter.found({MANAGER: self.texts}, with_intent=True))

    def is_new(self, texts: Holdings) -> bool:
        """No mutant had these texts before."""
        key = repr(sorted(texts[MANAGER].items())) if MANAGER in texts else ""
        is_known = key in self.seen or not key
        self.seen.add(key)
        return not is_known

    def is_found(self, texts: Holdings, *, with_intent: bool) -> bool:
        """Lint has a finding."""
        held = {MANAGER: {**self.texts, **texts.get(MANAGER, {})}}
        linter = self.linter if with_intent else self.alone
        return bool(linter.found(held, with_intent=with_intent))

    def harms(self, texts: Holdings) -> list[str]:
        """What is otherwise in the subnet than it was before the change."""
        return sorted(self.shown({**self.texts, **texts[MANAGER]}) - self.known)

    def shown(self, files: Texts) -> frozenset[str]:
        """What is not as it was meant when OpenSM works by these files."""
        plans = tuple(replace(one, files=files) for one in self.staged.plans)
        try:
            done = rehearse(replace(self.staged, plans=plans), FEW)
        except NetcheckError:
            return frozenset({NOT_UP})
        loud = {Severity.ERROR, Severity.WARNING}
        return frozenset(
            f"{one.rule} {one.where[0] if one.where else ''} {one.found}"
            for one in done.findings
            if one.verdict is Verdict.FAIL and one.severity in loud
        )


def manager_bench(folder: Path) -> ManagerBench:
    """A subnet whose files hold partitions, lanes, roots and addresses."""
    staged = stage(fabric_of(MEANT), "s")
    meant = with_managers(staged.fabric)
    bare = replace(staged.fabric, subnets=FrozenMap())
    linters = Linter(meant, folder / "meant"), Linter(bare, folder / "bare")
    bench = ManagerBench(staged, *linters, staged.plans[0].files)
    bench.known = bench.shown(bench.texts)
    return bench


def manager_mutants(bench: ManagerBench, stride: int = 1, start: int = 0) -> Iterator[Mutant]:
    """Edits of each file; every n-th."""
    found = [
        Mutant(
            f"text {file}",
            f"{text.splitlines()[edit.line - 1].strip()!r} {edit.how}",
            {MANAGER: {**bench.texts, file: edit.text}},
        )
        for file, text in bench.texts.items()
        if file not in FOR_PEOPLE
        for edit in edits(text)
    ]
    yield from found[start % stride :: stride]
