"""What all tests share: where the reference material is; labs that end with the tests."""

import os
from pathlib import Path

import pytest

from netcheck.lab.owner import OWNER

os.environ[OWNER] = str(os.getpid())  # nothing is left of tests that are killed

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material beside the checkout; skips without it."""
    if not SHARED.is_dir():
        pytest.skip(
            "reference material ../shared is not beside this checkout; own samples cover it"
        )
    return SHARED
