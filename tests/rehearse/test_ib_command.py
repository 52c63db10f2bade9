"""``netcheck ib rehearse``: options, exit codes, reports."""

import json
import re
from pathlib import Path

import pytest

from netcheck.cli.main import main
from netcheck.model.finding import ExitCode
from tests.lab.opensm.ib_labs import needs_opensm, network_text

ROOT = Path(__file__).resolve().parents[2]
TREE = str(Path(__file__).parent / "intents" / "tree.yaml")
LINES = """
netcheck: 1
name: two
infiniband:
  subnets:
    left: {partitions: {default: {pkey: "0x7fff", members: {all: full}}}}
    right: {partitions: {default: {pkey: "0x7fff", members: {all: full}}}}
"""


def test_without_the_packages_it_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("netcheck.lab.opensm.tools._find", lambda _: "")
    assert main(["ib", "rehearse", TREE]) == ExitCode.BAD_INPUT
    assert "sudo apt-get install opensm ibsim-utils infiniband-diags" in capsys.readouterr().err


def test_an_intent_without_a_subnet_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["ib", "rehearse", str(ROOT / "examples" / "lab-small.yaml")])
    assert code == ExitCode.BAD_INPUT
    assert "the intent has no InfiniBand subnet" in capsys.readouterr().err


def test_a_discovery_is_of_one_subnet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "two.yaml").write_text(LINES, encoding="utf-8")
    (tmp_path / "fabric.txt").write_text(network_text(), encoding="utf-8")
    arguments = ["--fabric", str(tmp_path / "fabric.txt")]
    assert main(["ib", "rehearse", str(tmp_path / "two.yaml"), *arguments]) == ExitCode.BAD_INPUT
    assert "say --subnet, one of left, right" in capsys.readouterr().err


def test_a_fabric_that_cannot_be_read_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ib", "rehearse", TREE, "--fabric", "nowhere.txt"]) == ExitCode.BAD_INPUT
    assert "nowhere.txt: cannot be read: No such file" in capsys.readouterr().err


@needs_opensm
@pytest.mark.slow
def test_a_mixed_intent_is_rehearsed_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    hybrid = str(ROOT / "examples" / "lab-hybrid.yaml")
    assert main(["ib", "rehearse", hybrid, "--report", str(report)]) == ExitCode.CLEAN
    assert "rehearsed (simulated fabric, real OpenSM)" in capsys.readouterr().out
    summary = json.loads(report.read_text(encoding="utf-8"))["summary"]
    assert summary["command"] == "ib rehearse"
    assert summary["errors"] == 0
    assert any("store02 took over from store01 within" in note for note in summary["notes"])


@needs_opensm
@pytest.mark.slow
def test_an_intent_with_links_of_ndr_runs_as_hdr_which_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mixed = str(ROOT / "examples" / "mixed-ib.yaml")
    assert main(["ib", "rehearse", mixed]) == ExitCode.CLEAN
    told = capsys.readouterr().out
    assert "not simulated: 198 ports of the intent faster than HDR" in told
    # ftree does not route uneven uplinks, and the intent's next engine does
    assert re.search(r"cable ibleaf01 port 17 .*: routed around within [\d.]+ s by updn", told)


@needs_opensm
@pytest.mark.slow
def test_one_subnet_on_a_discovery_by_the_names_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "two.yaml").write_text(LINES, encoding="utf-8")
    (tmp_path / "fabric.txt").write_text(network_text(leaves=2, hosts=2), encoding="utf-8")
    options = ["--subnet", "left", "--no-failures", "--fabric", str(tmp_path / "fabric.txt")]
    assert main(["ib", "rehearse", str(tmp_path / "two.yaml"), *options]) == ExitCode.CLEAN
    told = capsys.readouterr().out
    assert "left: read back: routes of 4 switches; tables of 4 of 4 host ports" in told
    assert "right:" not in told
