"""Parsers take any text: no exception, and a counter that is lost is unknown, never zero.

``make fuzz`` does this for ten minutes a platform; here a fixed sample is tried.
"""

from __future__ import annotations

import random
from itertools import islice

import pytest

from netcheck.platforms.platform import platform_names
from tests.fuzz.mutation import counters, emptied, mutants, read, seeds

EACH = 8
# what is read of a subnet manager counts nothing
WITHOUT = {"opensm", "onyx"}


@pytest.mark.parametrize("platform", platform_names())
def test_damaged_texts_are_read_without_an_exception_and_lose_no_counter_to_zero(
    platform: str,
) -> None:
    dice = random.Random(platform)  # noqa: S311 -- repeatable
    given = seeds(platform)
    assert given, "a platform without samples proves nothing"
    zeros = []
    for seed in given:
        whole = counters(read(seed, seed.text))
        for mutant in islice(mutants(seed.text, dice), EACH):
            found = counters(read(seed, mutant.text))
            if mutant.only_loses:
                zeros += [(seed.name, mutant.how, key) for key in emptied(whole, found)]
    assert not zeros


@pytest.mark.parametrize("platform", [name for name in platform_names() if name not in WITHOUT])
def test_the_samples_show_counters_above_zero(platform: str) -> None:
    values = [
        counter.value
        for seed in seeds(platform)
        for counter in counters(read(seed, seed.text)).values()
    ]
    assert any(isinstance(value, int) and value > 0 for value in values)
