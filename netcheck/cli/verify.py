"""``netcheck verify``."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path

import click

from netcheck.cli.options import INTENT, Common, Number, by_basis, reaching, reporting
from netcheck.cli.output import publish, tell
from netcheck.model.fabric import Fabric
from netcheck.model.finding import ExitCode
from netcheck.report.report import Report

BETWEEN_S = 10.0


@click.command()
@INTENT
@click.option("--snapshot", type=click.Path(), metavar="SNAP", help="Judge this, ask no device.")
@click.option(
    "--between",
    type=Number(min=0),
    show_default=f"{BETWEEN_S}; 0 in the embedded lab",
    metavar="SECONDS",
    help="Pause between the two readings of counters.",
)
@click.option("--watch", is_flag=True, help="Verify again and again until interrupted.")
@click.option(
    "--interval",
    type=Number(min=1),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Pause between two rounds of --watch.",
)
@reaching
@reporting
def verify(  # noqa: PLR0913 -- one argument an option
    common: Common,
    intent: tuple[str, ...],
    snapshot: str | None,
    between: float | None,
    interval: float,
    lab_dir: str,
    *,
    watch: bool,
    lab: bool,
) -> ExitCode:
    """Compare what devices hold with the intent.

    Expected against found, the rules on what is found, neighbours against
    cabling, links, speeds, and errors that move between two readings.
    """
    from netcheck import api  # noqa: PLC0415 -- options are checked without it
    from netcheck.cli.devices import basis_of, reachable  # noqa: PLC0415 -- as above

    if snapshot is None:
        fabric = reachable(intent, lab=lab, lab_dir=lab_dir)
    else:
        fabric = api.load_intent(intent)
    is_lab = lab and snapshot is None
    pause = by_basis(between, BETWEEN_S, 0.0, basis_of(lab=is_lab, lab_dir=lab_dir))
    once = partial(_once, common, fabric, snapshot, pause, is_lab=lab)
    code = publish(once(), common)
    while watch:
        time.sleep(interval)
        code = publish(once(), common)
    return code


def _once(
    common: Common, fabric: Fabric, snapshot: str | None, between: float, *, is_lab: bool
) -> Report:
    from netcheck import api  # noqa: PLC0415 -- as in verify

    if snapshot is not None:
        return api.verify_snapshot(fabric, snapshot, profile=common.profile, limit=common.limit)
    with tempfile.TemporaryDirectory(prefix="netcheck-verify-") as folder:
        report = api.verify_devices(
            fabric,
            Path(folder),
            between_s=between,
            profile=common.profile,
            limit=common.limit,
            progress=lambda device, state: tell(f"{device}: {state}", common),
        )
    if not fabric.subnets or is_lab:  # the lab's hosts have no subnet behind them
        return report
    from netcheck.rehearse.live import with_subnets  # noqa: PLC0415 -- as in verify

    return with_subnets(
        report,
        fabric,
        profile=common.profile,
        limit=common.limit,
        progress=lambda line: tell(line, common),
    )
