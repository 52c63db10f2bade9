"""The fabric is fine, look at the host: who is asked, what it says, what is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.model.counters import Meaning
from netcheck.model.fabric import PortRef
from netcheck.model.finding import Finding, Performance, RunResult, Severity
from netcheck.model.known import UNKNOWN, Known
from netcheck.perf.host_answer import HostAnswer, parse_answer
from netcheck.perf.schedule import Depth
from tests.perf.rig import OPTIONS, World, world
from tests.perf.test_verdict import incast, judge, key

SMALL = Path(__file__).parents[2] / "examples" / "lab-small.yaml"
# synthetic, in the form of sysfs(5) and of `grep -c`
ANSWER = """\
/sys/class/net/rail0/device/current_link_speed:16.0 GT/s PCIe
/sys/class/net/rail0/device/current_link_width:8
/sys/class/net/rail0/device/max_link_speed:32.0 GT/s PCIe
/sys/class/net/rail0/device/max_link_width:16
/sys/class/net/rail0/device/numa_node:1
/sys/devices/system/node/online:0-1,4
/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor:powersave
12
"""


def test_a_whole_answer_is_read() -> None:
    found = parse_answer(ANSWER)
    assert found == HostAnswer(16.0, 8, 32.0, 16, 1, 3, "powersave", 12)
    assert found.pcie_bps == pytest.approx(126.03e9, rel=1e-4)


@pytest.mark.parametrize("text", ["", "\n\n", "sudo: a password is required\n", "/sys/x:\n", "::"])
def test_what_is_not_said_is_not_known(text: str) -> None:
    assert parse_answer(text) == HostAnswer()
    assert parse_answer(text).pcie_bps is None


def test_old_buses_carry_eight_of_ten_bits() -> None:
    assert HostAnswer(gts=5.0, lanes=8).pcie_bps == pytest.approx(32e9)


def asked(answer: HostAnswer, *, lost: Known[int] = 0) -> list[Finding]:
    result = incast(
        lambda readings: readings["leaf01"].update(
            {key("Ethernet2", Meaning.PRIORITY_GROUP_DROP, 3): lost}
        )
    )
    found = judge(replace(result, hosts={PortRef("gpu01", "rail0"): answer}))
    return [finding for finding in found.findings if finding.rule == "look-at-the-host"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (HostAnswer(16.0, 8), "PCIe of 8 lanes with 16 GT/s carries 126 of 400 Gb/s"),
        (HostAnswer(32.0, 16, 32.0, 32), "PCIe came up with 16 of 32 lanes"),
        (HostAnswer(32.0, 16, 64.0, 16), "PCIe came up with 32 of 64 GT/s"),
        (HostAnswer(governor="powersave"), "CPU governor is powersave, not performance"),
        (HostAnswer(numa_node=1, nodes=2), "on node 1 of 2 NUMA nodes: measure with --pin, too"),
        (HostAnswer(numa_node=-1, nodes=2), "on no known node of 2 NUMA nodes"),
        (HostAnswer(numa_node=1, nodes=2, is_pinned=True), ": NUMA node does not stand out"),
        (HostAnswer(is_pinned=True), "it told neither PCIe nor governor nor NUMA node"),
        (HostAnswer(redirecting=3), "(ACS is on, at 3 places)"),
        (
            HostAnswer(32.0, 16, 32.0, 16, 0, 1, "performance"),
            ": PCIe, governor and NUMA node do not stand out: compare memory",
        ),
        (HostAnswer(32.0, 16, numa_node=0), ": PCIe and NUMA node do not stand out"),
        (HostAnswer(governor="performance"), ": governor does not stand out"),
        (HostAnswer(), "it told neither PCIe nor governor nor NUMA node"),
    ],
)
def test_what_is_wrong_with_the_host_is_said(answer: HostAnswer, said: str) -> None:
    (finding,) = asked(answer)
    assert finding.message.startswith("the fabric is fine, look at the host: ")
    assert said in finding.message
    assert finding.severity is Severity.INFO
    assert [str(place) for place in finding.where] == ["gpu01 rail0"]


def test_a_fabric_that_loses_is_not_fine() -> None:
    assert asked(HostAnswer(governor="powersave"), lost=1) == []


def test_a_fabric_that_does_not_show_its_drops_is_not_called_fine() -> None:
    (finding,) = asked(HostAnswer(governor="powersave"), lost=UNKNOWN)
    assert finding.message.startswith("no loss was counted, look at the host: ")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("hosts"), SMALL) as found:
        yield found


@pytest.mark.slow
def test_a_host_with_a_narrow_slot_is_asked_and_named(lab: World) -> None:
    with lab.faults(("nic-pcie-slow", "gpu02", "rail1")):
        found = lab.judged(replace(OPTIONS, depth=Depth.QUICK))
    assert found.verdict.run is not RunResult.NOT_LOSSLESS
    assert found.verdict.performance is Performance.SLOW
    said = {str(f.where[0]): f.message for f in found.findings if f.rule == "look-at-the-host"}
    assert "PCIe of 8 lanes with 16 GT/s carries 126 of 400 Gb/s" in said["gpu02 rail1"]


@pytest.mark.slow
def test_no_host_of_a_sound_fabric_is_asked(lab: World) -> None:
    results = lab.results(replace(OPTIONS, depth=Depth.QUICK))
    assert [result.hosts for result in results] == [{}] * len(results)
