"""GitHub annotations: one workflow command a finding, as many as GitHub shows.

Source: docs.github.com, "Workflow commands for GitHub Actions", setting an
error, warning or notice message; actions/toolkit packages/core/src/command.ts
for what is escaped; actions/toolkit docs/problem-matchers.md for the limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from netcheck.model.document import Evidence
from netcheck.model.finding import Finding, Severity, Verdict
from netcheck.model.shortened import compress
from netcheck.report.report import Report
from netcheck.report.text import places_text, plain, verdict_line

SHOWN: Final = 10  # annotations of one kind that a step may have; GitHub drops the others unsaid
LONGEST: Final = 2000  # letters of the places; a message may have 64 KB
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def write(report: Report) -> str:
    """Annotations, then what they had no room for, then the verdict line."""
    by_kind: dict[str, list[Finding]] = {command: [] for command in _COMMANDS.values()}
    for finding in report.listed:
        if finding.verdict is not Verdict.SUPPRESSED:
            by_kind[_command(finding)].append(finding)
    lines = [line for kind, findings in by_kind.items() for line in _annotations(kind, findings)]
    return "\n".join([*lines, *_rest(by_kind), _harmless(verdict_line(report))]) + "\n"


def _annotations(kind: str, findings: list[Finding]) -> Iterator[str]:
    """Annotations of one kind; where they do not fit, the last one says so."""
    fits = len(findings) <= SHOWN
    for finding in findings if fits else findings[: SHOWN - 1]:
        yield f"::{kind} {_properties(finding)}::{_escape(_text(finding))}"
    if not fits:
        left = len(findings) - SHOWN + 1
        text = f"{left} more of this kind: the log of this step lists them"
        yield f"::{kind} title=netcheck::{_escape(text)}"


def _rest(by_kind: dict[str, list[Finding]]) -> Iterator[str]:
    """The findings that had no annotation, as lines of the log, folded."""
    left = [
        (kind, finding)
        for kind, findings in by_kind.items()
        if len(findings) > SHOWN
        for finding in findings[SHOWN - 1 :]
    ]
    if not left:
        return
    yield f"::group::{len(left)} findings without an annotation"
    for kind, finding in left:
        place = finding.evidence[0] if finding.evidence else Evidence()
        at = ":".join(str(part) for part in (place.file, place.line, place.column) if part)
        words = f"{kind} {finding.rule} {_text(finding)}".replace("\n", "; ")
        yield _harmless(f"{words} ({at})" if at else words)
    yield "::endgroup::"


def _command(finding: Finding) -> str:
    return _COMMANDS[finding.severity] if finding.verdict is Verdict.FAIL else "warning"


def _properties(finding: Finding) -> str:
    place = finding.evidence[0] if finding.evidence else Evidence()
    values = {"file": place.file.removeprefix("./"), "title": finding.rule}
    if place.file and place.line:  # a line without its file would be looked for in any
        values |= {"line": str(place.line), "col": str(place.column or "")}
    order = ("file", "line", "col", "title")
    return ",".join(f"{key}={_escape_property(values[key])}" for key in order if values.get(key))


def _text(finding: Finding) -> str:
    devices = compress({place.device for place in finding.where if place.device})
    places = f"{devices} {places_text(finding.where)}".strip()[:LONGEST]
    text = f"{places}: {finding.message}" if places else finding.message
    text = f"{text}\nfix: {finding.fix}" if finding.fix else text
    return "\n".join(plain(line) for line in text.split("\n"))


def _harmless(line: str) -> str:
    """A line of the log that the runner takes for no command, old form or new.

    Source: actions/runner src/Runner.Common/ActionCommand.cs: ``::`` at the start
        of a line (spaces before it do not count), ``##[`` anywhere.
    """
    line = plain(line).replace("##[", "# #[")
    return f"| {line}" if line.lstrip().startswith("::") else line


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
