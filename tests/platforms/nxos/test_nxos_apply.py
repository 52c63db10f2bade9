"""Plans: only what differs is typed, in an order the switch takes, and there is a way back."""

from __future__ import annotations

from typing import Any

import pytest

from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.qos import Scheduler, SchedulerKind
from netcheck.platforms.nxos.apply import holdings, plan
from netcheck.platforms.nxos.render import FILE, render
from netcheck.platforms.platform import Change, Impact, Run
from tests.platforms.nxos.nxos_switch import leaf

BARE = """\
hostname leaf1
feature lldp
interface Ethernet1/1
  no shutdown
interface Ethernet1/2
  mtu 9216
interface Ethernet1/3
interface Ethernet1/4
  service-policy type qos input theirs
"""
WANTED = render(leaf(), Fabric("test"))


def holding(rendered: str) -> str:
    """A running-config that holds a rendered part, without what the switch leaves out."""
    left_out = (
        "  flowcontrol receive off",
        "  flowcontrol send off",
        "  priority-flow-control watch-dog-interval off",
    )
    kept = [line for line in rendered.splitlines() if line not in left_out]
    return "hostname leaf1\n" + "\n".join(kept) + "\ninterface Ethernet1/4\n  mtu 9216\n"


def change(
    held: str, wanted: dict[str, str] | Any = WANTED, checkpoints: str = ""
) -> Change:  # Any: mappings
    return plan(leaf(), wanted, {FILE: held, "checkpoints.txt": checkpoints})


def typed(found: Change) -> list[str]:
    return [step.line for step in found.steps if isinstance(step, Run)]


def changed(**facts: Any) -> dict[str, str]:  # Any: fields of PortQos
    return dict(render(leaf(**facts), Fabric("test")))


def test_a_switch_that_holds_what_is_rendered_needs_nothing() -> None:
    assert change(holding(WANTED[FILE])).is_empty


def test_numbers_typed_in_another_way_are_the_same() -> None:
    assert change(holding(WANTED[FILE]).replace("match dscp 26", "match dscp af31")).is_empty


def test_everything_is_typed_on_a_bare_switch_maps_before_their_use() -> None:
    lines = typed(change(BARE))
    assert (lines[0], lines[-1]) == ("configure terminal", "end")
    order = [
        "class-map type qos match-any netcheck-backend-3",
        "policy-map type qos netcheck-backend",
        "system qos",
        "interface Ethernet1/1",
    ]
    assert [line for line in lines if line in order] == order
    assert lines.count("mtu 9216") == 8 + 2  # eight classes, and the ports that lack it
    assert not any(line.startswith("no ") for line in lines)


def test_modes_are_left_as_they_are_entered() -> None:
    depth = 0
    for line in typed(change(BARE))[1:-1]:
        opens = ("class-map", "policy-map", "class ", "system qos", "interface ")
        depth += line.startswith(opens)
        depth -= line == "exit"
        assert depth >= 0
    assert depth == 0


def test_a_map_in_use_is_changed_in_place_and_what_goes_goes_first() -> None:
    shares = FrozenMap(
        {
            0: Scheduler(SchedulerKind.WEIGHTED, 20),
            3: Scheduler(SchedulerKind.WEIGHTED, 80),
            6: Scheduler(SchedulerKind.STRICT),
        }
    )
    found = change(holding(WANTED[FILE]), changed(scheduler=shares))
    assert typed(found) == [
        "configure terminal",
        "policy-map type queuing netcheck-backend-400g-out",
        "class type queuing c-out-8q-q3",
        "no bandwidth remaining percent 50",
        "exit",
        "class type queuing c-out-8q-q-default",
        "no bandwidth remaining percent 50",
        "exit",
        "class type queuing c-out-8q-q3",
        "bandwidth remaining percent 80",
        "exit",
        "class type queuing c-out-8q-q-default",
        "bandwidth remaining percent 20",
        "exit",
        "exit",
        "end",
    ]
    assert found.impact is Impact.QUEUE


def test_a_new_account_takes_the_place_of_the_old_one_which_then_goes() -> None:
    found = change(holding(WANTED[FILE]).replace("in-2066090", "in-999"))
    lines = typed(found)
    assert lines.count("no service-policy type queuing input netcheck-backend-in-999") == 2
    assert lines[-2] == "no policy-map type queuing netcheck-backend-in-999"
    assert [removal.object for removal in found.removals] == [
        "policy-map type queuing netcheck-backend-in-999"
    ]
    assert found.impact is Impact.PORT


def test_a_map_of_ours_that_another_port_uses_stays() -> None:
    held = holding(WANTED[FILE]) + "  service-policy type qos input netcheck-old\n"
    held += "policy-map type qos netcheck-old\n  class class-default\n    set qos-group 0\n"
    assert change(held).is_empty


def test_policies_of_others_are_replaced_on_our_ports_and_kept_as_maps() -> None:
    held = BARE.replace("  no shutdown", "  service-policy type qos input theirs")
    lines = typed(change(held + "policy-map type qos theirs\n  class class-default\n"))
    assert lines.count("no service-policy type qos input theirs") == 1
    assert not any(line.startswith("no policy-map") for line in lines)


def test_mappings_of_the_whole_switch_disturb_the_whole_switch() -> None:
    assert change(BARE).impact is Impact.DEVICE


def test_the_way_back_is_a_checkpoint_of_our_own() -> None:
    found = change(BARE)
    assert [step.line for step in found.save if isinstance(step, Run)] == ["checkpoint netcheck-1"]
    first = found.undo[0]
    assert isinstance(first, Run)
    assert first.line == "rollback running-config checkpoint netcheck-1 atomic"
    assert found.persist == (Run("copy running-config startup-config", 300.0),)


def test_old_checkpoints_make_room_for_new_ones() -> None:
    summary = "".join(f"{n}) netcheck-{n}:\nCreated by admin\n" for n in (2, 3, 4)) + "5) mine:\n"
    lines = [step.line for step in change(BARE, checkpoints=summary).save if isinstance(step, Run)]
    assert lines == ["no checkpoint netcheck-2", "checkpoint netcheck-5"]


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({}, "is not there"),
        ({FILE: "% Invalid command"}, "expected a running-config with hostname"),
        ({FILE: "hostname leaf1\ninterface Ethernet1/9\n"}, "interface Ethernet1/1: expected"),
    ],
)
def test_what_cannot_be_planned_on_is_named(held: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(leaf(), WANTED, held)


def test_plan_is_given_what_it_asks_for() -> None:
    assert {command.file for command in holdings(leaf())} == {FILE, "checkpoints.txt"}
