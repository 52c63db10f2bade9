"""What is wrong with headroom tables that vendors ship."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.lossless import tables
from netcheck.lossless.headroom import HeadroomQuestion, headroom
from netcheck.model.known import UNKNOWN
from netcheck.model.qos import HeadroomRow

G = 1_000_000_000
SPEEDS = (10, 100, 400)
LENGTHS = (5, 40, 300)

Found = Callable[[tables.Rows], set[str]]


def row(gbps: int, cable_m: int, headroom_bytes: int) -> HeadroomRow:
    return HeadroomRow(gbps * G, cable_m, 19456, headroom_bytes, 19456)


def computed(gbps: int, cable_m: int, *, l2_mtu: int = 9216) -> HeadroomRow:
    question = HeadroomQuestion(
        "spectrum-4", gbps * G, cable_m, parameters="worst-case", l2_mtu=l2_mtu
    )
    return row(gbps, cable_m, headroom(question).headroom_bytes)


def computed_table() -> list[HeadroomRow]:
    return [computed(gbps, cable_m) for gbps in SPEEDS for cable_m in LENGTHS]


def labels(rows: list[HeadroomRow]) -> set[str]:
    return {f"{row.speed_bps // G}G {row.cable_m}m" for row in rows}


def short(rows: tables.Rows, l2_mtu: object) -> set[str]:
    return labels([each.row for each in tables.short_rows(rows) if each.l2_mtu == l2_mtu])


def wire(rows: tables.Rows) -> set[str]:
    return labels([found for found, _ in tables.below_wire(rows)])


def growth(rows: tables.Rows) -> set[str]:
    return labels([step.longer for step, _ in tables.flat_steps(rows)])


def at(length: int, *speeds: int) -> set[str]:
    return {f"{speed}G {length}m" for speed in speeds}


ALL = (10, 25, 40, 50, 100, 200, 400, 800)
SLOW = (10, 25, 40, 50, 100)
# HWSKU, what looks, rows that the reference names
ANOMALIES: list[tuple[str, Found, set[str]]] = [
    ("Mellanox-SN5600-C256S1", lambda rows: short(rows, 1024), at(1000, *ALL)),
    (
        "Mellanox-SN5600-C224O8",
        lambda rows: short(rows, 1024),
        at(250, *ALL) | at(1000, *ALL),
    ),
    (
        "Mellanox-SN5610N-C256S2",
        lambda rows: short(rows, 1024),
        at(250, *ALL) | at(1000, *ALL),
    ),
    (
        "Mellanox-SN5600-C256S1",
        lambda rows: labels([found for found, _ in tables.odd_sizes(rows)]),
        at(250, 10),
    ),
    ("Mellanox-SN2700-D48C8", lambda rows: short(rows, UNKNOWN), at(2000, *SLOW)),
    ("Mellanox-SN4600C-D112C8", lambda rows: short(rows, UNKNOWN), at(2000, *SLOW)),
    ("Mellanox-SN4700-C128", lambda rows: short(rows, UNKNOWN), at(2000, *SLOW, 400)),
    ("Mellanox-SN3800-D112C8", growth, at(2000, *SLOW)),
    ("Mellanox-SN4700-C128", wire, at(2000, 40, 50, 100, 400)),
    ("Mellanox-SN2700-D48C8", wire, at(2000, 25, 40, 50, 100)),
    ("Mellanox-SN4700-O8C48", wire, at(1500, 400) | at(2000, 400)),
    (
        "Mellanox-SN4280-O28",
        lambda rows: labels([each for copy in tables.copies(rows) for each in copy.short()]),
        at(1500, 400) | at(2000, 400),
    ),
    (
        "newport",
        lambda rows: labels(list(list(tables.copies(rows))[-1].short())),
        at(5, 400) | at(40, 400) | at(300, 400),
    ),
    (
        "Arista-7060X6-64PE-B-O128",
        lambda rows: labels([each for copy in tables.copies(rows) for each in copy.faster]),
        {f"400G {length}m" for length in (5, 30, 40, 60, 150, 500)},
    ),
    (
        "NH-5010-F-O64",
        lambda rows: labels([faster for _, faster in tables.slower_is_larger(rows)]),
        {f"800G {length}m" for length in (30, 50, 300)},
    ),
    (
        "NH-4010",
        lambda rows: {f"{speed // G}G" for speed in tables.constant_speeds(rows)},
        {"25G", "200G", "400G", "800G"},
    ),
]


@pytest.mark.shared
@pytest.mark.parametrize(("hwsku", "find", "named"), ANOMALIES)
def test_the_anomaly_of_a_shipped_table_is_found(
    hwsku: str, find: Found, named: set[str], shared: Path
) -> None:
    with (shared / "reference" / "sonic-headroom.csv").open() as file:
        found = [each for each in csv.DictReader(file) if each["hwsku"] == hwsku]
    rows = tuple(
        HeadroomRow(
            int(each["speed_mbps"]) * 1_000_000,
            int(each["cable"].rstrip("m")),
            int(each["size_bytes"]),
            int(each["xoff_bytes"]),
            int(each["xon_bytes"]),
        )
        for each in found
    )
    assert find(rows) == named


def test_a_table_of_computed_rows_has_nothing_wrong() -> None:
    rows = tuple(computed_table())
    assert tables.law_of(rows) == tables.Law("spectrum-4", "worst-case")
    assert not list(tables.short_rows(rows))
    assert not list(tables.flat_steps(rows))
    assert not list(tables.copies(rows))
    assert not tables.constant_speeds(rows)


def test_rows_for_small_frames_are_told_from_rows_that_are_just_short() -> None:
    rows = (*computed_table(), computed(400, 1000, l2_mtu=1024), row(100, 1000, 200_000))
    assert short(rows, 1024) == at(1000, 400)
    assert short(rows, UNKNOWN) == at(1000, 100)


def test_a_table_of_few_speeds_gets_no_law_by_chance() -> None:
    rows = tuple(each for each in computed_table() if each.speed_bps != 10 * G)
    assert tables.law_of(rows) is UNKNOWN


@given(
    spoiled=st.sampled_from([(gbps, cable_m) for gbps in SPEEDS for cable_m in LENGTHS]),
    missing=st.integers(1025, 20_000),
)
def test_any_row_that_lost_more_than_rounding_is_found(
    spoiled: tuple[int, int], missing: int
) -> None:
    gbps, cable_m = spoiled
    whole = computed_table()
    index = whole.index(computed(gbps, cable_m))
    whole[index] = row(gbps, cable_m, whole[index].headroom_bytes - missing)
    assert labels([each.row for each in tables.short_rows(tuple(whole))]) == at(cable_m, gbps)
