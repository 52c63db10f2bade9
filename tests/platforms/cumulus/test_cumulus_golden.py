"""Whole files that a person has read against NVIDIA's documents, and that stay byte for byte."""

from __future__ import annotations

import pytest

from tests.platforms.cumulus.regenerate_golden import GOLDEN, HERE, rendered

WRITE = "python -m tests.platforms.cumulus.regenerate_golden writes it again"


@pytest.mark.parametrize("name", GOLDEN)
def test_what_is_rendered_for_nvue_is_the_golden_file(name: str) -> None:
    golden = (HERE / "golden" / name).read_text(encoding="utf-8")
    assert rendered(name) == golden, f"golden/{name} differs; {WRITE}, to be read line by line"


def test_releases_before_5_15_have_words_of_their_own() -> None:
    old, new = rendered("leaf-5.14.yaml"), rendered("leaf-5.17.yaml")
    assert "dcbx-pfc-tlv: off" in old
    assert "dcbx-pfc-tlv: disabled" in new
    assert "ecn: enable\n" in old
    assert "ecn: enabled\n" in new
