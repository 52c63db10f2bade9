"""Traffic through the simulated EOS switch: lossless in health, and what faults do to it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from netcheck.lab import bench
from netcheck.lab.building import Building
from netcheck.lab.devices.cli.console import Console
from netcheck.lab.devices.eos.state import EosSwitch
from netcheck.lab.devices.shell import Streams
from netcheck.lab.fault_changes import changes_of
from netcheck.lab.faults import Faults, fault_kinds
from netcheck.lab.topology import LabCable, LabDevice, LabPort, Topology
from tests.lab.labs import HOST_SETUP, SPEED, run, sh, topology

PORTS = ("Ethernet1/1", "Ethernet2/1", "Ethernet3/1", "Ethernet4/1")
CONFIG = """
qos profile ROCE
qos trust dscp
uc-tx-queue 0
no priority
bandwidth percent 50
uc-tx-queue 3
no priority
bandwidth percent 50
random-detect ecn minimum-threshold 2 mbytes maximum-threshold 6 mbytes max-mark-probability 20
priority-flow-control on
priority-flow-control priority 3 no-drop
priority-flow-control pause watchdog default timeout 0.20
priority-flow-control pause watchdog default recovery-time 0.40
priority-flow-control pause watchdog action drop
"""
PERFTEST = "-x 3 -D 5 -q 4 -s 65536 --report_gbits --tclass=106 -F"


@pytest.fixture
def building(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Building:
    monkeypatch.setattr(bench, "QUIET_S", 0.01)
    plain = topology()
    leaf = LabDevice("leaf01", "eos", "leaf", ports=tuple(LabPort(p, SPEED) for p in PORTS))
    cables = tuple(
        LabCable(cable.a, ("leaf01", port)) for cable, port in zip(plain.cables, PORTS, strict=True)
    )
    devices = (leaf, *plain.devices[1:])
    found = Building(
        Topology("tiny", devices, cables),
        tmp_path,
        {device.name: f"127.77.0.{place + 1}" for place, device in enumerate(devices)},
    )
    lines = ["configure", *CONFIG.splitlines()]
    for port in PORTS:
        lines += [f"interface {port}", "mtu 9214", "service-profile ROCE"]
    assert asyncio.run(typed(Console(switch_of(found)), lines)) == []
    for name in ("gpu01", "gpu02"):
        for rail in ("rail0", "rail1"):
            output, status = sh(found.devices[name], HOST_SETUP.format(rail))
            assert status == 0, output
    return found


async def typed(console: Console, lines: list[str]) -> list[str]:
    """Type lines; give what was printed for those that were refused."""
    held: list[str] = []
    return [line for line in lines if await console.run(line, Streams(held.append, held.append))]


def switch_of(building: Building) -> EosSwitch:
    device = building.devices["leaf01"]
    assert isinstance(device, EosSwitch)
    return device


def incast(building: Building) -> dict[str, int]:
    """Run gpu02's two ports onto gpu01 rail0; give what the switch counted in all."""
    tallies = switch_of(building).tallies
    tallies.reset()
    asyncio.run(_perftests(building))
    kinds = ("group_drops", "queue_drops", "queue_marks", "pfc_out", "queue_packets")
    return {kind: sum(tallies.total(port, kind) for port in PORTS) for kind in kinds}


async def _perftests(building: Building) -> None:
    pairs = (("mlx5_0", 18515), ("mlx5_1", 18516))
    servers = [
        asyncio.ensure_future(
            run(building.devices["gpu01"], f"ib_write_bw -d mlx5_0 -p {port} {PERFTEST}")
        )
        for _, port in pairs
    ]
    await asyncio.sleep(0)
    clients = [
        run(building.devices["gpu02"], f"ib_write_bw -d {rdma} -p {port} {PERFTEST} 10.100.0.1")
        for rdma, port in pairs
    ]
    await asyncio.gather(*clients, *servers)


def test_a_good_lab_pauses_and_marks_and_loses_nothing(building: Building) -> None:
    found = incast(building)
    assert (found["group_drops"], found["queue_drops"]) == (0, 0)
    assert found["pfc_out"] > 0
    assert found["queue_marks"] > 0


@pytest.mark.parametrize(
    "fault", ["pfc-off-one-port", "dscp-map-one-leaf", "profile-rejected", "map-not-programmed"]
)
def test_packets_are_lost_under_a_fault_and_not_after_it(building: Building, fault: str) -> None:
    faults = Faults(building)
    faults.inject(fault, "leaf01", None)
    found = incast(building)
    assert found["group_drops"] + found["queue_drops"] > 0
    faults.clear()
    found = incast(building)
    assert found["group_drops"] + found["queue_drops"] == 0


@pytest.mark.parametrize("fault", ["ecn-off", "watchdog-off", "ets-weight-1"])
def test_no_packet_is_lost_under_a_harmless_fault(building: Building, fault: str) -> None:
    Faults(building).inject(fault, "leaf01", None)
    found = incast(building)
    assert found["group_drops"] + found["queue_drops"] == 0
    assert (found["queue_marks"] == 0) == (fault == "ecn-off")


def test_every_fault_of_the_platform_can_be_put_in_and_taken_out(building: Building) -> None:
    switch = switch_of(building)
    before = (switch.text(switch.running), repr(switch.deviation))
    for name, kind in fault_kinds().items():
        if kind.change in changes_of("eos"):
            faults = Faults(building)
            description = faults.inject(name, "leaf01", None)
            is_shown = switch.text(switch.running) != before[0]
            assert is_shown != kind.is_silent
            assert faults.clear() == [description]
    assert (switch.text(switch.running), repr(switch.deviation)) == before
