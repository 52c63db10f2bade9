from pathlib import Path

import pytest

from netcheck import api
from netcheck.model.errors import InputError
from netcheck.model.finding import ExitCode, Verdict

EXAMPLE = Path(__file__).parents[2] / "examples" / "lab-small.yaml"


def test_what_is_rendered_is_judged_clean_against_its_intent(tmp_path: Path) -> None:
    fabric = api.complete(api.load_intent(EXAMPLE, deployable=True))
    assert api.refusals(fabric) == []
    for device, files in api.render(fabric).items():
        for name, text in files.items():
            path = tmp_path / device / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    report = api.lint_paths(tmp_path, intent=EXAMPLE)
    assert set(report.devices) == set(fabric.devices)
    assert [each for each in report.findings if each.verdict is Verdict.FAIL] == []
    assert api.exit_code(report) is ExitCode.CLEAN


def test_rendering_some_devices_gives_just_those() -> None:
    fabric = api.complete(api.load_intent(EXAMPLE))
    assert list(api.render(fabric, ["leaf01"])) == ["leaf01"]
    assert api.render(fabric, []) == {}


def test_nothing_changed_between_a_folder_and_itself(tmp_path: Path) -> None:
    fabric = api.complete(api.load_intent(EXAMPLE))
    path = tmp_path / "leaf01" / "config_db.json"
    path.parent.mkdir()
    path.write_text(api.render(fabric, ["leaf01"])["leaf01"]["config_db.json"], encoding="utf-8")
    assert api.diff_paths(tmp_path, tmp_path).findings == ()


def test_a_changed_knob_is_told_with_old_and_new(tmp_path: Path) -> None:
    fabric = api.complete(api.load_intent(EXAMPLE))
    text = api.render(fabric, ["leaf01"])["leaf01"]["config_db.json"]
    for name, content in (("a", text), ("b", text.replace('"mtu": "9216"', '"mtu": "1500"'))):
        path = tmp_path / name / "leaf01" / "config_db.json"
        path.parent.mkdir(parents=True)
        path.write_text(content, encoding="utf-8")
    report = api.diff_paths(tmp_path / "a", tmp_path / "b")
    assert {(each.found, each.expected) for each in report.findings} == {("1500", "9216")}
    assert api.exit_code(report) is ExitCode.FINDINGS


def test_an_intent_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        api.load_intent(tmp_path / "none.yaml")
