"""``netcheck merge``."""

from __future__ import annotations

from pathlib import Path

import click

from netcheck.cli.options import out_option
from netcheck.cli.output import say
from netcheck.collect.slices import merge_snapshots
from netcheck.model.finding import ExitCode


@click.command()
@click.argument("snapshots", nargs=-1, required=True, type=click.Path(), metavar="SNAP...")
@out_option()
def merge(snapshots: tuple[str, ...], output: str) -> ExitCode:
    """Make one snapshot of several slices."""
    merged = merge_snapshots([Path(each) for each in snapshots], Path(output))
    say(f"{output}: {len(merged.members)} devices\n")
    return ExitCode.UNVERIFIED if merged.unreachable() else ExitCode.CLEAN
