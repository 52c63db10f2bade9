from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.intent.ranges import Axis, RangeError, choose, expand, lockstep, parse_pattern


def names(text: str) -> list[str]:
    return [name for name, _ in expand(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("leaf01", ["leaf01"]),
        ("leaf[08-11]", ["leaf08", "leaf09", "leaf10", "leaf11"]),
        ("e[0-16:8]", ["e0", "e8", "e16"]),
        ("e[1,3,5-6]", ["e1", "e3", "e5", "e6"]),
        ("e[1-2]/[1-2]", ["e1/1", "e1/2", "e2/1", "e2/2"]),
        ("[7]", ["7"]),
        ("glob[a-z]", ["glob[a-z]"]),
    ],
)
def test_a_range_stands_for_its_names_in_order(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("leaf[16-01]", r"\[16-01\]: runs downwards, expected \[01-16\]"),
        ("e[0-7:2]", r"does not end on its last number, expected \[0-6:2\]"),
        ("e[0-8:0]", "expected a step of at least 1"),
        ("e[0-99999999]", "stands for more than 200000 names"),
        ("e[0-9999999999999999]", "at most 9 digits"),
        ("[1-1000][1-1000][1-1000]", "stands for more than 200000 names"),
    ],
)
def test_a_range_that_cannot_be_meant_is_refused(text: str, message: str) -> None:
    with pytest.raises(RangeError, match=message):
        expand(text)


def test_a_range_in_a_value_runs_with_the_axis_of_its_length() -> None:
    own, device = Axis(8, 3), Axis(128, 99)
    assert choose("10.[100-107].0.[1-128]/24", (own, device)) == "10.103.0.100/24"


def test_two_ranges_of_one_length_take_the_own_axis_first_and_then_the_devices() -> None:
    own, device = Axis(2, 0), Axis(2, 1)
    assert choose("10.[100-101].0.[1-2]/24", (own, device)) == "10.100.0.2/24"


def test_a_range_without_an_axis_of_its_length_is_refused() -> None:
    with pytest.raises(RangeError, match="a range of 3 has no range of the same length"):
        choose("e[1-3]", (Axis(2, 0),))


def test_both_ends_of_a_link_pair_by_length_whatever_their_order() -> None:
    pairs = [pair[:2] for pair in lockstep("gpu[1-3]:rail[0-1]", "leaf[1-2]:e[0-16:8]")]
    assert pairs == [
        ("gpu1:rail0", "leaf1:e0"),
        ("gpu1:rail1", "leaf2:e0"),
        ("gpu2:rail0", "leaf1:e8"),
        ("gpu2:rail1", "leaf2:e8"),
        ("gpu3:rail0", "leaf1:e16"),
        ("gpu3:rail1", "leaf2:e16"),
    ]


def test_ends_that_do_not_pair_by_length_are_counted_through_in_order() -> None:
    pairs = [pair[:2] for pair in lockstep("leaf[1-2]:e[0-1]", "spine1:e[0-3]")]
    assert pairs == [
        ("leaf1:e0", "spine1:e0"),
        ("leaf1:e1", "spine1:e1"),
        ("leaf2:e0", "spine1:e2"),
        ("leaf2:e1", "spine1:e3"),
    ]


def test_ends_of_different_number_are_refused() -> None:
    with pytest.raises(RangeError, match=r"g\[1-4\]:e stands for 4 ends and l:e\[1-3\] for 3"):
        lockstep("g[1-4]:e", "l:e[1-3]")


@given(low=st.integers(0, 500), count=st.integers(1, 200), step=st.integers(1, 9))
def test_a_range_gives_exactly_the_numbers_between_its_ends(
    low: int, count: int, step: int
) -> None:
    high = low + (count - 1) * step
    assert names(f"e[{low}-{high}:{step}]") == [f"e{n}" for n in range(low, high + 1, step)]


@given(count=st.integers(1, 99))
def test_names_with_leading_zeros_keep_their_width(count: int) -> None:
    assert {len(name) for name in names(f"leaf[001-{count:03}]")} == {len("leaf001")}


@given(lengths=st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_a_key_gives_as_many_names_as_its_ranges_multiply_to(lengths: list[int]) -> None:
    text = "-".join(f"[1-{length}]" for length in lengths)
    assert len(set(names(text))) == parse_pattern(text).count


@given(text=st.text(alphabet="ab[]0123-:,", max_size=16))
def test_any_text_expands_or_is_refused(text: str) -> None:
    try:
        found = names(text)
    except RangeError:
        return
    assert found
