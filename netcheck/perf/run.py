"""Measure a fabric and say what that proved."""

from __future__ import annotations

from collections.abc import Callable

from netcheck.model.fabric import Fabric
from netcheck.model.finding import Basis
from netcheck.perf.measure import PerfOptions, measure
from netcheck.perf.verdict import PerfVerdict, judge_perf


def run_perf(
    fabric: Fabric,
    options: PerfOptions | None = None,
    *,
    basis: Basis = Basis.MEASURED,
    progress: Callable[[str], None] = lambda _: None,
) -> PerfVerdict:
    """Run the standard schedule on a completed, deployable intent and judge it.

    Raises:
        InputError: An address or a login is not said.
    """
    return judge_perf(measure(fabric, options or PerfOptions(), progress), fabric, basis)
