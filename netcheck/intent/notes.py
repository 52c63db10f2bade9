"""What completion did: values that nobody said, and how computed ones came about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from netcheck.model.fabric import Fabric


@dataclass(slots=True)
class Notes:
    """Collects fact paths that were defaulted, and derivations by fact path."""

    defaulted: dict[str, None] = field(default_factory=dict)
    derivations: dict[str, str] = field(default_factory=dict)

    def default(self, path: str, value: object) -> None:
        """Note that nobody said a fact and what was taken for it."""
        self.defaulted[f"{path} = {value}"] = None

    def derive(self, path: str, how: str) -> None:
        """Note how a computed fact came about."""
        self.derivations[path] = how


class Explanation(NamedTuple):
    """One row of ``netcheck render --explain``."""

    origin: str
    fact: str
    how: str


def explain(fabric: Fabric) -> list[Explanation]:
    """Give a row for every value that a completed fabric has and its intent does not say.

    ``origin`` is ``default`` or ``computed``; rows are in the order in which
    policies, devices and ports were completed.
    """
    rows = []
    for fact in fabric.defaulted:
        path, _, value = fact.partition(" = ")
        rows.append(Explanation("default", path, value))
    rows += [Explanation("computed", fact, how) for fact, how in fabric.derivations.items()]
    return rows
