"""The data plane moves traffic as the NX-OS switch is configured, and as its faults have it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from netcheck.lab import bench
from netcheck.lab.building import Building
from netcheck.lab.devices.nxos.state import NxosSwitch
from netcheck.lab.fault_changes import FaultError, changes_of
from netcheck.lab.faults import Faults, fault_kinds
from netcheck.lab.topology import LabCable, LabDevice, LabPort, Topology
from tests.lab.labs import host_of, run
from tests.lab.nxos.nxos_labs import (
    CLASSES,
    PAUSE,
    PORTS,
    build_lab,
    configured,
    set_up,
    switch_of,
)

OPTIONS = "-x 3 -D 5 -q 4 -s 65536 --report_gbits --tclass=106 -F"
PAIRS = (("gpu02", "mlx5_0", 18515), ("gpu02", "mlx5_1", 18516))


@dataclass(frozen=True)
class Outcome:
    """What an incast of gpu02's two ports onto gpu01 rail0 came to."""

    gbps: float
    drops: int
    out_of_sequence: int
    pauses: frozenset[int]
    marks: int


def incast(building: Building) -> Outcome:
    """Run it through the hosts' own programs and read the devices' own counters."""
    tallies = switch_of(building).tallies
    tallies.reset()
    before = host_of(building, "gpu01").adapters["rail0"].counters["out_of_sequence"]
    outputs = asyncio.run(_perftests(building))
    rates = [re.findall(r"^ 65536 +\d+ +[\d.]+ +([\d.]+)", text, re.MULTILINE) for text in outputs]
    after = host_of(building, "gpu01").adapters["rail0"].counters["out_of_sequence"]
    counts = tallies.counts
    return Outcome(
        sum(float(found[0]) for found in rates if found),
        sum(tallies.total(port, kind) for port in PORTS for kind in ("group_drops", "queue_drops")),
        after - before,
        frozenset(p for p in range(8) if sum(counts[port, "pfc_out", p] for port in PORTS)),
        tallies.total("Ethernet1/1", "queue_marks"),
    )


async def _perftests(building: Building) -> list[str]:
    receiver = building.devices["gpu01"]
    servers = [
        asyncio.ensure_future(run(receiver, f"ib_write_bw -d mlx5_0 -p {port} {OPTIONS}"))
        for _, _, port in PAIRS
    ]
    await asyncio.sleep(0)
    clients = [
        run(building.devices[name], f"ib_write_bw -d {rdma} -p {port} {OPTIONS} 10.100.0.1")
        for name, rdma, port in PAIRS
    ]
    results = await asyncio.gather(*clients)
    await asyncio.gather(*servers)
    return [text for text, _ in results]


@pytest.fixture
def building(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Building:
    monkeypatch.setattr(bench, "QUIET_S", 0.01)
    found = build_lab(tmp_path)
    set_up(found)
    return found


@pytest.mark.parametrize("more", ["", PAUSE])
def test_a_good_switch_pauses_and_marks_and_loses_nothing(building: Building, more: str) -> None:
    assert configured(switch_of(building), more) == []
    found = incast(building)
    assert (found.drops, found.out_of_sequence) == (0, 0)
    assert found.pauses == {3}
    assert found.marks > 0
    assert found.gbps > 0.97 * 392.1


@pytest.mark.parametrize(
    "fault",
    [
        "pfc-off-one-port",
        "dscp-map-one-leaf",
        "headroom-halved",
        "profile-rejected",
        "map-not-programmed",
    ],
)
def test_packets_are_lost_under_a_fault_and_not_after_it(building: Building, fault: str) -> None:
    assert configured(switch_of(building), PAUSE) == []
    faults = Faults(building)
    assert faults.inject(fault, None, None).startswith(f"{fault}: leaf01")
    found = incast(building)
    assert found.drops > 0
    assert found.out_of_sequence > 0
    faults.clear()
    assert incast(building).drops == 0


@pytest.mark.parametrize("fault", ["ecn-off", "watchdog-off", "ets-weight-1"])
def test_no_packet_is_lost_under_a_harmless_fault(building: Building, fault: str) -> None:
    Faults(building).inject(fault, None, None)
    assert incast(building).drops == 0


def test_mode_auto_without_a_peer_that_agrees_pauses_nobody(building: Building) -> None:
    lines = "interface Ethernet1/3-4\n  priority-flow-control mode auto"
    assert configured(switch_of(building), lines) == []
    found = incast(building)
    assert found.pauses == frozenset()
    assert found.drops > 0


def test_two_switches_in_mode_auto_agree_when_they_pause_the_same(tmp_path: Path) -> None:
    ports = (LabPort("Ethernet1/1", 400_000_000_000),)
    leaves = tuple(LabDevice(name, "nxos", "leaf", ports=ports) for name in ("a", "b"))
    cables = (LabCable(("a", "Ethernet1/1"), ("b", "Ethernet1/1")),)
    building = Building(Topology("two", leaves, cables), tmp_path, dict.fromkeys("ab", "127.0.0.1"))
    a, b = (building.devices[name] for name in "ab")
    assert isinstance(a, NxosSwitch)
    assert isinstance(b, NxosSwitch)
    port = "interface Ethernet1/1\n"
    mode = f"{port}priority-flow-control mode"

    def is_on(*lines: str) -> list[bool]:
        for switch, text in zip((a, b), lines, strict=True):
            assert configured(switch, text) == []
        return [bool(each.hardware().ports["Ethernet1/1"].pauses_sent) for each in (a, b)]

    assert is_on(CLASSES, "") == [False, False]
    assert is_on("", CLASSES) == [True, True]
    assert is_on("", f"{mode} on") == [False, True]
    assert is_on("", f"{mode} on send-tlv") == [True, True]
    assert is_on("no feature lldp", "") == [False, True]


def test_an_mtu_of_one_interface_that_is_too_small_stops_traffic(building: Building) -> None:
    Faults(building).inject("mtu-1500-spine-port", "leaf01", "Ethernet1/1")
    assert switch_of(building).found.interfaces["Ethernet1/1"].mtu == 1500
    assert incast(building).gbps == 0


def test_every_fault_that_the_switch_knows_can_be_put_in_and_taken_out(building: Building) -> None:
    switch = switch_of(building)
    configured(switch, PAUSE)
    before = (switch.root.copy(), repr(switch.deviation))
    for name, kind in fault_kinds().items():
        if kind.change in changes_of("nxos"):
            faults = Faults(building)
            description = faults.inject(name, "leaf01", None)
            assert (switch.root == before[0]) == kind.is_silent
            assert faults.clear() == [description]
            assert (switch.root, repr(switch.deviation)) == before


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("headroom-halved", "no pause buffer-size there; the switch sizes headroom itself"),
        ("nic-trust-pcp", "leaf01"),
    ],
)
def test_a_fault_without_its_knob_is_refused(building: Building, fault: str, says: str) -> None:
    with pytest.raises(FaultError, match=says):
        Faults(building).inject(fault, "leaf01", None)


def test_a_stuck_counter_does_not_move(building: Building) -> None:
    Faults(building).inject("counter-stuck", "leaf01", "Ethernet1/4")
    incast(building)
    tallies = switch_of(building).tallies
    assert tallies.total("Ethernet1/4", "rx_packets") == 0
    assert tallies.total("Ethernet1/3", "rx_packets") > 0


def test_an_mtu_of_the_class_that_is_too_small_stops_traffic_as_well(building: Building) -> None:
    lines = "policy-map type network-qos LOSSLESS\nclass type network-qos c-8q-nq3\nmtu 2240"
    assert configured(switch_of(building), lines) == []
    assert incast(building).gbps == 0
