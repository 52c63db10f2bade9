"""Whole configurations that a person has read, and that stay byte for byte."""

from __future__ import annotations

import json

import pytest

from tests.platforms.sonic.regenerate_golden import GOLDEN, HERE, rendered

WRITE = "python -m tests.platforms.sonic.regenerate_golden writes it again"


@pytest.mark.parametrize("name", GOLDEN)
def test_what_is_rendered_is_the_golden_configuration(name: str) -> None:
    golden = (HERE / "golden" / name).read_text(encoding="utf-8")
    assert rendered(name) == golden, f"golden/{name} differs; {WRITE}, to be read line by line"


def test_the_two_sides_of_a_link_assume_the_same_cable() -> None:
    leaf, spine = (
        json.loads((HERE / "golden" / f"lab-{name}.json").read_text(encoding="utf-8"))
        for name in ("leaf01", "spine01")
    )
    assert leaf["CABLE_LENGTH"]["AZURE"]["Ethernet64"] == "40m"
    assert spine["CABLE_LENGTH"]["AZURE"]["Ethernet0"] == "40m"
    shared = "pg_lossless_400000_40m_profile"
    assert leaf["BUFFER_PROFILE"][shared] == spine["BUFFER_PROFILE"][shared]
