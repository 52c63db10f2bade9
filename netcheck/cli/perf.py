"""``netcheck perf``."""

from __future__ import annotations

import click

from netcheck.cli.options import INTENT, Common, reaching, reporting
from netcheck.cli.output import publish, tell
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Basis, ExitCode
from netcheck.perf.verdict import PerfVerdict
from netcheck.report.report import Report


@click.command()
@INTENT
@click.option(
    "--duration",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    metavar="SECONDS",
    help="Length of each bandwidth test.",
)
@click.option(
    "--settle",
    type=click.FloatRange(min=0),
    default=11.0,
    show_default=True,
    metavar="SECONDS",
    help="Wait before the second reading: devices count at intervals.",
)
@click.option(
    "--queue-pairs",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    help="Queue pairs of each flow; more use more paths.",
)
@reaching
@reporting
def perf(
    common: Common,
    intent: tuple[str, ...],
    duration: int,
    settle: float,
    queue_pairs: int,
    lab_dir: str,
    *,
    lab: bool,
) -> ExitCode:
    """Measure with RDMA traffic whether the fabric is lossless.

    Pairs and an incast, with counters of hosts and switches before and after.
    The verdict is lossless, not lossless, or not proven with the reason.
    """
    from netcheck import api  # noqa: PLC0415 -- options are checked without it
    from netcheck.cli.devices import reachable  # noqa: PLC0415 -- as above
    from netcheck.perf.measure import PerfOptions  # noqa: PLC0415 -- as above
    from netcheck.perf.run import run_perf  # noqa: PLC0415 -- as above

    fabric = reachable(intent, lab=lab, lab_dir=lab_dir)
    chosen = frozenset(name for name in fabric.devices if api.matches(name, common.limit))
    options = PerfOptions(duration, settle, queue_pairs, chosen if common.limit else None)
    basis = Basis.SIMULATED if lab else Basis.MEASURED
    found = run_perf(fabric, options, basis=basis, progress=lambda line: tell(line, common))
    return publish(perf_report(found, tuple(sorted(chosen)), fabric), common)


def perf_report(
    found: PerfVerdict, devices: tuple[str, ...], fabric: Fabric | None = None
) -> Report:
    """A measurement as a report."""
    from netcheck.chain import perf_notes  # noqa: PLC0415 -- as in perf

    return Report(
        "perf",
        found.findings,
        verdict=found.verdict,
        classes=found.classes,
        fabric=fabric,
        devices=devices,
        notes=tuple(perf_notes(found)),
    )
