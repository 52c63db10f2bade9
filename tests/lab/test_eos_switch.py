"""The simulated EOS switch: what it takes, refuses, shows, and does to traffic."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from netcheck.lab.building import Building
from netcheck.lab.devices.cli.console import Console
from netcheck.lab.devices.eos.refusals import refusals
from netcheck.lab.devices.eos.state import EosSwitch
from netcheck.lab.devices.shell import Streams
from netcheck.lab.topology import LabDevice, LabPort, Topology

PORTS = ("Ethernet1/1", "Ethernet2/1")
SPEED = 400_000_000_000
ROCE = """
qos map dscp 26 to traffic-class 3
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   !
   uc-tx-queue 3
      bandwidth percent 60
      no priority
      random-detect ecn minimum-threshold 256 kbytes maximum-threshold 512 kbytes weight 0
      random-detect ecn count
   !
   uc-tx-queue 6
      priority strict
priority-flow-control pause watchdog default timeout 0.20
priority-flow-control pause watchdog default recovery-time 0.40
priority-flow-control pause watchdog action drop
interface Ethernet1/1
   mtu 9214
   service-profile ROCE
"""


@pytest.fixture
def switch(tmp_path: Path) -> EosSwitch:
    device = LabDevice("leaf01", "eos", "leaf", ports=tuple(LabPort(p, SPEED) for p in PORTS))
    building = Building(Topology("one", (device,), ()), tmp_path, {"leaf01": "127.77.0.1"})
    found = building.devices["leaf01"]
    assert isinstance(found, EosSwitch)
    return found


async def typed(console: Console, lines: Sequence[str]) -> list[tuple[str, int]]:
    answers = []
    for line in lines:
        held: list[str] = []
        status = await console.run(line, Streams(held.append, held.append))
        answers.append(("".join(held), status))
    return answers


def configured(switch: EosSwitch, text: str = ROCE) -> None:
    answers = asyncio.run(typed(Console(switch), ["configure", *text.splitlines(), "end"]))
    assert [answer for answer in answers if answer[1]] == []


def shown(switch: EosSwitch, line: str) -> str:
    text, status = asyncio.run(typed(Console(switch), [line]))[0]
    assert status == 0, text
    return text


@pytest.mark.parametrize("name", list(refusals()))
def test_what_eos_refuses_is_refused_in_its_words(switch: EosSwitch, name: str) -> None:
    refusal = refusals()[name]
    answers = asyncio.run(typed(Console(switch), ["configure", *refusal.lines]))
    text, status = answers[-1]
    assert [said for said, code in answers[:-1] if code] == []
    assert text.startswith(refusal.says)
    assert status == 1 or "| json" in refusal.lines[-1]


def test_every_refusal_names_a_source() -> None:
    assert len(refusals()) >= 20
    assert [name for name, row in refusals().items() if not row.source] == []


def test_the_running_config_shows_what_was_typed(switch: EosSwitch) -> None:
    configured(switch)
    lines = shown(switch, "show running-config | section qos profile").splitlines()
    assert lines[0] == "qos profile ROCE"
    assert "   priority-flow-control priority 3 no-drop" in lines
    assert "      random-detect ecn count" in lines


def test_the_running_config_can_be_typed_again(switch: EosSwitch) -> None:
    configured(switch)
    text = shown(switch, "show running-config")
    switch.running.entries = switch.factory().entries
    configured(switch, text.replace("\nend\n", "\n"))
    assert shown(switch, "show running-config") == text


def test_a_line_replaces_the_one_that_sets_the_same(switch: EosSwitch) -> None:
    configured(switch)
    configured(switch, "interface Et1/1\nmtu 5000\n")
    assert "   mtu 5000\n" in shown(switch, "show running-config interfaces Ethernet1/1")


@pytest.mark.parametrize(
    ("line", "dscp", "expected"),
    [
        ("", 0, 1),
        ("", 8, 0),
        ("", 26, 3),
        ("qos map dscp 8 9 to traffic-class 3", 9, 3),
        ("qos map traffic-class 3 to dscp 9", 9, 0),
    ],
)
def test_dscp_maps_to_a_traffic_class(
    switch: EosSwitch, line: str, dscp: int, expected: int
) -> None:
    configured(switch, line)
    assert switch.hardware().ports[PORTS[0]].priority_of_dscp[dscp] == expected


def test_the_hardware_holds_what_the_profile_says(switch: EosSwitch) -> None:
    configured(switch)
    port = switch.hardware().ports[PORTS[0]]
    assert (port.pauses_sent, port.pauses_honoured) == (frozenset({3}), frozenset({3}))
    assert port.mtu_bytes == 9214 + 18
    assert port.groups[3].headroom_bytes > 100_000
    assert port.groups[0].headroom_bytes == 0
    assert (port.queues[3].is_strict, port.queues[3].weight) == (False, 60.0)
    assert port.queues[6].is_strict
    assert port.queues[3].ecn is not None
    assert port.queues[3].ecn.kmax_bytes == 512_000
    assert port.watchdog is not None
    assert (port.watchdog.detection_s, port.watchdog.action) == (0.2, "drop")


def test_a_port_without_the_profile_holds_defaults(switch: EosSwitch) -> None:
    configured(switch)
    port = switch.hardware().ports[PORTS[1]]
    assert port.pauses_sent == frozenset()
    assert port.mtu_bytes == 1500 + 18


def test_a_session_changes_nothing_until_it_is_committed(switch: EosSwitch) -> None:
    console = Console(switch)
    asyncio.run(typed(console, ["configure session s1", "hostname other"]))
    assert (switch.hostname, console.prompt) == ("leaf01", "leaf01(config-s-s1)#")
    asyncio.run(typed(console, ["commit"]))
    assert (switch.hostname, console.prompt) == ("other", "other#")


def test_an_aborted_session_changes_nothing(switch: EosSwitch) -> None:
    before = shown(switch, "show running-config")
    asyncio.run(typed(Console(switch), ["configure session s1", *ROCE.splitlines(), "abort"]))
    assert shown(switch, "show running-config") == before


async def after_the_timer(switch: EosSwitch, lines: Sequence[str]) -> list[str]:
    """Type lines; give the host names before and after a commit timer, whose seconds are short."""
    loop = asyncio.get_running_loop()
    call_later = loop.call_later
    loop.call_later = lambda delay, *rest, **more: call_later(delay / 100, *rest, **more)  # type: ignore[method-assign] # shorter seconds
    await typed(Console(switch), lines)
    before = switch.hostname
    await asyncio.sleep(2)
    return [before, switch.hostname]


@pytest.mark.parametrize(
    ("confirmation", "expected"),
    [
        ((), ["other", "leaf01"]),
        (("configure session s1 commit",), ["other", "other"]),
        (("configure session s1", "commit"), ["other", "other"]),
        (("configure session s1 abort",), ["leaf01", "leaf01"]),
    ],
)
def test_a_commit_timer_brings_back_what_was_unless_confirmed(
    switch: EosSwitch, confirmation: tuple[str, ...], expected: list[str]
) -> None:
    lines = ["configure session s1", "hostname other", "commit timer 00:00:01", *confirmation]
    assert asyncio.run(after_the_timer(switch, lines)) == expected


def test_replace_takes_a_whole_file_or_nothing(switch: EosSwitch) -> None:
    configured(switch)
    before = shown(switch, "show running-config")
    asyncio.run(typed(Console(switch), ["copy running-config flash:good"]))
    configured(switch, "hostname other\nno qos profile ROCE\n")
    switch.store.files["bad"] = "hostname third\nfeature qos\n"
    answers = asyncio.run(typed(Console(switch), ["configure replace flash:bad"]))
    assert (answers[0][1], switch.hostname) == (1, "other")
    asyncio.run(typed(Console(switch), ["configure replace flash:good"]))
    assert shown(switch, "show running-config") == before


def test_a_checkpoint_brings_back_the_whole(switch: EosSwitch) -> None:
    before = shown(switch, "show running-config")
    asyncio.run(typed(Console(switch), ["configure checkpoint save mine"]))
    configured(switch)
    asyncio.run(typed(Console(switch), ["configure checkpoint restore mine"]))
    assert shown(switch, "show running-config") == before


def test_a_login_has_to_ask_for_privilege(switch: EosSwitch) -> None:
    console = switch.new_shell()
    answers = asyncio.run(typed(console, ["show version", "configure", "enable", "configure"]))
    assert [status for _, status in answers] == [0, 1, 0, 0]
    assert console.prompt == "leaf01(config)#"


def test_session_diffs_show_lines_that_change(switch: EosSwitch) -> None:
    lines = ["configure session s1", "hostname other", "show session-config diffs"]
    text = asyncio.run(typed(Console(switch), lines))[-1][0]
    assert {"-hostname leaf01", "+hostname other"} <= set(text.splitlines())


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("show interfaces", ("interfaces", "Ethernet1/1", "interfaceCounters", "inDiscards")),
        ("show priority-flow-control counters", ("interfaceCounters", "Ethernet1/1", "rxFrames")),
        (
            "show interfaces Ethernet 1/1 priority-flow-control counters detail",
            ("interfaces", "Ethernet1/1", "priorities", "3", "txFrames"),
        ),
        (
            "show interfaces counters queue detail",
            (
                *("egressQueueCounters", "interfaces", "Ethernet1/1", "ucastQueues"),
                *("trafficClasses", "TC3", "dropPrecedences", "DP0", "droppedPackets"),
            ),
        ),
        ("show platform trident counters", ("ethernet", "Ethernet1/1", "count", "drop")),
    ],
)
def test_json_has_the_published_shape(switch: EosSwitch, line: str, keys: tuple[str, ...]) -> None:
    found = json.loads(shown(switch, f"{line} | json"))
    for key in keys:
        found = found[key]
    assert found in (0, {}) or isinstance(found, dict)


def test_marks_are_counted_only_where_counting_is_on(switch: EosSwitch) -> None:
    configured(switch)
    found = json.loads(shown(switch, "show qos interfaces ecn counters queue | json"))
    counters = found["intfQueueCounters"]["Ethernet1/1"]["queueCounters"]
    assert (counters["3"], counters["0"]) == ("0", "-")
