"""``netcheck run``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from netcheck.cli.deploy import ask
from netcheck.cli.options import BACKEND, DURATION, INTENT, STATE, YES, Common, by_basis, reporting
from netcheck.cli.output import publish, tell
from netcheck.deploy.plan import Plan
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Basis, ExitCode

Faults = Callable[[], list[str]]


@click.command()
@INTENT
@click.option("--lab", is_flag=True, help="Bring up the embedded lab for it.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME",
    help="Put a fault into the lab after deploy. Repeatable.",
)
@click.option(
    "--stages",
    default="lint,render,deploy,verify,perf",
    show_default=True,
    metavar="NAMES",
    help="Stages to run, in their own order.",
)
@DURATION
@BACKEND
@YES
@STATE
@reporting
def run(  # noqa: PLR0913 -- one argument an option
    common: Common,
    intent: tuple[str, ...],
    faults: tuple[str, ...],
    stages: str,
    duration: int | None,
    backend: str,
    state: str | None,
    *,
    lab: bool,
    yes: bool,
) -> ExitCode:
    """The whole chain: lint, render, deploy, verify, perf.

    An error in lint or deploy ends it: nothing is pushed that is known to be
    wrong. With --lab, simulated devices are started for it and stopped after,
    and nobody is asked.
    """
    from netcheck import api  # noqa: PLC0415 -- options are checked without it
    from netcheck.chain import ChainOptions, parts_of, run_chain  # noqa: PLC0415 -- as above
    from netcheck.perf.options import DURATION_S, LAB_DURATION_S, SETTLE_S, PerfOptions  # noqa: PLC0415 -- as above

    if faults and not lab:
        raise InputError("run: --fault needs --lab; faults are for simulated devices only")
    parts = parts_of(stages)
    fabric = api.load_completed(intent, deployable=True)
    basis = Basis.SIMULATED if lab else Basis.MEASURED

    def confirm(shown: object) -> bool:
        return not isinstance(shown, Plan) or ask(shown, yes=yes or lab)

    with _devices(fabric, faults, lab=lab) as (reached, after_deploy, own_state):
        options = ChainOptions(
            state=_state(state, own_state, fabric.name),
            parts=parts,
            backend=backend,
            profile=common.profile,
            limit=common.limit,
            basis=basis,
            perf=PerfOptions(
                by_basis(duration, DURATION_S, LAB_DURATION_S, basis),
                by_basis(None, SETTLE_S, 0.0, basis),
            ),
            between_s=0.0 if lab else 10.0,
            confirm=confirm,
            after_deploy=after_deploy,
        )
        report = run_chain(reached, options, lambda place, what: tell(f"{place}: {what}", common))
    return publish(report, common)


@contextmanager
def _devices(
    fabric: Fabric, faults: tuple[str, ...], *, lab: bool
) -> Iterator[tuple[Fabric, Faults, Path | None]]:
    """The fabric to work on: as it is, or in a lab that lives as long as the command."""
    if not lab:
        yield fabric, list, None
        return
    from netcheck.chain import lab_for  # noqa: PLC0415 -- as in run

    with tempfile.TemporaryDirectory(prefix="netcheck-lab-") as folder:
        home = Path(folder)
        with lab_for(fabric, home / "lab", faults) as (reached, inject):
            yield reached, inject, home / "state"


def _state(chosen: str | None, own: Path | None, fabric: str) -> Path:
    """Where the journal goes: as said, else with the lab, else the fabric's own place."""
    from netcheck.deploy.journal import default_state  # noqa: PLC0415 -- as in run

    return Path(chosen) if chosen else own or default_state(fabric)
