"""Ten named faults and three silent ones: each is found, and by each way that can see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from netcheck.model.finding import RunResult, Verdict
from tests.chain.lab_world import BIG, World, errors, told, world

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Expected:
    """Where a fault is and what shows it.

    ``devices`` are those one of which has to be named, ``knob`` a fact or rule
    that has to be among the findings. ``loses`` faults are found by the
    measurement alone; ``visible`` ones by lint of the snapshot without the intent.
    """

    devices: frozenset[str]
    knob: frozenset[str]
    loses: bool = False
    visible: bool = False


LEAF = frozenset({"leaf01"})
HOSTS = frozenset({"gpu01", "gpu02"})
VISIBLE = {
    "pfc-off-one-port": Expected(LEAF, frozenset({"pfc_rx", "pfc_tx"}), loses=True, visible=True),
    "dscp-map-one-leaf": Expected(LEAF, frozenset({"dscp_to_priority"}), loses=True, visible=True),
    "nic-trust-pcp": Expected(HOSTS, frozenset({"trust"}), loses=True, visible=True),
    "ecn-off": Expected(LEAF, frozenset({"ecn"}), visible=True),
    "headroom-halved": Expected(LEAF, frozenset({"ingress_buffer"}), loses=True, visible=True),
    "ets-weight-1": Expected(LEAF, frozenset({"scheduler"}), visible=True),
    "watchdog-off": Expected(LEAF, frozenset({"watchdog"})),
    "cables-swapped": Expected(LEAF | HOSTS, frozenset({"neighbour"})),
    "nic-cnp-dscp-wrong": Expected(HOSTS, frozenset({"cnp_dscp"}), visible=True),
}
SILENT = ("profile-rejected", "map-not-programmed", "counter-stuck")


def one_lab_each() -> list[object]:
    """Faults as parameters; the tests of one fault share a worker, and so its lab."""
    return [
        pytest.param(name, marks=pytest.mark.xdist_group(f"fault {name}"))
        for name in (*VISIBLE, *SILENT)
    ]


@pytest.fixture(scope="module", params=one_lab_each())
def faulty(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, World]]:
    name: str = request.param
    with world(tmp_path_factory.mktemp(name), name) as found:
        assert found.faults, "the lab says which fault it put in"
        yield name, found


def test_verify_names_device_port_and_knob(faulty: tuple[str, World]) -> None:
    name, found = faulty
    if name in SILENT:
        assert errors(found.verified.findings) == [], told(found.verified.findings)
        return
    expected = VISIBLE[name]
    named = [
        finding
        for finding in errors(found.verified.findings)
        if finding.facts & expected.knob
        and {place.device for place in finding.where} & expected.devices
    ]
    assert named, told(found.verified.findings)
    assert any(place.port for finding in named for place in finding.where)


def test_the_measurement_alone_finds_what_can_lose_packets(faulty: tuple[str, World]) -> None:
    name, found = faulty
    verdict = found.measured.verdict
    if name in SILENT:
        assert verdict.run is not RunResult.LOSSLESS, str(verdict)
    elif VISIBLE[name].loses:
        assert verdict.run is RunResult.NOT_LOSSLESS, told(found.measured.findings)
        assert errors(found.measured.findings)


def test_lint_without_the_intent_finds_what_is_visible_there(faulty: tuple[str, World]) -> None:
    name, found = faulty
    if name in SILENT or not VISIBLE[name].visible:
        return
    named = [
        finding
        for finding in found.linted.findings
        if finding.verdict is Verdict.FAIL
        and finding.facts & VISIBLE[name].knob
        and {place.device for place in finding.where} & VISIBLE[name].devices
    ]
    assert named, told(found.linted.findings)


def test_the_good_fabric_is_clean_and_lossless(tmp_path: Path) -> None:
    with world(tmp_path) as good:
        assert errors(good.deployed.findings) == []
        assert errors(good.verified.findings) == [], told(good.verified.findings)
        assert errors(good.linted.findings) == [], told(good.linted.findings)
        assert good.measured.verdict.run is RunResult.LOSSLESS, told(good.measured.findings)
        assert good.measured.classes[0].paused
        assert good.measured.classes[0].marked


SPINES = frozenset({"spine01", "spine02"})
OF_THE_FABRIC = {
    "mtu-1500-spine-port": Expected(SPINES, frozenset({"l2_mtu"})),
    "cables-swapped": Expected(frozenset({"leaf04"}), frozenset({"neighbour"})),
    "dscp-map-one-leaf": Expected(LEAF, frozenset({"dscp_to_priority"})),
    "ecn-off": Expected(LEAF, frozenset({"ecn"})),
}
VISIBLE_IN_THE_FABRIC = frozenset(OF_THE_FABRIC) - {"cables-swapped"}


@pytest.mark.parametrize("name", OF_THE_FABRIC)
def test_a_fault_among_spines_and_leaves_is_found_with_and_without_the_intent(
    name: str, tmp_path: Path
) -> None:
    expected = OF_THE_FABRIC[name]
    with world(tmp_path, name, intent=BIG) as found:
        reports = [found.verified] + [found.linted] * (name in VISIBLE_IN_THE_FABRIC)
        for report in reports:
            named = [
                finding
                for finding in errors(report.findings)
                if finding.facts & expected.knob
                and {place.device for place in finding.where} & expected.devices
            ]
            assert named, told(report.findings)


def test_a_small_mtu_on_one_spine_port_loses_packets(tmp_path: Path) -> None:
    with world(tmp_path, "mtu-1500-spine-port", intent=BIG) as found:
        measured = found.measured_by(frozenset({"gpu01", "gpu02", "gpu09", "gpu10"}))
        assert measured.verdict.run is RunResult.NOT_LOSSLESS, told(measured.findings)
        named = {place.device for f in measured.findings for place in f.where}
        assert named & SPINES, told(measured.findings)


def test_the_whole_fabric_is_clean_and_lossless(tmp_path: Path) -> None:
    with world(tmp_path, intent=BIG) as good:
        assert errors(good.verified.findings) == [], told(good.verified.findings)
        assert errors(good.linted.findings) == [], told(good.linted.findings)
        assert good.measured.verdict.run is RunResult.LOSSLESS, told(good.measured.findings)
