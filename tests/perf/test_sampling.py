"""Pauses, marks and latency while an incast runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.device import Device
from netcheck.model.finding import NotProven
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf import sampling
from netcheck.perf.figures import figures_of
from netcheck.perf.sampling import Sample, sampled_while
from netcheck.perf.schedule import Depth
from netcheck.report import json as report
from netcheck.report.report import Report
from tests.perf.rig import OPTIONS, World, world
from tests.perf.test_verdict import incast, judge

SMALL = Path(__file__).parents[2] / "examples" / "lab-small.yaml"


def switch(pauses: int, *, drops: int = 0) -> Device:
    rows = {
        CounterKey("Ethernet0", Meaning.PFC_TX, 3, "frames"): pauses,
        CounterKey("Ethernet0", Meaning.PFC_TX, 3, "the same frames"): pauses,
        CounterKey("Ethernet0", Meaning.QUEUE_DROP, 3, "drops"): drops,
    }
    counters = {key: Counter(value, CounterClass.CONGESTION) for key, value in rows.items()}
    return Device("leaf01", counters=FrozenMap(counters))


class Readings:
    """Gives one reading after the other, and the last one ever after."""

    def __init__(self, *devices: Device | None) -> None:
        self.devices = list(devices)

    def __call__(self, names: Sequence[str]) -> Mapping[str, Device | None]:
        found = self.devices.pop(0) if len(self.devices) > 1 else self.devices[0]
        return dict.fromkeys(names, found)


class Clock:
    """Time that passes in sleep alone."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "lab" not in request.fixturenames:
        monkeypatch.setattr(sampling, "time", Clock())


def samples(*devices: Device | None) -> tuple[Sample, ...]:
    before = {"leaf01": switch(0)}
    until_s = len(devices) + 0.5
    return sampled_while(Readings(*devices), ["leaf01"], before, every_s=1.0, until_s=until_s)


def test_each_sample_tells_what_moved_since_the_one_before() -> None:
    found = samples(switch(5), switch(5), switch(12))
    assert [one.grew(Meaning.PFC_TX, 3) for one in found] == [5, 0, 7]
    assert [one.at_s for one in found] == [1.0, 2.0, 3.0]


def test_a_switch_that_does_not_answer_in_time_is_asked_again() -> None:
    found = samples(None, switch(4))
    assert [list(one.moved) for one in found] == [[], ["leaf01"]]
    assert found[1].grew(Meaning.PFC_TX, 3) == 4


def test_a_counter_that_is_cleared_during_the_test_proves_nothing() -> None:
    cleared = samples(switch(9), switch(1))
    assert [one.went_back for one in cleared] == [(), ("leaf01",)]
    found = judge(replace(incast(), samples=cleared))
    assert found.verdict.reason is NotProven.COUNTER_RESET
    assert "counter-reset" in {finding.rule for finding in found.findings}


def test_a_test_that_is_shorter_than_the_interval_is_not_sampled() -> None:
    assert sampled_while(Readings(switch(1)), ["leaf01"], {}, every_s=1.0, until_s=0.5) == ()


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("sampled"), SMALL) as found:
        yield found


@pytest.mark.slow
def test_an_incast_is_sampled_and_raises_latency(lab: World) -> None:
    options = replace(OPTIONS, depth=Depth.STANDARD, sample_s=0.3, probe_after_s=0.05)
    found = lab.judged(options)
    idle, loaded = found.latencies
    assert (idle.state, idle.pairs, loaded.state, loaded.pairs) == ("idle", 4, "incast", 2)
    assert idle.percentile_99_us < 5 < loaded.percentile_99_us
    assert idle.typical_us < idle.percentile_99_us < (idle.percentile_999_us or 0)
    assert len(found.samples) == 3  # two incasts, and one beside other traffic
    for one in found.samples:
        assert sum(one.pauses) > 0
        assert sum(one.marks) > 0
    kinds = figures_of(found)
    assert list(kinds) == ["latency", "samples", "rates"]
    assert [row["state"] for row in kinds["latency"]] == ["idle", "incast"]
    summary = json.loads(report.write(Report("perf", figures=kinds)))["summary"]
    assert summary["latency"][0]["percentile_99_us"] == idle.percentile_99_us
    assert {row["sender"] for row in summary["rates"]} == {
        f"gpu{n:02} rail{r}" for n in (1, 2) for r in (0, 1)
    }
