"""SL2VL and VL arbitration lists: what OpenSM makes of their texts.

Measured on OpenSM 3.3.23: numbers are cut to their field (4 bits for a VL, 8 for a
weight) instead of being refused, and what is missing counts as 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from netcheck.platforms.sm_reading import c_number, c_prefix_number

SLS: Final = 16
DROP: Final = 15
MOST_WEIGHT: Final = 255
MOST_ENTRIES: Final = 64


@dataclass(frozen=True, slots=True)
class Table:
    """What a list comes to, and ``(expected, written, effect)`` of what is not as written."""

    value: str
    faults: tuple[tuple[str, str, str], ...] = ()


def read_sl2vl(text: str) -> Table:
    """Read 16 VLs.

    Example:
        >>> read_sl2vl("0,1,16").value
        '0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0'
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    vls = [c_prefix_number(part) & DROP for part in parts[:SLS]]
    vls += [0] * (SLS - len(vls))
    return Table(",".join(map(str, vls)), tuple(_sl2vl_faults(parts)))


def _sl2vl_faults(parts: list[str]) -> Iterator[tuple[str, str, str]]:
    if len(parts) < SLS:
        rest = f"SL{len(parts)} to SL15 go to VL0"
        yield f"{SLS} VLs", f"{len(parts)} VLs", rest
    if len(parts) > SLS:
        yield f"{SLS} VLs", f"{len(parts)} VLs", "those after the sixteenth are dropped"
    for sl, part in enumerate(parts[:SLS]):
        number = c_number(part)
        if number is None:
            yield "a VL of 0 to 15", part, f"SL{sl} goes to VL{c_prefix_number(part) & DROP}"
        elif number > DROP:
            yield "a VL of 0 to 15", part, f"SL{sl} goes to VL{number & DROP} (cut to 4 bits)"


def read_arbitration(text: str) -> Table:
    """Read ``vl:weight`` pairs.

    Example:
        >>> read_arbitration("0:300,1").value
        '0:44,1:0'
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    entries = [_entry(part) for part in parts[:MOST_ENTRIES]]
    value = ",".join(f"{vl & DROP}:{weight & MOST_WEIGHT}" for vl, weight in entries)
    return Table(value, tuple(_arbitration_faults(parts)))


def _entry(part: str) -> tuple[int, int]:
    vl, _, weight = part.partition(":")
    return c_prefix_number(vl), c_prefix_number(weight)


def _arbitration_faults(parts: list[str]) -> Iterator[tuple[str, str, str]]:
    if len(parts) > MOST_ENTRIES:
        yield (
            f"at most {MOST_ENTRIES} entries",
            f"{len(parts)} entries",
            f"those after entry {MOST_ENTRIES} are dropped",
        )
    for part in parts[:MOST_ENTRIES]:
        texts = [each.strip() for each in part.split(":")]
        if len(texts) != 2 or any(c_number(each) is None for each in texts):  # noqa: PLR2004 -- VL and weight
            vl, weight = _entry(part)
            yield "vl:weight", part, f"VL{vl & DROP} gets weight {weight & MOST_WEIGHT}"
            continue
        vl, weight = _entry(part)
        if weight > MOST_WEIGHT:
            effect = f"VL{vl & DROP} gets weight {weight & MOST_WEIGHT} (cut to 8 bits)"
            yield "a weight of 0 to 255", part, effect
        if vl >= DROP:
            effect = (
                f"the weight goes to VL{vl & DROP}" if vl > DROP else "VL15 is never arbitrated"
            )
            yield "a VL of 0 to 14", part, effect
