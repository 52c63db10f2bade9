"""Whole configurations of embedded managers that a person has read, and that stay byte for byte."""

from __future__ import annotations

import pytest

from netcheck.intent import load_intent
from netcheck.lab.staging import stage
from netcheck.model.document import Document
from netcheck.platforms.onyx.parse import parse
from tests.platforms.onyx.regenerate_golden import GOLDEN, HERE, INTENT, rendered

WRITE = "python -m tests.platforms.onyx.regenerate_golden writes it again"


@pytest.mark.parametrize("name", GOLDEN)
def test_what_is_rendered_is_the_golden_configuration_of_a_switch(name: str) -> None:
    golden = (HERE / "golden" / name).read_text(encoding="utf-8")
    assert rendered(name) == golden, f"golden/{name} differs; {WRITE}, to be read line by line"


@pytest.mark.parametrize("name", GOLDEN)
def test_every_line_of_a_golden_configuration_is_read(name: str) -> None:
    text = (HERE / "golden" / name).read_text(encoding="utf-8")
    device = parse([Document("running-config.txt", text)], name=GOLDEN[name])
    assert (device.defects, device.unread) == ((), ())


def test_a_lab_says_that_another_manager_runs_in_the_place_of_an_embedded_one() -> None:
    staged = stage(load_intent([INTENT]), "storage")
    note = "the manager embedded in ibsw01, ibsw02; upstream's OpenSM runs in its place"
    assert f"not simulated: {note}" in staged.notes
