import csv
import io
import os
import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.model.document import Evidence
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


def test_github_shows_ten_of_a_kind_and_says_what_is_left(report: Report) -> None:
    many = tuple(replace(report.findings[0], rule=f"rule-{n:02}") for n in range(25))
    lines = github.write(Report("lint", many)).splitlines()
    shown = [line for line in lines if line.startswith("::error ")]
    assert len(shown) == 10
    assert shown[-1] == (
        "::error title=netcheck::16 more of this kind: the log of this step lists them"
    )
    listed = lines[lines.index("::group::16 findings without an annotation") + 1 :]
    assert listed[0].startswith("error rule-09 leaf01 Ethernet[0-56:8] priority 3: pfc_rx")
    assert listed[15].endswith("(leaf01/config_db.json:12:9)")
    assert listed[16] == "::endgroup::"


def test_github_takes_no_command_out_of_what_a_device_says(report: Report) -> None:
    sly = replace(report.findings[0], message="x\n::set-env name=A::b\r##[error]y\x1b[2J", fix="")
    text = github.write(Report("lint", (sly,) * 12))
    commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
    assert {line.split("::")[1].split(" ")[0] for line in commands} == {
        "error",
        "group",
        "endgroup",
    }
    rest = text[text.index("::group::") :]
    assert "##[" not in rest
    assert "\x1b" not in text


def test_github_gives_no_line_without_its_file(report: Report) -> None:
    alone = replace(report.findings[0], evidence=(Evidence(line=7, counter="pfc"),))
    first = github.write(Report("lint", (alone,))).splitlines()[0]
    assert first.startswith("::error title=pfc-host-missing::")


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


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, "text\n")
        assert os.read(reader, 100) == b"text\n"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_is_no_place_for_a_report(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        write_whole(tmp_path, "text\n")
