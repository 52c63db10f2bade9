"""A sample of ``make mutate``: a fixed stride, so that every kind of mutant comes up over time."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.model.frozenmap import FrozenMap
from netcheck.model.qos import PortQos
from tests.lab.opensm.ib_labs import needs_opensm
from tests.mutation import managers
from tests.mutation.bench import Bench
from tests.mutation.edits import edits
from tests.mutation.fabric import kinds
from tests.mutation.leaves import changes
from tests.mutation.run import HOSTS, exempted, of_platform
from tests.mutation.samples import samples
from tests.mutation.traffic import Harm

# primes; some forty mutants of each platform
STRIDES = {"sonic": 211, "cumulus": 151, "eos": 97, "nxos": 109, HOSTS: 241}
LEAST_TRIED = 8
SAMPLE_STRIDE, LEAST_OF_SAMPLE = 41, 3
MANAGER_STRIDE = 29


@pytest.mark.slow
@pytest.mark.parametrize("platform", [*kinds(), HOSTS])
def test_what_harms_traffic_is_found_by_lint(platform: str, tmp_path: Path) -> None:
    outcome = of_platform(platform, tmp_path, STRIDES[platform], start=7, is_hasty=True)
    skipped = exempted().get(platform, {})
    missed = [
        line for knob, row in outcome.rows.items() if knob not in skipped for line in row.missed
    ]
    assert outcome.noise == 0
    assert outcome.total.mutants >= LEAST_TRIED
    assert missed == []


@pytest.mark.slow
@pytest.mark.parametrize("sample", samples())
def test_what_harms_traffic_in_a_text_by_hand_is_found(sample: str, tmp_path: Path) -> None:
    outcome = of_platform(sample, tmp_path, SAMPLE_STRIDE, start=3, is_hasty=True)
    assert outcome.total.mutants >= LEAST_OF_SAMPLE
    assert [line for row in outcome.rows.values() for line in row.missed] == []


@needs_opensm
@pytest.mark.slow
def test_what_a_real_opensm_makes_of_a_changed_file_is_found(tmp_path: Path) -> None:
    outcome = of_platform(managers.NAME, tmp_path, MANAGER_STRIDE, start=9, is_hasty=True)
    assert outcome.noise == 0
    assert outcome.total.mutants >= LEAST_OF_SAMPLE
    assert [line for row in outcome.rows.values() for line in row.missed] == []


def test_a_line_without_which_packets_drop_is_missed(tmp_path: Path) -> None:
    bench = Bench.of(kinds()["eos"], tmp_path)
    (file,) = bench.world.texts["leaf01"]
    text = bench.world.texts["leaf01"][file]
    line = "priority-flow-control priority 3 no-drop"
    texts = {
        "leaf01": {file: "".join(x for x in text.splitlines(keepends=True) if x.strip() != line)}
    }
    assert line in text
    assert Harm.DROP in bench.harms(texts)
    assert bench.is_found(texts, with_intent=True)
    assert bench.is_found(texts, with_intent=False)


def test_a_healthy_fabric_is_not_harmed(tmp_path: Path) -> None:
    bench = Bench.of(kinds()["eos"], tmp_path)
    assert bench.harms({}) == []


def test_a_leaf_is_removed_moved_and_swapped() -> None:
    record = PortQos(priority_to_queue=FrozenMap({0: 0, 3: 3}), pfc_rx=frozenset({3}))
    told = {str(change) for change in changes(record)}
    assert told >= {
        "priority_to_queue removed",
        "priority_to_queue[3] removed",
        "priority_to_queue[3] one more",
        "priority_to_queue[3] swapped with 0",
        "pfc_rx without 3",
        "pfc_rx 4 for 3",
        "pfc_rx also 4",
    }


def test_a_line_is_deleted_and_its_numbers_change() -> None:
    found = {(edit.line, edit.how): edit.text for edit in edits("a\nmtu 9216\n")}
    assert found == {
        (1, "deleted"): "mtu 9216\n",
        (2, "deleted"): "a\n",
        (2, "9216 one more"): "a\nmtu 9217\n",
        (2, "9216 one less"): "a\nmtu 9215\n",
        (2, "9216 halved"): "a\nmtu 4608\n",
    }


def test_json_from_which_a_line_is_gone_stays_json() -> None:
    text = '{\n  "a": "1",\n  "b": "x"\n}\n'
    deleted = [edit.text for edit in edits(text) if edit.how == "deleted"]
    assert deleted == ['{\n  "b": "x"\n}\n', '{\n  "a": "1"\n}\n']
