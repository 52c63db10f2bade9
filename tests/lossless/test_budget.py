"""Buffer budgets against published figures and their own bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.lossless.asics import find_asic
from netcheck.lossless.budget import (
    lossless_priorities_possible,
    port_headroom_bytes,
    ports_that_may_pause,
    shared_headroom_limit_bytes,
)
from netcheck.lossless.required import wire_headroom_bytes


@pytest.mark.parametrize("buffer_bytes", [9_000_000, 12_000_000])
def test_buffers_of_the_microsoft_study_hold_two_lossless_classes(buffer_bytes: int) -> None:
    # 32 ports of 40G with up to 300 m; the study doubles the wire for cells and frames in work
    room = 2 * wire_headroom_bytes(speed_bps=40_000_000_000, cable_m=300)
    found = lossless_priorities_possible(buffer_bytes=buffer_bytes, headroom_bytes=[room] * 32)
    assert found in {2, 3}


def test_ports_without_headroom_leave_all_priorities() -> None:
    assert lossless_priorities_possible(buffer_bytes=1, headroom_bytes=[]) == 8


@given(
    rooms=st.lists(st.integers(1, 10**6), min_size=1, max_size=64),
    shared=st.integers(0, 10**8),
)
def test_any_choice_of_that_many_accounts_has_room(rooms: list[int], shared: int) -> None:
    most = ports_that_may_pause(shared_bytes=shared, headroom_bytes=rooms)
    largest = sorted(rooms, reverse=True)
    assert sum(largest[:most]) <= shared
    assert most == len(rooms) or sum(largest[: most + 1]) > shared


@given(rooms=st.lists(st.integers(1, 10**6), min_size=1, max_size=64), more=st.integers(0, 10**7))
def test_a_larger_buffer_holds_no_fewer_priorities(rooms: list[int], more: int) -> None:
    small = lossless_priorities_possible(buffer_bytes=10**7, headroom_bytes=rooms)
    large = lossless_priorities_possible(buffer_bytes=10**7 + more, headroom_bytes=rooms)
    assert small <= large


def test_a_port_of_eight_lanes_has_twice_its_own_cells_and_twice_the_mirror() -> None:
    asic = find_asic("spectrum-4")
    four, eight = (shared_headroom_limit_bytes(asic, lanes=lanes) for lanes in (4, 8))
    assert eight - four == 20 * 192
    plain, double = (port_headroom_bytes(asic, lanes=lanes, sizes=[]) for lanes in (4, 8))
    assert plain == 4096 + 19 * 1024 + 20 * 1024
    assert double == 4096 + 37 * 1024 + 40 * 1024


def test_asics_without_a_limit_for_a_port_say_so() -> None:
    assert shared_headroom_limit_bytes(find_asic("tomahawk-5"), lanes=4) == 0
