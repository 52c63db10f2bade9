"""``netcheck ib``."""

from __future__ import annotations

from pathlib import Path

import click

from netcheck.cli.options import INTENT, Common, out_option, reporting_whole
from netcheck.cli.output import publish, tell
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import ExitCode


@click.group()
def ib() -> None:
    """InfiniBand: rehearse a subnet manager before it is pushed.

    docs/infiniband.md says what is simulated and what is not.
    """


@ib.command()
@INTENT
@click.option(
    "--fabric",
    "discovered",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Output of ibnetdiscover to rehearse on.  [default: made from the intent]",
)
@click.option("--subnet", metavar="NAME", help="Only this subnet.  [default: all of the intent]")
@click.option("--full", is_flag=True, help="Read all ports instead of a sample.")
@click.option("--no-failures", is_flag=True, help="Break nothing: only bring it up and read it.")
@reporting_whole
def rehearse(
    common: Common,
    intent: tuple[str, ...],
    discovered: str | None,
    subnet: str | None,
    *,
    full: bool,
    no_failures: bool,
) -> ExitCode:
    """Run the rendered subnet manager on a real OpenSM over a simulated fabric.

    What infiniband-diags read back is compared with the intent; then again with
    a failed link, a failed switch, and the master gone.
    """
    from netcheck import api  # noqa: PLC0415 -- options are checked without it
    from netcheck.rehearse.rehearse import RehearsalOptions  # noqa: PLC0415 -- as above
    from netcheck.rehearse.reporting import rehearsal_report  # noqa: PLC0415 -- as above

    fabric = api.load_completed(intent)
    options = RehearsalOptions(full=full, failures=not no_failures, profile=common.profile)
    report = rehearsal_report(
        fabric,
        _subnets(fabric, subnet, discovered),
        _text(discovered),
        options,
        file=discovered or "",
        progress=lambda line: tell(line, common),
    )
    return publish(report, common)


@ib.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="PATH...")
@click.option(
    "--intent",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="Judge the subnet against this intent first. Repeatable; files are merged.",
)
@click.option("--subnet", default="", metavar="NAME", help="Which subnet of an intent.")
@out_option()
@reporting_whole
def topology(
    common: Common, paths: tuple[str, ...], intent: tuple[str, ...], subnet: str, output: str
) -> ExitCode:
    """Write what schedulers and libraries are told of a subnet.

    PATH is an output of ibnetdiscover (or a folder of outputs), or an intent
    alone. Slurm's topology.conf, hosts in order of nearness and hints for NCCL
    go into the folder, unless the subnet is found to be miscabled or split.
    """
    from netcheck import api  # noqa: PLC0415 -- options are checked without it
    from netcheck.report.publish import write_whole  # noqa: PLC0415 -- as above

    report, files = api.job_topology(paths, intent=intent, subnet=subnet, profile=common.profile)
    for name, text in files.items():
        write_whole(Path(output) / name, text)
    if files:
        tell(f"{output}: {', '.join(sorted(files))}", common)
    return publish(report, common)


def _subnets(fabric: Fabric, subnet: str | None, discovered: str | None) -> tuple[str, ...]:
    if subnet is not None:
        return (subnet,)
    if not fabric.subnets:
        raise InputError("the intent has no InfiniBand subnet; say infiniband: subnets:")
    if discovered and len(fabric.subnets) > 1:
        known = ", ".join(fabric.subnets)
        raise click.UsageError(f"--fabric is of one subnet: say --subnet, one of {known}")
    return tuple(fabric.subnets)


def _text(discovered: str | None) -> str | None:
    if discovered is None:
        return None
    try:
        return Path(discovered).read_text("utf-8", "replace")
    except OSError as error:
        raise InputError(f"{discovered}: cannot be read: {error.strerror}") from error
