"""``netcheck schema``."""

from __future__ import annotations

import click

from netcheck.cli.output import say
from netcheck.lossless.packaged import packaged_text
from netcheck.model.finding import ExitCode


@click.command()
def schema() -> ExitCode:
    """Print the JSON Schema of the intent.

    For editors: put "# yaml-language-server: $schema=FILE" on the first line.
    """
    say(packaged_text("netcheck.intent", "schema.json"))
    return ExitCode.CLEAN
