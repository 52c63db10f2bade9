"""Rates of one class are no clue to what befell another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from netcheck.model.finding import Basis
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf import verdict
from tests.perf.test_verdict import RDMA, fabric, incast


@pytest.mark.parametrize("slow", ["rdma", "bulk"])
def test_places_are_suspected_for_rates_of_the_class_that_is_slow_alone(
    slow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bulk = replace(RDMA, name="bulk", dscp=frozenset({10}))
    whole = fabric()
    policy = replace(whole.policies["backend"], classes=FrozenMap({"rdma": RDMA, "bulk": bulk}))
    whole = replace(whole, policies=FrozenMap({"backend": policy}))
    results = [
        replace(incast(rate=20e9 if name == slow else 196e9), traffic_class=name)
        for name in ("rdma", "bulk")
    ]
    asked = []

    def seen(_own: Any, _fabric: Any, item: Any, _side: Any, *, is_slow: bool) -> list[Any]:
        asked.append((item.name, is_slow))
        return []

    monkeypatch.setattr(verdict, "suspects", seen)
    found = verdict.judge_perf(results, whole, Basis.SIMULATED)
    assert "bandwidth-below-expected" in {one.rule for one in found.findings}
    assert asked == [(slow, True)]
