"""The simulated MLNX-OS switch: what it takes, asks, refuses and shows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from netcheck.lab.building import Building
from netcheck.lab.devices.onyx.refusals import refusals
from netcheck.lab.devices.onyx.switch import OnyxSwitch
from netcheck.lab.devices.shell import Streams
from netcheck.lab.topology import LabDevice, LabPort, Topology

GUID = "e4:1d:2d:03:00:15:6e:80"
CONFIGURE = ("enable", "configure terminal")
DEFAULT = """\

Default:
  PKey : 0x7FFF
  ipoib: yes

  members:
    GUID='ALL' member='full'
"""
ROWS = {name: row for name, row in refusals().items() if row.lines}


@pytest.fixture
def switch(tmp_path: Path) -> OnyxSwitch:
    device = LabDevice("ibsw01", "onyx", "leaf", ports=(LabPort("IB1/1", 200_000_000_000),))
    building = Building(Topology("one", (device,), ()), tmp_path, {"ibsw01": "127.77.0.1"})
    found = building.devices["ibsw01"]
    assert isinstance(found, OnyxSwitch)
    return found


def typed(switch: OnyxSwitch, lines: Sequence[str]) -> tuple[list[str], str]:
    """Type lines into a new session; give what was printed, and the last prompt."""

    async def run() -> list[str]:
        answers = []
        for line in lines:
            held: list[str] = []
            await console.run(line, Streams(held.append, held.append))
            answers.append("".join(held))
        return answers

    console = switch.new_shell()
    return asyncio.run(run()), console.prompt


@pytest.mark.parametrize(
    ("lines", "prompt"),
    [
        ((), "ibsw01 [standalone: master] > "),
        (("enable",), "ibsw01 [standalone: master] # "),
        (CONFIGURE, "ibsw01 [standalone: master] (config) # "),
        (("en", "conf t"), "ibsw01 [standalone: master] (config) # "),
        ((*CONFIGURE, "exit"), "ibsw01 [standalone: master] # "),
        (("enable", "disable"), "ibsw01 [standalone: master] > "),
        ((*CONFIGURE, "no ib partition Default ipoib"), "Type 'yes' to continue: "),
    ],
)
def test_the_prompt_says_the_mode(switch: OnyxSwitch, lines: Sequence[str], prompt: str) -> None:
    assert typed(switch, lines)[1] == prompt


def test_a_new_switch_has_the_default_partition_and_no_manager(switch: OnyxSwitch) -> None:
    answers, _ = typed(switch, ("enable", "show ib sm", "show ib partition"))
    assert answers[1:] == ["disable\n", DEFAULT]


@pytest.mark.parametrize("name", ROWS)
def test_what_is_refused_leaves_the_configuration_alone(switch: OnyxSwitch, name: str) -> None:
    row = ROWS[name]
    typed(switch, row.lines[:-1])
    before = switch.managed()
    answers, _ = typed(switch, row.lines)
    start = row.says.partition("{}")[0]
    assert start
    assert answers[-1].startswith(start)
    assert switch.managed() == before
    assert row.source


def test_there_are_at_least_twelve_refusals_and_some_in_a_switch_s_own_words() -> None:
    assert len(refusals()) >= 12
    assert {row.says for row in refusals().values() if row.is_quoted} >= {"% Invalid port GUID"}


def test_a_manager_without_licence_is_not_started(switch: OnyxSwitch) -> None:
    switch.is_licensed = False
    answers, _ = typed(switch, (*CONFIGURE, "ib sm", "show ib smnode ibsw01 sm-licensed"))
    assert answers[-2:] == ["% The subnet manager is not licensed on this node\n", "no\n"]
    assert not switch.is_managing


def test_a_partition_is_held_shown_and_taken_away(switch: OnyxSwitch) -> None:
    lines = (
        *CONFIGURE,
        "ib sm",
        "ib sm sm-priority 14",
        "ib partition a pkey 0x0a01 force",
        f"ib partition a member {GUID.upper()} type limited force",
        "show ib partition a",
    )
    answers, _ = typed(switch, lines)
    assert answers[-1] == (
        f"\na:\n  PKey : 0x0A01\n  ipoib: no\n\n  members:\n    GUID='{GUID}' member='limited'\n"
    )
    assert switch.managed() == {
        "enabled": True,
        "options": {"sm-priority": "14"},
        "roots": [],
        "partitions": {
            "Default": {"pkey": 0x7FFF, "ipoib": True, "members": {"ALL": "full"}},
            "a": {"pkey": 0x0A01, "ipoib": False, "members": {GUID: "limited"}},
        },
    }
    answers, _ = typed(switch, (*CONFIGURE, "no ib partition a", "show ib partition"))
    assert answers[-1] == DEFAULT


def test_default_changes_only_with_a_yes_or_by_force(switch: OnyxSwitch) -> None:
    line = "ib partition Default member ALL type limited"
    answers, prompt = typed(switch, (*CONFIGURE, line, "no", "show ib partition"))
    assert answers[-2:] == ["% Nothing was changed\n", DEFAULT]
    answers, _ = typed(switch, (*CONFIGURE, line, "yes", "show ib partition"))
    assert "member='limited'" in answers[-1]
    answers, prompt = typed(switch, (*CONFIGURE, f"{line} force", "show ib partition"))
    assert "member='limited'" in answers[-1]
    assert prompt.endswith("(config) # ")
    typed(switch, (*CONFIGURE, "no ib partition Default", "yes"))
    assert typed(switch, ("enable", "show ib partition"))[0][-1] == DEFAULT


def test_only_what_was_written_outlives_a_reload(switch: OnyxSwitch) -> None:
    answers, _ = typed(switch, (*CONFIGURE, "ib sm", "show configuration"))
    assert "ib sm" not in answers[-1]
    answers, _ = typed(switch, (*CONFIGURE, "configuration write", "show configuration"))
    assert "   ib sm\n" in answers[-1]
