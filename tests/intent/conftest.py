"""An intent written down in a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a text (dedented) to a file of the test's folder and give its path."""

    def to_file(text: str, name: str = "intent.yaml") -> Path:
        path = tmp_path / name
        path.write_text(dedent(text), "utf-8")
        return path

    return to_file
