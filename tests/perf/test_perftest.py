"""Reading perftest's output; the samples follow its format strings."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.model.known import UNKNOWN
from netcheck.perf.perftest import (
    Memory,
    PerftestRun,
    Tool,
    client_line,
    parse_perftest,
    server_line,
)

BANDWIDTH = """\
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_0
 Mtu             : 4096[B]
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      1848064          0.00               390.52             0.744859
---------------------------------------------------------------------------------------
"""
LATENCY = """\
 Mtu             : 4096[B]
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 2       1000          2.31           9.84         2.38                2.40             0.10            2.61                    9.84
"""  # noqa: E501 -- one line in the real output too
RUN = PerftestRun(Tool.WRITE_BW, "mlx5_1", "mlx5_0", "10.100.0.2", 3, 5, 106, port=18520)


def test_bandwidth_comes_from_the_average_column_in_bits() -> None:
    found = parse_perftest(BANDWIDTH)
    assert (found.bandwidth_bps, found.rdma_mtu, found.iterations) == (390.52e9, 4096, 1_848_064)
    assert found.error == ""


@pytest.mark.parametrize("unit", ["MB", "MiB"])
def test_mebibytes_are_bytes_by_two_to_the_twenty_under_both_names(unit: str) -> None:
    text = BANDWIDTH.replace("Gb/sec", f"{unit}/sec").replace("390.52", "11920.00")
    assert parse_perftest(text).bandwidth_bps == pytest.approx(11920 * 2**20 * 8)


def test_latency_takes_the_typical_value_and_the_99th_percentile() -> None:
    found = parse_perftest(LATENCY)
    assert (found.latency_us, found.percentile_99_us) == (2.38, 2.61)


def test_latency_columns_that_touch_are_split_by_their_decimals() -> None:
    touching = LATENCY.replace("0.10            2.61  ", "2465.901216.65  ")
    assert parse_perftest(touching).percentile_99_us == 1216.65


def test_the_largest_message_of_several_counts() -> None:
    row = " 8388608    4000             391.00             390.90             0.005825\n"
    assert parse_perftest(BANDWIDTH + row).bandwidth_bps == 390.90e9


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Couldn't connect to 10.0.0.1:18515\n", "cannot connect"),
        ("Couldn't listen to port 18515\n Unable to init the socket connection\n", "port is taken"),
        # of a server with -R beside another one (soft-RoCE, perftest 4.5-0.17)
        (
            (
                " rdma_bind_addr failed\n Unable to perform rdma_server function\n"
                " Unable to init the socket connection\n"
            ),
            "port is taken",
        ),
        (
            " Failed status transport retry counter exceeded (12): wr_id 0 syndrom 0x81\n",
            "no acknowledgement",
        ),
        (" Failed status 12: wr_id 0 syndrom 0x81\n", "no acknowledgement"),
        ("IB device mlx5_9 not found\n", "no RDMA device"),
        (" Failed to modify QP 298 to RTR\n", "GID"),
        ("bash: ib_write_bw: command not found\n", "not installed"),
    ],
)
def test_an_error_is_named_and_gives_no_figure(text: str, error: str) -> None:
    found = parse_perftest(text)
    assert error in found.error
    assert found.bandwidth_bps is UNKNOWN


@given(st.integers(0, len(BANDWIDTH)))
def test_a_cut_output_never_gives_another_figure(cut: int) -> None:
    assert parse_perftest(BANDWIDTH[:cut]).bandwidth_bps in (UNKNOWN, 390.52e9)


def test_both_sides_get_the_same_options_and_the_client_the_address() -> None:
    server, client = server_line(RUN), client_line(RUN)
    assert server == (
        "ib_write_bw -d mlx5_1 -x 3 -p 18520 -F --tclass=106 -s 65536 -q 4 -D 5 --report_gbits"
    )
    assert client == server.replace("mlx5_1 -x 3", "mlx5_0 -x 5") + " 10.100.0.2"


def test_a_pinned_run_stays_on_the_node_of_its_own_netdev() -> None:
    pinned = replace(RUN, server_pin="rail1", client_pin="rail0")
    assert server_line(pinned) == f"numactl -N netdev:rail1 -m netdev:rail1 {server_line(RUN)}"
    assert client_line(pinned) == f"numactl -N netdev:rail0 -m netdev:rail0 {client_line(RUN)}"


@pytest.mark.parametrize("memory", [Memory.CUDA, Memory.ROCM])
def test_each_side_uses_its_own_gpu(memory: Memory) -> None:
    gpu = replace(RUN, memory=memory, server_gpu=1, client_gpu=5)
    assert server_line(gpu) == f"{server_line(RUN)} --use_{memory}=1"
    assert client_line(gpu) == client_line(RUN).replace(" 10.100", f" --use_{memory}=5 10.100")


def test_with_rdma_cm_the_traffic_class_goes_by_its_option() -> None:
    line = client_line(replace(RUN, rdma_cm=True))
    assert line == client_line(RUN).replace("--tclass=106", "-R -T 106")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("ib_write_bw: unrecognized option '--use_cuda=0'\n", "not built"),
        ("bash: numactl: command not found\n", "numactl is not installed"),
    ],
)
def test_what_a_host_lacks_is_named(text: str, error: str) -> None:
    assert error in parse_perftest(text).error


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "bandwidth"),
    [
        ("nic/ib_write_bw_roce_mlx4_duration_server_gid.txt", 36.31e9),
        ("rdma/perftest/read_bw.client.txt", 0.50e9),
    ],
)
def test_real_output_is_read(shared: Path, name: str, bandwidth: float) -> None:
    assert parse_perftest((shared / "captures" / name).read_text()).bandwidth_bps == bandwidth


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "typical", "tail"),
    [
        ("ib_write_lat_cx7_rdma_cm_gb10.txt", 1.47, 1.57),
        ("ib_send_lat_rxe_glued_columns.txt", 692.41, 1216.65),
    ],
)
def test_real_latency_is_read(shared: Path, name: str, typical: float, tail: float) -> None:
    found = parse_perftest((shared / "captures" / "nic" / name).read_text())
    assert (found.latency_us, found.percentile_99_us) == (typical, tail)
