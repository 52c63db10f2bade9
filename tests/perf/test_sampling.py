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
from netcheck.model.known import UNKNOWN, Known
from netcheck.perf import sampling
from netcheck.perf.deltas import deltas
from netcheck.perf.figures import figures_of
from netcheck.perf.sampled import sampled_rounds
from netcheck.perf.sampling import Sample, sampled_while
from netcheck.perf.schedule import Depth
from netcheck.report import json as report
from netcheck.report.report import Report
from tests.perf.rig import OPTIONS, World, world
from tests.perf.test_verdict import fabric, incast, judge

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
    """Time that passes in waiting alone; a test that ends after so many waits."""

    def __init__(self, waits: int = 100) -> None:
        self.now, self.waits = 100.0, waits

    def monotonic(self) -> float:
        return self.now

    def wait(self, timeout: float) -> bool:
        self.now += timeout
        self.waits -= 1
        return self.waits < 0


def samples(
    *devices: Device | None, until_s: float = 0, waits: int = 9, ago_s: float = 0.0
) -> tuple[Sample, ...]:
    """Sample once a second, for one sample of each device where no time is given.

    Args:
        ago_s: How long ago the clients were started.
    """
    with pytest.MonkeyPatch.context() as patch:
        clock = Clock(waits)
        patch.setattr(sampling, "time", clock)
        return sampled_while(
            Readings(*devices),
            ["leaf01"],
            {"leaf01": switch(0)},
            began_s=clock.monotonic() - ago_s,
            every_s=1.0,
            until_s=until_s or len(devices) + 0.5,
            ended=clock,
        )


def test_each_sample_tells_what_moved_since_the_one_before() -> None:
    found = samples(switch(5), switch(5), switch(12))
    assert [one.grew(Meaning.PFC_TX, {3}) for one in found] == [5, 0, 7]
    assert [one.at_s for one in found] == [1.0, 2.0, 3.0]


def test_a_switch_that_does_not_answer_in_time_is_asked_again() -> None:
    found = samples(None, switch(4))
    assert [list(one.moved) for one in found] == [[], ["leaf01"]]
    assert found[1].grew(Meaning.PFC_TX, {3}) == 4


def test_samples_are_timed_from_the_start_of_the_clients() -> None:
    found = samples(switch(5), switch(12), ago_s=0.5, until_s=2.4)
    assert [one.at_s for one in found] == [1.0, 2.0]


def moved(*rows: tuple[Meaning, int, Known[int]]) -> Sample:
    """A sample of one port with a counter of each row's meaning and number, by so much."""
    keys = [
        CounterKey("Ethernet0", meaning, number, str(n))
        for n, (meaning, number, _) in enumerate(rows)
    ]
    before, after = (
        Device(
            "leaf01",
            counters=FrozenMap(
                {
                    key: Counter(value if is_last else 0, CounterClass.CONGESTION)
                    for key, (_, _, value) in zip(keys, rows, strict=True)
                }
            ),
        )
        for is_last in (False, True)
    )
    return Sample(1.0, {"leaf01": deltas(before, after)})


ECN = Meaning.ECN_MARKED


@pytest.mark.parametrize(
    ("sample", "grew"),
    [
        (moved((ECN, 3, 7), (ECN, 4, 5)), 7),
        (moved((ECN, 3, 7), (ECN, -1, 12)), 7),  # the whole port's counts them, too
        (moved((ECN, -1, 12)), 12),
        (moved((ECN, 4, 5)), UNKNOWN),
        (moved((ECN, 3, UNKNOWN)), UNKNOWN),
        (moved((ECN, 3, 0)), 0),
        (moved((ECN, 3, 0), (Meaning.QUEUE_PACKETS, 3, 9)), 0),
        (moved((ECN, 3, 0), (Meaning.QUEUE_PACKETS, 3, 0)), UNKNOWN),  # has not counted anew
        (moved((ECN, 3, 0), (Meaning.PORT_TX_PACKETS, -1, 0)), 0),
        (moved(), UNKNOWN),
    ],
)
def test_what_no_counter_tells_is_not_none(sample: Sample, grew: Known[int]) -> None:
    assert sample.grew(ECN, {3}) == grew


def test_a_report_says_where_samples_do_not_tell() -> None:
    pauses = (Meaning.PFC_TX, 3, 50)
    result = replace(incast(), samples=(moved(pauses), moved()))
    (found,) = sampled_rounds([result], fabric())
    assert (found.pauses, found.marks) == ((50, None), (None, None))
    assert str(found).endswith(
        "2 samples during the test, pauses in 1 of 1 that show them (up to 50 frames),"
        " marks not shown"
    )
    assert ": 1 sample during the test" in str(replace(found, at_s=(1.0,)))


def test_a_counter_that_is_cleared_during_the_test_proves_nothing() -> None:
    cleared = samples(switch(9), switch(1))
    assert [one.went_back for one in cleared] == [(), ("leaf01",)]
    found = judge(replace(incast(), samples=cleared))
    assert found.verdict.reason is NotProven.COUNTER_RESET
    assert "counter-reset" in {finding.rule for finding in found.findings}


def test_a_test_that_is_shorter_than_the_interval_is_not_sampled() -> None:
    assert samples(switch(1), until_s=0.5) == ()


def test_sampling_ends_with_the_test() -> None:
    assert [one.at_s for one in samples(switch(1), until_s=9.5, waits=2)] == [1.0, 2.0, 3.0]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("sampled"), SMALL) as found:
        yield found


@pytest.mark.slow
def test_an_incast_is_sampled_and_raises_latency(lab: World) -> None:
    options = replace(OPTIONS, depth=Depth.STANDARD, sample_s=0.05, probe_after_s=0.0)
    found = lab.judged(options)
    idle, loaded = found.latencies
    assert (idle.state, idle.pairs, loaded.state, loaded.pairs) == ("idle", 4, "incast", 2)
    assert idle.percentile_99_us < 5 < loaded.percentile_99_us
    assert idle.typical_us < idle.percentile_99_us < (idle.percentile_999_us or 0)
    names = {one.round for one in found.samples}
    assert {"incast within each leaf", "incast within each leaf, turned"} <= names
    assert sum(count or 0 for one in found.samples for count in one.pauses) > 0
    assert sum(count or 0 for one in found.samples for count in one.marks) > 0
    kinds = figures_of(found)
    assert list(kinds) == ["latency", "samples", "rates"]
    assert [row["state"] for row in kinds["latency"]] == ["idle", "incast"]
    summary = json.loads(report.write(Report("perf", figures=kinds)))["summary"]
    assert summary["latency"][0]["percentile_99_us"] == idle.percentile_99_us
    assert {row["sender"] for row in summary["rates"]} == {
        f"gpu{n:02} rail{r}" for n in (1, 2) for r in (0, 1)
    }
