"""pg_profile_lookup.ini: headroom by speed and cable length."""

from __future__ import annotations

import re
from typing import Final

from netcheck.model.device import Defect, DefectKind
from netcheck.model.qos import HeadroomRow
from netcheck.platforms.sonic.parsed.schema import number_in
from netcheck.platforms.sonic.parsed.tables import Source, Tables

_MBPS: Final = 1_000_000
_CABLE: Final = re.compile(r"(\d{1,6})m")
_REQUIRED: Final = 6
_WITH_OFFSET: Final = 7
_LARGEST: Final = 2**63


def read_lookup(source: Source, tables: Tables) -> tuple[list[HeadroomRow], bool]:
    """Give the rows of a lookup table, and whether all of them could be read.

    Columns are speed (Mb/s), cable, size, xon, xoff, threshold (n of ``2**n``,
    or bytes on a static pool) and, on some platforms, xon_offset.

    Source: sonic-net/sonic-swss cfgmgr/buffermgr.cpp, readPgProfileLookupFile.
    """
    rows: list[HeadroomRow] = []
    is_sound = True
    for number, line in enumerate(source.document.text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        row = _row(words)
        if row is None:
            is_sound = False
            tables.defects.append(_defect(source, number, line.strip()))
        else:
            rows.append(row)
    if not rows and is_sound:
        is_sound = False
        tables.defects.append(_defect(source, 1, "no row at all"))
    return rows, is_sound


def _row(words: list[str]) -> HeadroomRow | None:
    cable = _CABLE.fullmatch(words[1]) if len(words) > 1 else None
    numbers = [words[0], *words[2:]]
    if cable is None or len(words) not in {_REQUIRED, _WITH_OFFSET}:
        return None
    if not all(number_in(word, -_LARGEST, _LARGEST) for word in numbers):
        return None
    speed, size, xon, xoff, threshold, *offset = map(int, numbers)
    return HeadroomRow(
        speed_bps=speed * _MBPS,
        cable_m=int(cable[1]),
        size_bytes=size,
        headroom_bytes=xoff,
        xon_bytes=xon,
        xon_offset_bytes=offset[0] if offset else 0,
        alpha_exponent=threshold,
    )


def _defect(source: Source, line: int, found: str) -> Defect:
    return Defect(
        DefectKind.MALFORMED_VALUE,
        "pg_profile_lookup.ini",
        f"{source.document.name} line {line} is no row of speed, cable, size, xon, xoff, threshold",
        expected="speed cable size xon xoff threshold [xon_offset]",
        found=found,
        evidence=source.at_line(line),
    )
