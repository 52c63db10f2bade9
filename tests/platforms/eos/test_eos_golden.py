"""Whole EOS configurations that a person has read, and that stay byte for byte."""

from __future__ import annotations

import pytest

from tests.platforms.eos.eos_switch import read
from tests.platforms.eos.regenerate_golden import GOLDEN, HERE, rendered

WRITE = "python -m tests.platforms.eos.regenerate_golden writes it again"


@pytest.mark.parametrize("name", GOLDEN)
def test_what_is_rendered_is_the_golden_configuration_of_eos(name: str) -> None:
    golden = (HERE / "golden" / name).read_text(encoding="utf-8")
    assert rendered(name) == golden, f"golden/{name} differs; {WRITE}, to be read line by line"


@pytest.mark.parametrize("name", GOLDEN)
def test_nothing_in_a_golden_configuration_is_a_defect(name: str) -> None:
    assert read((HERE / "golden" / name).read_text(encoding="utf-8")).defects == ()
