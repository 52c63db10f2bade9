from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from netcheck.lab import bench
from netcheck.lab.building import Building
from netcheck.lab.fault_changes import FaultError
from netcheck.lab.faults import Faults, fault_kinds
from tests.lab.labs import PORTS, build, host_of, run, set_up, switch_of

OPTIONS = "-x 3 -D 5 -q 4 -s 65536 --report_gbits --tclass=106 -F"
PAIRS = (("gpu02", "mlx5_0", 18515), ("gpu02", "mlx5_1", 18516))


@dataclass(frozen=True)
class Outcome:
    """What an incast of gpu02's two ports onto gpu01 rail0 came to."""

    gbps: float
    drops: int
    out_of_sequence: int
    pauses: dict[int, int]
    marks: int


def incast(building: Building) -> Outcome:
    """Run it through the hosts' own programs and read the devices' own counters."""
    tallies = switch_of(building).tallies
    tallies.reset()
    before = host_of(building, "gpu01").adapters["rail0"].counters["out_of_sequence"]
    outputs = asyncio.run(_perftests(building))
    rates = [re.findall(r"^ 65536 +\d+ +[\d.]+ +([\d.]+)", text, re.MULTILINE) for text in outputs]
    after = host_of(building, "gpu01").adapters["rail0"].counters["out_of_sequence"]
    return Outcome(
        sum(float(found[0]) for found in rates if found),
        sum(tallies.total(port, "group_drops") for port in PORTS),
        after - before,
        {p: sum(tallies.counts[port, "pfc_out", p] for port in PORTS) for p in range(8)},
        tallies.total("Ethernet0", "queue_marks"),
    )


async def _perftests(building: Building) -> list[str]:
    receiver = building.devices["gpu01"]
    servers = [
        asyncio.ensure_future(run(receiver, f"ib_write_bw -d mlx5_0 -p {port} {OPTIONS}"))
        for _, _, port in PAIRS
    ]
    await asyncio.sleep(0)
    assert len(building.bench.waiting) == len(PAIRS)
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
    found = build(tmp_path)
    set_up(found)
    return found


def test_a_good_lab_pauses_and_marks_and_loses_nothing(building: Building) -> None:
    found = incast(building)
    assert (found.drops, found.out_of_sequence) == (0, 0)
    assert {p for p, count in found.pauses.items() if count} == {3}
    assert found.marks > 0
    assert found.gbps > 0.97 * 392.1


@pytest.mark.parametrize(
    "fault",
    [
        "pfc-off-one-port",
        "dscp-map-one-leaf",
        "nic-trust-pcp",
        "headroom-halved",
        "profile-rejected",
        "map-not-programmed",
    ],
)
def test_packets_are_lost_under_a_fault_and_not_after_it(building: Building, fault: str) -> None:
    faults = Faults(building)
    description = faults.inject(fault, None, None)
    assert description.startswith(f"{fault}: ")
    found = incast(building)
    assert found.drops > 0
    assert found.out_of_sequence > 0
    faults.clear()
    assert incast(building).drops == 0


@pytest.mark.parametrize("fault", ["ecn-off", "watchdog-off", "nic-cnp-dscp-wrong", "ets-weight-1"])
def test_no_packet_is_lost_under_a_harmless_fault(building: Building, fault: str) -> None:
    Faults(building).inject(fault, None, None)
    assert incast(building).drops == 0


def test_a_silent_fault_shows_nowhere_on_the_device(building: Building) -> None:
    switch = switch_of(building)
    held = (switch.config, switch.applied)
    before = (repr(held[0]), repr(held[1]))
    for name, kind in fault_kinds().items():
        if kind.is_silent:
            Faults(building).inject(name, None, None)
    assert (repr(switch.config), repr(switch.applied)) == before


def test_a_stuck_counter_does_not_move(building: Building) -> None:
    Faults(building).inject("counter-stuck", "leaf01", "Ethernet24")
    incast(building)
    tallies = switch_of(building).tallies
    assert tallies.total("Ethernet24", "rx_packets") == 0
    assert tallies.total("Ethernet16", "rx_packets") > 0


def test_every_fault_can_be_put_in_and_taken_out(building: Building) -> None:
    switch = switch_of(building)
    before = (repr(switch.config), list(building.cables), repr(switch.deviation))
    for name in fault_kinds():
        faults = Faults(building)
        description = faults.inject(name, None, None)
        assert faults.clear() == [description]
    assert (repr(switch.config), list(building.cables), repr(switch.deviation)) == before


@pytest.mark.parametrize(
    ("name", "device", "port", "says"),
    [
        ("nosuch", None, None, "fault nosuch: unknown"),
        (
            "nic-trust-pcp",
            "leaf01",
            None,
            "device leaf01: sonic: no such knob .*; there is one at gpu",
        ),
        ("pfc-off-one-port", "leaf09", None, "device leaf09: not in the lab"),
        ("pfc-off-one-port", "leaf01", "Ethernet99", "leaf01 Ethernet99: no cabled port"),
    ],
)
def test_a_fault_that_fits_nowhere_is_refused(
    building: Building, name: str, device: str | None, port: str | None, says: str
) -> None:
    with pytest.raises(FaultError, match=says):
        Faults(building).inject(name, device, port)
