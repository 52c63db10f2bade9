"""A Cumulus switch refuses what NVUE refuses, says where, and goes on as before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from netcheck.lab.devices.cumulus.refusals import refusal_texts
from netcheck.lab.devices.cumulus.schema import release_of
from netcheck.lab.devices.cumulus.tree import dump
from tests.lab.cumulus_lab import LOSSLESS, apply_file, build, nv, switch_of

CASES: dict[str, dict[str, Any]] = yaml.load(
    (Path(__file__).parent / "cases/cumulus_refusals.yaml").read_text("utf-8"),
    yaml.BaseLoader,  # noqa: S506 -- strings only
)


@pytest.mark.parametrize("name", CASES)
def test_a_bad_configuration_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    switch = switch_of(build(tmp_path, version=f"{case.get('release', '5.14')}.0"))
    before = switch.applied
    output, status = apply_file(switch, dump([{"set": case["set"]}]))
    found = {(one.name, one.place) for one in switch.refused(_given(switch.applied, case))}
    assert (name, case["at"]) in found
    assert status == 1
    assert f"Config invalid at {case['at']}: " in output
    assert switch.applied is before


def _given(applied: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    return {**applied, **case["set"]}


def test_every_refusal_has_its_words_and_a_source() -> None:
    for row in refusal_texts().values():
        assert set(row) == {"says", "source"}
        assert row["says"]
        assert row["source"]


def test_conflicts_and_limits_are_more_than_twenty() -> None:
    assert len(CASES) > 40
    assert set(CASES) <= set(refusal_texts())


def test_the_lossless_configuration_is_taken(tmp_path: Path) -> None:
    switch = switch_of(build(tmp_path))
    assert apply_file(switch, LOSSLESS) == ("applied [rev_id: 2]\n", 0)


@pytest.mark.parametrize(
    ("version", "taken", "refused"),
    [
        ("5.14.0", "enable on", "state enabled"),
        ("5.15.0", "state enabled", "enable on"),
    ],
)
def test_words_of_another_release_are_refused(
    version: str, taken: str, refused: str, tmp_path: Path
) -> None:
    switch = switch_of(build(tmp_path, version=version))
    assert nv(switch, f"nv set qos roce {taken}") == ("", 0)
    output, status = nv(switch, f"nv set qos roce {refused}")
    assert status == 1
    assert "is not a valid parameter" in output
    assert release_of(version) == switch.release


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("- set: {a: [", "yaml file is not valid"),
        ("- sets: {qos: {}}", "'sets' is not one of set, unset"),
        ("just words", "expected a list of set and unset"),
    ],
)
def test_a_file_that_is_no_configuration_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    switch = switch_of(build(tmp_path))
    output, status = apply_file(switch, text)
    assert status == 1
    assert reason in output
    assert switch.revisions.pending is None


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    switch = switch_of(build(tmp_path))
    assert nv(switch, "nv config replace /tmp/none.yaml") == (
        "Error: /tmp/none.yaml: No such file or directory\n",
        1,
    )
