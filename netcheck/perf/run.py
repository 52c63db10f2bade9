"""Measure a fabric and say what that proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from netcheck.model.fabric import Fabric
from netcheck.model.finding import Basis
from netcheck.perf.baseline import (
    TOLERANCE_PERCENT,
    against,
    as_csv,
    as_text,
    check_alike,
    check_place,
    measurement_of,
    read_measurement,
    settings_of,
    unlike,
)
from netcheck.perf.infiniband.measure import count_services, measure_subnets
from netcheck.perf.infiniband.together import together
from netcheck.perf.measure import measure
from netcheck.perf.observe import tested_classes
from netcheck.perf.options import PerfOptions
from netcheck.perf.proof import open_findings
from netcheck.perf.verdict import PerfVerdict, judge_perf
from netcheck.report.publish import write_whole
from netcheck.rules.settle import settle


@dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier run to compare with, how much worse is allowed, where to keep this one."""

    before: Path | None = None
    keep: Path | None = None
    tolerance_percent: float = TOLERANCE_PERCENT


def run_perf(
    fabric: Fabric,
    options: PerfOptions | None = None,
    *,
    basis: Basis = Basis.MEASURED,
    today: str = "",
    progress: Callable[[str], None] = lambda _: None,
    baseline: Baseline | None = None,
) -> PerfVerdict:
    """Run the standard schedule on a completed, deployable intent and judge it.

    Suppressions of the intent hold for its findings too; ``today`` (ISO) ends them.

    Raises:
        InputError: An address or a login is not said, the earlier run cannot be read or is of
            another fabric, or this one cannot be kept.
    """
    before = read_measurement(baseline.before) if baseline and baseline.before else None
    if baseline is not None and before is not None and baseline.before is not None:
        check_alike(baseline.before, before, fabric.name, basis)
    if baseline is not None and baseline.keep is not None:
        check_place(baseline.keep)
    chosen = options or PerfOptions()
    part, rest = _shared(fabric, chosen)
    results = measure(fabric, part, progress)
    found = judge_perf(results, fabric, basis)
    if fabric.subnets:
        measured = measure_subnets(fabric, rest, progress)
        found = together(found, results, measured, fabric, basis, seconds=chosen.duration_s)
        results += [result for one in measured.tested for result in one.results]
    now = measurement_of(results, found, fabric.name, settings_of(chosen))
    worse = list(against(now, before, baseline.tolerance_percent)) if before and baseline else []
    if baseline is not None and baseline.keep is not None:
        is_sheet = baseline.keep.suffix == ".csv"
        write_whole(baseline.keep, as_csv(now) if is_sheet else as_text(now))
    if before is not None:
        found = replace(found, notes=(*found.notes, *unlike(now, before)))
    still = open_findings(found.verdict, found.findings, fabric.name)
    settled = settle([*found.findings, *worse, *still], fabric, today=today)
    return replace(found, findings=tuple(settled))


def _shared(fabric: Fabric, options: PerfOptions) -> tuple[PerfOptions, PerfOptions]:
    """The options for traffic classes and for InfiniBand services, which share the time."""
    classes, services = len(tested_classes(fabric)), count_services(fabric)
    part = classes / max(1, classes + services)
    return (
        replace(options, budget_s=options.budget_s * part if part else 0.0),
        replace(options, budget_s=options.budget_s * (1 - part) if part < 1 else 0.0),
    )
