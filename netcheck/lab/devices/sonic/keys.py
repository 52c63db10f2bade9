"""CONFIG_DB keys and values: ranges, lists, references."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

Row = dict[str, str]
Tables = dict[str, dict[str, Row]]


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """Sorting key by which Ethernet8 comes before Ethernet16."""
    parts = re.findall(r"\d+|\D+", text)
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)


def split_key(key: str) -> tuple[str, str]:
    """Port (or other owner) and the index part of ``Ethernet0|3-4``."""
    owner, _, rest = key.partition("|")
    return owner, rest


def numbers(text: str) -> list[int]:
    """Numbers of ``3``, ``3-4`` or ``3,4``; none where it is no such thing."""
    found: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        if match is None:
            return []
        found += range(int(match[1]), int(match[2] or match[1]) + 1)
    return found


def name_of(reference: str) -> str:
    """Bare name of a reference, whichever way it is written."""
    match = re.fullmatch(r"\[[A-Z_]+\|(.+)\]", reference)
    return match[1] if match else reference


def by_index(table: Mapping[str, Row], port: str) -> Iterator[tuple[int, Row]]:
    """Rows of one port with each index that their keys cover."""
    for key, row in table.items():
        owner, rest = split_key(key)
        if port in owner.split(","):
            for index in numbers(rest):
                yield index, row


def integer(row: Mapping[str, str], name: str, default: int = 0) -> int:
    """A number field; ``default`` where it is missing or no number."""
    text = row.get(name, "")
    return int(text) if re.fullmatch(r"-?\d+", text) else default


def as_json(config: Tables) -> str:
    """CONFIG_DB as nested JSON, as sonic-cfggen prints it."""
    return json.dumps(config, indent=4, sort_keys=True) + "\n"
