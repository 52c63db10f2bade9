"""``netcheck explain``."""

from __future__ import annotations

import json
import textwrap

import click

from netcheck.cli.output import say
from netcheck.model.finding import ExitCode
from netcheck.rules.catalogue import find_rule
from netcheck.rules.rule import Rule

_WIDTH = 96


@click.command()
@click.argument("rule")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the page.",
)
def explain(rule: str, form: str) -> ExitCode:
    """Explain one rule: why, source, example, fix."""
    known = find_rule(rule)
    say(_json(known) if form == "json" else _text(known))
    return ExitCode.CLEAN


def _sections(known: Rule) -> dict[str, str]:
    page = known.page
    return {"why": page.why, "bad": page.bad, "good": page.good, "fix": page.fix}


def _text(known: Rule) -> str:
    lines = [
        f"{known.slug} ({known.severity.value}, {known.profile.value})",
        "",
        known.page.summary,
    ]
    lines.append("")
    for name, text in {**_sections(known), "source": known.source}.items():
        label = f"{name.capitalize()}:"
        lines += textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=f"{label:<8}",
            subsequent_indent=" " * 8,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines) + "\n"


def _json(known: Rule) -> str:
    page = {
        "rule": known.slug,
        "severity": known.severity.value,
        "scope": known.scope.value,
        "profile": known.profile.value,
        "summary": known.page.summary,
        **_sections(known),
        "source": known.source,
        "supersedes": list(known.supersedes),
        "aliases": list(known.aliases),
    }
    return json.dumps(page, indent=2) + "\n"
