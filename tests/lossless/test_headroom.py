"""Headroom against the tables that vendors ship."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.lossless.asics import asic_names, asic_of_model, find_asic
from netcheck.lossless.headroom import (
    HeadroomQuestion,
    headroom,
    nic_headroom_bytes,
    parameter_sets,
    wire_bytes,
)
from netcheck.model.errors import InputError
from netcheck.model.known import UNKNOWN

HERE = Path(__file__).parent
EXACT_TABLES = {
    "ACS-SN5600": ("spectrum-4", "worst-case"),
    "ACS-MSN2700": ("spectrum-1", "2020"),
    "ACS-SN2201": ("spectrum-1", "2020"),
    "ACS-MSN3700": ("spectrum-2", "2020"),
    "ACS-MSN4700": ("spectrum-3", "2020"),
    "Mellanox-SN2700-D40C8S8": ("spectrum-1", "2020-half-small"),
    "Mellanox-SN5600-V256": ("spectrum-4", "sn5600-v256"),
    "Mellanox-SN5640-C448O16": ("spectrum-5", "sn5640"),
    "Mellanox-SN5640-C512X2": ("spectrum-5", "sn5640"),
    "Mellanox-SN4600C-D24C52": ("spectrum-3", "sn4600c-d24c52"),
    "ACS-SN6600_LD": ("spectrum-6", "sn6600"),
    "ACS-SN6810_LD": ("spectrum-6", "sn6600"),
}
SPEEDS = [10, 25, 40, 50, 100, 200, 400, 800]


def published() -> list[dict[str, str]]:
    lines = (HERE / "published_headroom.csv").read_text().splitlines()[1:]
    return list(csv.DictReader(lines))


@pytest.mark.parametrize("row", published(), ids=lambda row: "-".join(row.values()))
def test_headroom_equals_the_published_figure(row: dict[str, str]) -> None:
    question = HeadroomQuestion(
        row["asic"],
        int(row["speed_mbps"]) * 1_000_000,
        float(row["cable_m"]),
        parameters=row["parameters"],
    )
    assert headroom(question).headroom_bytes == int(row["headroom_bytes"])


@pytest.mark.shared
def test_every_row_of_twelve_shipped_tables_is_reproduced(shared: Path) -> None:
    with (shared / "reference" / "sonic-headroom.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["hwsku"] in EXACT_TABLES]
    checked = {}
    for row in rows:
        if int(row["speed_mbps"]) < 10_000:
            continue
        asic, parameters = EXACT_TABLES[row["hwsku"]]
        speed, cable = int(row["speed_mbps"]) * 1_000_000, float(row["cable"].rstrip("m"))
        found = headroom(HeadroomQuestion(asic, speed, cable, parameters=parameters))
        checked[row["hwsku"], speed, cable] = found.headroom_bytes - int(row["xoff_bytes"])
    assert len(checked) > 200
    assert set(checked.values()) == {0}


@pytest.mark.parametrize("asic", asic_names())
@pytest.mark.parametrize("parameters", parameter_sets())
def test_the_terms_add_up_to_the_headroom(asic: str, parameters: str) -> None:
    found = headroom(HeadroomQuestion(asic, 400_000_000_000, 40, parameters=parameters))
    assert sum(value for _, value in found.terms) == found.headroom_bytes


@given(
    asic=st.sampled_from(asic_names()),
    gbps=st.sampled_from(SPEEDS),
    short=st.floats(1, 1000),
    more=st.floats(1, 1000),
)
def test_headroom_grows_with_the_cable_and_covers_the_wire(
    asic: str, gbps: int, short: float, more: float
) -> None:
    speed = gbps * 1_000_000_000
    low = headroom(HeadroomQuestion(asic, speed, short))
    high = headroom(HeadroomQuestion(asic, speed, short + more))
    assert low.headroom_bytes <= high.headroom_bytes
    assert low.headroom_bytes >= wire_bytes(speed, short)


def test_an_eight_lane_port_doubles_xon_and_adds_a_frame() -> None:
    four = headroom(HeadroomQuestion("spectrum-4", 400_000_000_000, 40, lanes=4))
    eight = headroom(HeadroomQuestion("spectrum-4", 400_000_000_000, 40, lanes=8))
    assert (four.xon_bytes, eight.xon_bytes) == (19 * 1024, 38 * 1024)
    assert eight.size_bytes == eight.headroom_bytes + eight.xon_bytes + 9 * 1024


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"asic": "spectrum4"}, "did you mean spectrum-4"),
        ({"cable_m": 0}, "cable 0 m"),
        ({"cable_m": 120_001}, "cable 120001 m"),
        ({"speed_bps": 33_000_000_000}, "speed 33G"),
        ({"parameters": "future"}, "parameters future"),
    ],
)
def test_what_cannot_be_computed_is_refused(change: dict[str, object], message: str) -> None:
    question = {"asic": "spectrum-4", "speed_bps": 400_000_000_000, "cable_m": 40.0} | change
    with pytest.raises(InputError, match=message):
        headroom(HeadroomQuestion(**question))  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(
    ("gbps", "cable", "expected"),
    [(100, 7, 56667), (200, 40, 102467), (400, 100, 231867), (800, 300, 784267)],
)
def test_nic_headroom_equals_the_driver(gbps: int, cable: int, expected: int) -> None:
    found = nic_headroom_bytes(speed_bps=gbps * 1_000_000_000, cable_m=cable, mtu_bytes=9216)
    assert found == expected


def test_models_lead_to_their_asic() -> None:
    assert asic_of_model("ACS-SN5600") == "spectrum-4"
    assert asic_of_model("Mellanox-SN5640-C512S2") == "spectrum-5"
    assert asic_of_model("DellEMC-Z9332f-O32") == "tomahawk-3"
    assert asic_of_model("toaster") is UNKNOWN


@pytest.mark.parametrize("name", asic_names())
def test_every_asic_has_a_source_and_a_cell(name: str) -> None:
    asic = find_asic(name)
    assert asic.source
    assert asic.cell_bytes > 0
