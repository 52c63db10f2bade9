"""What changes on a switch, in which order, and how it is taken back."""

from __future__ import annotations

import pytest

from netcheck.model.device import Device
from netcheck.model.errors import InputError
from netcheck.platforms.onyx.apply import PERSIST, holdings, plan
from netcheck.platforms.onyx.commands import is_read_only
from netcheck.platforms.onyx.render import FILE
from netcheck.platforms.onyx.words import read_line, typed
from netcheck.platforms.platform import Change, Impact, Removal, Run, Step

SWITCH = Device("ibsw01")
ONE, TWO = "e4:1d:2d:03:00:15:6e:80", "e4:1d:2d:03:00:15:6e:90"
FACTORY = "\nDefault:\n  PKey : 0x7FFF\n  ipoib: yes\n\n  members:\n    GUID='ALL' member='full'\n"
WANTED = f"""\
ib sm
ib sm sm-priority 14
ib partition tenant-a pkey 0x0a01 force
ib partition tenant-a member {ONE} type full force
"""


def shown(*members: str, name: str = "tenant-a", pkey: str = "0x0A01") -> str:
    lines = "".join(f"    GUID='{one}' member='full'\n" for one in members)
    return f"{FACTORY}\n{name}:\n  PKey : {pkey}\n  ipoib: no\n\n  members:\n{lines}"


def planned(
    wanted: str = WANTED, said: str = "", manager: str = "disable\n", partitions: str = FACTORY
) -> Change:
    config = f'##\n## Running database "initial"\n##\n   hostname ibsw01\n{said}'
    held = {FILE: config, "ib_sm.txt": manager, "ib_partition.txt": partitions}
    return plan(SWITCH, {FILE: wanted}, held)


def lines(steps: tuple[Step, ...]) -> list[str]:
    return [step.line for step in steps if isinstance(step, Run)]


def between(steps: tuple[Step, ...]) -> list[str]:
    found = lines(steps)
    assert (found[0], found[-1]) == ("configure terminal", "exit")
    return found[1:-1]


def test_a_new_switch_gets_every_line_and_the_way_back_takes_each_away() -> None:
    change = planned()
    assert between(change.steps) == WANTED.splitlines()
    back = change.undo[: -len(PERSIST)]
    assert change.undo[-len(PERSIST) :] == PERSIST == change.persist
    assert between(back) == ["no ib partition tenant-a", "no ib sm", "no ib sm sm-priority"]
    assert lines(PERSIST)[1] == "configuration write"
    assert change.impact is Impact.DEVICE
    assert change.reason.startswith("sm, sm-priority: ")


def test_what_is_held_already_is_no_change() -> None:
    said = "ib sm sm-priority 14\n"
    change = planned(said=said, manager="enable\n", partitions=shown(ONE))
    assert change.is_empty


def test_a_member_is_added_before_another_is_taken_out() -> None:
    said = "ib sm sm-priority 14\n"
    change = planned(said=said, manager="enable\n", partitions=shown(TWO))
    assert between(change.steps) == [
        f"ib partition tenant-a member {ONE} type full force",
        f"no ib partition tenant-a member {TWO}",
    ]
    assert between(change.undo[: -len(PERSIST)]) == [
        f"ib partition tenant-a member {TWO} type full force",
        f"no ib partition tenant-a member {ONE}",
    ]
    assert change.impact is Impact.PORT
    assert change.removals == (Removal(f"ib partition tenant-a member {TWO}"),)


def test_a_partition_that_goes_leaves_its_key_to_the_next_one() -> None:
    said = "ib sm sm-priority 14\nib partition old mtu 4K\nib sm lmc 1\n"
    change = planned(said=said, manager="enable\n", partitions=shown(TWO, name="old"))
    assert between(change.steps) == [
        "no ib partition old",
        "ib partition tenant-a pkey 0x0a01 force",
        f"ib partition tenant-a member {ONE} type full force",
        "no ib sm lmc",
    ]
    assert change.removals == (Removal("ib sm lmc"), Removal("ib partition old"))
    assert between(change.undo[: -len(PERSIST)]) == [
        "no ib partition tenant-a",
        "ib sm lmc 1",
        "ib partition old pkey 0x0a01 force",
        "ib partition old mtu 4K force",
        f"ib partition old member {TWO} type full force",
    ]


def test_the_default_partition_is_the_switch_s_own_until_the_intent_speaks_of_it() -> None:
    said = "ib sm sm-priority 14\nib partition Default defmember limited\n"
    assert planned(said=said, manager="enable\n", partitions=shown(ONE)).is_empty
    wanted = f"{WANTED}ib partition Default pkey 0x7fff force\n"
    wanted += "ib partition Default member SELF type full force\n"
    change = planned(wanted, said=said, manager="enable\n", partitions=shown(ONE))
    assert between(change.steps) == [
        "ib partition Default member SELF type full force",
        "no ib partition Default ipoib",
        "no ib partition Default defmember",
        "no ib partition Default member ALL",
    ]


def test_a_key_that_nobody_could_bring_back_is_not_overwritten() -> None:
    wanted = f"{WANTED}ib sm m-key secret:env:M_KEY\n"
    with pytest.raises(InputError, match="take it away there first: no ib sm m-key"):
        planned(wanted, said="ib sm m-key secret:another\n")
    change = planned(wanted)
    assert "ib sm m-key secret:env:M_KEY" in between(change.steps)
    assert "no ib sm m-key" in between(change.undo[: -len(PERSIST)])
    # one that the intent does not say stays
    kept = planned(said="ib sm m-key secret:another\n")
    assert [line for line in between(kept.steps) if "m-key" in line] == []


@pytest.mark.parametrize("mask", ["*", "***", "********"])
def test_a_key_that_is_masked_is_neither_overwritten_nor_taken_away(mask: str) -> None:
    said = f"ib sm m-key {mask}\n"
    with pytest.raises(InputError, match="masks a key that may not be the intent's"):
        planned(f"{WANTED}ib sm m-key secret:env:M_KEY\n", said=said)
    change = planned(said=said)
    typed_lines = [*lines(change.steps), *lines(change.undo)]
    assert [line for line in typed_lines if "m-key" in line] == []
    assert [name for name, _, _ in change.objects if "m-key" in name] == []


def test_a_switch_that_manages_nothing_is_left_alone() -> None:
    assert plan(SWITCH, {}, {}).is_empty


@pytest.mark.parametrize("held", [{}, {FILE: "ib sm\n"}])
def test_a_configuration_that_is_none_of_a_switch_is_refused(held: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"ibsw01 running-config\.txt"):
        plan(SWITCH, {FILE: WANTED}, held)


@pytest.mark.parametrize("manager", ["", "% Internal error\n", "enab\n"])
def test_a_manager_of_which_nobody_can_tell_whether_it_runs_stops_the_plan(manager: str) -> None:
    with pytest.raises(InputError, match=r"ibsw01 ib_sm\.txt: expected enable or disable"):
        planned(manager=manager)


SAID = f"ib partition old pkey 0x0a02\nib partition old member {TWO} type full\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"ib_partition\.txt: expected partitions, found none"),
        ("% Internal error\n", r"ib_partition\.txt:1: cannot be read"),
        (FACTORY, "ib partition old pkey: expected 0x0a02 as in the configuration, found none"),
        (shown(name="old", pkey="0x0A02"), f"old member {TWO}: expected full .* found none"),
        (shown(TWO, name="old", pkey="0x0A0"), "old pkey: expected 0x0a02 .* found 0x00a0"),
        (shown(TWO, name="old", pkey="0x0A02")[:-9], r"ib_partition\.txt:14: cannot be read"),
        (FACTORY + "\nold:\n", "partition old: expected its PKey, found none"),
    ],
)
def test_partitions_that_were_cut_stop_the_plan(text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^ibsw01 .*{message}"):
        planned(said=SAID, partitions=text)


@pytest.mark.parametrize(
    "line", ["ib sm sm-pri", "ib sm m-key 7 x", "ib partition x colour red", "ib partition x"]
)
def test_a_configuration_that_is_damaged_stops_the_plan(line: str) -> None:
    with pytest.raises(InputError, match=r"ibsw01 running-config\.txt:5: ib .*cannot be read"):
        planned(said=f"{line}\n")


def test_an_option_that_is_none_of_ours_is_left_alone() -> None:
    assert planned(said="ib sm guid-routing-order x\n") == planned()


def test_outputs_that_are_not_there_stop_the_plan() -> None:
    config = '## Running database "initial"\n'
    with pytest.raises(InputError, match=r"ib_sm\.txt: .* found nothing"):
        plan(SWITCH, {FILE: WANTED}, {FILE: config, "ib_partition.txt": FACTORY})


READY = "ib sm sm-priority 14\n"


@pytest.mark.parametrize(
    ("wanted", "partitions", "impact"),
    [
        (WANTED, FACTORY, Impact.NONE),  # a new partition
        (f"{WANTED}ib partition tenant-a member {TWO} type full\n", shown(ONE), Impact.NONE),
        (WANTED, shown(ONE, TWO), Impact.PORT),
        (WANTED, shown(ONE, pkey="0x0A02"), Impact.PORT),
        (WANTED.replace("type full", "type limited"), shown(ONE), Impact.PORT),
        (READY.join(("ib sm\n", "")), shown(ONE), Impact.PORT),
    ],
)
def test_who_loses_a_key_or_membership_is_disturbed(
    wanted: str, partitions: str, impact: Impact
) -> None:
    change = planned(wanted, said=READY, manager="enable\n", partitions=partitions)
    assert not change.is_empty
    assert change.impact is impact
    assert change.reason.startswith("tenant-a: ports lose") is (impact is Impact.PORT)
    more = planned(f"{wanted}ib sm lmc 1\n", READY, "enable\n", partitions)
    assert more.impact is Impact.DEVICE
    assert ("; tenant-a: ports lose" in more.reason) is (impact is Impact.PORT)


def test_all_that_is_asked_for_is_read_only() -> None:
    asked = [command.line for command in holdings(SWITCH)]
    assert asked == ["show running-config", "show ib sm", "show ib partition"]
    assert all(is_read_only(line) for line in asked)
    assert not is_read_only("configuration write")
    assert not is_read_only("show running-config | include x")


@pytest.mark.parametrize("line", WANTED.splitlines())
def test_a_line_is_typed_as_it_was_read(line: str) -> None:
    read = read_line(line)
    assert read is not None
    assert typed(*read) == line
