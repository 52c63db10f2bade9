"""Measure a fabric and say what that proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from netcheck.model.fabric import Fabric
from netcheck.model.finding import Basis
from netcheck.perf.measure import PerfOptions, measure
from netcheck.perf.verdict import PerfVerdict, judge_perf
from netcheck.rules.settle import settle


def run_perf(
    fabric: Fabric,
    options: PerfOptions | None = None,
    *,
    basis: Basis = Basis.MEASURED,
    today: str = "",
    progress: Callable[[str], None] = lambda _: None,
) -> PerfVerdict:
    """Run the standard schedule on a completed, deployable intent and judge it.

    Suppressions of the intent hold for its findings too; ``today`` (ISO) ends them.

    Raises:
        InputError: An address or a login is not said.
    """
    found = judge_perf(measure(fabric, options or PerfOptions(), progress), fabric, basis)
    return replace(found, findings=tuple(settle(found.findings, fabric, today=today)))
