"""HTML report: one page without scripts that needs nothing else; light, dark, wide, narrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from itertools import groupby

from netcheck.model.finding import (
    ClassVerdict,
    ExitCode,
    Finding,
    RunResult,
    Severity,
    Verdict,
)
from netcheck.model.shortened import compress, natural_key
from netcheck.report.comparison import html_of
from netcheck.report.heat_table import draw as draw_heat
from netcheck.report.report import SEVERITY_ORDER, Report, exit_code
from netcheck.report.text import evidence_text, places_text, plain, verdict_line
from netcheck.report.tool import NAME, VERSION
from netcheck.report.topology import NARROW, WIDE, Mark, anchor, draw

_MOODS = {ExitCode.CLEAN: "good", ExitCode.UNVERIFIED: "open"}
_RUN_MOODS = {RunResult.LOSSLESS: "good", RunResult.NOT_PROVEN: "open"}
_OPEN_FINDINGS = 8  # of one rule; the rest is folded
_OPEN_RULES = 12  # on the page; the rest is folded
_DEVICES = 500
_EVIDENCE = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding with the name of its place on the page."""

    finding: Finding
    at: str


def write(report: Report) -> str:
    """The report as one HTML document."""
    body = "\n".join(_body(report))
    title = _t(f"{NAME} {report.command}: {verdict_line(report)}")
    style = _style("page") + (_style("comparison") if report.comparison else "")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


@cache
def _style(name: str) -> str:
    return files("netcheck.report").joinpath(f"{name}.css").read_text(encoding="utf-8")


def _t(text: str) -> str:
    """Text for the page: markup and control characters written out, lines kept."""
    return "<br>".join(escape(plain(line)) for line in text.split("\n"))


def _body(report: Report) -> Iterator[str]:
    entries = [Entry(finding, f"f{n}") for n, finding in enumerate(report.listed, 1)]
    mood = _MOODS.get(exit_code(report), "bad")
    yield f'<header class="{mood}"><p class="soft">{NAME} {_t(report.command)}</p>'
    yield f"<h1>{_t(verdict_line(report))}</h1></header>"
    yield from _classes(report.classes)
    yield from _topology(report)
    yield from html_of(report.comparison)
    for heat in report.heat:
        yield from draw_heat(heat)
    yield from _by_rule(entries)
    yield from _by_device(entries)
    yield from _footer(report)


def _classes(classes: Sequence[ClassVerdict]) -> Iterator[str]:
    if not classes:
        return
    yield "<h2>Traffic classes</h2>\n<ul class=classes>"
    for item in classes:
        mood = _RUN_MOODS.get(item.verdict.run, "bad")
        bound = f", loss rate below {item.loss_bound:.1e} (95 %)" if item.loss_bound else ""
        promise = "declared lossless" if item.is_lossless else "declared as marked, not paused"
        promise = promise if item.waited is None else "lossless by credits"
        yield (
            f'<li><strong>{_t(item.name)}</strong>: <b class="{mood}">{_t(str(item.verdict))}</b>'
            f"<br><span class=soft>{promise}; {item.packets:,} packets{bound};"
            f" fired: {item.fired}</span></li>"
        )
    yield "</ul>"


def _topology(report: Report) -> Iterator[str]:
    fabric = report.fabric
    if fabric is None or not fabric.devices:
        return
    marks = _marks(report)
    yield "<h2>Topology</h2>\n<figure>"
    yield draw(fabric, marks, WIDE)
    yield draw(fabric, marks, NARROW)
    yield "</figure>"


def _marks(report: Report) -> dict[str, Mark]:
    """How each device came out: the worst that is said of it."""
    found = {name: Mark("good") for name in report.devices}
    counted: dict[str, dict[str, int]] = {}
    for finding in report.listed:
        style = _label(finding)[1]
        for device in {place.device for place in finding.where if place.device}:
            counts = counted.setdefault(device, {})
            counts[style] = counts.get(style, 0) + 1
    for device, counts in counted.items():
        rank, style, word = next(
            (len(_STYLES) - place, style, word)
            for place, (style, word) in enumerate(_STYLES)
            if style in counts
        )
        found[device] = Mark(style, _number(counts[style], word, style), rank)
    return found


def _number(number: int, word: str, style: str) -> str:
    """Such as ``2 errors``; words that are no noun stay as they are."""
    plural = "s" if number > 1 and style in {"error", "warning", "info"} else ""
    return f"{number} {word}{plural}"


_STYLES = (
    ("error", "error"),
    ("open", "without data"),
    ("warning", "warning"),
    ("info", "note"),
    ("muted", "suppressed"),
)


def _label(finding: Finding) -> tuple[str, str]:
    """Word and CSS class of a finding."""
    if finding.verdict is Verdict.UNVERIFIED:
        return "no data", "open"
    if finding.verdict is Verdict.SUPPRESSED:
        return "suppressed", "muted"
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    return words[finding.severity], finding.severity.value


def _by_rule(entries: Sequence[Entry]) -> Iterator[str]:
    if not entries:
        return
    yield f"<h2>Findings by rule <span class=soft>({len(entries)})</span></h2>"
    ordered = sorted(entries, key=_rule_key)
    for place, (_, group) in enumerate(groupby(ordered, key=_rule_key)):
        members = list(group)
        word, style = _label(members[0].finding)
        number = f" <span class=soft>x {len(members)}</span>" if len(members) > 1 else ""
        is_open = " open" if place < _OPEN_RULES else ""
        yield f'<details class="rule {style}"{is_open}><summary><b class="{style}">{word}</b>'
        yield f"<code>{_t(members[0].finding.rule)}</code>{number}</summary>"
        for entry in members[:_OPEN_FINDINGS]:
            yield from _article(entry)
        rest = members[_OPEN_FINDINGS:]
        if rest:
            yield f"<details><summary>{len(rest)} more</summary>"
            for entry in rest:
                yield from _article(entry)
            yield "</details>"
        yield from _about(members[0].finding)
        yield "</details>"


def _rule_key(entry: Entry) -> tuple[object, ...]:
    finding = entry.finding
    is_failure = finding.verdict is Verdict.FAIL
    return (not is_failure, finding.verdict, SEVERITY_ORDER[finding.severity], finding.rule)


def _article(entry: Entry) -> Iterator[str]:
    finding = entry.finding
    yield f'<article id="{entry.at}">'
    devices = compress({place.device for place in finding.where if place.device})
    places = _t(places_text(finding.where)) if finding.where else ""
    where = " ".join(part for part in (f"<strong>{_t(devices)}</strong>", places) if part)
    yield f"<p>{where if devices else '<strong>fabric</strong>'}</p>"
    yield f"<p>{_t(finding.message)}</p>"
    pair = (finding.expected, finding.found)
    if any(pair) and not all(part in finding.message for part in pair):
        yield f"<dl><dt>expected<dd>{_t(pair[0]) or '-'}<dt>found<dd>{_t(pair[1]) or '-'}</dl>"
    yield from _evidence(finding)
    yield "</article>"


def _evidence(finding: Finding) -> Iterator[str]:
    lines = list(dict.fromkeys(filter(None, map(evidence_text, finding.evidence))))
    if not lines:
        return
    yield f"<details class=evidence><summary>Evidence ({len(lines)})</summary><ul>"
    yield from (f"<li><code>{_t(line)}</code></li>" for line in lines[:_EVIDENCE])
    if len(lines) > _EVIDENCE:
        yield f"<li>and {len(lines) - _EVIDENCE} more places</li>"
    yield "</ul></details>"


def _about(finding: Finding) -> Iterator[str]:
    """What holds for the rule: how to mend it, and folded, why it matters and who says so."""
    if finding.fix:
        yield f"<p class=fix><b>Fix</b> {_t(finding.fix)}</p>"
    rest = [(w, t) for w, t in (("Why", finding.why), ("Source", finding.reference)) if t]
    if rest:
        yield "<details class=evidence><summary>Why, and source</summary>"
        yield from (f"<p><b>{word}</b> {_t(text)}</p>" for word, text in rest)
        yield "</details>"


def _by_device(entries: Sequence[Entry]) -> Iterator[str]:
    of: dict[str, list[Entry]] = {}
    for entry in entries:
        for device in {place.device for place in entry.finding.where} or {""}:
            of.setdefault(device, []).append(entry)
    if not of:
        return
    ordered = sorted(of, key=natural_key)
    yield f"<h2>Findings by device <span class=soft>({len(ordered)})</span></h2>"
    for device in ordered[:_DEVICES]:
        yield from _device(device, of[device])
    if len(ordered) > _DEVICES:
        rest = compress(ordered[_DEVICES:])
        yield f"<p class=soft>Also on {_t(rest)}: the findings above name them.</p>"


def _device(device: str, entries: Sequence[Entry]) -> Iterator[str]:
    counts: dict[tuple[str, str], int] = {}
    for entry in entries:
        label = _label(entry.finding)
        counts[label] = counts.get(label, 0) + 1
    words = " ".join(
        f'<b class="{style}">{_number(number, word, style)}</b>'
        for (word, style), number in counts.items()
    )
    yield f'<details id="{anchor(device)}"><summary><strong>{_t(device or "fabric")}</strong>'
    yield f"{words}</summary><ul>"
    for entry in entries:
        own = [place for place in entry.finding.where if place.device == device]
        places = f" {_t(places_text(own))}" if own else ""
        rule = f'<a href="#{entry.at}"><code>{_t(entry.finding.rule)}</code></a>'
        yield f"<li>{rule}{places}</li>"
    yield "</ul></details>"


def _footer(report: Report) -> Iterator[str]:
    yield "<footer>"
    yield from (f"<p>{_t(note)}</p>" for note in report.notes)
    skipped = report.not_applicable()
    if skipped:
        yield f"<details><summary>{len(skipped)} rules had nothing to compare with</summary>"
        yield f"<p>{_t(', '.join(skipped))}</p></details>"
    if report.unrecognised:
        yield f"<details><summary>{len(report.unrecognised)} files not recognised</summary><ul>"
        yield from (f"<li><code>{_t(n)}</code> {_t(why)}</li>" for n, why in report.unrecognised)
        yield "</ul></details>"
    if report.devices:
        yield f"<details><summary>{len(report.devices)} devices looked at</summary>"
        yield f"<p>{_t(compress(report.devices))}</p></details>"
    yield f"<p>{NAME} {VERSION}</p></footer>"
