"""``netcheck lint``."""

from __future__ import annotations

import click

from netcheck.cli.options import Common, reporting
from netcheck.cli.output import publish
from netcheck.model.collector import keep, no_collection
from netcheck.model.finding import ExitCode
from netcheck.model.halves import MANY_DEVICES


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="PATH...")
@click.option(
    "--intent",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="Judge configurations against this intent. Repeatable; files are merged.",
)
@reporting
def lint(common: Common, paths: tuple[str, ...], intent: tuple[str, ...]) -> ExitCode:
    """Judge an intent, configurations, a rendered tree or a snapshot.

    No device is contacted. Each PATH is recognised for what it is. Without
    --intent, priorities that PFC is on for count as lossless; with it, what
    the intent does not say is not judged.
    """
    from netcheck.api import lint_paths  # noqa: PLC0415 -- options are checked without it

    with no_collection():
        report = lint_paths(paths, intent=intent, profile=common.profile, limit=common.limit)
        if len(report.devices) >= MANY_DEVICES:
            keep(report)
        return publish(report, common)
