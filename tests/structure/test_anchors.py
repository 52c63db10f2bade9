"""Each knob that a platform renders or parses has a public source."""

import pytest
import yaml

from netcheck.platforms.platform import platform_names
from tests.structure.test_imports import PACKAGE

REQUIRED = (
    "capabilities.yaml",
    "render.py",
    "parse.py",
    "commands.py",
    "recognise.py",
    "apply.py",
    "quirks.py",
    "anchors.yaml",
    "README.md",
    "templates",
)


def test_there_are_platforms() -> None:
    assert {"sonic", "linux"} <= set(platform_names())


@pytest.mark.parametrize("name", platform_names())
def test_a_platform_is_complete(name: str) -> None:
    folder = PACKAGE / "platforms" / name
    # what owns nothing on a device renders nothing, and has no templates
    owned = yaml.safe_load((folder / "capabilities.yaml").read_text("utf-8")).get("owned")
    required = [item for item in REQUIRED if owned or item != "templates"]
    assert [item for item in required if not (folder / item).exists()] == []


@pytest.mark.parametrize("name", platform_names())
def test_every_knob_has_a_source_or_says_that_it_is_unverified(name: str) -> None:
    anchors = yaml.safe_load((PACKAGE / "platforms" / name / "anchors.yaml").read_text())
    knobs = anchors["knobs"]
    assert len(knobs) > 10
    bare = [
        knob for knob, row in knobs.items() if not row.get("source") and row.get("verified", True)
    ]
    assert bare == []
