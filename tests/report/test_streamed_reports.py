"""Reports are written piece by piece: a long one takes no more memory than a short one."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from netcheck.model.document import Evidence
from netcheck.model.finding import Finding, Place, Severity, Verdict
from netcheck.report.publish import Format, in_format, pieces_in_format, write_whole
from netcheck.report.report import Report


def report(findings: int, *, places: int = 1) -> Report:
    """Findings of one port of many leaves each, with an odd letter and line end in them."""
    where = tuple(Place(f"leaf{number:03d}", "Ethernet0", "3") for number in range(places))
    return Report(
        "lint",
        tuple(
            Finding(
                ("pfc-off", "mtu-low")[number % 2],
                (Severity.ERROR, Severity.WARNING)[number % 2],
                (Verdict.FAIL, Verdict.UNVERIFIED, Verdict.SUPPRESSED)[number % 3],
                where,
                f'priority {number}: "évidence": []\n<is missing>',
                expected="3",
                evidence=(Evidence("leaf.json", number % 7, 1), Evidence(counter="pfc")),
                fix="Turn it on.",
            )
            for number in range(findings)
        ),
        inputs=("leaf.json",),
    )


@pytest.mark.parametrize("form", [Format.JSON, Format.SARIF])
@pytest.mark.parametrize("findings", [0, 1, 7])
def test_json_is_laid_out_as_if_written_at_once(form: Format, findings: int) -> None:
    text = in_format(report(findings, places=2), form)
    whole = json.loads(text)
    assert text == json.dumps(whole, indent=2, ensure_ascii=form is Format.SARIF) + "\n"
    found = whole["findings"] if form is Format.JSON else whole["runs"][0]["results"]
    assert len(found) == findings


@pytest.mark.parametrize("findings", [0, 1, 7])
def test_junit_is_laid_out_as_if_written_at_once(findings: int) -> None:
    text = in_format(report(findings, places=2), Format.JUNIT)
    head, _, body = text.partition("\n")
    root = ET.fromstring(body)  # noqa: S314 -- written above
    ET.indent(root)
    assert body == ET.tostring(root, "unicode") + "\n"
    assert head.startswith("<?xml")
    assert len(root.findall(".//testcase")) == max(1, findings) == int(root.get("tests", ""))


def test_findings_are_listed_by_verdict_severity_rule_and_place() -> None:
    listed = report(12).listed
    order = [(f.verdict is not Verdict.FAIL, f.severity, f.rule) for f in listed]
    assert order == sorted(order)
    first = [f for f in listed if (f.verdict, f.rule) == (Verdict.FAIL, "pfc-off")]
    assert [f.evidence[0].line for f in first] == [0, 6]


@pytest.fixture
def own_collector() -> Iterator[None]:
    """Python's own pace: a command that ran before in this process has made it wait longer."""
    pace = gc.get_threshold()
    gc.collect()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*pace)


@pytest.mark.usefixtures("own_collector")
@pytest.mark.parametrize(
    ("form", "findings", "places", "share"),
    [
        (Format.JSON, 2000, 100, 10),
        (Format.CSV, 500, 100, 10),
        (Format.SARIF, 1500, 1, 2),
        (Format.JUNIT, 4000, 1, 2),
        (Format.TEXT, 4000, 1, 2),
    ],
)
def test_a_long_report_takes_a_small_share_of_its_size(
    form: Format, findings: int, places: int, share: int, tmp_path: Path
) -> None:
    path = tmp_path / "report"
    # modules are loaded, and what is kept of places is made, before memory is looked at
    write_whole(path, pieces_in_format(report(12), form), is_synced=False)
    given = report(findings, places=places)
    tracemalloc.start()
    write_whole(path, pieces_in_format(given, form), is_synced=False)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < path.stat().st_size / share
    if form in {Format.JSON, Format.CSV}:  # each of up to 200,000 places has a line of its own
        with path.open() as lines:
            assert sum("leaf0" in line for line in lines) == findings * places


def test_what_fails_in_the_middle_leaves_the_report_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    write_whole(path, "one\n")

    def broken() -> Iterator[str]:
        yield "two\n"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_whole(path, broken())
    assert path.read_text() == "one\n"
    assert list(tmp_path.iterdir()) == [path]
