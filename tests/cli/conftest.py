"""Running the command line in this process."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from netcheck.cli.main import main


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def netcheck(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Runs ``netcheck`` with the given arguments."""

    def run(*arguments: object) -> Ended:
        code = main([str(each) for each in arguments])
        out, err = capsys.readouterr()
        return Ended(code, out, err)

    return run
