"""``netcheck perf``."""

from __future__ import annotations

import math
from pathlib import Path

import click

from netcheck.cli.options import DURATION, INTENT, Common, Number, by_basis, reaching, reporting
from netcheck.cli.output import publish, tell
from netcheck.model.fabric import Fabric
from netcheck.model.finding import ExitCode
from netcheck.model.globs import matching
from netcheck.perf.options import DURATION_S, LAB_DURATION_S, SETTLE_S
from netcheck.perf.perftest import Memory
from netcheck.perf.schedule import Depth
from netcheck.perf.verdict import PerfVerdict
from netcheck.report.report import Report


@click.command()
@INTENT
@DURATION
@click.option(
    "--settle",
    type=Number(min=0),
    show_default=f"{SETTLE_S}; 0 in the embedded lab",
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
@click.option(
    "--schedule",
    type=click.Choice([each.value for each in Depth]),
    default=Depth.STANDARD.value,
    show_default=True,
    help="How much to measure.",
)
@click.option(
    "--budget",
    default="",
    metavar="TIME",
    help="Begin no further round that would pass this time, such as 600s.",
)
@click.option("--pin", is_flag=True, help="Run tests on the NUMA node of their NIC (numactl).")
@click.option(
    "--memory",
    type=click.Choice([each.value for each in Memory]),
    default=Memory.HOST.value,
    show_default=True,
    help="Where buffers lie: in the host, or in the GPU with the NIC's place in it.",
)
@click.option(
    "--collective",
    default="",
    metavar="COMMAND",
    help="Also run this test of nccl-tests or rccl-tests, with its mpirun, on the first host.",
)
@click.option("--rdma-cm", is_flag=True, help="Connect by rdma_cm, not over TCP.")
@click.option(
    "-o",
    "--output",
    "keep",
    default="",
    metavar="FILE",
    help="Keep rates and latencies in this file, for a later --baseline; as a table if .csv.",
)
@click.option(
    "--baseline",
    default="",
    metavar="FILE",
    help="Compare with an earlier run that was kept with -o.",
)
@click.option(
    "--tolerance",
    type=Number(min=0),
    default=5.0,
    show_default=True,
    metavar="PERCENT",
    help="How much worse than the baseline a pair may be.",
)
@reaching
@reporting
def perf(  # noqa: PLR0913, PLR0917 -- click gives each option by name
    common: Common,
    intent: tuple[str, ...],
    duration: int | None,
    settle: float | None,
    queue_pairs: int,
    schedule: str,
    budget: str,
    memory: str,
    collective: str,
    keep: str,
    baseline: str,
    tolerance: float,
    lab_dir: str,
    *,
    pin: bool,
    rdma_cm: bool,
    lab: bool,
) -> ExitCode:
    """Measure with RDMA traffic whether the fabric is lossless.

    Pairs and incasts, with counters of hosts and switches before and after;
    of InfiniBand every partition with its service level. Rounds are added
    until data has crossed every cable between switches. The verdict is
    lossless, not lossless, or not proven with the reason; what is not as
    intended is located, the first suspect first.
    """
    from netcheck.cli.devices import basis_of, reachable  # noqa: PLC0415 -- options are checked without it
    from netcheck.perf.options import PerfOptions  # noqa: PLC0415 -- as above
    from netcheck.perf.run import Baseline, run_perf  # noqa: PLC0415 -- as above

    fabric = reachable(intent, lab=lab, lab_dir=lab_dir)
    chosen = frozenset(matching(fabric.devices, common.limit))
    basis = basis_of(lab=lab, lab_dir=lab_dir)
    options = PerfOptions(
        by_basis(duration, DURATION_S, LAB_DURATION_S, basis),
        by_basis(settle, SETTLE_S, 0.0, basis),
        queue_pairs,
        chosen if common.limit else None,
        Depth(schedule),
        budget_s=_seconds(budget),
        is_pinned=pin,
        memory=Memory(memory),
        rdma_cm=rdma_cm,
        collective=_one_line(collective),
    )
    compared = Baseline(
        Path(baseline) if baseline else None, Path(keep) if keep else None, tolerance
    )
    found = run_perf(
        fabric,
        options,
        basis=basis,
        progress=lambda line: tell(line, common),
        baseline=compared,
    )
    return publish(perf_report(found, tuple(sorted(chosen)), fabric), common)


def _one_line(text: str) -> str:
    """A command line as it can be typed on a host."""
    if text.isprintable():
        return text.strip()
    raise click.BadParameter("expected one line of printable text", param_hint="--collective")


def _seconds(text: str) -> float:
    """A time on the command line in seconds; without end where none is given."""
    from netcheck.intent.units import TIME_NS, parse_quantity  # noqa: PLC0415 -- as in perf

    if not text:
        return math.inf
    try:
        return float(parse_quantity(text, TIME_NS) / 10**9)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--budget") from None


def perf_report(
    found: PerfVerdict, devices: tuple[str, ...], fabric: Fabric | None = None
) -> Report:
    """A measurement as a report."""
    from netcheck.chain import perf_notes  # noqa: PLC0415 -- as in perf
    from netcheck.perf.figures import figures_of  # noqa: PLC0415 -- as in perf

    return Report(
        "perf",
        found.findings,
        verdict=found.verdict,
        classes=found.classes,
        fabric=fabric,
        devices=devices,
        heat=found.heat,
        comparison=found.comparison,
        figures=figures_of(found),
        notes=tuple(perf_notes(found)),
    )
