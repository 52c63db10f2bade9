"""No rule without a page, a case, an explanation; none that is written down and never run."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.cli.main import main
from netcheck.model.fabric import Origin
from netcheck.model.finding import Verdict
from netcheck.rules import catalogue as home
from netcheck.rules.catalogue import catalogue
from netcheck.rules.engine import judge
from netcheck.rules.rule import Profile, Rule, Scope
from tests.rules.test_cases import HERE, cases_of
from tests.rules.world import fabric, intent

ROOT = HERE.parents[1]
WRITTEN = re.compile(r'^@rule\(\s*"([a-z0-9-]+)"', re.MULTILINE)
ALL = [pytest.param(rule, id=rule.slug) for rule in catalogue()]
JUDGED = [
    pytest.param(rule, id=rule.slug) for rule in catalogue() if rule.scope is not Scope.SUPPRESSION
]


def test_every_rule_that_is_written_is_in_the_catalogue() -> None:
    folder = Path(home.__file__).parent
    texts = (path.read_text("utf-8") for path in folder.rglob("*.py"))
    written = [slug for text in texts for slug in WRITTEN.findall(text)]
    assert sorted(written) == [rule.slug for rule in catalogue()]


@pytest.mark.parametrize("rule", ALL)
def test_every_rule_has_a_published_page_that_is_listed(rule: Rule) -> None:
    page = (ROOT / "docs" / "rules" / f"{rule.slug}.md").read_text("utf-8")
    listed = (ROOT / "docs" / "rules" / "index.md").read_text("utf-8")
    assert rule.slug in page
    assert f"{rule.slug}.md" in listed


@pytest.mark.parametrize("rule", ALL)
def test_every_rule_has_a_case_file(rule: Rule) -> None:
    assert cases_of(rule.slug)


@pytest.mark.parametrize("rule", ALL)
def test_every_rule_is_explained_by_the_command(
    rule: Rule, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", rule.slug]) == 0
    told = " ".join(capsys.readouterr().out.split())
    for part in (rule.slug, rule.page.summary, rule.page.why, rule.page.fix):
        assert " ".join(part.split()) in told


@pytest.mark.parametrize("rule", JUDGED)
def test_every_rule_is_run_without_being_asked_for(rule: Rule) -> None:
    """As lint does: the whole catalogue, and this rule among those that came to a verdict."""
    profile = str(rule.profile if rule.profile is Profile.STRICT else Profile.BASELINE)
    worlds = [case["bad"] for case in cases_of(rule.slug).values() if "bad" in case]
    verdicts = (
        {
            one.verdict
            for one in judge(fabric(world, Origin.CONFIG), intended=intent(world), profile=profile)
            if one.rule == rule.slug
        }
        for world in worlds
    )
    assert any(Verdict.FAIL in found for found in verdicts)


def test_a_rule_without_a_page_cannot_be_made() -> None:
    silent = replace(catalogue()[0], check=lambda _: iter(()))
    with pytest.raises(ValueError, match="page without"):
        _ = silent.page
