"""Counters that must not move, between two readings."""

import pytest

from netcheck.compare.health import moved_between
from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.finding import Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known

KEY = CounterKey("Ethernet0", Meaning.QUEUE_DROP, 3, "dropped")
Counters = FrozenMap[CounterKey, Counter]


def reading(value: Known[int]) -> Counters:
    return FrozenMap({KEY: Counter(value, CounterClass.MUST_BE_ZERO)})


def verdicts(before: Known[Counters], after: Known[Counters]) -> list[Verdict]:
    return [finding.verdict for finding in moved_between("leaf01", before, after)]


def test_a_counter_that_stands_still_is_no_finding() -> None:
    assert verdicts(reading(7), reading(7)) == []


def test_a_counter_that_grew_fails() -> None:
    assert verdicts(reading(7), reading(8)) == [Verdict.FAIL]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (reading(7), FrozenMap()),
        (FrozenMap(), reading(7)),
        (reading(7), reading(UNKNOWN)),
        (reading(7), reading(6)),
        (UNKNOWN, reading(7)),
        (reading(7), UNKNOWN),
    ],
    ids=["gone", "new", "damaged", "reset", "first reading lost", "second reading lost"],
)
def test_a_counter_that_cannot_be_compared_is_unverified(
    before: Known[Counters], after: Known[Counters]
) -> None:
    assert verdicts(before, after) == [Verdict.UNVERIFIED]
