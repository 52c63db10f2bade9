"""A change is a reload where a running manager takes it, and a restart where it does not."""

from dataclasses import replace

import pytest

from netcheck.model.document import DocumentKind
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.subnets import Subnet
from netcheck.platforms.opensm.apply import RELOAD, RESTART, holdings, plan
from netcheck.platforms.opensm.commands import commands, is_read_only
from netcheck.platforms.opensm.render import render
from netcheck.platforms.platform import Change, Impact, Removal, Run, Upload
from tests.platforms.opensm.opensm_subnets import BASE, SL2VL, TENANTS, VARIED, fabric_of

MANAGER = fabric_of(BASE).devices["gpu01"]


def files(subnet: Subnet) -> dict[str, str]:
    fabric = fabric_of(subnet)
    return dict(render(fabric.devices["gpu01"], fabric))


def change(old: Subnet, new: Subnet) -> Change:
    return plan(MANAGER, files(new), files(old))


def test_nothing_differs_is_an_empty_change() -> None:
    assert change(VARIED["everything"], VARIED["everything"]).is_empty


def test_partitions_and_lanes_are_reloaded() -> None:
    new = replace(BASE, partitions=TENANTS, sl_to_vl=SL2VL)
    old = replace(new, partitions=FrozenMap({"Default": TENANTS["Default"]}), sl_to_vl=(0,) * 16)
    found = change(old, new)
    assert (found.steps[-3], found.impact) == (RELOAD, Impact.NONE)
    assert "other indexes" in found.reason
    assert [name for name, _, _ in found.objects] == ["opensm.conf qos_sl2vl", "partitions.conf"]


@pytest.mark.parametrize(
    "new", [replace(BASE, lmc=1), replace(BASE, routing=("updn",)), replace(BASE, roots=("spine",))]
)
def test_what_a_running_manager_does_not_take_needs_a_restart(new: Subnet) -> None:
    found = change(BASE, new)
    assert (found.steps[-3], found.impact) == (RESTART, Impact.DEVICE)
    assert "taken at a start only" in found.reason


def test_fewer_lanes_are_right_after_the_second_sweep() -> None:
    found = change(replace(BASE, data_vls=8), replace(BASE, data_vls=4))
    assert "second heavy sweep" in found.reason
    assert "second" not in change(replace(BASE, data_vls=4), replace(BASE, data_vls=8)).reason


def test_a_file_that_is_not_rendered_any_more_goes_away_and_comes_back_by_undo() -> None:
    found = change(replace(BASE, partitions=TENANTS), BASE)
    assert found.removals == (Removal("partitions.conf"),)
    assert Run("sudo rm -f /etc/opensm/partitions.conf") in found.steps
    back = "sudo cp -a /var/lib/netcheck/opensm/before/partitions.conf /etc/opensm/partitions.conf"
    assert Run(back) in found.undo


def test_backups_lie_outside_the_folder_that_start_scripts_look_into() -> None:
    found = change(BASE, replace(BASE, lmc=1))
    assert any("/var/lib/netcheck/opensm/" in str(step) for step in found.save)
    uploads = [step.path for step in found.steps if isinstance(step, Upload)]
    assert uploads == ["/etc/opensm/opensm.conf"]


def test_a_manager_without_files_gets_all_of_them_and_loses_them_by_undo() -> None:
    wanted = files(VARIED["everything"])
    found = plan(MANAGER, wanted, {})
    uploads = [step.path for step in found.steps if isinstance(step, Upload)]
    assert sorted(uploads) == sorted(f"/etc/opensm/{name}" for name in wanted)
    assert Run("sudo rm -f /etc/opensm/opensm.conf") in found.undo


def test_commands_are_read_only() -> None:
    found = (*commands(MANAGER), *holdings(MANAGER))
    assert all(is_read_only(command.line) for command in found)
    assert {command.kind for command in found} == {DocumentKind.CONFIG}


@pytest.mark.parametrize(
    "line",
    [
        "sudo cat /etc/opensm/../shadow",
        "cat /etc/opensm/opensm.conf; reboot",
        "sudo rm /etc/opensm/opensm.conf",
    ],
)
def test_other_lines_are_not(line: str) -> None:
    assert not is_read_only(line)
