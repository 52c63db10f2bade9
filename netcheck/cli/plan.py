"""``netcheck plan``."""

from __future__ import annotations

from pathlib import Path

import click

from netcheck.cli.options import INTENT, Common, out_option, reaching, reporting
from netcheck.cli.output import publish, tell
from netcheck.deploy.plan import Plan
from netcheck.model.fabric import Fabric
from netcheck.model.finding import ExitCode
from netcheck.model.globs import chosen
from netcheck.report.report import Report


@click.command()
@INTENT
@out_option(required=False, what="file")
@reaching
@reporting
def plan(
    common: Common, intent: tuple[str, ...], output: str | None, lab_dir: str, *, lab: bool
) -> ExitCode:
    """Show what would change on each device, and what it disturbs.

    Reads the devices, changes nothing. FILE can be given to netcheck deploy.
    """
    from netcheck.cli.devices import reachable  # noqa: PLC0415 -- options are checked without it
    from netcheck.deploy.plan import save_plan  # noqa: PLC0415 -- as above

    found = plan_for(reachable(intent, lab=lab, lab_dir=lab_dir), common)
    if output is not None:
        save_plan(found, Path(output))
    return publish(plan_report(found, "plan"), common)


def plan_for(fabric: Fabric, common: Common) -> Plan:
    """Read the devices and plan for those that the options choose."""
    from netcheck import api  # noqa: PLC0415 -- as in plan
    from netcheck.deploy.engine import make_plan  # noqa: PLC0415 -- as in plan

    names = chosen(fabric, common.limit)
    return make_plan(
        fabric,
        api.render(fabric, names),
        progress=lambda device, state: tell(f"{device}: {state}", common),
    )


def plan_report(found: Plan, command: str) -> Report:
    """A plan as a report: changes are notes and fail nothing."""
    from netcheck.cli.changes import planned  # noqa: PLC0415 -- as in plan
    from netcheck.cli.plan_text import plan_lines  # noqa: PLC0415 -- as in plan
    from netcheck.rules.settle import group  # noqa: PLC0415 -- as in plan

    changing = sum(map(len, found.batches))
    return Report(
        command,
        tuple(group(planned(found))),
        devices=tuple(found.orders),
        body=tuple(plan_lines(found)),
        done=f"{changing} to change" if changing else "nothing to change",
    )
