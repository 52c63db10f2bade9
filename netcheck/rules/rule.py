"""What a rule is: a function that reads one view and yields faults, and what is known about it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from netcheck.model.document import Evidence
from netcheck.model.fact import View
from netcheck.model.finding import Place, Severity
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap

SECTIONS = ("Why", "Bad", "Good", "Fix")


class Scope(StrEnum):
    """What a rule is given: one view of this kind at a time.

    PORT and RDMA are the finer parts of a device: ports with equal facts are
    one view, and a fact that is missing at one of them leaves the others judged.
    Rules on suppressions are run by ``settle``, which knows the day.
    """

    INTENT = "intent"
    DEVICE = "device"
    PORT = "port"
    RDMA = "rdma"
    LINK = "link"
    FABRIC = "fabric"
    SUPPRESSION = "suppression"


class Profile(StrEnum):
    """Which rules run: strict adds those that are a matter of taste or of margin."""

    BASELINE = "baseline"
    STRICT = "strict"


@frozen
class Fault:
    """One difference that a rule found.

    Attributes:
        at: View (or views) at fault; a port view stands for all its ports.
        facts: Model fields that were compared; the first is the knob.
        expected, found: Plain values; shown by ``show``.
        note: What else the reader has to know, in a few words.
        number: Queue, priority or priority group, as ``priority 3``.
        key: Key inside the fact, for the evidence (a DSCP).
        places: Places without a view, instead of ``at``.
        severity: Instead of the rule's own.
        evidence: Where the fault stands, where the rule knows it better than the engine.
    """

    at: View | tuple[View, ...]
    facts: tuple[str, ...]
    expected: object
    found: object
    note: str = ""
    number: str = ""
    key: str = ""
    places: tuple[Place, ...] = ()
    severity: Severity | None = None
    evidence: Evidence | None = None


Check = Callable[[Any], Iterator[Fault]]  # Any: the view that goes with the scope


@frozen
class Page:
    """The published page of a rule, read from its docstring."""

    summary: str
    why: str
    bad: str
    good: str
    fix: str


@frozen
class Rule:
    """A rule and what is known about it.

    Attributes:
        source: Public source; ``derived: ...`` with the reasoning where there is none.
        is_proof: What is lossless stays open while its facts are missing; the others are
            looked at where they are there, and are not applicable where they are not.
        supersedes: Rules whose finding at the same place has the same cause.
        aliases: Earlier slugs.
    """

    slug: str
    severity: Severity
    scope: Scope
    source: str
    check: Check
    supersedes: tuple[str, ...] = ()
    profile: Profile = Profile.BASELINE
    aliases: tuple[str, ...] = ()
    is_proof: bool = True

    @property
    def page(self) -> Page:
        """The docstring, by its sections."""
        return read_page(self.check.__doc__ or "")


def rule(  # noqa: PLR0913 -- what is known about a rule stands at its head, by name
    slug: str,
    *,
    severity: Severity,
    scope: Scope,
    source: str,
    supersedes: tuple[str, ...] = (),
    profile: Profile = Profile.BASELINE,
    aliases: tuple[str, ...] = (),
    is_proof: bool = True,
) -> Callable[[Check], Rule]:
    """Make a rule of a function; found by walking the folder, registered nowhere."""

    def make(check: Check) -> Rule:
        return Rule(slug, severity, scope, source, check, supersedes, profile, aliases, is_proof)

    return make


def read_page(docstring: str) -> Page:
    """Split a rule's docstring into its summary and sections.

    Raises:
        ValueError: A section is missing.
    """
    text = inspect.cleandoc(docstring)
    parts = re.split(rf"^({'|'.join(SECTIONS)}):", text, flags=re.MULTILINE)
    found = dict(zip(parts[1::2], (each.strip() for each in parts[2::2]), strict=True))
    missing = [name for name in SECTIONS if not found.get(name)]
    if missing or not parts[0].strip():
        raise ValueError(f"page without {', '.join(missing) or 'summary'}: {text[:60]!r}")
    lines = [parts[0].strip(), *(found[name] for name in SECTIONS)]
    summary, why, bad, good, fix = (re.sub(r"\s*\n\s*", " ", each) for each in lines)
    return Page(summary, why, bad, good, fix)


def show(value: object) -> str:
    """Give a value as findings print it: sets and maps in order, enums by value.

    Example:
        >>> show(frozenset({4, 3}))
        '3, 4'
    """
    if isinstance(value, frozenset | set):
        return ", ".join(map(str, sorted(value))) or "none"
    if isinstance(value, Mapping | FrozenMap):
        return ", ".join(f"{key}->{show(value[key])}" for key in sorted(value)) or "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)
