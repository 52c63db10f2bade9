"""Bad intents and exactly what the user reads: pairs of files in tests/errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.intent import complete, load_intent
from netcheck.model.errors import InputError

ERRORS = Path(__file__).parents[1] / "errors"


def message_of(path: Path) -> str:
    """What loading (and completing, where the first line asks for it) says."""
    is_deployable = path.read_bytes().startswith(b"# deployable\n")
    with pytest.raises(InputError) as caught:
        complete(load_intent(path, deployable=is_deployable))
    return str(caught.value)


@pytest.mark.parametrize("name", sorted(path.stem for path in ERRORS.glob("*.yaml")))
def test_a_bad_intent_says_exactly_what_is_wrong(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ERRORS)
    expected = Path(f"{name}.txt").read_text("utf-8")
    assert f"{message_of(Path(f'{name}.yaml'))}\n" == expected
