"""``netcheck rules``."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from netcheck.cli.output import say
from netcheck.model.finding import ExitCode
from netcheck.rules.catalogue import catalogue
from netcheck.rules.rule import Rule


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the list.",
)
def rules(form: str) -> ExitCode:
    """List the rules."""
    known = catalogue()
    say(_json(known) if form == "json" else _text(known))
    return ExitCode.CLEAN


def _text(known: Sequence[Rule]) -> str:
    width = max((len(each.slug) for each in known), default=0)
    lines = [
        f"{each.slug:<{width}}  {each.severity.value:<7}  {each.page.summary}" for each in known
    ]
    return "\n".join([*lines, "", f"{len(known)} rules; netcheck explain RULE says more"]) + "\n"


def _json(known: Sequence[Rule]) -> str:
    rows = [
        {
            "rule": each.slug,
            "severity": each.severity.value,
            "scope": each.scope.value,
            "profile": each.profile.value,
            "summary": each.page.summary,
            "source": each.source,
            "supersedes": list(each.supersedes),
            "aliases": list(each.aliases),
        }
        for each in known
    ]
    return json.dumps(rows, indent=2) + "\n"
