"""What a lab says of itself: devices, faults, and what is simulated and what not."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.lab.cabling import CABLING
from netcheck.lab.describe import page, simulation, status_lines
from netcheck.lab.fault_changes import changes_of
from netcheck.lab.faults import fault_kinds
from netcheck.lab.state import TOPOLOGY_FILE, Address, LabState
from netcheck.lab.topology import simulated
from scripts import lab_faults
from tests.lab.cumulus_lab import topology


@pytest.mark.parametrize("platform", ["", *simulated()])
def test_every_platform_says_what_is_simulated_and_what_not(platform: str) -> None:
    found = simulation(platform)
    assert found.title
    assert found.does
    assert found.does_not


def test_the_page_has_a_part_for_every_platform() -> None:
    text = page()
    for platform in simulated():
        assert f"### {platform}: " in text


def test_status_names_devices_logins_faults_and_limits(tmp_path: Path) -> None:
    found = topology()
    (tmp_path / TOPOLOGY_FILE).write_text(found.to_json(), "utf-8")
    addresses = {
        device.name: Address(f"127.77.0.{index + 1}", 22022, "admin", "lab/password")
        for index, device in enumerate(found.devices)
    }
    state = LabState("tiny", str(tmp_path), 1, addresses, ("ecn-off: leaf01 no ECN",))
    lines = status_lines(state)
    assert lines[0] == "tiny: 1 cumulus, 2 linux, 4 cables"
    assert "leaf01  cumulus  leaf     127.77.0.1 port 22022" in lines
    assert "login: admin, password in lab/password" in lines
    assert "fault: ecn-off: leaf01 no ECN" in lines
    assert any(line.startswith("cumulus: Cumulus Linux") for line in lines)
    assert any(line.startswith("  not simulated: ") for line in lines)


def test_the_table_of_faults_says_who_has_the_knob_and_what_is_done() -> None:
    text = lab_faults.page()
    platforms = [name for name in simulated() if lab_faults.is_built(name)]
    assert {"linux", "sonic"} <= set(platforms)
    for fault, kind in fault_kinds().items():
        row = next(line for line in text.splitlines() if line.startswith(f"| [{fault}]"))
        cells = [cell.strip() for cell in row.split("|")[2:-1]]
        has_knob = [kind.change in changes_of(name) for name in platforms]
        if kind.change in CABLING:
            assert set(cells) == {"cabling"}
        else:
            assert cells == ["yes" if one else "-" for one in has_knob]
        part = text.partition(f"## {fault}\n")[2].partition("\n## ")[0]
        assert part.count("\n- ") == (1 if kind.change in CABLING else sum(has_knob))
    assert "nothing to change" not in text
