"""JSON report, version 1 (DESIGN section 5)."""

from __future__ import annotations

from collections.abc import Mapping

from netcheck.model.document import Evidence
from netcheck.model.finding import ClassVerdict, Finding, Place, RunVerdict, Severity, Verdict
from netcheck.report.pieces import Pieces, json_item, json_object
from netcheck.report.report import Report, exit_code
from netcheck.report.tool import NAME, VERSION

SCHEMA_VERSION = 1


def write(report: Report) -> str:
    """The report as one JSON document with a final newline."""
    return "".join(pieces(report))


def pieces(report: Report) -> Pieces:
    """The report piece by piece."""
    document = {
        "version": SCHEMA_VERSION,
        "tool": {"name": NAME, "version": VERSION},
        "verdict": verdict_object(report.verdict),
        "summary": summary_object(report),
        "findings": [],
    }
    yield from json_object(document, {"findings": map(_finding, report.listed)})
    yield "\n"


def verdict_object(verdict: RunVerdict | None) -> Mapping[str, object] | None:
    """The run verdict, or None where nothing was measured."""
    if verdict is None:
        return None
    return {
        "run": verdict.run.value,
        "reason": verdict.reason.value if verdict.reason else None,
        "performance": verdict.performance.value if verdict.performance else None,
        "basis": verdict.basis.value,
    }


def class_object(item: ClassVerdict) -> Mapping[str, object]:
    """The result of one traffic class."""
    return {
        "name": item.name,
        "lossless": item.is_lossless,
        "run": item.verdict.run.value,
        "reason": item.verdict.reason.value if item.verdict.reason else None,
        "packets": item.packets,
        "loss_bound": item.loss_bound,
        "pfc": item.paused,
        "ecn": item.marked,
        **({} if item.waited is None else {"credits": item.waited}),
    }


def summary_object(report: Report) -> Mapping[str, object]:
    """Counts of everything, and of what is not listed one by one."""
    return {
        "command": report.command,
        "exit_code": int(exit_code(report)),
        "errors": report.failed(Severity.ERROR),
        "warnings": report.failed(Severity.WARNING),
        "infos": report.failed(Severity.INFO),
        "unverified": len(report.of(Verdict.UNVERIFIED)),
        "suppressed": len(report.of(Verdict.SUPPRESSED)),
        "passed": len(report.of(Verdict.PASS)),
        "not_applicable": report.not_applicable(),
        "devices": list(report.devices),
        "files": len(report.inputs),
        "unrecognised": [{"file": name, "reason": reason} for name, reason in report.unrecognised],
        "classes": [class_object(item) for item in report.classes],
        "notes": list(report.notes),
        **{name: [dict(row) for row in rows] for name, rows in report.figures.items()},
    }


def _finding(finding: Finding) -> Pieces:
    """One finding; what is not said is null."""
    inner = " " * 8
    members: dict[str, object] = {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "verdict": finding.verdict.value,
        "where": [],
        "message": finding.message,
        "expected": finding.expected or None,
        "found": finding.found or None,
        "evidence": [],
        "why": finding.why or None,
        "fix": finding.fix or None,
        "reference": finding.reference or None,
        "stage": finding.stage.value,
    }
    where = (json_item(place_object(place), indent=inner) for place in finding.where)
    evidence = (json_item(evidence_object(each), indent=inner) for each in finding.evidence)
    yield from json_object(members, {"where": where, "evidence": evidence}, indent=" " * 4)


def place_object(place: Place) -> Mapping[str, object]:
    """One place; null where the finding is wider than that."""
    return {
        "device": place.device or None,
        "port": place.port or None,
        "queue": place.queue or None,
    }


def evidence_object(evidence: Evidence) -> Mapping[str, object]:
    """Where a fact was read."""
    return {
        "file": evidence.file or None,
        "line": evidence.line or None,
        "column": evidence.column or None,
        "command": evidence.command or None,
        "counter": evidence.counter or None,
    }
