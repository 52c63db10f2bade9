"""How a change gets onto an EOS switch: which lines, in which order, and back again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from netcheck.lab.building import Building
from netcheck.lab.devices.cli.console import Console
from netcheck.lab.devices.shell import Streams
from netcheck.lab.topology import LabDevice, LabPort, Topology
from netcheck.model.device import Device
from netcheck.model.errors import InputError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.qos import DeviceQos
from netcheck.platforms.eos.apply import FILE, SAVED, holdings, plan
from netcheck.platforms.eos.render import render
from netcheck.platforms.platform import Change, Impact, Run, Step
from tests.platforms.eos.eos_policies import PORTS, switches
from tests.platforms.eos.eos_switch import FABRIC, LOSSLESS_QOS, leaf, port, read
from tests.platforms.eos.eos_texts import HEADER
from tests.platforms.strategies import RELAXED

BARE = (
    HEADER
    + "hostname leaf01\n!\n"
    + "".join(
        f"interface {name}\n   no switchport\n!\n"
        for name in ("Ethernet1/1", "Ethernet2/1", "Ethernet9/1")
    )
)
RAMP = (
    "random-detect ecn minimum-threshold 1600000 bytes maximum-threshold 6400000 bytes"
    " max-mark-probability 30 weight 0"
)


class Switch:
    """A simulated switch that is typed at."""

    def __init__(self, folder: Path) -> None:
        ports = tuple(LabPort(name, 400_000_000_000) for name in PORTS)
        device = LabDevice("leaf01", "eos", "leaf", ports=ports)
        building = Building(Topology("one", (device,), ()), folder, {"leaf01": "127.77.0.1"})
        self.console = Console(building.devices["leaf01"])  # type: ignore[arg-type]  # it is a command line

    def type(self, line: str) -> tuple[str, int]:
        held: list[str] = []
        status = asyncio.run(self.console.run(line, Streams(held.append, held.append)))
        return "".join(held), status

    def take(self, steps: Iterable[Step]) -> list[str]:
        """Take steps; give the lines that were refused."""
        lines = [step.line for step in steps if isinstance(step, Run)]

        async def typed() -> list[str]:
            refused = []
            for line in lines:
                held: list[str] = []
                if await self.console.run(line, Streams(held.append, held.append)):
                    refused.append(f"{line}: {''.join(held).strip()}")
            return refused

        return asyncio.run(typed())

    def holds(self) -> dict[str, str]:
        return {FILE: self.type("show running-config")[0]}


def planned(device: Device, held: str = BARE) -> Change:
    return plan(device, render(device, FABRIC), {FILE: held})


def lines(change: Change) -> list[str]:
    return [step.line for step in change.steps if isinstance(step, Run)]


def holding(device: Device, base: str = BARE) -> str:
    """The running-config of a switch that holds what is rendered, in EOS's own order."""
    rendered = render(device, FABRIC)["running-config.txt"]
    head, _, rest = base.partition("interface ")
    return f"{head}{rendered}interface {rest}"


def test_a_switch_that_holds_what_is_rendered_needs_no_change() -> None:
    assert planned(leaf(), holding(leaf())).is_empty


def test_the_order_and_form_of_lines_is_no_difference() -> None:
    text = holding(leaf()).replace(
        "      no priority\n      bandwidth percent 50\n",
        "      bandwidth percent 50\n      no priority\n",
    )
    text = text.replace(
        "1600000 bytes maximum-threshold 6400000 bytes", "1600 kbytes maximum-threshold 6400 kbytes"
    )
    text = text.replace("   no dcbx mode\n", "").replace(
        "   priority-flow-control pause watchdog\n", ""
    )
    assert planned(leaf(), text).is_empty


def test_only_code_points_that_differ_are_typed() -> None:
    typed = lines(planned(leaf()))
    assert "qos map dscp 48 to traffic-class 6" not in typed  # the default
    assert "qos map dscp 26 to traffic-class 3" not in typed
    [zero] = [line for line in typed if line.startswith("qos map dscp")]
    assert zero.startswith("qos map dscp 0 1 2 3 4 5 6 7 16 17")
    assert zero.endswith("to traffic-class 0")


def test_lines_are_typed_in_a_session_and_committed_under_a_timer() -> None:
    typed = lines(planned(leaf()))
    session = typed[0].removeprefix("configure session ")
    assert session.startswith("netcheck-")
    assert typed[-3:] == [
        "show session-config diffs",
        "commit timer 00:05:00",
        f"configure session {session} commit",
    ]


def test_what_was_held_is_kept_and_taken_back() -> None:
    change = planned(leaf())
    assert change.save == (Run(f"copy running-config {SAVED}", 300.0),)
    assert Run(f"configure replace {SAVED}", 300.0) in change.undo
    assert change.persist == (Run("write memory", 300.0),)


def test_a_changed_threshold_is_typed_into_its_queue() -> None:
    ecn = LOSSLESS_QOS.ecn
    assert is_known(ecn)
    changed = replace(LOSSLESS_QOS, ecn=ecn.with_items({3: replace(ecn[3], pmax_percent=30)}))
    device = leaf(port("Ethernet1/1", changed), port("Ethernet2/1", changed))
    change = planned(device, holding(leaf()))
    assert lines(change)[1:-3] == [
        "qos profile backend",
        "uc-tx-queue 3",
        RAMP,
        "exit",
    ]
    assert [name for name, _, _ in change.objects] == ["qos profile backend queue 3 ecn"]
    assert change.impact is Impact.QUEUE


def test_own_lines_that_would_win_over_the_profile_are_taken_back() -> None:
    own = "   no switchport\n   qos trust cos\n   priority-flow-control priority 5 no-drop\n"
    text = holding(leaf()).replace("   no switchport\n", own, 1)
    change = planned(leaf(), text)
    assert lines(change)[1:-3] == [
        "interface Ethernet1/1",
        "default qos trust",
        "no priority-flow-control priority 5",
    ]
    assert len(change.removals) == 2


def test_lines_of_ports_that_are_not_of_the_intent_stay() -> None:
    text = holding(leaf()).replace(
        "interface Ethernet9/1\n", "interface Ethernet9/1\n   mtu 1500\n   qos trust cos\n"
    )
    assert planned(leaf(), text).is_empty


def test_what_is_not_said_of_a_port_is_left_as_it_is() -> None:
    silent = replace(port("Ethernet1/1"), l2_mtu=UNKNOWN)
    text = holding(leaf(silent)).replace("   no switchport\n", "   no switchport\n   mtu 4000\n", 1)
    assert planned(leaf(silent), text).is_empty


def test_a_profile_that_nothing_uses_any_more_goes_away() -> None:
    text = holding(leaf()).replace("service-profile backend", "service-profile older")
    text = text.replace("qos profile backend", "qos profile older")
    change = planned(leaf(), text)
    assert "no qos profile older" in lines(change)
    assert "qos profile older" in [removal.object for removal in change.removals]


def test_a_profile_that_another_port_uses_stays() -> None:
    text = holding(leaf()).replace("service-profile backend", "service-profile older")
    text = text.replace("qos profile backend", "qos profile older")
    text = text.replace(
        "interface Ethernet9/1\n", "interface Ethernet9/1\n   service-profile older\n"
    )
    assert "no qos profile older" not in lines(planned(leaf(), text))


def test_pfc_that_is_off_for_the_switch_is_switched_on_again() -> None:
    change = planned(leaf(), holding(leaf()) + "priority-flow-control all off\n")
    assert "no priority-flow-control all off" in lines(change)
    assert change.impact is Impact.PORT


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({}, "is not there"),
        ({FILE: "interface Ethernet1/1\n"}, "expected a running-config with hostname"),
        ({FILE: BARE.replace("Ethernet2/1", "Ethernet7/1")}, "interface Ethernet2/1: expected on"),
    ],
)
def test_a_configuration_that_cannot_be_worked_with_is_refused(
    held: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        plan(leaf(), render(leaf(), FABRIC), held)


def test_the_only_holding_is_the_running_config() -> None:
    assert [command.line for command in holdings(leaf())] == ["show running-config"]


def test_a_simulated_switch_takes_the_change_and_gives_it_back(tmp_path: Path) -> None:
    switch = Switch(tmp_path)
    before = switch.holds()
    change = plan(leaf(), render(leaf(), FABRIC), before)
    assert switch.take((*change.save, *change.steps, *change.persist)) == []
    assert plan(leaf(), render(leaf(), FABRIC), switch.holds()).is_empty
    switch.take(change.undo)
    again = plan(leaf(), render(leaf(), FABRIC), switch.holds())
    assert (again.objects, again.removals) == (change.objects, change.removals)


def test_a_change_that_stops_in_the_middle_is_given_up(tmp_path: Path) -> None:
    switch = Switch(tmp_path)
    change = plan(leaf(), render(leaf(), FABRIC), switch.holds())
    before = switch.holds()
    assert switch.take((*change.save, *change.steps[:9])) == []
    switch.take(change.undo)
    assert switch.holds() == before
    assert switch.take(change.steps) == []


@settings(RELAXED, max_examples=12)
@given(switches(), switches())
def test_any_policy_follows_any_other_on_a_simulated_switch(
    tmp_path_factory: pytest.TempPathFactory, first: Device, second: Device
) -> None:
    switch = Switch(tmp_path_factory.mktemp("switch"))
    for device in (first, second):
        # the poll of the first would be too slow for the second, who may not say one
        facts = FrozenMap({"": replace(device.qos[""], watchdog_poll_ms=UNKNOWN)})
        held = replace(device, model="DCS-7060X6-64PE", qos=facts)
        rendered = render(held, FABRIC)
        change = plan(held, rendered, switch.holds())
        assert switch.take(change.steps) == []
        assert plan(held, rendered, switch.holds()).objects == ()
        assert read(switch.holds()[FILE]).defects == ()


def test_the_poll_of_the_watchdog_is_set_for_the_switch(tmp_path: Path) -> None:
    device = replace(leaf(), qos=FrozenMap({"": DeviceQos(watchdog_poll_ms=50)}))
    switch = Switch(tmp_path)
    change = plan(device, render(device, FABRIC), switch.holds())
    assert switch.take(change.steps) == []
    assert plan(device, render(device, FABRIC), switch.holds()).is_empty
    assert read(switch.holds()[FILE]).qos[""].watchdog_poll_ms == 50
