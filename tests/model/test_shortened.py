import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcheck.model.shortened import compress, natural_key


@pytest.mark.parametrize(
    ("names", "written"),
    [
        (["Ethernet0", "Ethernet8", "Ethernet16"], "Ethernet[0-16:8]"),
        (["leaf01", "leaf02", "leaf03", "leaf07"], "leaf[01-03,07]"),
        (["gpu01", "gpu02"], "gpu[01-02]"),
        (["Ethernet0", "Ethernet100"], "Ethernet[0,100]"),
        (["leaf01"], "leaf01"),
        (["rail0", "Ethernet4", "lo"], "Ethernet4, lo, rail0"),
        (["fortyGigE1/2/7", "fortyGigE1/2/14", "fortyGigE1/2/15"], "fortyGigE1/2/[7,14-15]"),
        (["gpu8", "gpu9", "gpu10"], "gpu[8-10]"),
        (["gpu08", "gpu09", "gpu10"], "gpu[08-10]"),
        (["a1", "a01"], "a01, a1"),
        (["rail", "rail0"], "rail, rail0"),
        (["leaf1", "leaf", "leaf2"], "leaf, leaf[1-2]"),
        (
            ["Ethernet0 priority 3", "Ethernet8 priority 3"],
            "Ethernet0 priority 3, Ethernet8 priority 3",
        ),
        ([], ""),
    ],
)
def test_names_are_written_in_the_notation_of_the_intent(names: list[str], written: str) -> None:
    assert compress(names) == written


@given(st.sets(st.integers(0, 400), min_size=1, max_size=30))
def test_no_number_is_lost_or_added(numbers: set[int]) -> None:
    text = compress(f"Ethernet{number}" for number in numbers)
    inner = text.removeprefix("Ethernet").strip("[]")
    read: set[int] = set()
    for part in inner.split(","):
        ends, _, step = part.partition(":")
        low, _, high = ends.partition("-")
        read |= set(range(int(low), int(high or low) + 1, int(step or 1)))
    assert read == numbers


def test_numbers_sort_as_numbers() -> None:
    assert sorted(["p16", "p8", "p0"], key=natural_key) == ["p0", "p8", "p16"]
