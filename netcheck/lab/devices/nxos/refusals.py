"""Refusals by name: their words and their sources stand in ``data/refusals.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml

from netcheck.lab.devices.nxos.patterns import LineError


@cache
def refusal_texts() -> Mapping[str, Mapping[str, str]]:
    """Give ``name -> {says, source}``."""
    data = resources.files("netcheck.lab.devices.nxos").joinpath("data/refusals.yaml")
    found: dict[str, Any] = yaml.safe_load(data.read_text("utf-8"))  # checked by a test
    return found


def said(error: LineError, line: str, indent: int) -> str:
    """Give what the switch answers to a line it does not take.

    Args:
        indent: Columns before the line, which is the prompt's length.
    """
    text = refusal_texts()[error.name]["says"].format(**error.values)
    if "'^' marker" not in text:
        return text + "\n"
    column = indent + _column(line, error.word or 0)
    return f"{' ' * column}^\n{text}\n"


def _column(line: str, word: int) -> int:
    """Column at which a word begins; behind the line where there is no such word."""
    place = 0
    for index, part in enumerate(line.split()):
        place = line.index(part, place)
        if index == word:
            return place
        place += len(part)
    return len(line.rstrip()) + 1
