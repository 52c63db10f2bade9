"""One verdict of RoCE and InfiniBand, and the two side by side."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.cli.perf import perf_report
from netcheck.model.finding import (
    Basis,
    ClassVerdict,
    NotProven,
    Performance,
    RunResult,
    RunVerdict,
)
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf.infiniband.measure import Measured, measure_subnets
from netcheck.perf.infiniband.together import together
from netcheck.perf.run import run_perf
from netcheck.perf.verdict import PerfVerdict
from netcheck.report import html, text
from netcheck.report import json as json_report
from netcheck.report.comparison import Column, rows_of, text_of
from tests.perf.infiniband.subnet import OPTIONS, Subnet, intent, measured, reached

ROCE = Column("rdma", "RoCE", 4, 95.04, 99.0, 4.96, 2.1, 2.27, 96.2, 103.9, 51.3)
STORAGE = Column("storage/files sl 1", "InfiniBand", 4, 99.5, 99.9, 0.5, 1.58, 1.71, 7.1, 7.65)


def roce(run: RunResult = RunResult.LOSSLESS) -> PerfVerdict:
    """A verdict of one traffic class."""
    verdict = RunVerdict(run, Basis.SIMULATED, Performance.OK)
    own = ClassVerdict("rdma", verdict, 1000, paused=True, marked=True)
    return PerfVerdict(verdict, (own,), ())


def merged(found: PerfVerdict, one: Measured) -> PerfVerdict:
    return together(found, [], one, intent(), Basis.SIMULATED, seconds=1.0)


def test_the_run_is_as_bad_as_its_worst_class_or_service() -> None:
    healthy = measured(Subnet())
    lossy = measured(Subnet(after=lambda net, *_: net.at((21, 3)).update(PortXmitDiscards=1)))
    assert merged(roce(), healthy).verdict.run is RunResult.LOSSLESS
    worst = merged(roce(), lossy).verdict
    assert (worst.run, worst.detail) == (
        RunResult.NOT_LOSSLESS,
        "class train/jobs sl 2: loss was counted",
    )
    assert merged(roce(RunResult.NOT_LOSSLESS), healthy).verdict.run is RunResult.NOT_LOSSLESS


def test_what_was_not_measured_is_said_and_not_covered() -> None:
    found = merged(roce(), measured(Subnet(has_diags=False)))
    assert [one.name for one in found.classes] == ["rdma", "train/jobs sl 2"]
    assert "subnet train: not measured" in found.notes[0]
    assert found.comparison == ()
    assert (found.verdict.run, found.verdict.reason) == (
        RunResult.NOT_PROVEN,
        NotProven.UNREACHABLE,
    )


def test_services_of_hosts_that_were_left_out_are_not_proven() -> None:
    alone = replace(OPTIONS, limit=frozenset({"gpu01"}))
    with reached(Subnet()):
        left = measure_subnets(intent(), alone)
    verdict = merged(roce(), left).verdict
    assert (verdict.run, verdict.reason) == (RunResult.NOT_PROVEN, NotProven.NOT_EXERCISED)
    assert "no two hosts" in verdict.detail


@pytest.mark.parametrize("members", ['{"gpu[01-04]": limited}', "{gpu01: full}"])
def test_a_service_that_no_two_hosts_are_meant_to_talk_by_leaves_nothing_open(
    members: str, tmp_path: Path
) -> None:
    said = '{"gpu[01-03]": full, gpu04: limited}'
    fabric = intent(lambda text: text.replace(said, members), tmp_path)
    with reached(Subnet()):
        left = measure_subnets(fabric, replace(OPTIONS, limit=frozenset({"gpu01"})))
    assert "no two hosts" in " ".join(left.notes)
    assert left.unproven == ()


def test_a_subnet_without_partitions_is_not_proven() -> None:
    fabric = intent()
    bare = {name: replace(one, partitions=FrozenMap()) for name, one in fabric.subnets.items()}
    with reached(Subnet()):
        left = measure_subnets(replace(fabric, subnets=FrozenMap(bare)), OPTIONS)
    assert [(one.name, one.reason) for one in left.unproven] == [("train", NotProven.NOT_EXERCISED)]


def test_a_subnet_alone_has_nothing_beside_it() -> None:
    with reached(Subnet()):
        found = run_perf(intent(), OPTIONS, basis=Basis.SIMULATED)
    assert str(found.verdict) == "lossless (simulated)"
    assert found.comparison == ()
    assert [one.state for one in found.latencies] == ["idle", "incast"]
    assert found.heat[0].title == "Rates of class train/jobs sl 2"


def test_time_is_shared_between_classes_and_services() -> None:
    net = Subnet()
    with reached(net):
        run_perf(intent(), replace(OPTIONS, budget_s=0.001), basis=Basis.SIMULATED)
    assert sum(": ib_" in line and "192.0.2" in line for line in net.lines) == 4  # one round


def test_every_figure_has_its_row_and_what_nothing_told_is_a_dash() -> None:
    assert [cells for _, cells in rows_of((ROCE, STORAGE))] == [
        ["95.0", "99.5"],
        ["99.0", "99.9"],
        ["5.0", "0.5"],
        ["2.10", "1.58"],
        ["2.27", "1.71"],
        ["96.20", "7.10"],
        ["103.90", "7.65"],
        ["51.3", "-"],
    ]


def test_the_text_table_is_aligned() -> None:
    lines = list(text_of((ROCE, STORAGE)))
    assert len({len(line) for line in lines}) == 1
    assert lines[0].endswith("RoCE rdma  InfiniBand storage/files sl 1")
    assert list(text_of(())) == []


def test_reports_show_the_two_side_by_side_only_where_both_were_measured() -> None:
    plain, both = roce(), replace(roce(), comparison=(ROCE, STORAGE))
    for write in (text.write, html.write, json_report.write):
        assert "storage/files sl 1" not in write(perf_report(plain, ()))
        assert "storage/files sl 1" in write(perf_report(both, ()))
    summary = json.loads(json_report.write(perf_report(both, ())))["summary"]
    assert summary["comparison"][1]["kind"] == "InfiniBand"
    assert summary["comparison"][1]["held_percent"] is None
    assert "credits" not in summary["classes"][0]


def test_a_service_says_that_credits_held_it_back() -> None:
    report = perf_report(merged(roce(), measured(Subnet())), ())
    assert "fired: credits" in text.write(report)
    assert "lossless by credits" in html.write(report)
    assert json.loads(json_report.write(report))["summary"]["classes"][1]["credits"] is True


@pytest.mark.parametrize("name", ["<b>", "a&b"])
def test_names_are_text_on_the_page(name: str) -> None:
    page = html.write(perf_report(replace(roce(), comparison=(replace(ROCE, name=name),)), ()))
    assert f"RoCE {name}" not in page
