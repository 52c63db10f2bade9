"""From raw findings to what is reported: severities, one cause once, suppressions, grouping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain
from typing import NamedTuple

from netcheck.model.fabric import Fabric, Suppression
from netcheck.model.finding import Finding, Place, Severity, Verdict
from netcheck.model.known import is_known
from netcheck.model.records import SuppressionView
from netcheck.rules.catalogue import find_rule, is_rule, rules_for
from netcheck.rules.rule import Fault, Rule, Scope, show

RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
# Bare differences between two texts: a rule that knows their meaning says it better.
BARE_DIFFERENCES = frozenset({"config-differs-from-intent", "config-not-applied"})
ANY_PORT = "*"
VERDICT_RANK = {each: number for number, each in enumerate(Verdict)}
SHOWN_EVIDENCE = 64


def settle(
    findings: Iterable[Finding],
    intended: Fabric | None = None,
    *,
    suppressions: Iterable[Suppression] = (),
    today: str = "",
) -> list[Finding]:
    """Put findings in order for a report.

    Args:
        findings: As ``judge`` and other checks give them.
        intended: Carries severities and suppressions of the intent.
        suppressions: Those found in configurations, beside the intent's own.
        today: ISO date by which suppressions expire; without it none does.
    """
    accepted = [*(intended.suppressions if intended else ()), *suppressions]
    wanted = _with_severities(findings, intended.severities if intended else {})
    single = drop_superseded(list(wanted))
    rules = rules_for(*([intended] if intended else ()))
    complaints = _complaints(accepted, rules, today)
    judged = list(chain(suppress(single, accepted, today), complaints))
    return sorted(group(judged), key=_order)


def _order(finding: Finding) -> tuple[object, ...]:
    return (
        VERDICT_RANK[finding.verdict],
        RANK[finding.severity],
        finding.rule,
        finding.where,
        finding.message,
    )


def _slug(name: str) -> str:
    return find_rule(name).slug if is_rule(name) else name


def _with_severities(
    findings: Iterable[Finding], severities: Mapping[str, str]
) -> Iterable[Finding]:
    wanted = {_slug(name): value for name, value in severities.items()}
    for finding in findings:
        value = wanted.get(finding.rule)
        if value is None:
            yield finding
        elif value != "off":
            yield replace(finding, severity=Severity(value))


@cache
def _superseded(rule: str) -> frozenset[str]:
    """Rules that a rule supersedes, also through a third."""
    seen: set[str] = set()
    ahead = {rule}
    while ahead:
        one = ahead.pop()
        seen.add(one)
        ahead |= {*find_rule(one).supersedes} - seen
    return frozenset(seen - {rule})


class Cause(NamedTuple):
    """A finding that may explain others at its place."""

    rule: str
    place: Place
    facts: frozenset[str]
    severity: Severity


Causes = Mapping[tuple[str, str], list[Cause]]


def drop_superseded(findings: list[Finding]) -> list[Finding]:
    """Leave out what another finding at the same place explains: one fault is one finding.

    The other one is at least as severe, so that nothing is played down.
    """
    causes: dict[tuple[str, str], list[Cause]] = {}
    for finding in findings:
        if finding.verdict is Verdict.FAIL and is_rule(finding.rule):
            for place in finding.where:
                cause = Cause(finding.rule, place, finding.facts, finding.severity)
                for port in (place.port, ANY_PORT):
                    causes.setdefault((place.device, port), []).append(cause)
    return [kept for finding in findings if (kept := _rest(finding, causes)) is not None]


def _rest(finding: Finding, causes: Causes) -> Finding | None:
    """What is left of a finding once others have explained their places."""
    if finding.verdict is not Verdict.FAIL or not finding.where:
        return finding
    left = tuple(place for place in finding.where if not _explained(finding, place, causes))
    if len(left) == len(finding.where):
        return finding
    return replace(finding, where=left) if left and not _explains_whole(finding) else None


def _explained(finding: Finding, place: Place, causes: Causes) -> bool:
    # a device-wide difference is explained by what it does at any port
    is_of_device = finding.rule in BARE_DIFFERENCES and not place.port
    at_place = (
        cause
        for port in dict.fromkeys((ANY_PORT if is_of_device else place.port, ""))
        for cause in causes.get((place.device, port), ())
    )
    return any(_explains(cause, finding, place) for cause in at_place)


def _explains(cause: Cause, finding: Finding, place: Place) -> bool:
    is_greater = finding.rule in BARE_DIFFERENCES or finding.rule in _superseded(cause.rule)
    if not is_greater or RANK[cause.severity] > RANK[finding.severity]:
        return False
    shares = not cause.facts or not finding.facts or bool(cause.facts & finding.facts)
    return shares and _same_number(cause.place, place)


def _explains_whole(finding: Finding) -> bool:
    """The places of a link or path belong together: what explains one explains all."""
    scopes = {Scope.LINK, Scope.FABRIC}
    return is_rule(finding.rule) and find_rule(finding.rule).scope in scopes


def _same_number(one: Place, other: Place) -> bool:
    """Queue 3 and priority 3 may be one cause; priority 3 and priority 4 are two."""
    if not one.queue or not other.queue:
        return True
    word, _, number = one.queue.rpartition(" ")
    other_word, _, other_number = other.queue.rpartition(" ")
    return word != other_word or number == other_number


def suppress(
    findings: Iterable[Finding], suppressions: Iterable[Suppression], today: str
) -> Iterable[Finding]:
    """Split off what is accepted: its places become a finding of verdict ``suppressed``."""
    active = [each for each in suppressions if each.reason.strip() and not is_expired(each, today)]
    for finding in findings:
        yield from _suppress_one(finding, active) if finding.verdict is Verdict.FAIL else (finding,)


def _suppress_one(finding: Finding, active: list[Suppression]) -> Iterable[Finding]:
    left = finding.where
    for each in active:
        if _slug(each.rule) not in (finding.rule, "*"):
            continue
        hit = tuple(place for place in left if _matches(each.where, place))
        if hit or not (finding.where or each.where.strip("*")):
            yield replace(
                finding,
                where=hit,
                verdict=Verdict.SUPPRESSED,
                message=f"{finding.message}; accepted: {each.reason}",
            )
            left = tuple(place for place in left if place not in hit)
            if not left:
                return
    yield replace(finding, where=left)


def _matches(pattern: str, place: Place) -> bool:
    names = (str(place), f"{place.device} {place.port}".strip(), place.device)
    return any(fnmatchcase(name, pattern or "*") for name in names)


def is_expired(suppression: Suppression, today: str) -> bool:
    """Tell whether the last day of a suppression has passed."""
    return bool(today) and is_known(suppression.until) and suppression.until < today


def _complaints(
    suppressions: Iterable[Suppression], rules: Iterable[Rule], today: str
) -> Iterable[Finding]:
    own = [each for each in rules if each.scope is Scope.SUPPRESSION]
    for suppression in suppressions:
        view = SuppressionView(suppression, Place(suppression.where), today=today)
        for rule in own:
            for fault in rule.check(view):
                yield _complaint(rule, fault, suppression)


def _complaint(rule: Rule, fault: Fault, suppression: Suppression) -> Finding:
    page = rule.page
    expected, found = show(fault.expected), show(fault.found)
    return Finding(
        rule=rule.slug,
        severity=rule.severity,
        verdict=Verdict.FAIL,
        where=(Place(suppression.where),),
        message=f"suppression of {suppression.rule}: {fault.facts[0]} expected {expected}, "
        f"found {found}",
        expected=expected,
        found=found,
        evidence=(suppression.evidence,) if suppression.evidence.file else (),
        why=page.why,
        fix=page.fix,
        reference=rule.source,
        facts=frozenset(fault.facts),
    )


def group(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Put equal findings on many places together."""
    groups: dict[Finding, list[Finding]] = {}
    for finding in findings:
        key = replace(finding, where=(), evidence=())
        groups.setdefault(key, []).append(finding)
    for key, members in groups.items():
        where = dict.fromkeys(place for each in members for place in each.where)
        evidence = dict.fromkeys(one for each in members for one in each.evidence)
        yield replace(key, where=tuple(where), evidence=tuple(evidence)[:SHOWN_EVIDENCE])
