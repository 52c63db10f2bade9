"""Two readings of a subnet: what its counters did between them."""

from __future__ import annotations

from pathlib import Path

from netcheck.collect.assemble import assemble
from netcheck.collect.grouping import gather
from netcheck.model.finding import Finding, Place, Verdict
from tests.platforms.infiniband import infiniband_texts as texts

CLEAN = """\

## Summary: 6 nodes checked, 0 bad nodes found
##          14 ports checked, 0 ports have errors beyond threshold
## Thresholds:
## Suppressed: PortRcvSwitchRelayErrors
"""
ERRORS = texts.ERRORS.replace("[SymbolErrorCounter = 2]", "")


def moved(tmp_path: Path, **files: str) -> list[Finding]:
    for name, text in files.items():
        (tmp_path / f"{name.replace('_', '-')}.txt").write_text(text)
    return list(assemble(gather([tmp_path]).devices).moved)


def test_a_counter_that_a_clean_list_does_not_show_grew_from_zero(tmp_path: Path) -> None:
    found = moved(tmp_path, topology=texts.TOPOLOGY, t0_errors=CLEAN, t1_errors=ERRORS)
    assert {(one.rule, one.where, one.found) for one in found} == {
        ("loss-moving", (Place("leaf1", "5"),), "+70000"),
        ("physical-errors-moving", (Place("leaf1", "5"),), "+3"),
        ("physical-errors-moving", (Place("leaf2"),), "+2"),
        ("loss-moving", (Place("gpu3", "mlx5_0/2"),), "+1"),
    }
    assert {one.verdict for one in found} == {Verdict.FAIL}


def test_counters_by_lid_are_those_of_the_nodes_that_the_first_reading_tells(
    tmp_path: Path,
) -> None:
    later = texts.COUNTERS.replace("SymbolErrorCounter:..............0", "SymbolErrorCounter:9")
    before = texts.COUNTERS.replace("65535", "12")
    found = moved(
        tmp_path,
        topology=texts.TOPOLOGY,
        t0_counters=before,
        t1_counters=later.replace("SymbolErrorCounter:9", "SymbolErrorCounter:..............9"),
    )
    assert {(one.where, one.verdict) for one in found} == {
        ((Place("leaf1", "5"),), Verdict.FAIL),
        ((Place("leaf1", "5"),), Verdict.UNVERIFIED),  # PortXmitDiscards stopped at its width
    }


def test_a_list_that_was_told_to_hide_errors_proves_nothing_by_silence(tmp_path: Path) -> None:
    hiding = CLEAN.replace("Suppressed:", "Suppressed: SymbolErrorCounter")
    found = moved(tmp_path, topology=texts.TOPOLOGY, t0_errors=hiding, t1_errors=ERRORS)
    assert {one.verdict for one in found} == {Verdict.UNVERIFIED}


def test_one_reading_moves_nothing(tmp_path: Path) -> None:
    assert moved(tmp_path, topology=texts.TOPOLOGY, errors=ERRORS) == []
