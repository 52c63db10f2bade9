"""What is refused, in which words and after which source: ``data/refusals.yaml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml


@dataclass(frozen=True, slots=True)
class Refused:
    """One thing that is refused: the refusal's name, the place, what is said."""

    name: str
    place: str
    text: str

    def __str__(self) -> str:
        """Give it as NVUE says it."""
        return f"Config invalid at {self.place}: {self.text}"


@cache
def refusal_texts() -> Mapping[str, Mapping[str, str]]:
    """Give ``name -> {says, source}``."""
    data = resources.files("netcheck.lab.devices.cumulus").joinpath("data/refusals.yaml")
    found: dict[str, Any] = yaml.safe_load(data.read_text("utf-8"))  # checked by a test
    return found


def refuse(name: str, path: Sequence[str], **values: str) -> Refused:
    """Make a refusal with its words filled in."""
    return Refused(name, ".".join(path), refusal_texts()[name]["says"].format(**values))
