"""What nccl-tests and rccl-tests print."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.model.known import UNKNOWN
from netcheck.perf.collectives import parse_collective

RUN = (Path(__file__).parent / "all_reduce.txt").read_text("utf-8")


def test_every_row_is_read_in_bits_per_second() -> None:
    found = parse_collective(RUN)
    assert [row.size_bytes for row in found.rows] == [2**30, 2**31]
    first = found.rows[0].out_of_place
    assert first.time_us == 5311.2
    assert first.algorithm_bps == pytest.approx(202.17e9 * 8)
    assert first.bus_bps == pytest.approx(379.06e9 * 8)
    assert found.bus_bps == pytest.approx(381.688e9 * 8)
    assert (found.name, found.is_finished, found.is_correct) == ("all_reduce_perf", True, True)


def test_results_that_were_not_checked_are_unknown_and_not_right() -> None:
    assert parse_collective(RUN).rows[1].in_place.wrong is UNKNOWN
    bare = RUN.replace("      0 ", "    N/A ").replace("  379.16      0", "  379.16    N/A")
    unchecked = bare.replace("# Out of bounds values : 0 OK\n", "")
    assert parse_collective(unchecked).is_correct is UNKNOWN


def test_a_wrong_result_is_told() -> None:
    assert parse_collective(RUN.replace("384.32      0", "384.32      7")).is_correct is False
    assert parse_collective(RUN.replace("values : 0 OK", "values : 3 FAILED")).is_correct is False


def test_a_run_that_was_cut_off_is_not_finished() -> None:
    cut = RUN[: RUN.index("# Out of bounds")]
    found = parse_collective(
        cut + "node2: Test NCCL failure common.cu:963 'remote process exited'\n"
    )
    assert not found.is_finished
    assert found.bus_bps is UNKNOWN
    assert found.error.startswith("node2: Test NCCL failure")


@given(st.text())
def test_any_text_is_read_without_an_exception(text: str) -> None:
    assert parse_collective(text).rows == ()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "rows", "average", "collective"),
    [
        ("nccl_tests_all_reduce_16x_h100_8x400g_ib.txt", 5, 388.893, ""),
        ("nccl_tests_alltoall_inplace_NA.excerpt.txt", 2, 35.7757, "alltoall_perf"),
        ("rccl_tests_all_reduce_16x_mi300x_roce.txt", 5, 354.659, "all_reduce_perf"),
    ],
)
def test_real_runs_are_read(
    shared: Path, name: str, rows: int, average: float, collective: str
) -> None:
    found = parse_collective((shared / "captures" / "nic" / name).read_text())
    assert len(found.rows) == rows
    assert found.bus_bps == pytest.approx(average * 8e9)
    assert (found.name, found.wrong, found.is_correct) == (collective, 0, True)
