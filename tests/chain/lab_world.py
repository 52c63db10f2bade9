"""One leaf and two hosts in the lab, configured, with or without a fault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from netcheck import api
from netcheck.chain import ChainOptions, Part, lab_for, run_chain
from netcheck.collect.collector import collect
from netcheck.model.document import DocumentKind
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Basis, Finding, Severity, Verdict
from netcheck.perf.options import PerfOptions
from netcheck.perf.run import run_perf
from netcheck.perf.verdict import PerfVerdict
from netcheck.report.report import Report

ROOT = Path(__file__).resolve().parents[2]
SMALL = ROOT / "examples" / "lab-small.yaml"
BIG = ROOT / "examples" / "lab.yaml"


def quiet(_place: str, _what: str) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class World:
    """A lab after deploy and fault; what is asked of it is asked once."""

    fabric: Fabric
    folder: Path
    deployed: Report
    faults: tuple[str, ...]

    @cached_property
    def snapshot(self) -> Path:
        """Two readings of every device."""
        folder = self.folder / "snapshot"
        collect(self.fabric, folder)
        collect(self.fabric, folder, kinds={DocumentKind.COUNTERS}, reading=1)
        return folder

    @cached_property
    def verified(self) -> Report:
        """Verify with the intent."""
        return api.verify_snapshot(self.fabric, self.snapshot)

    @cached_property
    def linted(self) -> Report:
        """Lint of the snapshot, without the intent."""
        return api.lint_paths([self.snapshot])

    @cached_property
    def measured(self) -> PerfVerdict:
        """Measurement alone."""
        return self.measured_by(None)

    def measured_by(self, hosts: frozenset[str] | None) -> PerfVerdict:
        """Measurement between some hosts; between all for None."""
        options = PerfOptions(settle_s=0.0, probe_after_s=0.0, limit=hosts)
        return run_perf(self.fabric, options, basis=Basis.SIMULATED)


@contextmanager
def world(folder: Path, *faults: str, intent: Path = SMALL) -> Iterator[World]:
    """Bring the lab up, deploy the intent, put the faults in."""
    fabric = api.complete(api.load_intent(intent, deployable=True))
    with lab_for(fabric, folder / "lab", faults) as (reached, inject):
        options = ChainOptions(
            state=folder / "state",
            parts=(Part.LINT, Part.RENDER, Part.DEPLOY),
            basis=Basis.SIMULATED,
            after_deploy=inject,
        )
        report = run_chain(reached, options, quiet)
        said = tuple(note for note in report.notes if note.startswith("fault: "))
        yield World(reached, folder, report, said)


def errors(findings: tuple[Finding, ...]) -> list[Finding]:
    """Failures of severity error."""
    return [f for f in findings if f.verdict is Verdict.FAIL and f.severity is Severity.ERROR]


def told(findings: tuple[Finding, ...]) -> str:
    """What an assertion shows when it fails."""
    return "\n".join(
        f"{f.verdict} {f.severity} {f.rule} {[str(p) for p in f.where][:6]} {f.message}"
        for f in findings
        if f.verdict in (Verdict.FAIL, Verdict.UNVERIFIED)
    )
