"""``netcheck schema``."""

from __future__ import annotations

from importlib import resources

import click

from netcheck.cli.output import say
from netcheck.model.finding import ExitCode


@click.command()
def schema() -> ExitCode:
    """Print the JSON Schema of the intent.

    For editors: put "# yaml-language-server: $schema=FILE" on the first line.
    """
    say(resources.files("netcheck.intent").joinpath("schema.json").read_text(encoding="utf-8"))
    return ExitCode.CLEAN
