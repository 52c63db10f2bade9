"""JUnit report: one suite a device, one case a finding.

Failures are failures, missing evidence is an error (the test could not run),
suppressed and not applicable are skipped, passes are passes.

Source: the element set that Jenkins and GitLab read, as in
windyroad/JUnit-Schema JUnit.xsd.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from netcheck.model.finding import Finding, Verdict
from netcheck.model.shortened import compress, natural_key
from netcheck.report.report import Report
from netcheck.report.text import evidence_text, verdict_line

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OUTCOMES = {
    Verdict.FAIL: "failure",
    Verdict.UNVERIFIED: "error",
    Verdict.SUPPRESSED: "skipped",
    Verdict.NOT_APPLICABLE: "skipped",
}


def write(report: Report) -> str:
    """The report as an XML document."""
    return "".join(pieces(report))


def pieces(report: Report) -> Iterator[str]:
    """The report case by case."""
    suites = _suites(report)
    names = sorted(suites, key=natural_key)
    heads = [_head(name, suites[name]) for name in names] or [_head("fabric", [])]
    if not suites:
        heads[0].set("tests", "1")
    root = ET.Element("testsuites", {"name": f"netcheck {report.command}"})
    for total in ("tests", "failures", "errors", "skipped"):
        root.set(total, str(sum(int(head.get(total, "0")) for head in heads)))
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield _opening(root)
    for name, head in zip(names or ["fabric"], heads, strict=True):
        yield f"\n  {_opening(head)}"
        cases = (_case(name, finding) for finding in suites.get(name, ()))
        for case in cases if suites else [_only_case(report)]:
            ET.indent(case, level=2)
            yield f"\n    {ET.tostring(case, 'unicode')}"
        yield "\n  </testsuite>"
    yield "\n</testsuites>\n"


def _opening(element: ET.Element) -> str:
    """The start tag of an element without children."""
    return ET.tostring(element, "unicode").removesuffix(" />") + ">"


def _only_case(report: Report) -> ET.Element:
    case = ET.Element("testcase", {"name": report.command, "classname": "fabric"})
    ET.SubElement(case, "system-out").text = _clean(verdict_line(report))
    return case


def _suites(report: Report) -> dict[str, list[Finding]]:
    rest = (f for f in report.findings if f.verdict in {Verdict.PASS, Verdict.NOT_APPLICABLE})
    suites: dict[str, list[Finding]] = {}
    for finding in (*report.listed, *rest):
        devices = {place.device for place in finding.where if place.device}
        suites.setdefault(compress(devices) or "fabric", []).append(finding)
    return suites


def _head(name: str, findings: list[Finding]) -> ET.Element:
    """A suite without its cases."""
    suite = ET.Element("testsuite", {"name": _clean(name), "tests": str(len(findings))})
    outcomes = [_OUTCOMES.get(finding.verdict, "") for finding in findings]
    for total, outcome in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(total, str(outcomes.count(outcome)))
    return suite


def _case(suite: str, finding: Finding) -> ET.Element:
    places = compress(str(place) for place in finding.where)
    name = f"{finding.rule} {places}".strip()
    case = ET.Element("testcase", {"name": _clean(name), "classname": _clean(suite), "time": "0"})
    outcome = _OUTCOMES.get(finding.verdict)
    if outcome is None:
        return case
    detail = ET.SubElement(case, outcome, {"message": _clean(finding.message)})
    if outcome != "skipped":
        detail.set("type", finding.severity.value)
        detail.text = _clean(_detail(finding))
    return case


def _detail(finding: Finding) -> str:
    lines = [finding.message]
    if finding.expected or finding.found:
        lines.append(f"expected {finding.expected}, found {finding.found}")
    lines += [evidence_text(evidence) for evidence in finding.evidence]
    lines += [f"fix: {finding.fix}"] if finding.fix else []
    return "\n".join(lines)


def _clean(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
