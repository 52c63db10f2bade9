"""What a command has to say: findings, a verdict, and what it looked at."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from netcheck.model.document import Evidence
from netcheck.model.fabric import Fabric
from netcheck.model.finding import (
    ClassVerdict,
    ExitCode,
    Finding,
    RunResult,
    RunVerdict,
    Severity,
    Verdict,
)
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap

if TYPE_CHECKING:  # it brings HTML, which few reports need
    from netcheck.report.comparison import Column
    from netcheck.report.heatmap import HeatMap

SEVERITY_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
LOCATED = frozenset({"loss-located", "fault-located"})
LISTED = frozenset({Verdict.FAIL, Verdict.UNVERIFIED, Verdict.SUPPRESSED})


Figures = FrozenMap[str, tuple[Mapping[str, object], ...]]


@frozen
class Report:
    """One report.

    Attributes:
        verdict: Of a measurement; None outside ``perf`` and ``run``.
        classes: Its results by traffic class.
        fabric: What was looked at, for reports that draw it; None where nothing is to draw.
        devices: Names of the devices that were looked at.
        inputs: Files that were read and recognised.
        unrecognised: ``(file, reason)`` of files that were not.
        heat: Rates by pairs, for reports that draw them.
        comparison: Traffic classes and InfiniBand services side by side.
        figures: What was measured, by kind, for reports that machines read.
        notes: Lines a person should know and no machine needs.
        body: Lines that the text report shows instead of findings of severity info.
        done: What was done, in a word, where that is more than judging.
        fail_on: Least severity that makes the exit code 1.
        require_complete: Checks that had no view to look at make the exit code 3.
        exit_code: Where something other than findings decides it (bad input).
    """

    command: str
    findings: tuple[Finding, ...] = ()
    verdict: RunVerdict | None = None
    classes: tuple[ClassVerdict, ...] = ()
    fabric: Fabric | None = None
    devices: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    unrecognised: tuple[tuple[str, str], ...] = ()
    heat: tuple[HeatMap, ...] = ()
    comparison: tuple[Column, ...] = ()
    figures: Figures = FrozenMap()
    notes: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    done: str = ""
    fail_on: Severity = Severity.ERROR
    require_complete: bool = False
    exit_code: ExitCode | None = None

    @property
    def listed(self) -> tuple[Finding, ...]:
        """Findings that are shown one by one: failed, unverified and suppressed."""
        found = [finding for finding in self.findings if finding.verdict in LISTED]
        for part in reversed(_ORDER):  # one after the other: keys of all at once take much memory
            found.sort(key=part)
        return tuple(found)

    def of(self, verdict: Verdict) -> tuple[Finding, ...]:
        """Findings with this verdict."""
        return tuple(finding for finding in self.findings if finding.verdict is verdict)

    def failed(self, severity: Severity) -> int:
        """Number of failures of this severity."""
        return sum(finding.severity is severity for finding in self.of(Verdict.FAIL))

    def not_applicable(self) -> dict[str, int]:
        """Shape: ``rule -> how often its view was not given``, in order of name."""
        rules = Tally(finding.rule for finding in self.of(Verdict.NOT_APPLICABLE))
        return dict(sorted(rules.items()))


def _first(finding: Finding) -> Evidence:
    return finding.evidence[0] if finding.evidence else _NOWHERE


_NOWHERE = Evidence()
# what findings are listed by, from the first to the last
_ORDER: tuple[Callable[[Finding], Any], ...] = (  # Any: what can be compared with its like
    lambda finding: finding.verdict is not Verdict.FAIL,
    lambda finding: SEVERITY_ORDER[finding.severity],
    lambda finding: finding.rule,
    lambda finding: finding.expected if finding.rule in LOCATED else "",  # the first suspect first
    lambda finding: finding.where,
    lambda finding: _first(finding).file,
    lambda finding: _first(finding).line,
    lambda finding: _first(finding).column,
    lambda finding: finding.message,
)


def exit_code(report: Report) -> ExitCode:
    """Exit code of a report (DESIGN section 5).

    A failure at or above the threshold outweighs missing evidence; missing
    evidence outweighs a clean result.
    """
    if report.exit_code is not None:
        return report.exit_code
    if _fails(report.of(Verdict.FAIL), report.fail_on) or _lost(report.verdict):
        return ExitCode.FINDINGS
    return ExitCode.UNVERIFIED if _lacks_evidence(report) else ExitCode.CLEAN


def _fails(findings: Iterable[Finding], fail_on: Severity) -> bool:
    return any(SEVERITY_ORDER[f.severity] <= SEVERITY_ORDER[fail_on] for f in findings)


def _lost(verdict: RunVerdict | None) -> bool:
    return verdict is not None and verdict.run is RunResult.NOT_LOSSLESS


def _lacks_evidence(report: Report) -> bool:
    if report.of(Verdict.UNVERIFIED):
        return True
    if report.verdict is not None and report.verdict.run is RunResult.NOT_PROVEN:
        return True
    return report.require_complete and bool(report.of(Verdict.NOT_APPLICABLE))
