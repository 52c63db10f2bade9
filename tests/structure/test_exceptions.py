"""Exceptions to lint and types carry their reason beside them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BARE = re.compile(r"#\s*(type:\s*ignore(\[[^]]*\])?|noqa(:\s*[A-Z0-9, ]+)?)\s*$")


@pytest.mark.parametrize("folder", ["netcheck", "tests", "scripts", "benchmarks"])
def test_every_exception_has_its_reason(folder: str) -> None:
    bare = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if BARE.search(line)
    ]
    assert bare == []
