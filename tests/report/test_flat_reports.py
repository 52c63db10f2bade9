import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.model.errors import InputError
from netcheck.report import csv as csv_report
from netcheck.report import github, html
from netcheck.report.publish import Format, format_of, in_format, write_whole
from netcheck.report.report import Report


def test_csv_has_a_row_for_each_place(report: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_report.write(report))))
    assert len(rows) == 8 + 2 + 1
    assert rows[1]["port"] == "Ethernet8"
    assert rows[1]["file"] == "leaf01/config_db.json"


def test_csv_cells_are_no_formulas(report: Report) -> None:
    sly = replace(report.findings[0], message='=HYPERLINK("http://x")')
    rows = list(csv.DictReader(io.StringIO(csv_report.write(Report("lint", (sly,))))))
    assert rows[0]["message"].startswith("'=")


def test_github_annotations_name_file_line_and_rule(report: Report) -> None:
    first = github.write(report).splitlines()[0]
    assert first.startswith(
        "::error file=leaf01/config_db.json,line=12,col=9,title=pfc-host-missing::"
    )
    assert "%0Afix: enable PFC <on> the host & the port" in first


def test_github_property_values_are_escaped(report: Report) -> None:
    odd = replace(report.findings[0], rule="a,b:c%")
    assert "title=a%2Cb%3Ac%25::" in github.write(Report("lint", (odd,)))


def test_html_needs_nothing_else_and_escapes_text(report: Report) -> None:
    page = html.write(report)
    assert "enable PFC &lt;on&gt; the host &amp; the port" in page
    assert not re.search(r"src=|href=\"(?!#)", page)


@pytest.mark.parametrize("form", list(Format))
def test_every_format_can_be_written(report: Report, form: Format) -> None:
    assert in_format(report, form).endswith("\n")


@pytest.mark.parametrize(
    ("path", "form"),
    [("out.json", "json"), ("out.SARIF", "sarif"), ("junit.xml", "junit"), ("out", "text")],
)
def test_a_file_name_asks_for_its_format(path: str, form: str) -> None:
    assert format_of(path) == form


def test_a_report_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "report.txt"
    write_whole(path, "one\n")
    write_whole(path, "two\n")
    assert path.read_text("utf-8") == "two\n"
    assert [each.name for each in path.parent.iterdir()] == ["report.txt"]


def test_a_place_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InputError, match="cannot be written"):
        write_whole(tmp_path / "file" / "report.txt", "text")
