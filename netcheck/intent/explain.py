"""What a completed fabric has that its intent does not say, as a table."""

from __future__ import annotations

from typing import NamedTuple

from netcheck.model.fabric import Fabric


class Explanation(NamedTuple):
    """One row: ``origin`` is ``default`` or ``computed``; ``how`` the value or its derivation."""

    origin: str
    fact: str
    how: str


def explanations(fabric: Fabric) -> list[Explanation]:
    """Give a row for every value that nobody said, in the order of completion.

    Policies come first, then devices and ports; defaults before computed values.
    """
    rows = []
    for fact in fabric.defaulted:
        path, _, value = fact.partition(" = ")
        rows.append(Explanation("default", path, value))
    rows += [Explanation("computed", fact, how) for fact, how in fabric.derivations.items()]
    return rows


def explain(fabric: Fabric) -> str:
    """Give the table as text, one line a row, with aligned columns."""
    rows = explanations(fabric)
    if not rows:
        return "everything is said in the intent\n"
    width = max(len(row.fact) for row in rows)
    return "".join(f"{row.origin:8}  {row.fact:{width}}  {row.how}\n" for row in rows)
