"""InfiniBand services measured in the lab, on a subnet that a real OpenSM programmed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from netcheck import api
from netcheck.chain import ChainOptions, Part, lab_for, run_chain
from netcheck.lab import control
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Basis, RunResult
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf.infiniband.measure import measure_subnets
from netcheck.perf.infiniband.sights import crossed
from netcheck.perf.infiniband.verdict import judge_services
from netcheck.perf.options import PerfOptions
from netcheck.perf.run import run_perf
from netcheck.perf.schedule import Depth
from tests.lab.opensm.ib_labs import needs_opensm

pytestmark = [pytest.mark.slow, needs_opensm]

HYBRID = Path(__file__).resolve().parents[3] / "examples" / "lab-hybrid.yaml"
OPTIONS = PerfOptions(
    duration_s=1, settle_s=0.0, queue_pairs=4, sample_s=0.0, probe_after_s=0.0, depth=Depth.QUICK
)
# one round: what is to be seen is seen in it
BRIEF = replace(OPTIONS, budget_s=0.0)


@dataclass(frozen=True)
class Lab:
    """A lab that holds the intent; of its partitions one is measured."""

    folder: Path
    fabric: Fabric


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("hybrid").resolve()
    fabric = api.load_completed([HYBRID], deployable=True)
    with lab_for(fabric, folder / "lab") as (reached, _):
        options = ChainOptions(folder / "state", (Part.DEPLOY,), basis=Basis.SIMULATED)
        run_chain(reached, options, lambda _place, _what: None)
        subnet = reached.subnets["storage"]
        own = FrozenMap({"files": subnet.partitions["files"]})
        subnets = FrozenMap({"storage": replace(subnet, partitions=own)})
        yield Lab(folder / "lab", replace(reached, subnets=subnets))


def test_a_healthy_hybrid_fabric_is_lossless_and_its_two_kinds_stand_side_by_side(
    lab: Lab,
) -> None:
    found = run_perf(lab.fabric, OPTIONS, basis=Basis.SIMULATED)
    told = [(one.name, str(one.verdict), one.verdict.detail) for one in found.classes]
    assert str(found.verdict) == "lossless (simulated)", told
    assert [(one.name, one.fired) for one in found.classes] == [
        ("rdma", "PFC and ECN"),
        ("storage/files sl 1", "credits"),
    ]
    roce, infiniband = found.comparison
    assert (roce.heading, infiniband.heading) == ("RoCE rdma", "InfiniBand storage/files sl 1")
    assert infiniband.held_percent == pytest.approx(50.0, abs=1.0)
    assert infiniband.middle_percent == pytest.approx(100.0, abs=0.5)


def test_a_standard_schedule_crosses_every_cable_that_the_manager_uses(lab: Lab) -> None:
    """By the tables that a real OpenSM wrote, which netcheck does not read here.

    Before any fault: those fill counters that then tell nothing.
    """
    measured = measure_subnets(lab.fabric, replace(OPTIONS, depth=Depth.STANDARD))
    found = judge_services(measured, Basis.SIMULATED)
    (one,) = measured.tested
    seen = crossed(one.results, one.places.fabric)
    assert {ref.device for ref in seen.crossed} >= {"ibleaf01", "ibleaf02"}
    assert seen.missed == one.unrouted
    assert not seen.unseen
    assert "cable-not-crossed" not in {finding.rule for finding in found.findings}
    assert [one.verdict.run for one in found.classes] == [RunResult.LOSSLESS]


FAULTS = (
    ("ib-symbol-errors", "packets-damaged", "ibleaf02", RunResult.NOT_LOSSLESS),
    ("ib-slow-link", "link-below-speed", "ibleaf01", RunResult.NOT_PROVEN),
    ("ib-partition-lost", "partition-key-missing", "gpu02", RunResult.NOT_PROVEN),
    ("ib-switch-stalled", "loss-counted", "ibleaf02", RunResult.NOT_LOSSLESS),
    ("ib-lane-without-weight", "service-without-lane", "gpu01", RunResult.NOT_LOSSLESS),
    ("ib-sl-to-vl15", "service-without-lane", "gpu01", RunResult.NOT_LOSSLESS),
)


@pytest.mark.parametrize(("fault", "rule", "first", "run"), FAULTS)
def test_a_fault_of_the_subnet_is_found_and_named(
    lab: Lab, fault: str, rule: str, first: str, run: RunResult
) -> None:
    control.inject(lab.folder, fault)
    try:
        found = judge_services(measure_subnets(lab.fabric, BRIEF), Basis.SIMULATED)
    finally:
        control.clear(lab.folder)
    assert rule in {finding.rule for finding in found.findings}, found.findings
    assert found.suspects[0].where.device == first
    assert [one.verdict.run for one in found.classes] == [run]
