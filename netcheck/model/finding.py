"""Findings: the one way in which anything is reported."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from netcheck.model.document import Evidence
from netcheck.model.frozen import frozen


class Severity(StrEnum):
    """ERROR loses packets or is rejected, WARNING risks or wastes, INFO is worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Verdict(StrEnum):
    """What a check came to."""

    FAIL = "fail"
    PASS = "pass"  # noqa: S105 -- a verdict
    UNVERIFIED = "unverified"
    NOT_APPLICABLE = "not_applicable"
    SUPPRESSED = "suppressed"


class Stage(StrEnum):
    """Which part of the chain reports."""

    LINT = "lint"
    PLAN = "plan"
    DEPLOY = "deploy"
    VERIFY = "verify"
    PERF = "perf"


class RunResult(StrEnum):
    """The verdict of a measurement."""

    LOSSLESS = "lossless"
    NOT_LOSSLESS = "not_lossless"
    NOT_PROVEN = "not_proven"


class NotProven(StrEnum):
    """Why nothing was proven."""

    NOT_EXERCISED = "not_exercised"
    COUNTER_MISSING = "counter_missing"
    COUNTER_RESET = "counter_reset"
    UNREACHABLE = "unreachable"
    HOST_LIMITED = "host_limited"


class Performance(StrEnum):
    """Whether the expected bandwidth was reached."""

    OK = "ok"
    SLOW = "slow"


class Basis(StrEnum):
    """What stood behind a measurement."""

    SIMULATED = "simulated"
    MEASURED = "measured"


class ExitCode(IntEnum):
    """Exit codes of every command (DESIGN section 5)."""

    CLEAN = 0
    FINDINGS = 1
    BAD_INPUT = 2
    UNVERIFIED = 3
    INTERNAL = 4
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Device, and where it matters port and queue (or priority group, or priority)."""

    device: str = ""
    port: str = ""
    queue: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.device, self.port, self.queue) if part)


@frozen
class Finding:
    """One difference that matters, with its place, expectation and fix.

    Attributes:
        rule: Slug of the rule, or of the check outside the catalogue.
        where: Places; a cycle over six switches fits, and equal findings on
            many ports are one finding with many places.
        expected, found: What was to be seen and what was seen, as text with units.
        facts: Fields of the model that were compared; two findings at one place
            with a common fact have one cause (see ``supersedes``).
    """

    rule: str
    severity: Severity
    verdict: Verdict
    where: tuple[Place, ...]
    message: str
    expected: str = ""
    found: str = ""
    evidence: tuple[Evidence, ...] = ()
    why: str = ""
    fix: str = ""
    reference: str = ""
    stage: Stage = Stage.LINT
    facts: frozenset[str] = field(default_factory=frozenset)


@frozen
class RunVerdict:
    """Verdict of ``perf`` and ``run``; printed on one line, as in "lossless (simulated)"."""

    run: RunResult
    basis: Basis
    performance: Performance | None = None
    reason: NotProven | None = None
    detail: str = ""

    def __str__(self) -> str:
        words = self.run.value.replace("_", " ")
        reason = f": {self.reason.value.replace('_', ' ')}" if self.reason else ""
        slow = ", slow" if self.performance is Performance.SLOW else ""
        return f"{words}{reason}{slow} ({self.basis.value})"


@dataclass(frozen=True)
class ClassVerdict:
    """One traffic class: the verdict, packets it rests on, and the bound they give.

    ``loss_bound`` is 3/N: with no loss in N packets the true rate is below it
    with 95 % confidence. ``paused`` and ``marked`` say which mechanism fired, and
    ``waited`` whether ports waited for credits: None where the class is no service
    of an InfiniBand subnet.
    """

    name: str
    verdict: RunVerdict
    packets: int
    paused: bool
    marked: bool
    is_lossless: bool = True
    waited: bool | None = None

    @property
    def fired(self) -> str:
        """What held senders back, in words."""
        did = (("PFC", self.paused), ("ECN", self.marked), ("credits", self.waited))
        return " and ".join(word for word, has_fired in did if has_fired) or "nothing"

    @property
    def loss_bound(self) -> float | None:
        """Upper bound of the loss rate; None where packets were lost or none was counted."""
        is_bound = self.packets and self.verdict.run is not RunResult.NOT_LOSSLESS
        return 3 / self.packets if is_bound else None
