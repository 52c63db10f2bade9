"""Credit loops where not everything is told: what was not said is not taken for fine."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from netcheck.model.fabric import Origin
from netcheck.model.finding import Finding
from netcheck.rules.catalogue import find_rule
from netcheck.rules.engine import judge
from tests.rules.test_cases import cases_of
from tests.rules.world import fabric

LAYERS = "layers_of_lanes_break_it_where_all_paths_are_known"
Path = dict[str, int]


def judged(**changes: Any) -> list[Finding]:  # Any: what a case file holds
    world = cases_of("ib-credit-loop")[LAYERS]["good"]
    seen = {key: value for key, value in (world["sm1"]["seen"] | changes).items() if value}
    rules = [find_rule("ib-credit-loop")]
    observed = fabric({"sm1": {"seen": seen}}, Origin.CONFIG)
    return list(judge(observed, rules=rules, evidence_asked=True, profile="strict"))


def paths(*pairs: tuple[int, int]) -> list[Path]:
    """Paths with the level that breaks the ring."""
    return [
        {"source": one, "destination": other, "sl": int((one, other) == (3, 2))}
        for one, other in pairs
    ]


def test_paths_to_oneself_and_to_switches_stand_for_no_other() -> None:
    pairs = [*permutations((1, 2, 3), 2)]
    assert [one.verdict.value for one in judged(paths=paths(*pairs))] == ["pass"]
    others = [(1, 1), (2, 2), (1, 4), (4, 1)]
    (found,) = judged(paths=paths(*pairs[1:], *others))
    assert (found.verdict.value, found.facts) == ("unverified", frozenset({"sl"}))


def test_without_the_engine_a_loop_says_what_it_rests_on() -> None:
    every = paths(*permutations((1, 2, 3), 2))
    messages = {one.message for one in judged(paths=every, engine=None)}
    assert len(messages) == 2
    assert all("if any path may have each of their service levels" in one for one in messages)
    (alone,) = judged(paths=None, engine=None)
    assert "if paths have service level 0" in alone.message
