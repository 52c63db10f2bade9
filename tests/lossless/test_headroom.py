"""Headroom against the tables that vendors ship."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.lossless.asics import asic_names, asic_of_model, find_asic
from netcheck.lossless.headroom import (
    HeadroomQuestion,
    headroom,
    nic_headroom_bytes,
    parameter_names,
    wire_bytes,
)
from netcheck.model.errors import InputError
from netcheck.model.known import UNKNOWN

HERE = Path(__file__).parent
DEVICE = "device/mellanox/x86_64-"
# folder of the table below DEVICE -> ASIC, parameter set, rows of 10G and more
EXACT_TABLES = {
    "mlnx_msn2700-r0/ACS-MSN2700": ("spectrum-1", "2020", 15),
    "nvidia_sn2201-r0/ACS-SN2201": ("spectrum-1", "2020", 15),
    "mlnx_msn2700-r0/Mellanox-SN2700-D40C8S8": ("spectrum-1", "2020-half-small", 15),
    "mlnx_msn3700-r0/ACS-MSN3700": ("spectrum-2", "2020", 18),
    "mlnx_msn4700-r0/ACS-MSN4700": ("spectrum-3", "2020", 21),
    "nvidia_sn4280_simx-r0/ACS-SN4280": ("spectrum-3", "2020", 21),
    "mlnx_msn4600c-r0/Mellanox-SN4600C-D24C52": ("spectrum-3", "sn4600c-d24c52", 25),
    "nvidia_sn5600-r0/ACS-SN5600": ("spectrum-4", "worst-case", 24),
    "nvidia_sn5600_simx-r0/ACS-SN5600": ("spectrum-4", "worst-case", 24),
    "nvidia_sn5600-r0/Mellanox-SN5600-V256": ("spectrum-4", "sn5600-v256", 24),
    "nvidia_sn5640-r0/Mellanox-SN5640-C448O16": ("spectrum-5", "sn5640", 36),
    "nvidia_sn5640-r0/Mellanox-SN5640-C512X2": ("spectrum-5", "sn5640", 42),
    "nvidia_sn6600_ld-r0/ACS-SN6600_LD": ("spectrum-6", "sn6600", 14),
    "nvidia_sn6600_simx-r0/ACS-SN6600": ("spectrum-6", "sn6600", 14),
    "nvidia_sn6810_ld-r0/ACS-SN6810_LD": ("spectrum-6", "sn6600", 14),
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


def shipped(shared: Path) -> dict[str, list[dict[str, str]]]:
    """Rows of 10G and more of every shipped table, by its folder."""
    tables: dict[str, list[dict[str, str]]] = {}
    with (shared / "reference" / "sonic-headroom.csv").open() as file:
        for row in csv.DictReader(file):
            if int(row["speed_mbps"]) >= 10_000:
                folder = row["source_path"].removesuffix("/pg_profile_lookup.ini")
                tables.setdefault(folder, []).append(row)
    return tables


def ours(row: dict[str, str], asic: str, parameters: str) -> int:
    speed, cable = int(row["speed_mbps"]) * 1_000_000, float(row["cable"].rstrip("m"))
    question = HeadroomQuestion(asic, speed, cable, parameters=parameters)
    return headroom(question).headroom_bytes


@pytest.mark.shared
@pytest.mark.parametrize("folder", EXACT_TABLES)
def test_every_row_of_a_shipped_table_is_reproduced(folder: str, shared: Path) -> None:
    asic, parameters, count = EXACT_TABLES[folder]
    rows = shipped(shared)[DEVICE + folder]
    assert [ours(row, asic, parameters) for row in rows] == [int(row["xoff_bytes"]) for row in rows]
    assert len(rows) == count


def test_fifteen_tables_have_322_rows() -> None:
    assert len(EXACT_TABLES) == 15
    assert sum(count for _, _, count in EXACT_TABLES.values()) == 322


def asics_with_parameters() -> Iterator[tuple[str, str]]:
    for name in asic_names():
        yield from ((name, parameters) for parameters in parameter_names(name))


@pytest.mark.parametrize(("asic", "parameters"), list(asics_with_parameters()))
@pytest.mark.parametrize("gbps", SPEEDS)
def test_the_terms_add_up_to_the_headroom(asic: str, parameters: str, gbps: int) -> None:
    found = headroom(HeadroomQuestion(asic, gbps * 10**9, 40, parameters=parameters))
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
        ({"parameters": "nokia-h6"}, "parameters nokia-h6: not of spectrum-4"),
        ({"asic": "tomahawk-6", "parameters": "2020"}, "expected one of present, nexthop-4210"),
        ({"asic": "tomahawk-6", "lossless_mtu": 1024}, "takes no lossless MTU"),
        ({"small_packet_percent": 150}, "small packets 150 %"),
        ({"l2_mtu": 0}, "L2 MTU 0 bytes: expected 64"),
        ({"lossless_mtu": 65_536}, "lossless MTU 65536"),
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


def test_a_nic_is_asked_like_a_switch() -> None:
    found = headroom(HeadroomQuestion("mlx5", 400_000_000_000, 100))
    assert (found.headroom_bytes, found.size_bytes) == (231_867, 231_867 + 9216 + 256)


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


@pytest.mark.parametrize(
    ("gbps", "cable_m", "expected"),
    # (9216 + cable + 819.2 + response) * 1.875 + 1024, in KiB rounded up; response doubled at 400G
    [(100, 5, 68_608), (400, 40, 274_432)],
)
def test_barefoot_is_computed_as_its_script_does(gbps: int, cable_m: int, expected: int) -> None:
    found = headroom(HeadroomQuestion("tofino-2", gbps * 10**9, cable_m))
    assert found.headroom_bytes == expected
    assert found.xon_bytes == 68 * 1024
