"""Fitted laws against the tables they were fitted to."""

import csv
from pathlib import Path

import pytest

from netcheck.lossless.asics import asic_names, find_asic
from netcheck.lossless.headroom import HeadroomQuestion, headroom

G = 1_000_000_000
LEAST_PERCENT = -1.0
# HWSKU -> ASIC, fitted table, mean error in percent that the reference gives for 100G and more
TABLES = {
    "DellEMC-Z9264f-C64": ("tomahawk-2", "dell-z9264f", 0.45),
    "DellEMC-Z9332f-O32": ("tomahawk-3", "dell-z9332f", 0.24),
    "DellEMC-Z9664f-O64": ("tomahawk-4", "dell-z9664f", 0.71),
    "Dell-Z9864f-O64": ("tomahawk-5", "dell-z9864f", 0.41),
    "M2-W6940-128QC": ("tomahawk-5", "dell-z9864f", 0.41),
    "Arista-7060X6-64PE-B-P32V128": ("tomahawk-5", "arista-7060x6", 0.44),
    "NH-4210-F-O256": ("tomahawk-6", "nexthop-4210", 0.77),
    "Nokia-IXR7220-H6-O256": ("tomahawk-6", "nokia-h6", 5.6),
    "DellEMC-S5232f-C32": ("trident-3", "dell-s5232f", 0.35),
    "DellEMC-S5448f-C48O8": ("trident-4", "dell-s5448f", 0.86),
    "Nokia-IXR7220-D4-36D": ("trident-4", "nokia-d4", 1.05),
    "d64p512t_64x800G-2x10G": ("teralynx-10", "marvell-d64p512t", 0.24),
    "Supermicro_sse_t7132s": ("teralynx-7", "supermicro-t7132s", 1.7),
    "Arista-7800R3-48CQ2-C48": ("jericho-2", "arista-7800r3", 0.23),
}
# speed in Gb/s, cable in m, published bytes
PUBLISHED = [
    ("tomahawk-3", "present", 400, 2000, 1498092),
    ("tomahawk-4", "present", 10, 5, 75438),
    ("tomahawk-4", "present", 400, 300, 817372),
    ("tomahawk-5", "present", 100, 5, 147066),
    ("tomahawk-5", "arista-7060x6", 800, 40, 830580),
    ("tomahawk-6", "nexthop-4210", 800, 500, 3724140),
    ("tomahawk-6", "nokia-h6", 800, 500, 1539720),
    ("trident-4", "present", 200, 5, 273162),
    ("teralynx-7", "present", 400, 300, 268640),
    ("teralynx-10", "present", 800, 40, 285312),
    ("jericho-2", "present", 400, 120_000, 79900672),
]


def error_percent(asic: str, parameters: str, gbps: float, cable_m: float, published: int) -> float:
    question = HeadroomQuestion(asic, int(gbps * G), cable_m, parameters=parameters)
    return 100 * (headroom(question).headroom_bytes / published - 1)


@pytest.mark.parametrize(("asic", "parameters", "gbps", "cable_m", "published"), PUBLISHED)
def test_a_fit_lies_near_the_published_figure(
    asic: str, parameters: str, gbps: int, cable_m: int, published: int
) -> None:
    assert LEAST_PERCENT <= error_percent(asic, parameters, gbps, cable_m, published) < 1.5


@pytest.mark.shared
@pytest.mark.parametrize("hwsku", TABLES)
def test_a_fit_keeps_its_error_and_is_never_much_below_its_table(hwsku: str, shared: Path) -> None:
    asic, parameters, stated = TABLES[hwsku]
    with (shared / "reference" / "sonic-headroom.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["hwsku"] == hwsku]
    errors = [
        error_percent(
            asic,
            parameters,
            int(row["speed_mbps"]) / 1000,
            float(row["cable"].rstrip("m")),
            int(row["xoff_bytes"]),
        )
        for row in rows
        if int(row["speed_mbps"]) >= 100_000
    ]
    assert min(errors) >= LEAST_PERCENT
    assert sum(map(abs, errors)) / len(errors) <= stated


@pytest.mark.parametrize("asic", [name for name in asic_names() if find_asic(name).fits])
def test_a_faster_port_never_needs_less(asic: str) -> None:
    for fit in find_asic(asic).fits:
        found = [
            headroom(HeadroomQuestion(asic, gbps * G, 40, parameters=fit.name)).headroom_bytes
            for gbps in (100, 200, 400, 800)
        ]
        assert found == sorted(found)


def test_slow_ports_of_some_families_count_as_the_next_step() -> None:
    ten, twenty_five, fifty = (
        headroom(HeadroomQuestion("tomahawk-4", gbps * G, 40)).headroom_bytes
        for gbps in (10, 25, 50)
    )
    assert ten == twenty_five < fifty


@pytest.mark.parametrize("gbps", [100, 200, 400, 800])
@pytest.mark.parametrize("cable_m", [5, 300, 2000])
def test_the_estimate_for_an_unknown_asic_is_above_every_law(gbps: int, cable_m: int) -> None:
    cautious = headroom(HeadroomQuestion("unknown", gbps * G, cable_m)).headroom_bytes
    for asic in asic_names():
        if asic not in {"unknown", "qumran-3d"}:
            found = headroom(HeadroomQuestion(asic, gbps * G, cable_m))
            assert cautious >= found.headroom_bytes, asic


@pytest.mark.parametrize("name", asic_names())
def test_every_fit_has_a_source(name: str) -> None:
    assert all(fit.source for fit in find_asic(name).fits)
