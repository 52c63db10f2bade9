"""Every path that a document names exists."""

import re
from pathlib import Path

import pytest

from netcheck.cli.main import main
from netcheck.model.finding import ExitCode

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "docs" / "design.md"]
PATH = re.compile(
    r"`((?:netcheck|docs|tests|playbooks|roles|inventories|examples|scripts|benchmarks)/[\w./-]*)`"
)
LINK = re.compile(r"\]\(((?!https?:)[^)#]+)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_named_path_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    named = [ROOT / path for path in PATH.findall(text)]
    linked = [document.parent / path for path in LINK.findall(text)]
    assert named
    assert [str(path) for path in (*named, *linked) if not path.exists()] == []


@pytest.mark.parametrize(
    "target", re.findall(r"`make ([\w-]+)`", "".join(map(Path.read_text, DOCUMENTS)))
)
def test_every_named_make_target_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_the_example_in_the_readme_is_what_lint_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    block = re.search(r"```console\n\$ netcheck (.*)\n([\s\S]*?)```", DOCUMENTS[0].read_text())
    assert block
    assert main(block[1].split()) == ExitCode.FINDINGS
    assert capsys.readouterr().out == block[2]
