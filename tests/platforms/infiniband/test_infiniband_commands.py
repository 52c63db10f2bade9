"""Commands that read a subnet, and those that would change it."""

from __future__ import annotations

import pytest

from netcheck.model.device import Device
from netcheck.platforms.infiniband.commands import commands, is_read_only


def test_every_own_command_is_read_only() -> None:
    assert [one.line for one in commands(Device("a")) if not is_read_only(one.line)] == []


@pytest.mark.parametrize(
    "line",
    [
        "smpquery -G pkeys 0x0002c90300100001 1",
        "saquery -p --slid 1 --dlid 2",
        "perfquery -x 2 5",
        "perfquery -D 2 5",
        "sudo ibroute -M 2",
        "sminfo",
        "sminfo 3",
        "ibqueryerrors --details -c",
    ],
)
def test_queries_are_allowed(line: str) -> None:
    assert is_read_only(line)


@pytest.mark.parametrize(
    "line",
    [
        "perfquery -R 2 5",
        "perfquery -r 2 5",
        "perfquery --Reset_only 2",
        "perfquery -xr 2",
        "ibqueryerrors -k",
        "ibqueryerrors --clear-errors",
        "ibqueryerrors -cK",
        "ibportstate 2 5 disable",
        "sminfo --priority 5",
        "sminfo -p 5",
        "ibnetdiscover --cache file",
        "ibnetdiscover; reboot",
        "saquery > file",
    ],
)
def test_what_sets_resets_or_writes_is_not(line: str) -> None:
    assert not is_read_only(line)
