"""Each fault of the table has its verdict, and the first suspect is the faulty element.

A fault takes some twelve seconds of processor time: a few are tried each time, all of
them with ``NETCHECK_FAULTS=all`` (``make faults``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from netcheck.lab.faults import fault_kinds
from netcheck.model.finding import NotProven, Performance, RunResult
from netcheck.perf.options import PerfOptions
from netcheck.perf.schedule import Depth
from netcheck.perf.verdict import PerfVerdict
from tests.perf.rig import World, world

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("fault-table")]

TABLE: dict[str, Any] = yaml.safe_load(  # Any: rows of YAML, read by Case
    Path(__file__).with_name("fault-table.yaml").read_text("utf-8")
)
SAMPLE = ("good", "grey-link", "nic-pause-storm", "two-at-once")
IS_WHOLE = os.environ.get("NETCHECK_FAULTS", "") == "all"
NAMED_FAULTS = 25
RIGHT_SHARE = 0.9


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    faults: tuple[tuple[str, ...], ...]
    run: RunResult
    finds: str
    first: frozenset[str]
    is_slow: bool

    @staticmethod
    @cache
    def of(name: str) -> Case:
        row = TABLE[name]
        return Case(
            tuple(tuple(fault) for fault in row["faults"]),
            RunResult(row["run"]),
            row.get("finds", ""),
            frozenset(row.get("first", ())),
            row.get("slow", False),
        )

    def is_right(self, verdict: PerfVerdict) -> bool:
        """The first suspect is the faulty element: that port or cable, or a port of that switch."""
        places = [str(place).strip() for place in verdict.suspects[0].places]
        devices = {place.partition(" ")[0] for place in places}
        return bool(self.first & {*places, *devices})


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("fault-table")) as found:
        yield found


@pytest.fixture(scope="module")
def outcomes() -> dict[str, PerfVerdict]:
    return {}


def outcome(name: str, lab: World, outcomes: dict[str, PerfVerdict]) -> PerfVerdict:
    """Measure under the faults of a case, once."""
    if name not in outcomes:
        with lab.faults(*Case.of(name).faults):
            outcomes[name] = lab.judged()
    return outcomes[name]


def told(found: PerfVerdict) -> str:
    """What an assertion shows when it fails."""
    lines = [f"{found.verdict} {found.verdict.detail}"]
    lines += [
        f"{f.severity} {f.rule} {[str(p) for p in f.where]} {f.message}" for f in found.findings
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("name", TABLE if IS_WHOLE else SAMPLE)
def test_a_fault_has_its_verdict_and_a_sound_fabric_has_its_own(
    name: str, lab: World, outcomes: dict[str, PerfVerdict]
) -> None:
    case, found = Case.of(name), outcome(name, lab, outcomes)
    assert found.verdict.run is case.run, told(found)
    assert not case.finds or case.finds in {f.rule for f in found.findings}, told(found)
    assert not case.is_slow or found.verdict.performance is Performance.SLOW, told(found)
    if not case.faults:
        assert found.findings == (), told(found)


def test_the_faulty_element_is_the_first_suspect_in_nine_of_ten(
    lab: World, outcomes: dict[str, PerfVerdict]
) -> None:
    names = [name for name in (TABLE if IS_WHOLE else SAMPLE) if Case.of(name).first]
    wrong = [name for name in names if not Case.of(name).is_right(outcome(name, lab, outcomes))]
    assert len(names) - len(wrong) >= RIGHT_SHARE * len(names), wrong


def test_a_fabric_that_was_not_loaded_is_not_proven(lab: World) -> None:
    options = PerfOptions(duration_s=1, settle_s=0.0, depth=Depth.QUICK, limit=frozenset({"gpu01"}))
    found = lab.judged(options)
    assert found.verdict.run is RunResult.NOT_PROVEN, told(found)
    assert found.verdict.reason is NotProven.NOT_EXERCISED, told(found)


def test_the_table_has_25_named_faults_a_grey_link_and_two_at_once() -> None:
    kinds = fault_kinds()
    single = {fault[0] for name in TABLE for fault in Case.of(name).faults}
    assert single <= kinds.keys()
    assert len(single) >= NAMED_FAULTS
    assert kinds["grey-link"].values == {"loss_share": 1.0, "one_flow_in": 8}
    assert any(len(Case.of(name).faults) > 1 for name in TABLE)
