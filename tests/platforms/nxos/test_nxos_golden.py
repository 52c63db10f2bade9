"""Whole configurations that a person has read, and that stay byte for byte."""

from __future__ import annotations

import pytest

from tests.platforms.nxos.regenerate_golden import GOLDEN, HERE, rendered

WRITE = "python -m tests.platforms.nxos.regenerate_golden writes it again"


@pytest.mark.parametrize("name", GOLDEN)
def test_what_is_rendered_is_the_golden_configuration(name: str) -> None:
    golden = (HERE / "golden" / name).read_text(encoding="utf-8")
    assert rendered(name) == golden, f"golden/{name} differs; {WRITE}, to be read line by line"


def test_longer_cables_get_more_headroom() -> None:
    lines = (HERE / "golden" / "mixed-leaf04.txt").read_text(encoding="utf-8").splitlines()
    found = [line.split() for line in lines if "pause buffer-size" in line]
    headroom = sorted(int(words[2]) - int(words[4]) for words in found)
    assert len(headroom) == 2
    assert headroom[0] < headroom[1]
