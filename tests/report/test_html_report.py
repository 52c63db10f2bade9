"""The page a person opens: what is on it, that nothing else is needed, and that it stays small."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from netcheck.model.device import Device, Role
from netcheck.model.document import Evidence
from netcheck.model.fabric import Fabric, Link, PortRef
from netcheck.model.finding import (
    Basis,
    ClassVerdict,
    Finding,
    NotProven,
    Place,
    RunResult,
    RunVerdict,
    Severity,
    Verdict,
)
from netcheck.model.frozenmap import FrozenMap
from netcheck.report import html
from netcheck.report.report import Report
from netcheck.report.topology import NARROW, WIDE, Canvas, Mark, draw

VOID = {"meta", "br", "rect", "line", "li", "dt", "dd"}
OUTSIDE = {"src", "srcset", "data", "action", "onclick", "onload"}


class Page(HTMLParser):
    """Counts what a browser would see, and what it would have to fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.fetched: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name == "href":
                self.targets.append(value or "")
            elif name in OUTSIDE:
                self.fetched.append(f"{tag} {name}")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def fabric(leaves: int, hosts: int) -> Fabric:
    devices = {f"spine{n}": Device(f"spine{n}", role=Role.SPINE, platform="sonic") for n in (1, 2)}
    links = []
    for n in range(leaves):
        leaf = f"leaf{n:03}"
        devices[leaf] = Device(leaf, role=Role.LEAF, platform="sonic", model="SN5600")
        links += [Link(PortRef(leaf, f"e{s}"), PortRef(f"spine{s}", f"e{n}")) for s in (1, 2)]
        for h in range(hosts):
            host = f"{leaf}gpu{h}"
            devices[host] = Device(host, role=Role.HOST, platform="linux")
            links.append(Link(PortRef(host, "rail0"), PortRef(leaf, f"h{h}")))
    return Fabric("drawn", devices=FrozenMap(devices), links=tuple(links))


def test_the_page_is_well_formed_and_fetches_nothing(report: Report) -> None:
    page = Page(html.write(replace(report, fabric=fabric(2, 2))))
    assert page.open == []
    assert page.fetched == []
    assert not {"script", "link", "iframe", "img"} & set(page.tags)
    assert all(target.startswith("#") for target in page.targets)
    assert {target[1:] for target in page.targets} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_the_verdict_comes_first(report: Report) -> None:
    body = html.write(report).partition("<body>")[2]
    assert body.index("1 error, 1 unverified") < body.index("<h2>")


def test_findings_are_by_rule_and_by_device_and_the_two_are_linked(report: Report) -> None:
    text = html.write(report)
    by_rule, by_device = text.index("Findings by rule"), text.index("Findings by device")
    article = text.index('id="f1"')
    assert by_rule < article < by_device
    leaf = text.index('id="device-leaf01"')
    assert by_device < leaf
    assert '<a href="#f1"><code>pfc-host-missing</code></a> Ethernet[0-56:8]' in text[leaf:]


def test_a_device_counts_what_was_found_on_it(report: Report) -> None:
    second = replace(report.findings[0], rule="second")
    text = html.write(replace(report, findings=(*report.findings, second)))
    leaf = text[text.index('id="device-leaf01"') :]
    assert '<b class="error">2 errors</b></summary>' in leaf
    gpu = text[text.index('id="device-gpu01"') :]
    assert '<b class="open">1 no data</b> <b class="muted">1 suppressed</b></summary>' in gpu


def test_evidence_is_folded(report: Report) -> None:
    text = html.write(report)
    at = text.index("leaf01/config_db.json:12:9")
    assert text.rindex("<details class=evidence><summary>Evidence (2)", 0, at) > 0


def test_control_characters_and_markup_of_devices_do_nothing(report: Report) -> None:
    bad = Finding(
        "x", Severity.ERROR, Verdict.FAIL, (Place('<b>"\x1b[2J'),), "<script>alert(1)</script>\x00"
    )
    text = html.write(replace(report, findings=(bad,)))
    assert "<script>" not in text
    assert "\x1b" not in text
    assert "\x00" not in text
    assert Page(text).open == []


def test_each_class_stands_with_its_own_result() -> None:
    held = RunVerdict(RunResult.LOSSLESS, Basis.SIMULATED)
    unseen = RunVerdict(RunResult.NOT_PROVEN, Basis.SIMULATED, None, NotProven.NOT_EXERCISED)
    classes = (
        ClassVerdict("rdma", held, 3000, paused=True, marked=False),
        ClassVerdict("bulk", unseen, 0, paused=False, marked=False, is_lossless=False),
    )
    text = html.write(Report("perf", verdict=held, classes=classes))
    assert '<strong>rdma</strong>: <b class="good">lossless (simulated)</b>' in text
    assert "declared lossless; 3,000 packets, loss rate below 1.0e-03 (95 %); fired: PFC" in text
    assert '<strong>bulk</strong>: <b class="open">not proven: not exercised (simulated)' in text
    assert "declared as marked, not paused; 0 packets; fired: nothing" in text


@pytest.mark.parametrize("canvas", [WIDE, NARROW], ids=lambda canvas: canvas.name)
def test_tiers_are_drawn_from_the_top_and_bad_devices_are_marked(canvas: Canvas) -> None:
    drawing = draw(fabric(2, 1), {"leaf001": Mark("error", "2 errors", 5)}, canvas)
    places = [drawing.index(f">{name}<") for name in ("spine1", "leaf000", "leaf000gpu0")]
    assert places == sorted(places)
    assert '<a href="#device-leaf001"><g class="box error">' in drawing
    assert "2 errors" in drawing


def test_a_drawing_of_many_devices_is_as_large_as_one_of_few() -> None:
    marks = {"leaf007": Mark("error", "1 error", 5)}
    few, many = (draw(fabric(leaves, 8), marks, WIDE) for leaves in (20, 200))
    assert abs(len(many) - len(few)) < 200
    assert "199 leafs" not in few
    assert ">199 leaves<" in many
    assert ">1600 hosts<" in many
    assert "leaf007" in many


def test_a_finding_on_thousands_of_ports_stays_readable() -> None:
    places = tuple(Place(f"leaf{n:04}", f"Ethernet{m}") for n in range(700) for m in range(4))
    evidence = tuple(Evidence(f"{place.device}/config_db.json", 3) for place in places)
    one = Finding("r", Severity.ERROR, Verdict.FAIL, places, "wrong", evidence=evidence)
    text = html.write(Report("lint", (one,)))
    assert "leaf[0000-0699]" in text
    assert "and 600 more places" in text
    assert "Also on leaf[0500-0699]" in text
    assert len(text) < 200_000
