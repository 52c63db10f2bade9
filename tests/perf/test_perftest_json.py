"""The JSON file of perftest, valid or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.model.known import UNKNOWN, is_known
from netcheck.perf.perftest_json import is_perftest_json, parse_perftest_json, read_perftest

OLD = """{
test_info: {
test: RDMA_Write_BW_Test,
Device: "mlx5_2",
Number_of_qps: 4,
TX_depth : 128,
Mtu: 2048,
},
results: {
MsgSize: 65536,
n_iterations: 1121457,
BW_peak: 0.00,
BW_average: 196.03,
MsgRate: 0.373897,
},
}
"""
NEW = """{
"test_info": {
"test": "RDMA_Write_Latency_Test",
"Device": "mlx5_2",
"Mtu": 4096
},
"results": {
"MsgSize": 2,
"n_iterations": 1000,
"t_min": 1.91,
"t_max": 7.03,
"t_typical": 2.02,
"t_avg": 2.06,
"t_stdev": 0.11,
"percentile_99": 2.93,
"percentile_99.9": 7.03
}
}
"""


def test_a_file_that_is_no_json_is_read() -> None:
    found = parse_perftest_json(OLD)
    assert found.bandwidth_bps == pytest.approx(196.03e9)
    assert (found.message_rate_pps, found.rdma_mtu, found.iterations) == (
        373_897.0,
        2048,
        1_121_457,
    )


def test_latency_is_read_with_its_percentile() -> None:
    found = parse_perftest_json(NEW)
    assert (found.latency_us, found.percentile_99_us, found.rdma_mtu) == (2.02, 2.93, 4096)
    assert found.bandwidth_bps is UNKNOWN


@pytest.mark.parametrize(
    ("average", "expected"),
    [("196.03", 196.03e9), ("23368.56", 23368.56 * 8 * 2**20), ("24503.71", 24503.71e6 * 8)],
    ids=["Gb/s", "MiB/s", "MB/s"],
)
def test_the_unit_is_told_by_the_messages_sent(average: str, expected: float) -> None:
    found = parse_perftest_json(OLD.replace("196.03", average))
    assert found.bandwidth_bps == pytest.approx(expected)


@pytest.mark.parametrize(
    "line", ["MsgRate: 0.373897,\n", "MsgSize: 65536,\n", "BW_average: 196.03,\n"]
)
def test_a_missing_figure_leaves_bandwidth_unknown(line: str) -> None:
    assert parse_perftest_json(OLD.replace(line, "")).bandwidth_bps is UNKNOWN


def test_a_bandwidth_that_contradicts_the_messages_is_unknown() -> None:
    assert parse_perftest_json(OLD.replace("196.03", "392.06")).bandwidth_bps is UNKNOWN


def test_the_empty_field_of_the_option_output_does_no_harm() -> None:
    text = '{\n"test_info": {\n"Mtu": 4096\n},\n"results": {\n"bw_avg": 392.050000,\n\n}\n}\n'
    found = parse_perftest_json(text)
    assert found.rdma_mtu == 4096
    assert found.bandwidth_bps is UNKNOWN


@given(st.text())
def test_any_text_is_read_without_an_exception(text: str) -> None:
    assert not is_known(parse_perftest_json(text).bandwidth_bps)
    assert read_perftest(text).rdma_mtu == read_perftest(text + "\n").rdma_mtu


def test_either_form_is_recognised() -> None:
    assert read_perftest(NEW) == parse_perftest_json(NEW)
    assert not is_perftest_json(" #bytes     #iterations\n")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("nic/perftest_out_json_24.01+_bw_duration.RECONSTRUCTED.json", (392.05e9, UNKNOWN)),
        ("nic/perftest_out_json_pre-24.01_INVALID.RECONSTRUCTED.json", (392.05e9, UNKNOWN)),
        ("nic/perftest_out_json_24.01+_lat.RECONSTRUCTED.json", (UNKNOWN, 1.47)),
        ("nic/perftest_out_json_output-bandwidth_INVALID.RECONSTRUCTED.json", (UNKNOWN, UNKNOWN)),
        ("rdma/perftest/write_bw.client.json", (0.53e9, UNKNOWN)),
        ("rdma/perftest/write_bw_all.client.json", (0.50e9, UNKNOWN)),
        ("rdma/perftest/write_lat.client.json", (UNKNOWN, 219.16)),
    ],
)
def test_real_files_are_read(shared: Path, name: str, figures: tuple[object, object]) -> None:
    found = read_perftest((shared / "captures" / name).read_text())
    assert (found.bandwidth_bps, found.latency_us) == figures


@pytest.mark.shared
def test_every_real_file_agrees_with_what_was_printed(shared: Path) -> None:
    files = sorted((shared / "captures/rdma/perftest").glob("*.client.json"))
    # the last row of this one runs into the mark of a timeout
    one_size = [path for path in files if path.name != "write_bw_all.client.json"]
    assert one_size
    for path in one_size:
        printed = read_perftest(path.with_suffix(".txt").read_text())
        written = read_perftest(path.read_text())
        assert written.latency_us == printed.latency_us, path.name
        assert written.rdma_mtu == printed.rdma_mtu, path.name
        assert written.bandwidth_bps == printed.bandwidth_bps, path.name
