"""CSV report: one row for each place of each finding."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain

from netcheck.model.document import Evidence
from netcheck.model.finding import Finding, Place
from netcheck.report.report import Report

COLUMNS = (
    "rule",
    "severity",
    "verdict",
    "device",
    "port",
    "queue",
    "message",
    "expected",
    "found",
    "file",
    "line",
    "column",
    "command",
    "counter",
    "fix",
    "stage",
)


def write(report: Report) -> str:
    """A header and the rows, as RFC 4180 has them with plain line ends."""
    return "".join(pieces(report))


def pieces(report: Report) -> Iterator[str]:
    """The report row by row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rows = (row for finding in report.listed for row in _rows(finding))
    for row in chain([COLUMNS], rows):
        writer.writerow(row)
        yield out.getvalue()
        out.seek(0)
        out.truncate()


def _rows(finding: Finding) -> Iterator[list[str]]:
    first = finding.evidence[0] if finding.evidence else Evidence()
    for place in finding.where or (Place(),):
        cells = (
            finding.rule,
            finding.severity.value,
            finding.verdict.value,
            place.device,
            place.port,
            place.queue,
            finding.message,
            finding.expected,
            finding.found,
            first.file,
            str(first.line or ""),
            str(first.column or ""),
            first.command,
            first.counter,
            finding.fix,
            finding.stage.value,
        )
        yield [inert(cell) for cell in cells]


def inert(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t")) else cell
