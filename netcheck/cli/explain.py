"""``netcheck explain``."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING

import click

from netcheck.cli.output import say
from netcheck.model.finding import ExitCode
from netcheck.rules.catalogue import find_rule, is_rule
from netcheck.rules.rule import Rule

if TYPE_CHECKING:
    from netcheck.cli.checks import Check

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
    """Explain one rule or check: why, source, example, fix."""
    from netcheck.cli.checks import checks  # noqa: PLC0415 -- brings in the measurements

    if not is_rule(rule) and rule in checks():
        check = checks()[rule]
        say(_check_json(check) if form == "json" else _check_text(check))
        return ExitCode.CLEAN
    known = find_rule(rule)
    say(_json(known) if form == "json" else _text(known))
    return ExitCode.CLEAN


def _check_text(check: Check) -> str:
    parts = {"why": check.why, "fix": check.fix, "source": check.source}
    head = [f"{check.slug} ({check.severity.value}, a check)", "", check.summary, ""]
    return "\n".join([*head, *_labelled(parts)]) + "\n"


def _check_json(check: Check) -> str:
    row = {"rule": check.slug, "severity": check.severity.value, "summary": check.summary}
    return (
        json.dumps(row | {"why": check.why, "fix": check.fix, "source": check.source}, indent=2)
        + "\n"
    )


def _sections(known: Rule) -> dict[str, str]:
    page = known.page
    return {"why": page.why, "bad": page.bad, "good": page.good, "fix": page.fix}


def _text(known: Rule) -> str:
    lines = [
        f"{known.slug} ({known.severity.value}, {known.profile.value})",
        "",
        known.page.summary,
    ]
    lines += ["", *_labelled({**_sections(known), "source": known.source})]
    return "\n".join(lines) + "\n"


def _labelled(parts: dict[str, str]) -> list[str]:
    lines: list[str] = []
    for name, text in parts.items():
        label = f"{name.capitalize()}:"
        lines += textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=f"{label:<8}",
            subsequent_indent=" " * 8,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


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
