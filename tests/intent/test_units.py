from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.intent.units import (
    LENGTH_M,
    PERCENT,
    SIZE_BYTES,
    SPEED_BPS,
    TIME_NS,
    Quantity,
    parse_quantity,
    whole,
)

QUANTITIES = [SPEED_BPS, LENGTH_M, TIME_NS, SIZE_BYTES, PERCENT]


@pytest.mark.parametrize(
    ("text", "quantity", "expected"),
    [
        ("400G", SPEED_BPS, 400 * 10**9),
        ("1.6T", SPEED_BPS, 1600 * 10**9),
        ("100 Gb/s", SPEED_BPS, 100 * 10**9),
        ("40m", LENGTH_M, 40),
        ("2.5km", LENGTH_M, 2500),
        ("200ms", TIME_NS, 200 * 10**6),
        ("5µs", TIME_NS, 5000),
        ("150KB", SIZE_BYTES, 150_000),
        ("150KiB", SIZE_BYTES, 153_600),
        ("9216B", SIZE_BYTES, 9216),
        ("50%", PERCENT, 50),
    ],
)
def test_a_quantity_is_read_exactly(text: str, quantity: Quantity, expected: int) -> None:
    assert parse_quantity(text, quantity) == expected


@pytest.mark.parametrize(
    "text", ["400", "", "G", "-1G", "4e2G", "400 g", "400GB ", "\uff1100G", "40m"]
)
def test_what_is_no_speed_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a speed such as 400G"):
        parse_quantity(text, SPEED_BPS)


def test_a_part_of_a_millisecond_is_no_whole_number_of_them() -> None:
    with pytest.raises(ValueError, match=r"expected whole ms, found 0\.5ms"):
        whole("0.5ms", TIME_NS, 1_000_000)


@given(
    number=st.integers(0, 10**12),
    quantity=st.sampled_from(QUANTITIES),
    data=st.data(),
)
def test_every_unit_scales_its_number(number: int, quantity: Quantity, data: st.DataObject) -> None:
    unit = data.draw(st.sampled_from(sorted(quantity.units)))
    assert parse_quantity(f"{number}{unit}", quantity) == number * quantity.units[unit]


@given(text=st.text(max_size=20), quantity=st.sampled_from(QUANTITIES))
def test_any_text_is_a_quantity_or_refused(text: str, quantity: Quantity) -> None:
    try:
        value = parse_quantity(text, quantity)
    except ValueError:
        return
    assert isinstance(value, Fraction)
    assert value >= 0
