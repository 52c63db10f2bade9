"""Rendered files are those that were read line by line."""

from tests.platforms.opensm.regenerate_golden import GOLDEN, golden


def test_rendered_files_are_the_golden_ones() -> None:
    held = {
        str(path.relative_to(GOLDEN)): path.read_text("utf-8")
        for path in GOLDEN.rglob("*")
        if path.is_file()
    }
    assert golden() == held
