"""Large fabrics: what is shared, judged once or judged in two processes changes no finding."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from benchmarks.fabric import Shape, write_intent
from netcheck.intent import completed
from netcheck.intent.complaint import IntentError
from netcheck.intent.complete import complete
from netcheck.intent.completed import load_completed
from netcheck.intent.load import load_intent
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.halves import by_turns, in_two
from netcheck.platforms import refusals
from netcheck.platforms.platform import load
from netcheck.rules import engine, gather
from netcheck.rules.settle import settle

SONIC = ("sonic",) * 4


@pytest.fixture(scope="module")
def fabric(tmp_path_factory: pytest.TempPathFactory) -> Fabric:
    folder = tmp_path_factory.mktemp("large")
    write_intent(folder, Shape(2, SONIC))
    return complete(load_intent(folder / "fabric.yaml"))


def settled(fabric: Fabric) -> Sequence[Finding]:
    return settle(engine.judge(fabric, intended=fabric), fabric)


def places(findings: Sequence[Finding]) -> set[tuple[str, str, str, str]]:
    return {
        (one.rule, str(place), one.expected, one.found)
        for one in findings
        if one.where and one.verdict == "fail"
        for place in one.where
    }


@pytest.mark.slow
def test_judging_equal_ports_once_finds_what_judging_each_alone_finds(
    fabric: Fabric, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = places(settled(fabric))
    numbers = iter(range(10**9))
    monkeypatch.setattr(gather.Tokens, "of_key", lambda _self, _key: next(numbers))
    alone = {device: replace(one) for device, one in fabric.devices.items()}
    each = places(settled(replace(fabric, devices=FrozenMap(alone))))

    assert once == each
    assert {rule for rule, *_ in once} >= {"link-speed-mismatch", "mtu-roce-vs-eth"}


def test_two_processes_give_the_findings_of_one_in_the_same_order(
    fabric: Fabric, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = engine.judge(fabric, intended=fabric)
    monkeypatch.setattr(engine, "MANY_DEVICES", 1)

    assert engine.judge(fabric, intended=fabric) == one


def test_refusals_of_devices_cut_down_are_those_of_whole_devices(fabric: Fabric) -> None:
    whole = [
        (device.name, refusal)
        for device in fabric.devices.values()
        for refusal in load(str(device.platform)).rendering.refusals(device, fabric)
    ]
    found = [(device.name, refusal) for device, refusal in refusals.find_refusals(fabric)]

    assert whole
    assert found == whole
    shared_out = refusals.find_refusals(fabric, is_shared_out=True)
    assert [(device.name, refusal) for device, refusal in shared_out] == whole


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "other"):
        write_intent(tmp_path / name, Shape(1, SONIC), seed=5)
        texts.append([path.read_bytes() for path in sorted((tmp_path / name).iterdir())])

    assert texts[0] == texts[1]


def test_a_failure_in_the_second_process_is_told_in_this_one() -> None:
    def fails() -> None:
        raise ValueError("there")

    with pytest.raises(ValueError, match="there"):
        in_two(lambda: 1, fails)


def test_both_halves_are_given() -> None:
    assert in_two(lambda: [1], lambda: {"a": (2,)}) == ([1], {"a": (2,)})


def test_tasks_taken_by_turns_give_their_results_in_order() -> None:
    assert by_turns([partial(pow, 2, number) for number in range(50)]) == [
        2**number for number in range(50)
    ]


def test_a_task_that_fails_in_the_second_process_fails_in_this_one() -> None:
    here = os.getpid()

    def fails_there() -> int:
        time.sleep(0.01)
        if os.getpid() != here:
            os._exit(1)
        return 1

    assert by_turns([fails_there] * 10) == [1] * 10


@pytest.fixture
def every_fabric_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completed, "MANY_DEVICES", 1)


INTENT = Path(__file__).parents[2] / "examples" / "lab.yaml"


@pytest.mark.usefixtures("every_fabric_is_large")
def test_names_are_checked_while_a_large_fabric_is_completed() -> None:
    assert load_completed(INTENT) == complete(load_intent(INTENT))


@pytest.mark.usefixtures("every_fabric_is_large")
@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("{a: leaf09:Ethernet0, b: spine01:Ethernet0}", "device leaf09 is not declared"),
        ("{a: leaf01, b: spine01:Ethernet0}", "links[0].a"),
    ],
)
def test_wrong_names_of_a_large_fabric_are_told_as_of_a_small_one(
    link: str, message: str, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(f"netcheck: 1\nlinks:\n  - {link}\n", encoding="utf-8")
    with pytest.raises(IntentError) as usual:
        load_intent([INTENT, wrong])
    with pytest.raises(IntentError) as told:
        load_completed([INTENT, wrong])
    assert told.value.complaints == usual.value.complaints
    assert message in str(told.value)
