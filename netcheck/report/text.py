"""Text report: for a person, grouped by device, one verdict line at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from netcheck.model.document import Evidence
from netcheck.model.finding import (
    ExitCode,
    Finding,
    Place,
    Severity,
    Verdict,
)
from netcheck.model.frozen import frozen
from netcheck.model.shortened import compress, natural_key
from netcheck.report.report import Report, exit_code

NARROWEST = 60
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34"}
_SHOWN_EVIDENCE = 2
# What devices and file names say must not steer the terminal.
_INERT = {code: f"\\x{code:02x}" for code in (*range(32), 127, *range(128, 160))}
_INDENT = " " * 10


@frozen
class Look:
    """How text is shown.

    Attributes:
        colour: Whether escape codes may be used.
        width: Columns to wrap at; 0 does not wrap.
        verbose: Also why a rule exists and where that is written.
        quiet: Only the verdict line.
    """

    colour: bool = False
    width: int = 0
    verbose: bool = False
    quiet: bool = False

    def paint(self, text: str, *names: str) -> str:
        """Text in a colour, where colours are shown."""
        if not self.colour or not names:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"


def terminal_look(*, colour: bool, verbose: bool = False, quiet: bool = False) -> Look:
    """The look for a terminal as wide as it is."""
    import shutil  # noqa: PLC0415 -- brings in archives; only terminals have a size

    width = max(NARROWEST, shutil.get_terminal_size((100, 24)).columns)
    return Look(colour=colour, width=width, verbose=verbose, quiet=quiet)


def write(report: Report, look: Look | None = None) -> str:
    """The report as text with a final newline."""
    return "".join(pieces(report, look))


def pieces(report: Report, look: Look | None = None) -> Iterator[str]:
    """The report line by line."""
    look = look or Look()
    lines = () if look.quiet else chain(_findings(report, look), _closing(report, look))
    for line in lines:
        yield f"{line}\n"
    yield f"{verdict_line(report, look)}\n"


def _findings(report: Report, look: Look) -> Iterator[str]:
    yield from map(plain, report.body)
    groups: dict[str, list[Finding]] = {}
    for finding in report.listed:
        if not (report.body and finding.severity is Severity.INFO):
            groups.setdefault(_heading(finding), []).append(finding)
    for heading in sorted(groups, key=natural_key):
        yield look.paint(heading, "bold")
        for finding in groups[heading]:
            yield from _finding(finding, look)
        yield ""


def _heading(finding: Finding) -> str:
    devices = {place.device for place in finding.where if place.device}
    return plain(compress(devices)) if devices else "fabric"


def plain(text: str) -> str:
    r"""Text on one line in which control characters are written out.

    Example:
        >>> plain("leaf1\x1b[2J")
        'leaf1\\x1b[2J'
    """
    return text.translate(_INERT)


def _finding(finding: Finding, look: Look) -> Iterator[str]:
    label, colour = _label(finding)
    places = plain(places_text(finding.where))
    yield (
        f"  {look.paint(f'{label:<8}', colour)}"
        + look.paint(finding.rule, "bold")
        + (f"  {places}" if places else "")
    )
    yield from _wrap(finding.message, look, _INDENT)
    if finding.expected or finding.found:
        pair = f"expected {finding.expected or '-'}, found {finding.found or '-'}"
        if finding.expected not in finding.message or finding.found not in finding.message:
            yield from _wrap(pair, look, _INDENT)
    for line in _evidence(finding.evidence):
        yield _INDENT + look.paint(plain(line), "dim")
    if look.verbose and finding.why:
        yield from _wrap(f"why: {finding.why}", look, _INDENT)
    if finding.fix:
        yield from _wrap(f"fix: {finding.fix}", look, _INDENT)
    if look.verbose and finding.reference:
        yield from _wrap(f"see: {finding.reference}", look, _INDENT)


def _label(finding: Finding) -> tuple[str, str]:
    if finding.verdict is Verdict.UNVERIFIED:
        return "no data", "yellow"
    if finding.verdict is Verdict.SUPPRESSED:
        return "muted", "dim"
    colours = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}
    return finding.severity.value, colours[finding.severity]


def places_text(where: Iterable[Place]) -> str:
    """Ports and queues of a finding; devices only where they differ between them."""
    at: dict[str, dict[str, list[str]]] = {}
    for place in where:
        at.setdefault(place.device, {}).setdefault(place.port, []).append(_queue_words(place.queue))
    written: dict[str, list[str]] = {}
    for device, ports in at.items():
        written.setdefault(_ports(ports), []).append(device)
    if len(written) == 1:  # the same on every device, and the heading names them
        return next(iter(written))
    return "; ".join(f"{compress(devices)} {ports}".strip() for ports, devices in written.items())


def _ports(queues_of: dict[str, list[str]]) -> str:
    """Ports with the same queues together: ``Ethernet[0-56:8] queue [3-4]``."""
    together: dict[str, list[str]] = {}
    for port, queues in queues_of.items():
        together.setdefault(compress(filter(None, queues)), []).append(port)
    return ", ".join(
        " ".join(filter(None, (compress(filter(None, ports)), queues)))
        for queues, ports in together.items()
    )


def _queue_words(queue: str) -> str:
    return f"queue {queue}" if queue.isdecimal() else queue


def _evidence(evidence: tuple[Evidence, ...]) -> Iterator[str]:
    lines = list(dict.fromkeys(filter(None, map(evidence_text, evidence))))
    yield from lines[:_SHOWN_EVIDENCE]
    if len(lines) > _SHOWN_EVIDENCE:
        yield f"and {len(lines) - _SHOWN_EVIDENCE} more places"


def evidence_text(evidence: Evidence) -> str:
    """Evidence as ``file:line:column (command) counter``."""
    place = ":".join(str(part) for part in (evidence.file, evidence.line, evidence.column) if part)
    command = f"({evidence.command})" if evidence.command else ""
    return " ".join(filter(None, (place, command, evidence.counter)))


def _wrap(text: str, look: Look, indent: str) -> Iterator[str]:
    from textwrap import wrap  # noqa: PLC0415 -- only reports with findings are wrapped

    for line in map(plain, text.split("\n")):
        if not look.width:
            yield indent + line
            continue
        yield from wrap(
            line,
            look.width,
            initial_indent=indent,
            subsequent_indent=indent + "  ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def _closing(report: Report, look: Look) -> Iterator[str]:
    skipped = report.not_applicable()
    if skipped:
        few, what = (
            ("rule", "what it compares") if len(skipped) == 1 else ("rules", "what they compare")
        )
        yield look.paint(f"{len(skipped)} {few} not applicable: {what} was not given", "dim")
    if report.unrecognised:
        names = [f"{name} ({reason})" if reason else name for name, reason in report.unrecognised]
        shown = names if look.verbose else names[:5]
        rest = f" and {len(names) - len(shown)} more (-v shows them)" if shown != names else ""
        few = "file" if len(names) == 1 else "files"
        line = f"{len(names)} {few} not recognised: {', '.join(shown)}{rest}"
        yield look.paint(plain(line), "dim")
    for note in report.notes:
        yield look.paint(plain(note), "dim")
    yield from map(plain, _comparison(report))


def _comparison(report: Report) -> Iterator[str]:
    if report.comparison:
        from netcheck.report.comparison import text_of  # noqa: PLC0415 -- of hybrid fabrics alone

        yield from text_of(report.comparison)


def verdict_line(report: Report, look: Look | None = None) -> str:
    """The one line that says how it went."""
    look = look or Look()
    code = exit_code(report)
    colour = {ExitCode.CLEAN: "green", ExitCode.UNVERIFIED: "yellow"}.get(code, "red")
    if report.verdict is not None:
        counts = _counts(report)
        detail = f": {report.verdict.detail}" if report.verdict.detail else ""
        words = f"{report.verdict}{detail}" + (f", {counts}" if counts else "")
    else:
        words = _judgement(report, code)
    return look.paint(words, "bold", colour)


def _judgement(report: Report, code: ExitCode) -> str:
    counts = _counts(report)
    devices = _number(len(report.devices), "device")
    where = f" on {devices}" if report.devices else ""
    if code is ExitCode.BAD_INPUT:
        return f"input cannot be used: {_number(len(report.listed), 'complaint')}"
    if report.inputs == () and report.unrecognised and code is ExitCode.UNVERIFIED:
        return "nothing recognised"
    if not counts and code is ExitCode.UNVERIFIED:
        return f"incomplete: not everything could be judged{where}"
    if not counts:
        return f"{report.done} ({devices})" if report.done else f"clean: no findings{where}"
    if report.failed(Severity.ERROR) == 0 and code is ExitCode.CLEAN:
        return f"{report.done or 'clean: no errors'}, {counts}{where}"
    return f"{counts}{where}"


def _counts(report: Report) -> str:
    amounts = [
        (report.failed(Severity.ERROR), "error"),
        (report.failed(Severity.WARNING), "warning"),
        (0 if report.body else report.failed(Severity.INFO), "note"),
    ]
    parts = [_number(amount, word) for amount, word in amounts if amount]
    unverified = len(report.of(Verdict.UNVERIFIED))
    suppressed = len(report.of(Verdict.SUPPRESSED))
    parts += [f"{unverified} unverified"] if unverified else []
    parts += [f"{suppressed} suppressed"] if suppressed else []
    return ", ".join(parts)


def _number(amount: int, word: str) -> str:
    return f"{amount} {word}" + ("" if amount == 1 else "s")
