"""The published pages are those of the rules."""

from pathlib import Path

import pytest

from netcheck.rules import pages

ROOT = Path(__file__).resolve().parents[2]


def test_the_pages_in_the_repository_are_fresh() -> None:
    assert pages.stale(ROOT / "docs" / "rules") == []


def test_a_changed_page_and_a_left_over_page_are_stale(tmp_path: Path) -> None:
    pages.write(tmp_path)
    (tmp_path / "mtu-link-mismatch.md").write_text("old", encoding="utf-8")
    (tmp_path / "gone.md").write_text("old", encoding="utf-8")
    assert pages.stale(tmp_path) == ["gone.md", "mtu-link-mismatch.md"]


def test_check_names_stale_pages_and_exits_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pages.main([str(tmp_path)]) == 0
    (tmp_path / "mtu-link-mismatch.md").unlink()
    assert pages.main(["--check", str(tmp_path)]) == 1
    assert "1 stale: mtu-link-mismatch.md" in capsys.readouterr().out


def test_writing_takes_out_pages_of_rules_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "gone.md").write_text("old", encoding="utf-8")
    pages.write(tmp_path)
    assert not (tmp_path / "gone.md").exists()
