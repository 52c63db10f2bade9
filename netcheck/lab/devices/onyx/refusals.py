"""Refusals by name: words, lines that meet them and sources stand in ``data/refusals.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml


@dataclass(frozen=True, slots=True)
class Refusal:
    """One row.

    Attributes:
        says: What the switch prints.
        lines: Typed after the login; the last one meets the refusal.
        source: Public text by which the switch refuses this.
        is_quoted: The words are those of a switch; else they are ours.
    """

    says: str
    lines: tuple[str, ...]
    source: str
    is_quoted: bool


@cache
def refusals() -> Mapping[str, Refusal]:
    """Give ``name -> refusal``."""
    data = resources.files("netcheck.lab.devices.onyx").joinpath("data/refusals.yaml")
    rows = yaml.safe_load(data.read_text("utf-8"))
    return {
        name: Refusal(row["says"], tuple(row["lines"]), row["source"], row.get("quoted", False))
        for name, row in rows.items()
    }


def says(name: str, *words: object) -> str:
    """Give the words of a refusal; ``{}`` stand for ``words``."""
    return refusals()[name].says.format(*words)
