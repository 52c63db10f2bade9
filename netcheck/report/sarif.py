"""SARIF 2.1.0 report, as code scanning takes it.

Source: OASIS SARIF 2.1.0 errata 01, sections 3.14 (run), 3.27 (result), 3.49
(reportingDescriptor); docs.github.com, "SARIF support for code scanning".
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from netcheck.model.document import Evidence
from netcheck.model.finding import Finding, Place, Severity, Verdict
from netcheck.model.shortened import compress
from netcheck.report.pieces import Pieces, json_item, json_object
from netcheck.report.report import Report, exit_code
from netcheck.report.tool import HOME, NAME, VERSION

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_URL = re.compile(r"https?://[^\s;,)]+")
_NUMBERS = re.compile(r"\d+")

Json = Mapping[str, object]


def write(report: Report) -> str:
    """The report as one SARIF log with one run."""
    return "".join(pieces(report))


def pieces(report: Report) -> Pieces:
    """The report piece by piece."""
    findings = report.listed
    firsts = {finding.rule: finding for finding in reversed(findings)}
    rules = sorted(firsts)
    run = {
        "tool": {
            "driver": {
                "name": NAME,
                "version": VERSION,
                "semanticVersion": VERSION,
                "informationUri": HOME,
                "rules": [_rule(rule, firsts[rule]) for rule in rules],
            }
        },
        "invocations": [{"executionSuccessful": True, "exitCode": int(exit_code(report))}],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "Where netcheck ran."}}},
        "results": [],
    }
    numbers = {rule: number for number, rule in enumerate(rules)}
    results = (
        json_item(_result(each, numbers[each.rule], report), indent=" " * 8, is_ascii=True)
        for each in findings
    )
    runs = (json_object(run, {"results": results}, indent=" " * 4, is_ascii=True) for _ in range(1))
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": []}
    yield from json_object(log, {"runs": runs}, is_ascii=True)
    yield "\n"


def _rule(slug: str, first: Finding) -> Json:
    url = _URL.search(first.reference)
    help_text = "\n\n".join(filter(None, (first.why, first.fix and f"Fix: {first.fix}")))
    return {
        "id": slug,
        "name": "".join(word.capitalize() for word in slug.split("-")),
        "shortDescription": {"text": slug.replace("-", " ")},
        "fullDescription": {"text": first.why or slug.replace("-", " ")},
        "help": {"text": help_text or slug.replace("-", " ")},
        "helpUri": url.group() if url else f"{HOME}#{slug}",
        "defaultConfiguration": {"level": _LEVELS[first.severity]},
    }


def _result(finding: Finding, rule_index: int, report: Report) -> Json:
    is_failure = finding.verdict is not Verdict.UNVERIFIED
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "kind": "fail" if is_failure else "open",
        "level": _LEVELS[finding.severity] if is_failure else "none",
        "message": {"text": _message(finding)},
        "locations": _locations(finding, report),
        "partialFingerprints": {"netcheck/v1": fingerprint(finding)},
        "properties": {"stage": finding.stage.value},
    }
    if finding.verdict is Verdict.SUPPRESSED:
        result["suppressions"] = [{"kind": "external", "justification": finding.message}]
    return result


def fingerprint(finding: Finding) -> str:
    """A name for the finding that stays when lines move and figures change."""
    parts = [
        finding.rule,
        *(str(place) for place in sorted(finding.where)),
        *sorted({evidence.file for evidence in finding.evidence}),
        _NUMBERS.sub("#", finding.message) if not finding.where else "",
    ]
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _message(finding: Finding) -> str:
    places = compress(str(place) for place in finding.where)
    text = f"{places}: {finding.message}" if places else finding.message
    return f"{text}\nFix: {finding.fix}" if finding.fix else text


def _locations(finding: Finding, report: Report) -> list[Json]:
    files = [evidence for evidence in finding.evidence if evidence.file]
    if not files and report.inputs:
        files = [Evidence(file=report.inputs[0])]
    names: list[Json] = [_logical(place) for place in finding.where]
    if not files:
        return [{"logicalLocations": names}] if names else []
    places: list[Json] = [{"physicalLocation": _physical(evidence)} for evidence in files]
    return [{**places[0], "logicalLocations": names}, *places[1:]] if names else places


def _logical(place: Place) -> Json:
    parts = [part for part in (place.device, place.port, place.queue) if part]
    full = "/".join(parts) or "fabric"
    return {
        "name": parts[-1] if parts else "fabric",
        "fullyQualifiedName": full,
        "kind": "resource",
    }


def _physical(evidence: Evidence) -> Json:
    location: dict[str, object] = {"artifactLocation": _artifact(evidence.file)}
    if evidence.line:
        region = {"startLine": evidence.line}
        if evidence.column:
            region["startColumn"] = evidence.column
        location["region"] = region
    return location


def _artifact(file: str) -> Json:
    """A path below the working directory is relative, any other a file URI."""
    path = Path(file)
    if path.is_absolute():
        here = Path.cwd()
        if not path.is_relative_to(here):
            return {"uri": path.as_uri()}
        path = path.relative_to(here)
    if ".." in path.parts:
        return {"uri": path.resolve().as_uri()}
    return {"uri": quote(path.as_posix(), errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}
