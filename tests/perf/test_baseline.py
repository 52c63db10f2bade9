"""A measurement kept in a file, and a later one held against it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.model.errors import InputError
from netcheck.model.fabric import PortRef
from netcheck.model.finding import Basis, RunResult, RunVerdict
from netcheck.perf.baseline import (
    Figures,
    Measurement,
    against,
    as_csv,
    as_text,
    check_alike,
    check_place,
    measurement_of,
    read_measurement,
    settings_of,
    unlike,
)
from netcheck.perf.observe import FlowResult, RoundResult
from netcheck.perf.options import PerfOptions
from netcheck.perf.perftest import PerftestResult
from netcheck.perf.schedule import Endpoint, Pattern, Round
from netcheck.perf.verdict import PerfVerdict

PAIR = ("pairs", "ib_write_bw", "rdma", "gpu01 rail0", "gpu02 rail0")
FAST = Figures(bandwidth_bps=390e9)
BEFORE = Measurement("train-a", RunResult.LOSSLESS, {PAIR: FAST})


def after(figures: Figures, run: RunResult = RunResult.LOSSLESS) -> list[tuple[str, str, str]]:
    """Rule, place and what was found, of a later run with that one pair."""
    now = Measurement("train-a", run, {PAIR: figures})
    return [(f.rule, str(f.where[0]), f.found) for f in against(now, BEFORE)]


def test_a_file_gives_back_the_measurement(tmp_path: Path) -> None:
    whole = Measurement(
        "train-a",
        RunResult.NOT_PROVEN,
        {PAIR: FAST, (*PAIR[:4], "gpu03 rail0"): Figures(latency_us=2.1, percentile_99_us=2.4)},
        "measured",
        settings_of(PerfOptions()),
    )
    path = tmp_path / "run.json"
    path.write_text(as_text(whole), "utf-8")
    assert read_measurement(path) == whole


def test_a_file_is_replaced_and_so_its_folder_has_to_take_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "run.json"
    kept.touch()
    check_place(kept)
    check_place(Path("/dev/null"))
    monkeypatch.setattr(os, "access", lambda place, _mode: place == kept)
    with pytest.raises(InputError, match="no way to write to"):
        check_place(kept)


def test_as_fast_as_the_tolerance_allows_is_fast_enough() -> None:
    assert after(Figures(bandwidth_bps=390e9 * 0.95)) == []


def test_slower_than_the_tolerance_allows_is_found_at_the_sender() -> None:
    found = after(Figures(bandwidth_bps=370e9))
    assert found == [("worse-than-baseline", "gpu01 rail0", "370.0 Gb/s")]


@pytest.mark.parametrize("name", ["latency_us", "percentile_99_us"])
def test_a_longer_latency_is_found(name: str) -> None:
    before = replace(BEFORE, pairs={PAIR: Figures(**{name: 2.0})})
    now = replace(BEFORE, pairs={PAIR: Figures(**{name: 2.2})})
    assert [f.found for f in against(now, before)] == ["2.20 us"]
    assert list(against(now, before, 10.0)) == []


def test_a_worse_verdict_is_found_and_a_better_one_is_not() -> None:
    assert after(FAST, RunResult.NOT_LOSSLESS) == [
        ("worse-than-baseline", "train-a", "not lossless")
    ]
    worse = replace(BEFORE, run=RunResult.NOT_LOSSLESS)
    assert list(against(BEFORE, worse)) == []


def test_pairs_that_were_not_measured_again_are_said() -> None:
    found = list(against(replace(BEFORE, pairs={}), BEFORE))
    assert [(f.rule, f.expected, f.found) for f in found] == [("baseline-not-measured", "1", "0")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no measurement"),
        ("{}", "expected a measurement of version 1"),
        ('{"kind": "netcheck measurement", "version": 1}', "damaged measurement"),
        (as_text(BEFORE).replace("lossless", "fine"), "damaged measurement"),
    ],
)
def test_what_is_no_measurement_is_refused_by_name(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=f"run.json: {says}"):
        read_measurement(path)


def test_a_failed_test_is_kept_without_figures() -> None:
    leaf = PortRef("leaf01", "Ethernet0")
    ends = Endpoint("gpu01", "rail0", "mlx5_0", leaf), Endpoint("gpu02", "rail0", "mlx5_0", leaf)
    flow = FlowResult(*ends, PerftestResult(bandwidth_bps=390e9, error="retry counter exceeded"))
    result = RoundResult(Round("pairs", Pattern.PAIRS, (ends,)), "ib_write_bw", "rdma", (flow,), {})
    verdict = PerfVerdict(RunVerdict(RunResult.NOT_LOSSLESS, Basis.SIMULATED), (), ())
    assert measurement_of([result], verdict, "train-a").pairs == {PAIR: Figures()}


def test_a_table_has_a_row_for_each_pair_and_no_cell_is_a_formula() -> None:
    other = ("=pairs", "ib_write_lat", "rdma", "gpu01 rail0", "gpu03 rail0")
    whole = replace(BEFORE, pairs={PAIR: FAST, other: Figures(latency_us=2.1)})
    assert as_csv(whole).splitlines() == [
        "round,tool,class,sender,receiver,bandwidth_bps,latency_us,percentile_99_us",
        "'=pairs,ib_write_lat,rdma,gpu01 rail0,gpu03 rail0,,2.1,",
        "pairs,ib_write_bw,rdma,gpu01 rail0,gpu02 rail0,390000000000.0,,",
    ]


@pytest.mark.parametrize(
    ("fabric", "basis", "says"),
    [
        ("train-b", "measured", "run.json: is a measurement of train-a, this is train-b"),
        ("train-a", "simulated", "run.json: that run was simulated, this one is measured"),
    ],
)
def test_unlike_runs_are_not_compared(fabric: str, basis: str, says: str) -> None:
    with pytest.raises(InputError, match=f"^{says}$"):
        check_alike(Path("run.json"), replace(BEFORE, basis=basis), fabric, Basis.MEASURED)


def test_a_file_that_does_not_say_its_basis_is_compared() -> None:
    check_alike(Path("run.json"), BEFORE, "train-a", Basis.MEASURED)


def test_other_options_than_before_are_said() -> None:
    usual = replace(BEFORE, settings=settings_of(PerfOptions()))
    more = replace(BEFORE, settings=settings_of(PerfOptions(queue_pairs=8, is_pinned=True)))
    assert list(unlike(more, usual)) == [
        "compared with a run that had queue pairs: 4 (now 8)",
        "compared with a run that had pinned: no (now yes)",
    ]
    assert list(unlike(usual, usual)) == []
    assert list(unlike(usual, BEFORE)) == []
