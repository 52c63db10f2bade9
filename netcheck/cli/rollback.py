"""``netcheck rollback``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from netcheck.cli.options import BACKEND, STATE, YES, Common, reporting_whole
from netcheck.cli.output import publish, tell
from netcheck.model.errors import InputError
from netcheck.model.finding import ExitCode
from netcheck.report.report import Report


@click.command()
@click.argument("run", default="", metavar="[RUN]")
@click.option("--fabric", metavar="NAME", help="Fabric whose run it was.  [default: the only one]")
@BACKEND
@YES
@STATE
@reporting_whole
def rollback(
    common: Common, run: str, fabric: str | None, backend: str, state: str | None, *, yes: bool
) -> ExitCode:
    """Bring back what devices held before a run.

    Without RUN, the last one.
    """
    from netcheck.cli.changes import outcome_notes, undone  # noqa: PLC0415 -- as below
    from netcheck.deploy.backend import backend as backend_of  # noqa: PLC0415 -- options are checked first
    from netcheck.deploy.engine import rollback as undo  # noqa: PLC0415 -- as above

    folder, name = _place(state, fabric)

    def progress(device: str, what: str) -> None:
        tell(f"{device}: {what}", common)

    if not yes:
        _ask(run, name)
    result = undo(folder, name, backend_of(backend, progress=progress), name=run, progress=progress)
    report = Report(
        "rollback",
        tuple(undone(result)),
        devices=tuple(each.device for each in result.outcomes),
        notes=outcome_notes(result),
        done="rolled back",
    )
    return publish(report, common)


def _ask(run: str, fabric: str) -> None:
    if not sys.stdin.isatty():
        raise InputError("rollback: not confirmed; --yes confirms where nobody can be asked")
    what = f"run {run}" if run else "the last run"
    click.confirm(f"Undo {what} of {fabric}?", err=True, abort=True)


def _place(state: str | None, fabric: str | None) -> tuple[Path, str]:
    """State folder and fabric of the run to undo.

    Raises:
        InputError: There is none, or there are several and none is named.
    """
    from netcheck.deploy.journal import default_state  # noqa: PLC0415 -- as in rollback

    if state is None and fabric is not None:
        return default_state(fabric), fabric
    folders = [Path(state)] if state else _state_folders(default_state("x").parent)
    found = {name: folder for folder in folders for name in _fabrics(folder)}
    if fabric is not None and fabric in found:
        return found[fabric], fabric
    if len(found) == 1:
        return next((folder, name) for name, folder in found.items())
    if not found:
        where = state or default_state("x").parent
        raise InputError(f"rollback: nothing to bring back: no run is recorded in {where}")
    there = ", ".join(sorted(found))
    raise InputError(f"rollback: which fabric: --fabric expected one of {there}")


def _state_folders(parent: Path) -> list[Path]:
    return sorted(each for each in parent.iterdir() if each.is_dir()) if parent.is_dir() else []


def _fabrics(folder: Path) -> set[str]:
    from netcheck.deploy.journal import Run  # noqa: PLC0415 -- as in rollback

    return {Run(path.parent).head().fabric for path in (folder / "runs").glob("*/run.json")}
