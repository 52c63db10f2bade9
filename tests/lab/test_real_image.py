"""How the image of the real lab's machines is put together."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.lab.real.image import pipe
from netcheck.model.errors import TransportError


def test_a_cache_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "it's $HOME; of `mine`"
    folder.mkdir()
    (folder / "a file").write_text("one two\n")
    pipe(["cat", str(folder / "a file")], ["tr", "a-z", "A-Z"], into=folder / "the result")
    assert (folder / "the result").read_text() == "ONE TWO\n"


@pytest.mark.parametrize("commands", [[["false"], ["cat"]], [["echo"], ["false"]]])
def test_a_step_that_fails_anywhere_fails(commands: list[list[str]]) -> None:
    with pytest.raises(TransportError):
        pipe(*commands)
