"""``netcheck import``."""

from __future__ import annotations

from pathlib import Path

import click

from netcheck.cli.options import Common, out_option, reporting
from netcheck.cli.output import publish
from netcheck.model.errors import InputError
from netcheck.model.finding import ExitCode


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="PATH...")
@out_option(what="file")
@reporting
def import_(common: Common, paths: tuple[str, ...], output: str) -> ExitCode:
    """Write the intent that configurations or a snapshot follow.

    No device is contacted. Policies are found from what ports hold; the intent
    is then completed and compared with them, and what it cannot say is told.
    What was not in PATH is not said. FILE must not be there yet.
    """
    from netcheck.api import import_paths  # noqa: PLC0415 -- options are checked without it

    target = Path(output)
    try:
        is_there = target.exists()
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror}") from None
    if is_there:
        raise InputError(f"{output}: is there already; name another file")
    return publish(import_paths(paths, target, limit=common.limit), common)
