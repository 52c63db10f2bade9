"""``netcheck deploy``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from netcheck.cli.options import BACKEND, INTENT, STATE, YES, Common, reaching, reporting
from netcheck.cli.output import publish, tell
from netcheck.deploy.engine import Result
from netcheck.deploy.plan import Plan
from netcheck.model.errors import InputError
from netcheck.model.finding import ExitCode
from netcheck.report.report import Report
from netcheck.report.text import write as write_text


@click.command()
@INTENT
@click.option("--dry-run", is_flag=True, help="Show the plan and stop.")
@click.option("--resume", is_flag=True, help="Carry a run that was cut off to its end.")
@BACKEND
@YES
@STATE
@reaching
@reporting
def deploy(  # noqa: PLR0913 -- one argument an option
    common: Common,
    intent: tuple[str, ...],
    backend: str,
    state: str | None,
    lab_dir: str,
    *,
    dry_run: bool,
    resume: bool,
    yes: bool,
    lab: bool,
) -> ExitCode:
    """Apply an intent or a plan in batches, with a way back.

    INTENT may be a file written by netcheck plan. Devices are changed batch
    by batch, each is checked, and a batch with a failure is brought back.
    Nothing is changed without a yes.
    """
    from netcheck.cli.plan import plan_report  # noqa: PLC0415 -- options are checked without it

    if common.limit and resume:
        raise InputError("deploy: --limit does not go with --resume, which carries on a whole run")
    found = _plan(intent, common, lab=lab, lab_dir=lab_dir)
    if dry_run:
        return publish(plan_report(found, "deploy"), common)
    result = _carry_out(found, common, backend=backend, state=state, resume=resume, yes=yes)
    return publish(deploy_report(result), common)


def _plan(intent: tuple[str, ...], common: Common, *, lab: bool, lab_dir: str) -> Plan:
    from netcheck.cli.devices import reachable  # noqa: PLC0415 -- as in deploy
    from netcheck.cli.plan import plan_for  # noqa: PLC0415 -- as in deploy
    from netcheck.deploy.engine import recheck  # noqa: PLC0415 -- as in deploy
    from netcheck.deploy.plan import is_plan, load_plan  # noqa: PLC0415 -- as in deploy

    if len(intent) == 1 and is_plan(Path(intent[0])):
        if common.limit:
            raise InputError(
                f"deploy: --limit does not go with a plan; {intent[0]} says what it is for"
            )
        found = load_plan(Path(intent[0]))
        recheck(found)
        return found
    return plan_for(reachable(intent, lab=lab, lab_dir=lab_dir), common)


def _carry_out(
    found: Plan, common: Common, *, backend: str, state: str | None, resume: bool, yes: bool
) -> Result:
    from netcheck.deploy import engine  # noqa: PLC0415 -- as in deploy
    from netcheck.deploy.backend import backend as backend_of  # noqa: PLC0415 -- as in deploy
    from netcheck.deploy.journal import default_state  # noqa: PLC0415 -- as in deploy

    def progress(device: str, what: str) -> None:
        tell(f"{device}: {what}", common)

    def confirm(shown: Plan) -> bool:
        return ask(shown, yes=yes)

    folder = Path(state) if state else default_state(found.fabric)
    chosen = backend_of(backend, progress=progress)
    if resume:
        return engine.resume(folder, found.fabric, chosen, confirm=confirm, progress=progress)
    return engine.deploy(found, folder, chosen, confirm=confirm, progress=progress)


def ask(shown: Plan, *, yes: bool) -> bool:
    """Show a plan on standard error and ask for a yes, where one is not given.

    Raises:
        InputError: Nobody is there to ask.
    """
    from netcheck.cli.plan import plan_report  # noqa: PLC0415 -- as in deploy

    if yes:
        return True
    click.echo(write_text(plan_report(shown, "deploy")), err=True, nl=False)
    if not sys.stdin.isatty():
        raise InputError("deploy: not confirmed; --yes confirms where nobody can be asked")
    return click.confirm(f"Change {sum(map(len, shown.batches))} devices?", err=True)


def deploy_report(result: Result) -> Report:
    """What a run came to, as a report."""
    from netcheck.chain import deploy_findings  # noqa: PLC0415 -- as in deploy
    from netcheck.cli.changes import outcome_notes  # noqa: PLC0415 -- as in deploy

    devices = (*(each.device for each in result.outcomes), *result.unchanged)
    return Report(
        "deploy",
        tuple(deploy_findings(result)),
        devices=devices,
        notes=outcome_notes(result),
        done="declined, nothing was changed" if result.is_declined else "deployed",
    )
