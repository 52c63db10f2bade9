"""JSON report, version 1 (DESIGN section 5)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from netcheck.model.document import Evidence
from netcheck.model.finding import ClassVerdict, Finding, Place, RunVerdict, Severity, Verdict
from netcheck.report.report import Report, exit_code
from netcheck.report.tool import NAME, VERSION

SCHEMA_VERSION = 1


def write(report: Report) -> str:
    """The report as one JSON document with a final newline."""
    document = {
        "version": SCHEMA_VERSION,
        "tool": {"name": NAME, "version": VERSION},
        "verdict": verdict_object(report.verdict),
        "summary": summary_object(report),
        "findings": [finding_object(finding) for finding in report.listed],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


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
    }


def finding_object(finding: Finding) -> Mapping[str, object]:
    """One finding; what is not said is null."""
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "verdict": finding.verdict.value,
        "where": [place_object(place) for place in finding.where],
        "message": finding.message,
        "expected": finding.expected or None,
        "found": finding.found or None,
        "evidence": [evidence_object(evidence) for evidence in finding.evidence],
        "why": finding.why or None,
        "fix": finding.fix or None,
        "reference": finding.reference or None,
        "stage": finding.stage.value,
    }


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
