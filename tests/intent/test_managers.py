"""An intent's subnets are judged as the files that they become, at their places in the intent."""

from pathlib import Path
from textwrap import dedent

from netcheck.api import lint_paths
from netcheck.intent.load import load_intent
from netcheck.intent.managers import with_managers
from netcheck.model.finding import Verdict
from netcheck.model.known import UNKNOWN, is_known

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
