"""Refusals by name: words, lines that meet them and sources stand in ``data/refusals.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml


@dataclass(frozen=True, slots=True)
class Refusal:
    """One row: what is said, lines of which the last one meets it, and the public source."""

    says: str
    lines: tuple[str, ...]
    source: str


@cache
def refusals() -> Mapping[str, Refusal]:
    """Give ``name -> refusal``."""
    data = resources.files("netcheck.lab.devices.eos").joinpath("data/refusals.yaml")
    rows = yaml.safe_load(data.read_text("utf-8"))
    return {
        name: Refusal(row["says"], tuple(row["lines"]), row["source"]) for name, row in rows.items()
    }


def says(name: str) -> str:
    """Give the words of a refusal."""
    return refusals()[name].says
