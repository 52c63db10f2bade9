"""Every error of the reference catalogue is a rule or stands in a decision record."""

from __future__ import annotations

import csv
from pathlib import Path

from netcheck.rules.catalogue import is_rule

DECISIONS = Path(__file__).parents[2] / "docs" / "decisions"


def test_every_error_of_the_reference_is_a_rule_or_in_a_decision_record(shared: Path) -> None:
    told = "".join(path.read_text("utf-8") for path in DECISIONS.glob("*.md"))
    with (shared / "reference" / "rules.csv").open(encoding="utf-8") as lines:
        errors = [row["slug"] for row in csv.DictReader(lines) if row["severity"] == "error"]
    assert len(errors) > 100
    assert [slug for slug in errors if not is_rule(slug) and slug not in told] == []
