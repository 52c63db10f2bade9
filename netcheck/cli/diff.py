"""``netcheck diff``."""

from __future__ import annotations

from pathlib import Path

import click

from netcheck.cli.options import Common, reporting
from netcheck.cli.output import publish
from netcheck.model.finding import ExitCode


@click.command()
@click.argument("before", type=click.Path(), metavar="SNAP")
@click.argument("after", type=click.Path(), metavar="SNAP")
@reporting
def diff(common: Common, before: str, after: str) -> ExitCode:
    """Show what changed between two snapshots, by meaning.

    Spelling and order do not count; counters are left out. Exit code 1 when
    anything changed.
    """
    from netcheck.api import diff_paths  # noqa: PLC0415 -- options are checked without it

    return publish(diff_paths(Path(before), Path(after), limit=common.limit), common)
