"""The whole chain: lint, render, deploy, verify, perf, and one report of it all."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from netcheck import api
from netcheck.collect.fanout import Progress
from netcheck.deploy.backend import backend as find_backend
from netcheck.deploy.device import State
from netcheck.deploy.engine import Result, deploy, make_plan
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import (
    Basis,
    ClassVerdict,
    Finding,
    Place,
    RunVerdict,
    Severity,
    Stage,
    Verdict,
)
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.globs import chosen, matching
from netcheck.observed import today
from netcheck.perf.figures import figures_of
from netcheck.perf.options import PerfOptions
from netcheck.perf.run import run_perf
from netcheck.perf.verdict import PerfVerdict
from netcheck.report.comparison import Column
from netcheck.report.heatmap import HeatMap
from netcheck.report.report import Figures, Report


class Part(StrEnum):
    """One stage of the chain, in its order."""

    LINT = "lint"
    RENDER = "render"
    DEPLOY = "deploy"
    VERIFY = "verify"
    PERF = "perf"


EVERY_PART = tuple(Part)


@dataclass(frozen=True)
class ChainOptions:
    """What to run and how.

    Attributes:
        state: Folder of the deploy journal.
        basis: What stands behind the devices; ``simulated`` in the lab.
        limit: Globs of the devices that are judged, changed and measured; none takes all.
        confirm: Asked once before any device is changed.
        after_deploy: Called between deploy and verify; the lab puts faults in
            here and gives a line that says which.
        between_s: Pause between the two readings of counters in verify.
    """

    state: Path
    parts: tuple[Part, ...] = EVERY_PART
    backend: str = "netmiko"
    profile: str = "baseline"
    basis: Basis = Basis.MEASURED
    perf: PerfOptions = field(default_factory=PerfOptions)
    limit: tuple[str, ...] = ()
    confirm: Callable[[object], bool] = lambda _: True
    after_deploy: Callable[[], list[str]] = list
    between_s: float = 10.0


def run_chain(fabric: Fabric, options: ChainOptions, progress: Progress) -> Report:
    """Run the chosen stages on a completed, deployable intent.

    An error in lint or deploy ends the chain there: nothing is pushed that is
    known to be wrong, and nothing is measured that was not configured. Findings
    of verify do not, because the measurement shows what they cost.

    Raises:
        InputError: An address, a login or a platform is not said, or a glob takes no device.
    """
    run = _Run(fabric, options, progress)
    for part in options.parts:
        started = time.monotonic()
        progress(part.value, "begins")
        stage_ends = run.do(part)
        run.notes.append(f"{part.value}: {time.monotonic() - started:.1f} s")
        if stage_ends:
            break
    return Report(
        "run",
        tuple(run.findings),
        verdict=run.verdict,
        classes=run.classes,
        fabric=fabric,
        devices=tuple(matching(fabric.devices, options.limit)),
        heat=run.heat,
        comparison=run.comparison,
        figures=run.figures,
        notes=tuple(run.notes),
    )


class _Run:
    """What has been found so far."""

    def __init__(self, fabric: Fabric, options: ChainOptions, progress: Progress) -> None:
        self.fabric = fabric
        self.options = options
        self.progress = progress
        self.findings: list[Finding] = []
        self.notes: list[str] = []
        self.names = chosen(fabric, options.limit)
        self.verdict: RunVerdict | None = None
        self.classes: tuple[ClassVerdict, ...] = ()
        self.heat: tuple[HeatMap, ...] = ()
        self.comparison: tuple[Column, ...] = ()
        self.figures: Figures = FrozenMap()

    def do(self, part: Part) -> bool:
        """Run one stage; True ends the chain."""
        stages = {
            Part.LINT: self._lint,
            Part.RENDER: self._render,
            Part.DEPLOY: self._deploy,
            Part.VERIFY: self._verify,
            Part.PERF: self._perf,
        }
        return stages[part]()

    def _lint(self) -> bool:
        found = api.lint_intent(self.fabric, profile=self.options.profile, limit=self.options.limit)
        self.findings += found
        return _has_error(found)

    def _render(self) -> bool:
        refused = api.refusals(self.fabric)
        self.findings += refused
        if not refused:
            files = api.render(self.fabric, self.names)
            self.notes.append(f"rendered {sum(map(len, files.values()))} files")
        return bool(refused)

    def _deploy(self) -> bool:
        plan = make_plan(self.fabric, api.render(self.fabric, self.names), progress=self.progress)
        result = deploy(
            plan,
            self.options.state,
            find_backend(self.options.backend, progress=self.progress),
            confirm=self.options.confirm,
            progress=self.progress,
        )
        self.findings += deploy_findings(result)
        changed = sum(outcome.state is State.DONE for outcome in result.outcomes)
        self.notes.append(f"deployed: {changed} changed, {len(result.unchanged)} unchanged")
        self.notes += self.options.after_deploy()
        return not result.is_ok

    def _verify(self) -> bool:
        with tempfile.TemporaryDirectory(prefix="netcheck-verify-") as folder:
            report = api.verify_devices(
                self.fabric,
                Path(folder),
                between_s=self.options.between_s,
                profile=self.options.profile,
                limit=self.options.limit,
                progress=self.progress,
            )
        self.findings += report.findings
        return False

    def _perf(self) -> bool:
        limit = frozenset(self.names) if self.options.limit else None
        outcome = run_perf(
            self.fabric,
            replace(self.options.perf, limit=limit),
            basis=self.options.basis,
            today=today(),
            progress=lambda line: self.progress("perf", line),
        )
        self.findings += outcome.findings
        self.verdict, self.classes = outcome.verdict, outcome.classes
        self.notes += perf_notes(outcome)
        self.heat, self.figures = outcome.heat, figures_of(outcome)
        self.comparison = outcome.comparison
        return False


def _has_error(findings: list[Finding]) -> bool:
    return any(
        finding.verdict is Verdict.FAIL and finding.severity is Severity.ERROR
        for finding in findings
    )


def deploy_findings(result: Result) -> Iterator[Finding]:
    """One finding for each device that does not hold what it should after a run."""
    bad = [o for o in result.outcomes if o.state not in (State.DONE, State.UNDONE)]
    for outcome in bad:
        yield _deploy_finding(outcome.device, f"{outcome.state.value}: {outcome.reason}")
    for outcome in result.outcomes:
        if outcome.state is State.UNDONE:
            yield _deploy_finding(outcome.device, f"rolled back: {outcome.reason}")
    for device, reason in result.unreachable.items():
        yield replace(_deploy_finding(device, reason), verdict=Verdict.UNVERIFIED)
    for device in result.waiting:
        yield _deploy_finding(device, "not reached: an earlier batch failed")


def _deploy_finding(device: str, reason: str) -> Finding:
    return Finding(
        rule="deploy-failed",
        severity=Severity.ERROR,
        verdict=Verdict.FAIL,
        where=(Place(device),),
        message=reason,
        expected="holds what was rendered",
        found=reason,
        why="The device does not hold the intended configuration.",
        fix="Mend what the message names, then deploy again; netcheck rollback undoes the rest.",
        reference="derived: a plan made after the change still finds differences",
        stage=Stage.DEPLOY,
    )


def perf_notes(outcome: PerfVerdict) -> list[str]:
    """For each class what fired, packets and their bound; the first suspect; latencies; samples."""
    notes = []
    for item in outcome.classes:
        bound = f"loss rate below {item.loss_bound:.1e} (95 %)" if item.loss_bound else "no bound"
        notes.append(
            f"class {item.name}: {item.verdict}; {item.packets} packets, {bound};"
            f" fired: {item.fired}"
        )
    for first in outcome.suspects[:1]:
        where = " - ".join(str(place).strip() for place in first.places)
        notes.append(f"look first at {where}: {first.evidence}; {first.look_at}")
    measured = (*outcome.latencies, *outcome.samples, *outcome.waiting)
    return [*notes, *map(str, measured), *outcome.collectives, *outcome.notes]


@contextmanager
def lab_for(
    fabric: Fabric, folder: Path, faults: tuple[str, ...] = ()
) -> Iterator[tuple[Fabric, Callable[[], list[str]]]]:
    """Bring the embedded lab up for an intent.

    Yields:
        The intent with every address pointing into the lab, and a function
        that puts the faults in and says which.
    """
    from netcheck.lab import control  # noqa: PLC0415 -- only with --lab

    folder = folder.resolve()
    state = control.start_lab(fabric, folder, owner=os.getpid())
    try:
        yield (
            control.relocate(fabric, state),
            lambda: [f"fault: {control.inject(folder, name)}" for name in faults],
        )
    finally:
        control.stop_lab(folder)


def parts_of(text: str) -> tuple[Part, ...]:
    """Read ``lint,render,deploy``; the stages run in their own order.

    Raises:
        InputError: A name is no stage.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in {part.value for part in Part}]
    if unknown or not names:
        known = ", ".join(part.value for part in Part)
        raise InputError(f"stages expected some of {known}; found {', '.join(unknown) or 'none'}")
    return tuple(part for part in Part if part.value in names)
