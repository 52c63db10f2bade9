"""Keys of partitions change hands so that the switch never sees two holders of one."""

from __future__ import annotations

from itertools import permutations

import pytest

from netcheck.platforms.onyx.applied.edits import lines_between
from netcheck.platforms.onyx.words import Key, read_line

NAMES = ("a", "b", "c", "d")
KEYS = ("0x0001", "0x0002", "0x0003", "0x0004")


def held(pairs: dict[str, str]) -> dict[Key, str]:
    return {("partition", name, "pkey"): key for name, key in pairs.items()}


def typed_into(pairs: dict[str, str], lines: list[str]) -> list[dict[str, str]]:
    """Every state on the way; a key that another partition has is refused, as by a switch."""
    states = [dict(pairs)]
    for line in lines:
        state = dict(states[-1])
        words = line.split()
        if words[0] == "no":
            state.pop(words[3])
        else:
            read = read_line(line)
            assert read is not None
            (_, name, _), key = read
            assert key not in {has for other, has in state.items() if other != name}, line
            state[name] = key
        states.append(state)
    return states


def test_the_way_back_frees_a_key_before_its_former_holder_takes_it() -> None:
    before, after = {"b": "0x0002"}, {"a": "0x0002", "b": "0x0003"}
    assert typed_into(before, lines_between(held(before), held(after)))[-1] == after
    assert typed_into(after, lines_between(held(after), held(before)))[-1] == before
    before, after = {"b": "0x0002", "a": "0x0001"}, {"a": "0x0002"}
    assert typed_into(before, lines_between(held(before), held(after)))[-1] == after
    assert typed_into(after, lines_between(held(after), held(before)))[-1] == before


@pytest.mark.parametrize("keys", list(permutations(KEYS)))
def test_keys_are_exchanged_and_exchanged_back_from_anywhere(keys: tuple[str, ...]) -> None:
    before, after = dict(zip(NAMES, KEYS, strict=True)), dict(zip(NAMES, keys, strict=True))
    states = typed_into(before, lines_between(held(before), held(after)))
    assert states[-1] == after
    back = lines_between(held(after), held(before))
    for state in states[1:]:
        assert typed_into(state, back)[-1] == before


def test_two_that_ask_for_one_key_end_in_a_line_each() -> None:
    before, after = {"a": "0x0001", "b": "0x0002"}, {"a": "0x0003", "b": "0x0003"}
    assert lines_between(held(before), held(after)) == [
        "ib partition a pkey 0x0003 force",
        "ib partition b pkey 0x0003 force",
    ]
