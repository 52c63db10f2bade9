"""Calls on a simulated subnet, as far as they go without one: order, hangs, ends."""

from pathlib import Path

import pytest

from netcheck.lab.opensm import diags
from netcheck.lab.opensm.diags import Answer, Diags
from netcheck.lab.opensm.tools import Tools
from netcheck.model.errors import TransportError


@pytest.fixture
def shell(tmp_path: Path) -> Diags:
    return Diags(Tools("", "", ""), tmp_path, {}, "gpu01")


def test_a_call_that_hangs_is_ended_and_the_others_have_their_answers(
    shell: Diags, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diags, "STALL_S", 0.5)
    monkeypatch.setattr(diags, "WORKERS", 1)
    commands = [("echo", "one"), ("sleep", "600"), ("echo", "three"), ("false",)]
    assert shell.run_all(commands) == [
        Answer("echo one", "one\n", 0),
        Answer("sleep 600", "timed out: no answer within 0.5 s\n", 124),
        Answer("echo three", "three\n", 0),
        Answer("false", "", 1),
    ]


def test_calls_that_hang_one_after_another_are_given_up(
    shell: Diags, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diags, "STALL_S", 0.3)
    monkeypatch.setattr(diags, "WORKERS", 1)
    with pytest.raises(TransportError, match="sleep 602: no answer"):
        shell.run_all([("sleep", str(seconds)) for seconds in range(600, 610)])


def test_nothing_is_left_of_calls(shell: Diags, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diags, "STALL_S", 0.3)
    shell.run_all([("sleep", "600"), ("true",)])
    assert list(shell.folder.iterdir()) == []
