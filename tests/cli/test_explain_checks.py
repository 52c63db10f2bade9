"""Every finding can be explained, also those that no rule of the catalogue gives."""

import re
from pathlib import Path

import pytest

from netcheck.cli.checks import checks
from netcheck.cli.main import main
from netcheck.rules.catalogue import is_rule

PACKAGE = Path(__file__).resolve().parents[2] / "netcheck"
SLUG = re.compile(r'(?:rule=|RULE = |_finding\(\s*|LOSS = |ERRORS = )"([a-z]+(?:-[a-z]+)+)"')


def slugs() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    return {slug for text in texts for slug in SLUG.findall(text)}


def test_the_search_finds_the_findings_of_each_part() -> None:
    assert {"deploy-failed", "loss-moving", "traffic-outside-class"} <= slugs()


@pytest.mark.parametrize("slug", sorted(slugs()))
def test_a_finding_that_the_code_gives_is_explained(
    slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert is_rule(slug) or slug in checks()
    assert main(["explain", slug]) == 0
    assert "Why:" in capsys.readouterr().out
