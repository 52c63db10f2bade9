"""ECN thresholds and efficiency against published figures."""

import pytest

from netcheck.lossless.ecn import ecn_thresholds, lowest_useful_kmin_bytes, pfc_onset_bytes
from netcheck.lossless.efficiency import (
    rdma_mtu_for,
    roce_efficiency,
    roce_ip_packet_bytes,
    roce_overhead_bytes,
)


@pytest.mark.parametrize(
    ("gbps", "kmin", "kmax"),
    [(25, 100_000, 400_000), (100, 400_000, 1_600_000), (400, 1_600_000, 6_400_000)],
)
def test_thresholds_equal_those_of_the_hpcc_study(gbps: int, kmin: int, kmax: int) -> None:
    found = ecn_thresholds(gbps * 1_000_000_000)
    assert (found.kmin_bytes, found.kmax_bytes) == (kmin, kmax)


@pytest.mark.parametrize(
    ("pool", "alpha", "expected_mb"),
    [(4_580_864, 1 / 8, 0.51), (14_542_848, 2, 9.70), (10_875_072, 1, 5.44)],
)
def test_onset_of_pause_equals_the_table(pool: int, alpha: float, expected_mb: float) -> None:
    assert pfc_onset_bytes(pool_bytes=pool, alpha=alpha) / 1e6 == pytest.approx(
        expected_mb, abs=0.01
    )


def test_more_senders_delay_the_onset_of_pause() -> None:
    one = pfc_onset_bytes(pool_bytes=10_000_000, alpha=1)
    assert pfc_onset_bytes(pool_bytes=10_000_000, alpha=1, senders=8) > one


def test_a_link_needs_a_seventh_of_its_round_trip() -> None:
    found = lowest_useful_kmin_bytes(speed_bps=400_000_000_000, round_trip_s=8e-6)
    assert found == pytest.approx(57_143, abs=1)


@pytest.mark.parametrize(("mtu", "percent"), [(1024, 92.59), (2048, 96.15), (4096, 98.04)])
def test_efficiency_equals_the_published_share(mtu: int, percent: float) -> None:
    assert roce_efficiency(mtu) * 100 == pytest.approx(percent, abs=0.005)


def test_overhead_counts_tags_and_address_family() -> None:
    assert roce_overhead_bytes() == 82
    assert roce_overhead_bytes(is_ipv6=True, vlan_tags=1) == 106


@pytest.mark.parametrize(
    ("ip_mtu", "rdma_mtu"), [(4192, 4096), (4191, 2048), (1500, 1024), (300, 0)]
)
def test_the_port_mtu_bounds_the_rdma_mtu(ip_mtu: int, rdma_mtu: int) -> None:
    assert rdma_mtu_for(ip_mtu) == rdma_mtu


def test_a_write_with_immediate_data_is_the_largest_packet() -> None:
    assert roce_ip_packet_bytes(4096) == 4096 + 64
    assert roce_ip_packet_bytes(4096, is_ipv6=True) == 4096 + 84
