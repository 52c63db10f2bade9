"""ECN thresholds and efficiency against published figures."""

import pytest

from netcheck.lossless.ecn import (
    FEEDBACK_S,
    all_hot_kmax_bytes,
    ecn_thresholds,
    incast_that_marks_first,
    lowest_useful_kmin_bytes,
    pfc_onset_bytes,
    shared_pool_bytes,
    static_xoff_bytes,
)
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


def test_thresholds_stay_below_the_pause_of_a_small_pool() -> None:
    pool = 4_580_864
    found = ecn_thresholds(400_000_000_000, pool_bytes=pool, alpha=1 / 8)
    assert found.kmin_bytes < found.kmax_bytes < pfc_onset_bytes(pool_bytes=pool, alpha=1 / 8)
    assert "kept below PFC" in found.derivation


def test_thresholds_of_a_large_pool_are_those_of_the_speed() -> None:
    plain = ecn_thresholds(400_000_000_000)
    assert ecn_thresholds(400_000_000_000, pool_bytes=125_752_320) == plain


def test_a_long_way_raises_the_thresholds() -> None:
    far = ecn_thresholds(400_000_000_000, round_trip_s=400e-6)
    assert far.kmin_bytes == round(50e9 * 400e-6 / 7)


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


# the switch of the DCQCN study: 12 MB, 32 ports of 40G, 8 priorities, 22.4 KB of headroom each
DCQCN_POOL = shared_pool_bytes(
    buffer_bytes=12_000_000, ports=32, priorities=8, headroom_bytes=22_400
)


def test_the_threshold_below_which_ecn_always_acts_first_equals_the_dcqcn_study() -> None:
    found = all_hot_kmax_bytes(pool_bytes=DCQCN_POOL, alpha=1, ports=32, priorities=8)
    assert found == pytest.approx(21_750, rel=1e-3)


def test_the_static_pause_threshold_equals_the_dcqcn_study() -> None:
    found = static_xoff_bytes(pool_bytes=DCQCN_POOL, ports=32, priorities=8)
    assert found == pytest.approx(24_470, rel=1e-3)


def test_marks_come_first_up_to_the_incast_at_which_the_fill_meets_the_pause() -> None:
    most = incast_that_marks_first(
        kmax_bytes=1_600_000,
        pool_bytes=4_580_864,
        alpha=1.0,
        speed_bps=100_000_000_000,
        feedback_s=FEEDBACK_S,
    )
    per_sender = 100e9 / 8 * FEEDBACK_S
    fills = [1_600_000 + (senders - 1) * per_sender for senders in (most, most + 1)]
    onsets = [
        pfc_onset_bytes(pool_bytes=4_580_864, alpha=1.0, senders=senders)
        for senders in (most, most + 1)
    ]
    assert fills[0] < onsets[0]
    assert fills[1] >= onsets[1]


def test_thresholds_above_the_pause_absorb_no_incast() -> None:
    found = incast_that_marks_first(
        kmax_bytes=3_000_000,
        pool_bytes=4_580_864,
        alpha=1.0,
        speed_bps=100_000_000_000,
        feedback_s=FEEDBACK_S,
    )
    assert found == 0
