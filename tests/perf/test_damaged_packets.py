"""Packets that a cable damages are told apart from those that congestion drops, on each switch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.model.finding import RunResult
from netcheck.perf.schedule import Depth
from tests.perf.rig import OPTIONS, World, world

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("damaged-packets")]

EXAMPLES = Path(__file__).parents[2] / "examples"
PORTS = {"cumulus": "swp3", "eos": "Ethernet3/1", "nxos": "Ethernet1/3"}
QUICK = replace(OPTIONS, depth=Depth.QUICK)


@pytest.fixture(scope="module", params=PORTS)
def lab(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[World, str]]:
    intent = EXAMPLES / f"lab-small-{request.param}.yaml"
    with world(tmp_path_factory.mktemp(request.param), intent) as found:
        yield found, PORTS[request.param]


def test_damaged_packets_are_a_loss_by_the_cable(lab: tuple[World, str]) -> None:
    switch, port = lab
    with switch.faults(("cable-errors", "leaf01", port)):
        found = switch.judged(QUICK)
    assert found.verdict.run is RunResult.NOT_LOSSLESS
    assert found.verdict.detail.endswith("loss was counted, of damaged packets")
    damaged = [f.where for f in found.findings if f.rule == "packets-damaged"]
    assert [[str(place) for place in where] for where in damaged] == [[f"leaf01 {port}"]]
    assert {str(place).strip() for place in found.suspects[0].places} == {
        f"leaf01 {port}",
        "gpu02 rail0",
    }


def test_packets_that_found_no_room_are_not_damaged(lab: tuple[World, str]) -> None:
    switch, port = lab
    with switch.faults(("pfc-off-one-port", "leaf01", port)):
        found = switch.judged(QUICK)
    assert found.verdict.run is RunResult.NOT_LOSSLESS
    assert found.verdict.detail.endswith("loss was counted")
    assert f"leaf01 {port}" in {str(place).strip() for place in found.suspects[0].places}
