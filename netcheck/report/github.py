"""GitHub annotations: one workflow command a finding.

Source: docs.github.com, "Workflow commands for GitHub Actions", setting an
error, warning or notice message.
"""

from __future__ import annotations

from netcheck.model.document import Evidence
from netcheck.model.finding import Finding, Severity, Verdict
from netcheck.report.ranges import compress
from netcheck.report.report import Report
from netcheck.report.text import verdict_line

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def write(report: Report) -> str:
    """Annotations, then the verdict line."""
    lines = [_annotation(f) for f in report.listed if f.verdict is not Verdict.SUPPRESSED]
    return "\n".join([*lines, verdict_line(report)]) + "\n"


def _annotation(finding: Finding) -> str:
    is_failure = finding.verdict is Verdict.FAIL
    command = _COMMANDS[finding.severity] if is_failure else "warning"
    properties = _properties(finding)
    return f"::{command} {properties}::{_escape(_text(finding))}"


def _properties(finding: Finding) -> str:
    place = finding.evidence[0] if finding.evidence else Evidence()
    values = {
        "file": place.file,
        "line": str(place.line or ""),
        "col": str(place.column or ""),
        "title": finding.rule,
    }
    return ",".join(f"{key}={_escape_property(text)}" for key, text in values.items() if text)


def _text(finding: Finding) -> str:
    places = compress(str(place) for place in finding.where)
    text = f"{places}: {finding.message}" if places else finding.message
    return f"{text}\nfix: {finding.fix}" if finding.fix else text


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
