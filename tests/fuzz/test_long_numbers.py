"""Numbers that no device has: as long as a line, of other scripts, cut in the middle.

Python makes no number of more than 4,300 digits and none of a superscript, and a pattern
that can split digits in many ways takes as many steps.
"""

from __future__ import annotations

import random
import re

import pytest

from netcheck.model.document import Document
from netcheck.model.known import UNKNOWN
from netcheck.platforms.platform import load, platform_names
from tests.fuzz.mutation import counters, read, seeds

ODD = ("9" * 5000, "²", "٣")
MOST = 10
DIGITS = re.compile(r"\d+")
EOS_MAPS = "Cos-tc map:\n  cos: {digits}x\n  tc: 0\nDscp-tc map:\n"
NXOS_DETAIL = "Ethernet1/1:\nAdmin Mode: On\nRx |{digits}x|\n"


@pytest.mark.parametrize("odd", ODD, ids=["endless", "superscript", "other script"])
@pytest.mark.parametrize("platform", platform_names())
def test_a_number_that_no_device_has_stops_no_parser(platform: str, odd: str) -> None:
    dice = random.Random(platform)  # noqa: S311 -- repeatable
    given = [seed for seed in seeds(platform) if DIGITS.search(seed.text)]
    names = set()
    for seed in dice.sample(given, min(MOST, len(given))):
        place = dice.choice(list(DIGITS.finditer(seed.text)))
        damaged = seed.text[: place.start()] + odd + seed.text[place.end() :]
        names.add(read(seed, damaged).name)
    assert names == {"device"}


@pytest.mark.parametrize(
    ("platform", "command", "text"),
    [
        ("eos", "show qos maps", EOS_MAPS),
        ("nxos", "show interface priority-flow-control detail", NXOS_DETAIL),
    ],
)
def test_a_cut_line_of_digits_is_read_in_a_moment(platform: str, command: str, text: str) -> None:
    # each further digit doubled the time: 24 took two seconds
    document = Document("text", text.format(digits="9" * 200), command)
    device = load(platform).parsing.parse([document], name="device")
    assert {counter.value for counter in counters(device).values()} <= {UNKNOWN}
