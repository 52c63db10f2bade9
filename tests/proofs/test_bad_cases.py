"""Every rule of severity error has a bad case whose harm somebody else shows than the rule."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from netcheck.model.finding import Severity
from netcheck.rules.catalogue import catalogue
from tests.mutation.traffic import Harm
from tests.mutation.world import RefusedError
from tests.platforms.sonic.sonic_yang import Models, why_unavailable
from tests.proofs.bad_cases import CONFIG, Row, rows
from tests.proofs.referees import Court

ROOT = Path(__file__).parents[2]
ROWS = rows()
ERRORS = {rule.slug for rule in catalogue() if rule.severity is Severity.ERROR}
REFEREES = ("harm", "refused", "opensm", "rows", "test", "nobody")
MEASURED = ROOT / "tests/platforms/opensm/silent_failures.yaml"
MOST_UNSHOWN_PERCENT = 20


def _with(word: str) -> list[Any]:  # Any: pytest's parameter sets
    return [pytest.param(row, rule, id=rule) for rule, row in ROWS.items() if word in row]


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return Court(tmp_path_factory.mktemp("court"))


def test_every_error_rule_and_no_other_has_a_row() -> None:
    assert set(ROWS) == ERRORS


@pytest.mark.parametrize("rule", ROWS)
def test_a_row_names_one_referee(rule: str) -> None:
    assert len([word for word in REFEREES if word in ROWS[rule]]) == 1


@pytest.mark.parametrize(("row", "rule"), _with("harm"))
def test_the_bad_case_is_found_and_harms_traffic(row: Row, rule: str, court: Court) -> None:
    assert Harm(row["harm"]) in court.harms(row)
    if "instead_of" not in row:
        assert rule in court.rules(row)


@pytest.mark.parametrize(("row", "rule"), _with("refused"))
def test_the_bad_case_is_found_and_refused_by_the_device(row: Row, rule: str, court: Court) -> None:
    with pytest.raises(RefusedError, match=re.escape(row["refused"])):
        court.harms(row)
    if "instead_of" not in row:
        assert rule in court.rules(row)


@pytest.mark.yang
@pytest.mark.parametrize(("row", "rule"), _with("yang"))
def test_sonics_own_models_refuse_the_bad_case(
    row: Row, rule: str, court: Court, shared: Path
) -> None:
    reason = why_unavailable()
    if reason:
        pytest.skip(reason)
    models = Models(shared / "yang" / "sonic")
    good, bad = court.bench(row).world.texts["leaf01"], court.texts(row)["leaf01"]
    assert models.refusal(_modelled(models, good[CONFIG])) == "", rule
    assert models.refusal(_modelled(models, bad[CONFIG])) != "", rule


def _modelled(models: Models, text: str) -> dict[str, Any]:  # Any: JSON data
    tables: dict[str, Any] = yaml.safe_load(text)
    return {
        name: rows
        for name, rows in tables.items()
        if not models.refusal({name: rows}).startswith("no model")
    }


@pytest.mark.parametrize(("row", "rule"), [*_with("opensm"), *_with("test")])
def test_the_test_that_shows_it_is_there(row: Row, rule: str) -> None:
    shown = str(row.get("opensm") or row["test"])
    file, _, name = shown.partition("::")
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    assert name in {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}, rule


@pytest.mark.parametrize(("row", "rule"), _with("rows"))
def test_what_opensm_does_was_measured(row: Row, rule: str) -> None:
    assert row["rows"] is True
    measured = yaml.safe_load(MEASURED.read_text("utf-8"))
    assert rule in {one["rule"] for one in measured}


@pytest.mark.parametrize(("row", "rule"), _with("nobody"))
def test_where_nobody_shows_it_the_reason_and_a_source_are_said(row: Row, rule: str) -> None:
    reason, _, source = row["nobody"].partition(". ")
    assert len(reason) > len(rule)
    assert source or rule.startswith(("ib-", "sm-"))


def test_most_rules_have_a_referee() -> None:
    assert len(_with("nobody")) * 100 <= MOST_UNSHOWN_PERCENT * len(ROWS)
