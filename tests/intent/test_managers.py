"""An intent's subnets are judged as the files that they become, at their places in the intent."""

from pathlib import Path
from textwrap import dedent

from netcheck.api import lint_paths
from netcheck.intent.load import load_intent
from netcheck.intent.managers import with_managers
from netcheck.model.finding import Verdict
from netcheck.model.known import UNKNOWN, is_known
from netcheck.platforms.opensm.render import render_subnet

TEXT = """\
netcheck: 1
name: x
infiniband:
  subnets:
    s:
      subnet_managers: ["sm[1-2]"]
      routing: [dfsssp]
      sl2vl: [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15]
      partitions:
        a: {pkey: "0x0a01", members: {all: full}, ipoib: on, sl: 15}
        d: {pkey: "0x7fff", members: {all: limited}}
devices:
  sm[1-2]: {role: host, platform: opensm}
"""


def lint(folder: Path, text: str) -> list[tuple[str, int]]:
    path = folder / "intent.yaml"
    path.write_text(dedent(text), encoding="utf-8")
    return [
        (one.rule, one.evidence[0].line)
        for one in lint_paths([path]).findings
        if one.verdict is Verdict.FAIL
    ]


def test_what_opensm_would_do_with_an_intent_is_reported_in_the_intent(tmp_path: Path) -> None:
    assert lint(tmp_path, TEXT) == [("sm-port-limited", 11), ("sm-sl-dropped", 10)]


def test_an_intent_that_is_right_has_no_finding(tmp_path: Path) -> None:
    text = TEXT.replace("{all: limited}", "{all: limited, sm: full}").replace("sl: 15", "sl: 2")
    assert lint(tmp_path, text) == []


def test_each_manager_has_its_own_priority(tmp_path: Path) -> None:
    path = tmp_path / "intent.yaml"
    path.write_text(TEXT, encoding="utf-8")
    fabric = with_managers(load_intent(path))
    found = []
    for name in ("sm1", "sm2"):
        config = fabric.devices[name].subnet_manager
        assert is_known(config)
        assert is_known(config.options)
        found.append(config.options["sm_priority"].value)
    assert found == ["14", "13"]


def test_a_subnet_that_cannot_be_rendered_leaves_its_managers_unknown(tmp_path: Path) -> None:
    path = tmp_path / "intent.yaml"
    text = TEXT.replace("{all: full}", "{host: full}").replace("[dfsssp]", "[ar_updn]")
    path.write_text(text, encoding="utf-8")
    fabric = load_intent(path)
    assert with_managers(fabric).devices["sm1"].subnet_manager is UNKNOWN


def judged(folder: Path, change: tuple[str, str] = ("", "")) -> list[tuple[str, str]]:
    """Rendered files of the first manager, one of them changed, against their intent."""
    path = folder / "intent.yaml"
    path.write_text(TEXT.replace("{all: limited}", "{all: limited, sm: full}"), encoding="utf-8")
    files = render_subnet(load_intent(path), "s", manager="sm1")
    (folder / "sm1").mkdir()
    for name, text in files.items():
        (folder / "sm1" / name).write_text(text.replace(*change), encoding="utf-8")
    found = lint_paths([folder / "sm1"], intent=[path]).findings
    failed = [one for one in found if one.verdict is Verdict.FAIL]
    return [(one.rule, one.found) for one in failed if one.rule.endswith("not-intended")]


def test_rendered_files_are_as_their_intent_says(tmp_path: Path) -> None:
    assert judged(tmp_path) == []


def test_what_differs_from_the_intent_is_found(tmp_path: Path) -> None:
    assert judged(tmp_path, ("dfsssp", "minhop")) == [("sm-option-not-intended", "minhop")]


def test_another_member_is_found(tmp_path: Path) -> None:
    found = judged(tmp_path, ("ALL=full", "ALL=limited"))
    assert found == [("sm-partition-not-intended", "ALL=limited")]
