"""HTML report: one page that needs nothing else, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from netcheck.model.finding import ExitCode, Finding, Verdict
from netcheck.report.ranges import compress, natural_key
from netcheck.report.report import Report, exit_code
from netcheck.report.text import evidence_text, verdict_line
from netcheck.report.tool import NAME, VERSION

_STYLE = """
:root{color-scheme:light dark;--ink:#1c2330;--paper:#fff;--line:#d9dee7;--soft:#5b6678;
--error:#b3261e;--warning:#8a5a00;--info:#1f5fa8;--good:#1d7a3d}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ef;--paper:#14181f;--line:#2d3542;
--soft:#9aa5b8;--error:#ff8a80;--warning:#f0c060;--info:#8ab8f5;--good:#7ad69a}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
article{margin:1rem 0;padding-left:.8rem;border-left:3px solid var(--line)}
article.error{border-color:var(--error)}article.warning{border-color:var(--warning)}
article.info{border-color:var(--info)}
p{margin:.2rem 0}.soft{color:var(--soft)}code{font-size:.9em;overflow-wrap:anywhere}
.good{color:var(--good)}.bad{color:var(--error)}.open{color:var(--warning)}
"""
_MOODS = {ExitCode.CLEAN: "good", ExitCode.UNVERIFIED: "open"}


def write(report: Report) -> str:
    """The report as one HTML document."""
    body = "\n".join(_body(report))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>netcheck {escape(report.command)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _body(report: Report) -> Iterator[str]:
    mood = _MOODS.get(exit_code(report), "bad")
    yield f"<h1>netcheck {escape(report.command)}</h1>"
    yield f'<p class="{mood}"><strong>{escape(verdict_line(report))}</strong></p>'
    groups: dict[str, list[Finding]] = {}
    for finding in report.listed:
        devices = {place.device for place in finding.where if place.device}
        groups.setdefault(compress(devices) or "fabric", []).append(finding)
    for heading in sorted(groups, key=natural_key):
        yield f"<h2>{escape(heading)}</h2>"
        for finding in groups[heading]:
            yield from _article(finding)
    yield from _footer(report)


def _article(finding: Finding) -> Iterator[str]:
    is_failure = finding.verdict is Verdict.FAIL
    label = finding.severity.value if is_failure else finding.verdict.value
    yield f'<article class="{finding.severity.value if is_failure else "other"}">'
    yield f"<p><strong>{escape(label)} <code>{escape(finding.rule)}</code></strong></p>"
    places = compress(" ".join(filter(None, (p.port, p.queue))) for p in finding.where)
    if places:
        yield f"<p>{escape(places)}</p>"
    yield f"<p>{escape(finding.message)}</p>"
    if finding.expected or finding.found:
        pair = f"expected {finding.expected or '-'}, found {finding.found or '-'}"
        yield f"<p>{escape(pair)}</p>"
    for line in dict.fromkeys(filter(None, map(evidence_text, finding.evidence))):
        yield f'<p class="soft"><code>{escape(line)}</code></p>'
    for word, text in (("Why", finding.why), ("Fix", finding.fix), ("See", finding.reference)):
        if text:
            yield f'<p class="soft">{word}: {escape(text)}</p>'
    yield "</article>"


def _footer(report: Report) -> Iterator[str]:
    skipped = report.not_applicable()
    if skipped:
        yield f'<p class="soft">Not applicable: {escape(", ".join(skipped))}</p>'
    for name, reason in report.unrecognised:
        yield f'<p class="soft">Not recognised: {escape(name)} {escape(reason)}</p>'
    for note in report.notes:
        yield f'<p class="soft">{escape(note)}</p>'
    yield f'<p class="soft">{NAME} {VERSION}</p>'
